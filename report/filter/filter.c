/*
 * filter.c - jq filters over results, each in a process of its own.
 *
 * A filter is a program of the spec's author: it may loop for ever, use all memory, read
 * the environment, and jq has asserts that end the process. So each is compiled and run in a
 * child that has an empty environment, a limit on its memory and time, and answers through a pipe.
 * Only what has compiled in a child, or comes with convoy, is compiled in the parent, once for all.
 */
#define _GNU_SOURCE             /* environ */
#include "report/filter/filter.h"

#include "core/base/cores.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/base/process.h"
#include "core/file/json.h"
#include "core/text/utf8.h"
#include "report/claims/rule.h"

#include <errno.h>
#include <jq.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
	LIMIT_S = 20,
	OUTPUTS_MAX = 1000,             /* of one filter */
	ANSWER_MAX = 1 << 24,           /* bytes of one filter's answer */
	MEMORY_MAX = 1 << 29,           /* bytes that a filter may use in addition */
	ERROR_MAX = 400,                /* bytes of a message */
	SHORT = 80                      /* characters of a filter that a message shows whole */
};

struct filter_input {
	jv value;
};

/*
 * The value with every number as a double. Since version 1.7 jq keeps the text of a number that it
 * parsed, and compares and prints that text: a filter would not answer as with version 1.6.
 */
static jv with_doubles(jv value)
{
	jv whole, element;
	double number;

	switch (jv_get_kind(value)) {
	case JV_KIND_NUMBER:
		number = jv_number_value(value);
		jv_free(value);
		return jv_number(number);
	case JV_KIND_ARRAY:
		for (int i = 0; i < jv_array_length(jv_copy(value)); i++) {
			element = jv_array_get(jv_copy(value), i);
			value = jv_array_set(value, i, with_doubles(element));
		}
		return value;
	case JV_KIND_OBJECT:
		whole = jv_copy(value);
		jv_object_foreach(whole, key, field)
		{
			value = jv_object_set(value, key, with_doubles(field));
		}
		jv_free(whole);
		return value;
	default:
		return value;
	}
}

struct filter_input *filter_input_new(const char *json)
{
	struct filter_input *input = xcalloc(1, sizeof(*input));

	input->value = with_doubles(jv_parse(json));
	return input;
}

void filter_input_free(struct filter_input *input)
{
	jv_free(input->value);
	free(input);
}

jv filter_input_runs(const struct filter_input *input)
{
	return jv_is_valid(input->value) ?
		       jv_object_get(jv_copy(input->value), jv_string("runs")) : jv_array();
}

/* ---- what filters may call, in one line, so that jq counts the lines of the filter ---- */

/*
 * The rules of rule.h. C answers them: jq has no functions in C for others to add, but it hands a
 * value to the callback of its "debug", and takes one from that of its "input".
 */
static const char rule_filters[] =
	"def _rule($f; $of): {(\"convoy rule\"): $f, of: $of} | debug | input;"
	" def _to($m): . as $run | _rule(\"target\"; [$m, $run]);"
	" def time_to($target): _to(\"time_to:\" + $target);"
	" def epochs_to($target): _to(\"epochs_to:\" + $target);"
	" def gradients_to($target): _to(\"gradients_to:\" + $target);"
	/* Figures by name: {"algo=asgd seed=1": f}. */
	" def by_run(runs; f): [runs | {(_rule(\"label\"; [.]) + (if .point.seed then"
	" \" seed=\" + (.point.seed | tostring) else \"\" end)): f}] | add;"
	" def beats(a; b; $m): _rule(\"beats\"; [$m, [a], [b]]);"
	" def beats(a; b): beats(a; b; \"test_accuracy\");"
	" def within(a; b; $points; $m): _rule(\"within\"; [$m, [a], [b], $points]);"
	" def within(a; b; $points): within(a; b; $points; \"test_accuracy\");"
	" def no_worse(a; b; $points; $m): _rule(\"no_worse\"; [$m, [a], [b], $points]);"
	" def no_worse(a; b; $points): no_worse(a; b; $points; \"test_accuracy\");"
	" def no_later(a; b; $target): _rule(\"no_later\"; [\"time_to:\" + $target, [a], [b]]);"
	" def no_later(a; b): _rule(\"no_later\"; [null, [a], [b]]);"
	" def all_of(f): [f] as $all | _rule(\"all_of\"; $all);"
	" def any_of(f): [f] as $all | _rule(\"any_of\"; $all); ";

