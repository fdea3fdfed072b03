/*
 * filter.c - jq filters over results, each in a process of its own.
 *
 * A filter is a program of the spec's author: it may loop for ever, use all memory, read
 * the environment, and jq has asserts that end the process. So each is compiled and run in a
 * child that has an empty environment, a limit on its memory and time, and answers through a pipe.
 */
#define _GNU_SOURCE             /* environ */
#include "report/filter/filter.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/base/process.h"
#include "core/file/json.h"
#include "core/text/utf8.h"
#include "report/filter/compile.h"

#include <errno.h>
#include <jq.h>
#include <jv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
	LIMIT_S = 20,
	OUTPUTS_MAX = 1000,             /* of one filter */
	ANSWER_MAX = 1 << 24,           /* bytes of one filter's answer */
	MEMORY_MAX = 1 << 29,           /* bytes that a filter may use in addition */
	ERROR_MAX = 400                 /* bytes of a message */
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

/* Bytes of address space that this process has; 0: not known. */
static size_t memory_in_use(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	size_t pages = 0;

	if (f && fscanf(f, "%zu", &pages) != 1)
		pages = 0;
	if (f)
		fclose(f);
	return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static char *no_environment[] = { NULL };

/* What a filter must not reach: the environment, all memory. */
static void filter_confine(void)
{
	const size_t in_use = memory_in_use();
	const struct rlimit memory = { in_use + MEMORY_MAX, in_use + MEMORY_MAX };
	const struct rlimit no_core = { 0, 0 };

	environ = no_environment;
	setrlimit(RLIMIT_CORE, &no_core);
	if (in_use)
		setrlimit(RLIMIT_AS, &memory);
}

/* What a child is asked for: a filter, compiled or not, and what it runs over, if anything. */
struct question {
	const char *filter;
	jq_state *compiled;
	const struct filter_input *input;
	size_t k;               /* which filter of a program of several */
	enum filter_mode mode;
};

/* What the program of filter_compile() runs over. */
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

static cJSON *error_object(const char *why)
{
	cJSON *answer = cJSON_CreateObject();

	cJSON_AddStringToObject(answer, "error", why);
	return answer;
}

/* A message may hold a whole result: its beginning will do. */
static void bound_error(cJSON *answer)
{
	char *why = cJSON_GetStringValue(json_get(answer, "error"));

	if (why && strlen(why) > ERROR_MAX)
		strcpy(why + utf8_whole(why, ERROR_MAX - 3), "...");
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

static cJSON *answer_read(const struct process_answer *a)
{
	cJSON *answer;

	if (a->end == PROCESS_STOPPED)
		return error_object("interrupted");
	if (a->end == PROCESS_LATE)
		return error_object("the filter takes too long");
	if (a->end == PROCESS_LONG)
		return error_object("the filter's answer is too long");
	answer = a->n ? cJSON_Parse(a->text) : NULL;
	if (!answer)
		return error_object("the filter used too much memory, or jq crashed");
	json_make_printable(answer);
	bound_error(answer);
	return answer;
}

static cJSON *ask_child(struct question *q)
{
	const struct process_way way = { .run = answer_question, .arg = q, .in = PROCESS_NULL,
					 .out = PROCESS_NULL, .err = PROCESS_NULL };
	const struct process_limits limits = { .seconds = LIMIT_S, .bytes = ANSWER_MAX,
					       .tick = q->input ? filter_is_stopped : NULL };
	struct process_answer a;
	struct process child;
	cJSON *answer;

	if (q->input && filter_is_stopped(NULL))
		return error_object("interrupted");
	if (process_start(&child, &way) < 0)
		return error_object(strerror(errno));
	a = process_collect(&child, &limits);
	answer = answer_read(&a);
	free(a.text);
	return answer;
}

cJSON *filter_run(const char *filter, const struct filter_input *input, enum filter_mode mode)
{
	return ask_child(&(struct question){ .filter = filter, .input = input, .mode = mode });
}

/* ---- many filters, compiled once ---- */

struct filter_set {
	const char *const *filters;
	jq_state *jq;           /* of all of them; NULL: each is compiled alone */
};

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

/* What compiles in a child does here too, and without harm. */
struct filter_set *filter_set_new(size_t n, const char *const *filters)
{
	struct filter_set *set = xcalloc(1, sizeof(*set));
	char *program = filter_program(n, filters);

	set->filters = filters;
	if (program && filter_program_compiles(program))
		set->jq = compile_without_environment(program);
	free(program);
	return set;
}

void filter_set_free(struct filter_set *set)
{
	if (set->jq)
		jq_teardown(&set->jq);
	free(set);
}

cJSON *filter_set_run(const struct filter_set *set, size_t k, const struct filter_input *input,
		      enum filter_mode mode)
{
	return ask_child(&(struct question){ .filter = set->filters[k], .compiled = set->jq,
					     .input = input, .k = k, .mode = mode });
}
