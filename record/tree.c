/* Run objects in JSON: values by key, groups, and published numbers, as result.c and select.c. */
#include "record/measure.h"

#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/paths.h"
#include "core/text/opt.h"
#include "record/layout.h"

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

char *run_label(const cJSON *run, const cJSON *keys, const cJSON *labels)
{
	char *all = xstrdup("");
	const char *key;

	for (int i = 0; (key = keys_at(keys, i)); i++) {
		char *text = run_text(run, key);
		const char *label = text ? json_string(labels, text) : NULL;

		xappend_own(&all, "", xasprintf("%s%s", i ? ", " : "",
					    label ? label : text ? text : "-"));
		free(text);
	}
	return all;
}

char *run_values(const cJSON *run, const cJSON *keys)
{
	return run_label(run, keys, NULL);
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

/* One of the options OPTION=VALUE,... is the n bytes at `option`. */
static bool has_option(const char *options, const char *option, size_t n)
{
	for (size_t own; *options; options += own + (options[own] == ',')) {
		own = strcspn(options, ",");
		if (own == n && !strncmp(options, option, n))
			return true;
	}
	return false;
}

/* "NAME" or "NAME:OPTION=VALUE,..." agrees with a text of this name that has these options. */
static bool names_part_of(const char *wanted, const char *own)
{
	const size_t n = strcspn(wanted, ":");

	if (strncmp(own, wanted, n) != 0 || (own[n] && own[n] != ':'))
		return false;
	own += n + (own[n] == ':');
	wanted += n + (wanted[n] == ':');
	while (*wanted) {
		const size_t length = strcspn(wanted, ",");

		if (!has_option(own, wanted, length))
			return false;
		wanted += length + (wanted[length] == ',');
	}
	return true;
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
	same = own && text && (!strcmp(own, text) || (!in_grid && names_part_of(text, own)));
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

char **group_texts(const struct group *g, const cJSON *keys)
{
	char **texts = xcalloc(g->n + 1, sizeof(*texts));

	for (size_t i = 0; i < g->n; i++)
		texts[i] = run_values(g->run[i], keys);
	return texts;
}

struct group group_pick_text(const struct group *g, char *const *texts, const char *text)
{
	struct group picked = group_new(g->n);

	for (size_t i = 0; i < g->n; i++)
		if (!strcmp(texts[i], text))
			picked.run[picked.n++] = g->run[i];
	return picked;
}

struct group group_pick(const struct group *g, const cJSON *keys, const char *values)
{
	char **texts = group_texts(g, keys);
	struct group picked = group_pick_text(g, texts, keys ? values : "");

	path_list_free(texts);
	return picked;
}

static bool holds_text(const cJSON *array, const char *text)
{
	const cJSON *item;

	cJSON_ArrayForEach(item, array)
		if (!strcmp(item->valuestring, text))
			return true;
	return false;
}

cJSON *group_values(const struct group *g, const cJSON *keys)
{
	cJSON *values = cJSON_CreateArray();

	for (size_t i = 0; i < g->n; i++) {
		char *text = run_values(g->run[i], keys);

		if (!holds_text(values, text))
			cJSON_AddItemToArray(values, cJSON_CreateString(text));
		free(text);
	}
	return values;
}

static bool has_values(const cJSON *run, const cJSON *keys, const char *values)
{
	char *own = run_values(run, keys);
	bool same = !strcmp(own, values);

	free(own);
	return same;
}

const cJSON *group_first(const struct group *g, const cJSON *keys, const char *values)
{
	for (size_t i = 0; i < g->n; i++)
		if (has_values(g->run[i], keys, values))
			return g->run[i];
	return NULL;
}

/* All runs of the group have the first one's value of a setting. */
static bool aggregate_shared(const struct group *g, const char *key)
{
	char *first = run_text(g->run[0], key);
	bool same = true;

	for (size_t i = 1; i < g->n && same; i++) {
		char *own = run_text(g->run[i], key);

		same = own && first ? !strcmp(own, first) : own == first;
		free(own);
	}
	free(first);
	return same;
}

/* A setting that the first run's point has is looked at there, and not again at each run. */
const char *group_mixes(const struct group *g, const char *except)
{
	const cJSON *first = g->n ? json_get(g->run[0], "point") : NULL;

	for (size_t i = 0; i < g->n; i++) {
		const cJSON *point = json_get(g->run[i], "point"), *item;

		cJSON_ArrayForEach(item, point) {
			if (!strcmp(item->string, "seed") ||
			    (except && opt_same_key(item->string, except)) ||
			    (i > 0 && json_get(first, item->string)))
				continue;
			if (!aggregate_shared(g, item->string))
				return item->string;
		}
	}
	return NULL;
}

int group_diverged(const struct group *g)
{
	int n = 0;

	for (size_t i = 0; i < g->n; i++)
		n += run_diverged(g->run[i]);
	return n;
}

void group_numbers(const struct group *g, const char *key, double *x)
{
	struct target target;
	const bool mixed = (size_t)group_diverged(g) < g->n && !measure_learnt(key) &&
			   measure_known(key) && !target_parse(key, &target);

	for (size_t i = 0; i < g->n; i++)
		x[i] = mixed && run_diverged(g->run[i]) ? (double)NAN : run_number(g->run[i], key);
}

struct spread group_spread(const struct group *g, const char *key)
{
	double *x = xcalloc(g->n + 1, sizeof(*x));
	struct spread s;

	group_numbers(g, key, x);
	s = spread_of(x, g->n);
	free(x);
	return s;
}

/* A key of a published cell is a setting where the grid says so, or where it is no measure. */
static bool aggregate_is_setting(const cJSON *run, const char *key)
{
	return key_find(json_get(run, "point"), key) ||
	       !measure_known(key);
}

bool published_matches(const cJSON *cell, const cJSON *run, const char *x)
{
	const cJSON *item;

	cJSON_ArrayForEach(item, cell) {
		if (x && opt_same_key(item->string, x) && cJSON_IsNumber(item))
			continue;
		if (aggregate_is_setting(run, item->string) &&
		    !aggregate_agrees(run, item->string, item))
			return false;
	}
	return true;
}

const cJSON *published_find(const cJSON *cells, const cJSON *run, const char *measure)
{
	const cJSON *cell;

	cJSON_ArrayForEach(cell, cells) {
		const cJSON *value = key_find(cell, measure);

		if (value && published_matches(cell, run, NULL))
			return value;
	}
	return NULL;
}