/*
 * `[runs] | mean_of(f)` and `mean_of(runs; f)`, the mean of f over runs, as a table's cell has it:
 * null is left out, one infinite value makes it infinite, and so does the loss of a run that
 * diverged; its accuracy makes it -infinite. Null where no run has a number.
 */
static const char means_filters[] =
	"def mean_of(f):"
	" def lost: if type == \"object\" and .status == \"diverged\" then"
	" (try [path(f)][0] catch null) as $p | if $p | IN([\"train_loss\"], [\"test_loss\"],"
	" [\"test_perplexity\"], [\"test_bits\"]) then infinite"
	" elif $p == [\"test_accuracy\"] then -infinite else null end else null end;"
	" if type != \"array\" then"
	" error(\"mean_of takes a list of runs: [.runs[] | select(...)] | mean_of(...)\")"
	" else map(lost //f) | map(select(. != null))"
	" | map(if type == \"number\" then . else error(\"mean_of: \" + tojson + \" is no number\")"
	" end) | if length == 0 then null elif any(. > 1e300) then infinite"
	" elif any(. < -1e300) then -infinite else add / length end"
	" end;"
	" def mean_of(runs; f): [runs] | mean_of(f); ";

/*
 * Functions of the whole input: tuned(METHOD; SETTING), the value that was chosen, and
 * at_edge(METHOD; SETTING), whether it is the least or the greatest of its grid. Where tuning has
 * chosen the first of equal points and $_judging is true, the verdict is "undecided": they raise an
 * error() with it.
 */
static const char tuned_filters[] =
	"def _tuning($method; $setting):"
	" if type != \"object\" or (.tuning | type) != \"array\" then"
	" error(\"nothing is tuned, or the input is a part (tuned and at_edge take the whole)\")"
	" else [.tuning[] | select(.method == $method)] | if length == 0 then"
	" error(\"no method '\" + $method + \"' is tuned\") else .[0] end"
	" | if .chosen | has($setting) | not then"
	" error($setting + \" of \" + $method + \" is not tuned\")"
	" elif $_judging and .reason then error({verdict: \"undecided\", why:"
	" (\"tuning \" + $method + \" decides nothing: \" + .reason)}) else . end end;"
	"def tuned($method; $setting): _tuning($method; $setting) | .chosen[$setting];"
	"def at_edge($method; $setting):"
	" _tuning($method; $setting) | any(.edge[]; . == $setting); ";

/*
 * jq's own <, >, <=, >=, min, max, min_by, max_by, sort_by, unique_by, add, all and any, and
 * mean_of(), for the filters themselves, compiled after all other functions. In jq null is less
 * than any number, any number less than any text, and all of nothing holds; here a side that is
 * null, a text compared with a number, or nothing to look at, is an error where $_judging is true.
 * Of equal values, be they infinite, those with _by take the last instead of the first, or the
 * first instead of the last, where $_turn is true. The program must bind both.
 */
