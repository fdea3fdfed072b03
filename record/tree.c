/* Run objects in JSON: values by key, and groups of them, as result.c and select.c have them. */
#include "record/measure.h"

#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/text/opt.h"
#include "record/layout.h"
#include "record/select.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

char *run_text(const cJSON *run, const char *key)
{
	const cJSON *value = key_find(json_get(run, "point"), key);

	if (!value)
		value = key_find(json_get(run, "settings"), key);
	if (!value)
		value = key_find(run, key);
	return value_text(value);
}

/* The whole text as a number, or NaN. */
static double measure_number_of(const char *text)
{
	char *end;
	double x = strtod(text, &end);

	return end == text || *end ? (double)NAN : x;
}

bool run_diverged(const cJSON *run)
{
	const char *status = json_string(run, "status");

	return status && !strcmp(status, STATUS_DIVERGED);
}

/* The rows that the column is of. */
static const cJSON *target_rows_of(const cJSON *run, const struct target *t)
{
	return json_get(run, t->eval ? "eval" : "train");
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

double run_number(const cJSON *run, const char *key)
{
	const cJSON *own = key_find(run, key);
	bool slow = !own && opt_same_key(key, "slow_factor");
	struct target target;
	char *text;
	double x;

	if (measure_learnt(key) && run_diverged(run))
		return measure_lost(key);
	if (cJSON_IsNumber(own))
		return own->valuedouble;
	if (target_parse(key, &target))
		return target_value(run, &target);
	text = run_text(run, slow ? "slow" : key);
	if (text)
		x = slow ? slow_factor(text) : measure_number_of(text);
	else
		x = slow ? 1 : (double)NAN;
	free(text);
	return x;
}

static struct group group_new(size_t capacity)
{
	return (struct group){ .run = xcalloc(capacity + 1, sizeof(const cJSON *)) };
}

void group_release(struct group *g)
{
	free(g->run);
	*g = (struct group){ 0 };
}

/*
 * The run's value is the one wanted, or one of a list. Values of the grid are as the spec writes
 * them; others have all their options, of which the one wanted may name some.
 */
static bool aggregate_agrees(const cJSON *run, const char *key, const cJSON *wanted)
{
	const bool in_grid = key_find(json_get(run, "point"), key);
	const cJSON *choice;
	char *own, *text;
	bool same;

	if (cJSON_IsArray(wanted)) {
		cJSON_ArrayForEach(choice, wanted)
			if (aggregate_agrees(run, key, choice))
				return true;
		return false;
	}
	own = run_text(run, key);
	text = value_text(wanted);
	same = own && text && (!strcmp(own, text) || (!in_grid && plugin_is_part(text, own)));
	free(own);
	free(text);
	return same;
}

static bool agrees_with_all(const cJSON *run, const cJSON *where)
{
	const cJSON *wanted;

	cJSON_ArrayForEach(wanted, where)
		if (!aggregate_agrees(run, wanted->string, wanted))
			return false;
	return true;
}

struct group group_where(const cJSON *runs, const cJSON *where)
{
	struct group g = group_new((size_t)cJSON_GetArraySize(runs));
	const cJSON *run;

	cJSON_ArrayForEach(run, runs)
		if (agrees_with_all(run, where))
			g.run[g.n++] = run;
	return g;
}
