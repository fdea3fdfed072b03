/* How far a run went until a curve met a bound. What did not get there is infinite. */
#include "record/target.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/text/word.h"
#include "record/layout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *prefix, *axis, *unit;
} kinds[] = {
	{ "time_to:", "time_s", "time [s]" },
	{ "epochs_to:", "epoch", "epochs" },
	{ "gradients_to:", "gradients", "gradients" },
};
enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

/* The kind of a measure; KINDS: it is no target. */
static size_t target_kind_of(const char *measure)
{
	size_t i = 0;

	while (i < KINDS && strncmp(measure, kinds[i].prefix, strlen(kinds[i].prefix)) != 0)
		i++;
	return i;
}

const char *target_prefix(size_t i)
{
	return i < KINDS ? kinds[i].prefix : NULL;
}

bool target_named(const char *measure)
{
	return target_kind_of(measure) < KINDS;
}

static bool is_column(const struct layout_column *c, const char *name)
{
	for (; c->name; c++)
		if (!strcmp(c->name, name))
			return true;
	return false;
}

bool target_parse(const char *measure, struct target *t)
{
	size_t kind = target_kind_of(measure), n;

	if (kind == KINDS)
		return false;
	measure += strlen(kinds[kind].prefix);
	n = strcspn(measure, "<>");
	if (n >= sizeof(t->column) || !bound_parse(measure + n, &t->bound))
		return false;
	memcpy(t->column, measure, n);
	t->column[n] = '\0';
	t->axis = kinds[kind].axis;
	t->unit = kinds[kind].unit;
	return is_column(layout_eval, t->column) || is_column(layout_train, t->column);
}

static void target_learn(const char **words, size_t *n, const struct layout_column *columns)
{
	for (const struct layout_column *c = columns; c->name; c++) {
		size_t i = 0;

		while (i < *n && strcmp(words[i], c->name) != 0)
			i++;
		words[i] = c->name;
		*n += i == *n;
	}
}

static int no_column(const char *where, const char *key, const char *measure, const char *column)
{
	const char *words[EVAL_COLUMNS + TRAIN_COLUMNS + 1] = { NULL };
	char *advice;
	size_t n = 0;

	target_learn(words, &n, layout_eval);
	target_learn(words, &n, layout_train);
	advice = word_advice(column, words);
	error("%s: %s '%s': eval and train have no column '%s'%s", where, key, measure, column,
	      advice);
	free(advice);
	return -1;
}

static int no_bound(const char *where, const char *key, const char *measure)
{
	return error("%s: %s '%s': expected a column of eval or train, then '>=', '<=', '>' or '<' "
		     "and a number: time_to:test_accuracy>=0.8", where, key, measure);
}

int target_error(const char *where, const char *key, const char *measure)
{
	const size_t kind = target_kind_of(measure);
	const char *column = measure + (kind < KINDS ? strlen(kinds[kind].prefix) : 0);
	char *name = xasprintf("%.*s", (int)strcspn(column, "<>="), column);
	const bool known = is_column(layout_eval, name) || is_column(layout_train, name);
	int ret;

	ret = *name && !known ? no_column(where, key, measure, name) :
				no_bound(where, key, measure);
	free(name);
	return ret;
}

/* The rows that the column is of. */
static const cJSON *target_rows_of(const cJSON *run, const struct target *t)
{
	return json_get(run, is_column(layout_eval, t->column) ? "eval" : "train");
}

double target_value(const cJSON *run, const struct target *t)
{
	const cJSON *rows = target_rows_of(run, t), *x = json_get(rows, t->column);
	const cJSON *at = json_get(rows, t->axis);
	bool any = run_diverged(run);

	x = x ? x->child : NULL;
	at = at ? at->child : NULL;
	for (; x && at; x = x->next, at = at->next) {
		if (!cJSON_IsNumber(x) || !cJSON_IsNumber(at))
			continue;
		if (bound_holds(&t->bound, x->valuedouble))
			return at->valuedouble;
		any = true;
	}
	return any ? HUGE_VAL : (double)NAN;
}

/* The minibatch loss of train is not what eval calls the training loss. */
static char *column_label(const char *column)
{
	return !strcmp(column, layout_train[TRAIN_LOSS].name) ? xstrdup("minibatch loss") :
								measure_label(column, NULL);
}

char *target_label(const struct target *t)
{
	char *column = column_label(t->column);
	char *label = xasprintf("%s to %s %s%s %.6g", t->unit, column, t->bound.less ? "<" : ">",
				t->bound.equal ? "=" : "", t->bound.limit);

	free(column);
	return label;
}

/* One line, so that jq's messages count the lines of the filter itself. */
const char target_filters[] =
	"def _to($axis; $target): . as $run"
	" | ([\">=\", \"<=\", \">\", \"<\"] | map(select(. as $o | $target | contains($o)))"
	" | .[0]) as $o"
	" | (if $o then $target | split($o) else error(\"'\" + $target + \"' is no target\") end)"
	" as $t | ($t[1] | tonumber) as $v"
	" | (if $run.eval | has($t[0]) then $run.eval else $run.train end) as $rows"
	" | (if $rows | has($t[0]) then $rows[$t[0]]"
	" else error(\"no column '\" + $t[0] + \"'\") end) as $x"
	" | first((range($x | length) | select($x[.] as $y | $y != null and"
	" (if $o == \">=\" then $y >= $v elif $o == \"<=\" then $y <= $v"
	" elif $o == \">\" then $y > $v else $y < $v end)) | $rows[$axis][.]),"
	" (if $run.status == \"diverged\" or ($x | any(. != null)) then infinite else null end));"
	" def time_to($target): _to(\"time_s\"; $target);"
	" def epochs_to($target): _to(\"epoch\"; $target);"
	" def gradients_to($target): _to(\"gradients\"; $target); ";