static const char strict_filters[] =
	"def _less_of: .[0] < .[1]; def _more_of: .[0] > .[1];"
	" def _up_to: .[0] <= .[1]; def _from: .[0] >= .[1];"
	" def _all_of(g; f): all(g; f); def _any_of(g; f): any(g; f);"
	" def _least: min; def _most: max; def _sum: add; def _least_by(f): min_by(f);"
	" def _most_by(f): max_by(f); def _sorted(f): sort_by(f); def _unique(f): unique_by(f);"
	" def _absent($f): error($f + \": a value is null: no run has that name, a run diverged, or"
	" a group has no runs\");"
	" def _some($f; g): if $_judging and isempty(g) then error($f + \": there is nothing to"
	" look at: a group has no runs\") else . end;"
	" def _known($f; f): if $_judging and any(.[] | f; . == null) then _absent($f) else . end;"
	" def _turned: if $_turn then reverse else . end;"
	" def min_by(f): _some(\"min_by\"; .[]) | _known(\"min_by\"; f) | _turned | _least_by(f);"
	" def max_by(f): _some(\"max_by\"; .[]) | _known(\"max_by\"; f) | _turned | _most_by(f);"
	" def sort_by(f): _known(\"sort_by\"; f) | _turned | _sorted(f);"
	" def unique_by(f): _turned | _unique(f);"
	" def min: _some(\"min\"; .[]) | _known(\"min\"; .) | _least;"
	" def max: _some(\"max\"; .[]) | _known(\"max\"; .) | _most;"
	" def add: _some(\"add\"; .[]) | _known(\"add\"; .) | _sum;"
	" def _mean(f): mean_of(f); def mean_of(f): _some(\"mean_of\"; .[]) | _mean(f);"
	" def mean_of(runs; f): [runs] | mean_of(f);"
	" def all(g; f): _some(\"all\"; g) | _all_of(g; f); def all(f): all(.[]; f);"
	" def all: all(.[]; .);"
	" def any(g; f): _some(\"any\"; g) | _any_of(g; f); def any(f): any(.[]; f);"
	" def any: any(.[]; .);"
	/* jq calls these for a < b, a > b, a <= b and a >= b. */
	" def _sides(a; b; $f): b as $b | a as $a | if $_judging | not then [$a, $b]"
	" elif $a == null or $b == null then _absent($f)"
	" elif [$a, $b | type] | . == [\"string\", \"number\"] or . == [\"number\", \"string\"]"
	" then error($f + \": a text is compared with a number; tonumber makes a number of a text,"
	" such as that of a setting\") else [$a, $b] end;"
	" def _less(a; b): _sides(a; b; \"<\") | _less_of;"
	" def _greater(a; b): _sides(a; b; \">\") | _more_of;"
	" def _lesseq(a; b): _sides(a; b; \"<=\") | _up_to;"
	" def _greatereq(a; b): _sides(a; b; \">=\") | _from; ";

/* ---- programs of jq ---- */

/* The answer to a rule, until jq's "input" takes it. */
static jv rule_pending;

static void rule_asked(void *data, jv question)
{
	(void)data;
	if (jv_get_kind(question) == JV_KIND_OBJECT &&
	    jv_object_has(jv_copy(question), jv_string("convoy rule"))) {
		jv rule = jv_object_get(jv_copy(question), jv_string("convoy rule"));

		jv_free(rule_pending);
		rule_pending = rule_answer(jv_string_value(rule),
					   jv_object_get(jv_copy(question), jv_string("of")));
		jv_free(rule);
	}
	jv_free(question);
}

/* Message of jq where "input" has nothing to take. */
static jv rule_taken(jq_state *jq, void *data)
{
	jv answer = rule_pending;

	(void)jq;
	(void)data;
	rule_pending = jv_invalid_with_msg(jv_string("No more inputs"));
	return answer;
}

/* Keeps the first message, on one line. */
static void keep_message(void *data, jv message)
{
	char **kept = data;

	if (!*kept) {
		jv text = jv_get_kind(message) == JV_KIND_STRING ?
				  jv_copy(message) :
				  jv_dump_string(jv_copy(message), 0);

		*kept = xstrdup(jv_string_value(text));
		(*kept)[strcspn(*kept, "\n")] = 0;
		jv_free(text);
	}
	jv_free(message);
}

/* The message from after a text on, where it has that. */
static void cut_before(char *message, const char *text)
{
	const size_t n = strlen(text);

	if (strncmp(message, text, n) == 0)
		memmove(message, message + n, strlen(message + n) + 1);
}

/* Without what is of jq's command line; the line only where there are several. The caller frees. */
static char *filter_compile_tidied(char *message, const char *filter)
{
	char *at = strstr(message, " at <top-level>"), *line, *hint, *tidy;

	line = at ? strstr(at, "line ") : NULL;
	tidy = xasprintf("%.*s%s%.*s", at ? (int)(at - message) : (int)strlen(message),
			 message, line && strchr(filter, '\n') ? ", " : "",
			 line && strchr(filter, '\n') ? (int)strcspn(line, ",:") : 0,
			 line ? line : "");
	cut_before(tidy, "jq: error: ");
	hint = strstr(tidy, " (Unix shell quoting issues?)");
	if (hint)
		cut_before(hint, " (Unix shell quoting issues?)");
	free(message);
	return tidy;
}

/*
 * A jq that runs the filter over .v of its input, an object; or NULL and a message. The caller
 * frees either. The filter may call the functions above, and read .k as $_k.
 */
static jq_state *filter_compile(const char *filter, char **message)
{
	jq_state *jq = must_have(jq_init(), "jq");
	char *whole = xasprintf("%s%s.k as $_k | .judging as $_judging | .turn as $_turn | .v | "
				"%s%s%s", rule_filters, means_filters, tuned_filters,
				strict_filters, filter);
	int compiled;

	*message = NULL;
	jq_set_error_cb(jq, keep_message, message);
	compiled = jq_compile(jq, whole);
	free(whole);
	if (compiled) {
		jq_set_error_cb(jq, NULL, NULL);
		jq_set_debug_cb(jq, rule_asked, NULL);
		jq_set_input_cb(jq, rule_taken, NULL);
		jv_free(rule_pending);
		rule_pending = jv_invalid_with_msg(jv_string("No more inputs"));
		return jq;
	}
	jq_teardown(&jq);
	*message = *message ? filter_compile_tidied(*message, filter) :
			      xstrdup("jq cannot compile it");
	return NULL;
}

/* ---- in the child ---- */

static jv filter_failed(const char *why)
{
	return jv_object_set(jv_object(), jv_string("error"), jv_string(why));
}

/*
 * The message of an invalid value: what error() in the filter, or jq itself, said. An object with
 * a verdict, which functions of claims raise, is the filter's output.
 */
static jv failure_of(jv invalid)
{
	jv message = jv_invalid_get_msg(invalid), text;

	if (jv_get_kind(message) == JV_KIND_OBJECT &&
	    jv_object_has(jv_copy(message), jv_string("verdict")))
		return jv_object_set(jv_object(), jv_string("outputs"), JV_ARRAY(message));
	text = jv_get_kind(message) == JV_KIND_STRING ? jv_copy(message) :
							   jv_dump_string(jv_copy(message), 0);
	jv_free(message);
	message = filter_failed(jv_string_value(text));
	jv_free(text);
	return message;
}

static jv evaluate_filter(jq_state *jq, jv input)
{
	jv outputs = jv_array(), result;

	if (!jv_is_valid(input)) {
		jv_free(outputs);
		return failure_of(input);
	}
	jq_start(jq, input, 0);
	while (jv_is_valid(result = jq_next(jq))) {
		outputs = jv_array_append(outputs, result);
		if (jv_array_length(jv_copy(outputs)) > OUTPUTS_MAX) {
			jv_free(outputs);
			return filter_failed("too many outputs");
		}
	}
	if (jv_invalid_has_msg(jv_copy(result))) {
		jv_free(outputs);
		return failure_of(result);
	}
	jv_free(result);
	return jv_object_set(jv_object(), jv_string("outputs"), outputs);
}

static char *no_environment[] = { NULL };

/* Takes away what a filter must not reach: the environment, all memory. */
static void filter_confine(void)
{
	const rlim_t in_use = (rlim_t)memory_in_use();
	const struct rlimit memory = { in_use + MEMORY_MAX, in_use + MEMORY_MAX };
	const struct rlimit no_core = { 0, 0 };

	environ = no_environment;
	setrlimit(RLIMIT_CORE, &no_core);
	if (in_use)
		setrlimit(RLIMIT_AS, &memory);
}

/* Task of a child: a filter, compiled or not, and what it runs over, if anything. */
struct question {
	const char *filter;
	jq_state *compiled;
	const struct filter_input *input;
	size_t k;               /* which filter of a program of several */
	enum filter_mode mode;
};

/* Input of the program of filter_compile(). */
static jv question_input(const struct question *q)
{
	jv value = JV_OBJECT(jv_string("k"), jv_number((double)q->k), jv_string("judging"),
			     q->mode != FILTER_SHOW ? jv_true() : jv_false(), jv_string("turn"),
			     q->mode == FILTER_TURN ? jv_true() : jv_false());

	return jv_is_valid(q->input->value) ?
		       jv_object_set(value, jv_string("v"), jv_copy(q->input->value)) :
		       (jv_free(value), jv_copy(q->input->value));
}

/* Compiles the filter, where it is not, and runs it, where there is an input. */
static int answer_question(void *arg, int fd)
{
	const struct question *q = arg;
	const char *text;
	char *message = NULL;
	jq_state *jq = q->compiled;
	jv result;

	filter_confine();
	if (!jq)
		jq = filter_compile(q->filter, &message);
	if (!jq)
		result = filter_failed(message);
	else if (q->input)
		result = evaluate_filter(jq, question_input(q));
	else
		result = jv_object();
	text = jv_string_value(jv_dump_string(result, 0));
	return process_write(fd, text, strlen(text)) < 0 ? EXIT_DIE : EXIT_OK;
}

/* ---- in the parent ---- */

static struct filter_answer answer_failed(const char *why)
{
	return (struct filter_answer){ .error = xstrdup(why) };
}

void filter_answer_release(struct filter_answer *a)
{
	cJSON_Delete(a->outputs);
	free(a->error);
	*a = (struct filter_answer){ 0 };
}

static bool (*stop_asked)(void);

void filter_stop_when(bool (*stop)(void))
{
	stop_asked = stop;
}

static bool filter_is_stopped(void *arg)
{
	(void)arg;
	return stop_asked && stop_asked();
}

/* A message may hold a whole result: its beginning will do. */
static struct filter_answer answer_read(const struct process_answer *a)
{
	struct filter_answer answer = { 0 };
	const char *why;
	cJSON *json;

	if (a->end == PROCESS_STOPPED)
		return answer_failed("interrupted");
	if (a->end == PROCESS_LATE)
		return answer_failed("the filter takes too long");
	if (a->end == PROCESS_LONG)
		return answer_failed("the filter's answer is too long");
	json = a->n ? cJSON_Parse(a->text) : NULL;
	if (!json)
		return answer_failed("the filter used too much memory, or jq crashed");
	json_make_printable(json);
	why = json_string(json, "error");
	if (why && strlen(why) > ERROR_MAX)
		answer.error = xasprintf("%.*s...", (int)utf8_whole(why, ERROR_MAX - 3), why);
	else if (why)
		answer.error = xstrdup(why);
	answer.outputs = cJSON_DetachItemFromObject(json, "outputs");
	cJSON_Delete(json);
	return answer;
}

struct filter_answer filter_answer_of(jv value)
{
	jv result = jv_is_valid(value) ?
			    jv_object_set(jv_object(), jv_string("outputs"), JV_ARRAY(value)) :
			    failure_of(value);
	jv text = jv_dump_string(result, 0);
	const struct process_answer a = { .text = (char *)jv_string_value(text),
					  .n = strlen(jv_string_value(text)) };
	const struct filter_answer answer = answer_read(&a);

	jv_free(text);
	return answer;
}

static struct filter_answer ask_child(struct question *q)
{
	const struct process_way way = { .run = answer_question, .arg = q, .in = PROCESS_NULL,
					 .out = PROCESS_NULL, .err = PROCESS_NULL };
	const struct process_limits limits = { .seconds = LIMIT_S, .bytes = ANSWER_MAX,
					       .tick = q->input ? filter_is_stopped : NULL };
	struct filter_answer answer;
	struct process_answer a;
	struct process child;

	if (q->input && filter_is_stopped(NULL))
		return answer_failed("interrupted");
	if (process_start(&child, &way) < 0)
		return answer_failed(strerror(errno));
	a = process_collect(&child, &limits);
	answer = answer_read(&a);
	free(a.text);
	return answer;
}

struct filter_answer filter_run(const char *filter, const struct filter_input *input,
				enum filter_mode mode)
{
	return ask_child(&(struct question){ .filter = filter, .input = input, .mode = mode });
}

/* ---- many filters, compiled once ---- */

char *filter_check(const char *filter)
{
	scoped_by(filter_answer_release) struct filter_answer a =
		filter_run(filter, NULL, FILTER_SHOW);
	const bool shown = strlen(filter) <= SHORT && !strchr(filter, '\n');
	char *message = NULL;

	if (a.error)
		message = shown ? xasprintf("%s, in '%s'", a.error, filter) : xstrdup(a.error);
	return message;
}

/*
 * Whether a filter that compiles in brackets among others compiles alone: no bracket closes one
 * that is not its own. Brackets in a string are text, but those of \(...) in it are not. What
 * comments may hide differs between versions of jq, so a filter that has any says nothing.
 */
static bool is_closed(const char *filter)
{
	char *open = xcalloc(strlen(filter) + 1, 1);    /* the brackets, and quotes, to be closed */
	size_t n = 0;
	bool closed = true;

	for (; *filter && closed; filter++) {
		const bool quoted = n > 0 && open[n - 1] == '"';

		if (quoted && *filter == '\\' && filter[1]) {
			if (*++filter == '(')
				open[n++] = ')';
		} else if (quoted) {
			n -= *filter == '"';
		} else if (strchr("([{\"", *filter)) {
			open[n++] = (char)(*filter == '(' ? ')' : *filter == '[' ? ']' :
					   *filter == '{' ? '}' : '"');
		} else if (strchr(")]}", *filter)) {
			closed = n > 0 && open[--n] == *filter;
		} else {
			closed = *filter != '#';
		}
	}
	free(open);
	return closed && n == 0;
}

/*
 * One program that runs filter $_k. NULL where a bracket or a quote of a filter may reach
 * into the next one, so that each must be compiled alone; the caller frees.
 */
static char *filter_program(size_t n, const char *const *filters)
{
	char *program = xstrdup("if false then .");

	for (size_t i = 0; i < n; i++) {
		if (!is_closed(filters[i])) {
			free(program);
			return NULL;
		}
		xappendf(&program, " ", "elif $_k == %zu then (%s\n)", i, filters[i]);
	}
	xappend(&program, " ", "else empty end");
	return program;
}

/* The compiler puts the environment where a program has $ENV: that of filters is empty. */
static jq_state *compile_without_environment(const char *program)
{
	char **kept = environ, *message = NULL;
	jq_state *jq;

	environ = no_environment;
	jq = filter_compile(program, &message);
	environ = kept;
	free(message);
	return jq;
}

/* Programs that compile, as a child said, or that come with convoy. */
static struct known {
	char *program;
	jq_state *jq;           /* compiled; NULL: not in this process yet */
} *known;
static size_t nknown;

static struct known *known_find(const char *program)
{
	for (size_t i = 0; i < nknown; i++)
		if (strcmp(known[i].program, program) == 0)
			return &known[i];
	return NULL;
}

/* The program, if it compiles: here if it is trusted, else in a child, which is asked once. */
static struct known *known_if_compiles(const char *program, bool trusted)
{
	struct known *it = known_find(program);
	jq_state *jq = NULL;
	char *why;

	if (it)
		return it;
	if (trusted) {
		jq = compile_without_environment(program);
		if (!jq)
			return NULL;
	} else if ((why = filter_check(program))) {
		free(why);
		return NULL;
	}
	known = xrealloc(known, nknown + 1, sizeof(*known));
	known[nknown] = (struct known){ xstrdup(program), jq };
	return &known[nknown++];
}

bool filter_check_all(size_t n, const char *const *filters, bool trusted)
{
	scoped char *program = n > 0 ? filter_program(n, filters) : NULL;

	return n == 0 || (program && known_if_compiles(program, trusted));
}

struct filter_set {
	const char *const *filters;
	jq_state *jq;           /* of all of them, borrowed; NULL: each is compiled alone */
};

/* What compiles in a child does here too, and without harm. */
struct filter_set *filter_set_new(size_t n, const char *const *filters)
{
	struct filter_set *set = xcalloc(1, sizeof(*set));
	scoped char *program = filter_program(n, filters);
	struct known *it = program ? known_if_compiles(program, false) : NULL;

	if (it && !it->jq)
		it->jq = compile_without_environment(program);
	*set = (struct filter_set){ filters, it ? it->jq : NULL };
	return set;
}

void filter_set_free(struct filter_set *set)
{
	free(set);
}

struct filter_answer filter_set_run(const struct filter_set *set, size_t k,
				    const struct filter_input *input, enum filter_mode mode)
{
	return ask_child(&(struct question){ .filter = set->filters[k], .compiled = set->jq,
					     .input = input, .k = k, .mode = mode });
}
