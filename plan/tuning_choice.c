/* The best point of each method's grid, and what is said of it. */
#include "plan/tuning.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/text/opt_text.h"
#include "plan/spec/tune.h"
#include "record/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- results ---- */

static bool choice_is_ready(const struct tuning *t, const struct tuning_method *m)
{
	for (size_t i = m->first; i < m->first + m->n; i++)
		if (t->plan.runs[i].state != RUN_FINISHED)
			return false;
	return m->n > 0;
}

/* Adds the run objects of the method. 0 or error(). */
static int choice_read(struct tuning *t, const struct tuning_method *m)
{
	for (size_t i = m->first; i < m->first + m->n; i++) {
		cJSON *run = result_read(t->plan.runs[i].path);

		if (!run)
			return -1;
		cJSON_AddItemToObject(run, "point",
				      cJSON_Duplicate(t->plan.runs[i].point, true));
		cJSON_AddItemToArray(t->results, run);
	}
	return 0;
}

/* The measure of n runs; how good their mean is: higher is worse, HUGE_VAL where one is lost. */
struct point_score {
	cJSON *values;          /* a number for each seed, or null; owned until it is in the JSON */
	double mean, badness;
	int n, diverged;        /* runs with a value; that diverged */
};

static struct point_score choice_score(const cJSON *run, size_t n, const cJSON *tune)
{
	const char *measure = json_string(tune, "measure");
	double *x = xcalloc(n, sizeof(*x));
	struct point_score score = { .values = cJSON_CreateArray() };
	struct spread s;

	for (size_t i = 0; i < n; i++, run = run->next) {
		x[i] = run_number(run, measure);
		cJSON_AddItemToArray(score.values, json_of_number(x[i]));
		score.diverged += run_diverged(run);
	}
	s = spread_of(x, n);
	free(x);
	score.mean = s.mean;
	score.n = s.n;
	score.badness = spec_tune_highest(tune) ? -s.mean : s.mean;
	if (score.diverged || s.n < (int)n || !isfinite(s.mean))
		score.badness = HUGE_VAL;
	return score;
}

/* ---- the edge of a grid ---- */

/* The value of "key=", an option in "name:key=value,..." with that "name:", as a number. */
static bool choice_option(const char *text, const char *name, const char *key, double *x)
{
	const char *item = strncmp(text, name, strlen(name)) == 0 ? text + strlen(name) : NULL;
	char *value;
	bool is;

	while (item && strncmp(item, key, strlen(key)) != 0)
		item = (item = strchr(item, ',')) ? item + 1 : NULL;
	if (!item)
		return false;
	item += strlen(key);
	value = xasprintf("%.*s", (int)strcspn(item, ","), item);
	is = text_double(value, x);
	free(value);
	return is;
}

/* The number that a value is or, with a name, that it has as an option. */
static bool choice_number(const cJSON *value, const char *name, const char *key, double *x)
{
	char *text = json_text(value);
	const bool is = text && (name ? choice_option(text, name, key, x) : text_double(text, x));

	free(text);
	return is;
}

/* Whether that is the least or the greatest of several; values without a number do not count. */
static bool choice_is_edge(const cJSON *list, const cJSON *value, const char *name,
			   const char *key)
{
	double own, other;
	bool above = false, below = false;
	const cJSON *item;

	if (!choice_number(value, name, key, &own))
		return false;
	cJSON_ArrayForEach(item, list)
		if (choice_number(item, name, key, &other)) {
			above = above || other > own;
			below = below || other < own;
		}
	return above != below;
}

/* Of a setting with options, as "outer_lr of algo". */
static void choice_option_edges(cJSON *edges, const cJSON *list, const cJSON *value)
{
	const char *text = cJSON_GetStringValue(value), *item = text ? strchr(text, ':') : NULL;
	char *name = item ? xasprintf("%.*s", (int)(++item - text), text) : NULL;

	for (; item; item = (item = strchr(item, ',')) ? item + 1 : NULL) {
		char *words = xasprintf("%.*s of %s", (int)strcspn(item, "="), item,
					value->string);
		char *key = xasprintf("%.*s=", (int)strcspn(item, "="), item);

		if (choice_is_edge(list, value, name, key))
			cJSON_AddItemToArray(edges, cJSON_CreateString(words));
		free(key);
		free(words);
	}
	free(name);
}

static cJSON *choice_edges(const struct tuning_method *m)
{
	cJSON *edges = cJSON_CreateArray();
	const cJSON *value;

	cJSON_ArrayForEach(value, m->chosen) {
		const cJSON *list = json_get(m->grid, value->string);

		if (choice_is_edge(list, value, NULL, NULL))
			cJSON_AddItemToArray(edges, cJSON_CreateString(value->string));
		choice_option_edges(edges, list, value);
	}
	return edges;
}

/* ---- the choice ---- */

static cJSON *choice_point(const struct tuning_method *m, size_t i, const struct point_score *s)
{
	cJSON *point = cJSON_CreateObject();

	cJSON_AddItemToObject(point, "settings", plan_product_point(m->grid, i));
	cJSON_AddItemToObject(point, "values", s->values);
	cJSON_AddItemToObject(point, "mean", json_of_number(s->mean));
	cJSON_AddNumberToObject(point, "n", s->n);
	cJSON_AddNumberToObject(point, "diverged", s->diverged);
	return point;
}

struct choice_made {
	size_t best, equal;     /* the index of the best point; how many are as good */
	int values;             /* runs that have the measure */
	double least, most;     /* badness of the points */
};

/* `points` gets what each point has. */
static struct choice_made choice_best(const struct plan *p, const struct tuning_method *m,
				      cJSON *points)
{
	const size_t n = plan_product_size(m->grid), seeds = m->n / n;
	const cJSON *run = cJSON_GetArrayItem(p->tuning->results,
					      cJSON_GetArraySize(p->tuning->results) - (int)m->n);
	struct choice_made made = { .least = HUGE_VAL, .most = -HUGE_VAL };

	for (size_t i = 0; i < n; i++) {
		const struct point_score s = choice_score(run, seeds, p->spec.tune);

		if (s.badness < made.least) {
			made.best = i;
			made.equal = 0;
		}
		made.least = fmin(made.least, s.badness);
		made.equal += s.badness <= made.least;
		made.most = fmax(made.most, s.badness);
		made.values += s.n;
		cJSON_AddItemToArray(points, choice_point(m, i, &s));
		for (size_t k = 0; k < seeds; k++)
			run = run->next;
	}
	return made;
}

/* Why the first of the best points was taken; NULL: no other is as good. The caller frees. */
static char *choice_reason(const struct choice_made *made)
{
	if (isinf(made->least))
		return xstrdup("every point diverged, or has no value");
	if (made->least >= made->most)
		return xstrdup("all points are equal");
	return made->equal > 1 ? xasprintf("%zu points are equally good", made->equal) : NULL;
}

static cJSON *choice_head(const struct plan *p, const struct tuning_method *m)
{
	static const char *const copied[] = { "measure", "seeds", "budget" };
	cJSON *json = cJSON_CreateObject();

	cJSON_AddStringToObject(json, "method", m->name);
	cJSON_AddItemToObject(json, "per", cJSON_Duplicate(m->per, true));
	cJSON_AddItemToObject(json, "grid", cJSON_Duplicate(m->grid, true));
	for (size_t i = 0; i < sizeof(copied) / sizeof(copied[0]); i++)
		if (json_get(p->spec.tune, copied[i]))
			cJSON_AddItemToObject(json, copied[i],
					      cJSON_Duplicate(json_get(p->spec.tune, copied[i]),
							      true));
	cJSON_AddStringToObject(json, "best",
				spec_tune_bests[spec_tune_highest(p->spec.tune) ? 0 : 1]);
	return json;
}

/* How many of its runs have the measure, or -1 after error(). */
static int choice_make(struct plan *p, struct tuning_method *m)
{
	cJSON *json, *points;
	struct choice_made made;
	char *reason;

	if (choice_read(p->tuning, m) < 0)
		return -1;
	points = cJSON_CreateArray();
	made = choice_best(p, m, points);
	reason = plan_product_size(m->grid) > 1 ? choice_reason(&made) : NULL;
	m->chosen = plan_product_point(m->grid, made.best);
	json = choice_head(p, m);
	cJSON_AddItemToObject(json, "points", points);
	cJSON_AddItemToObject(json, "chosen", cJSON_Duplicate(m->chosen, true));
	cJSON_AddItemToObject(json, "edge", choice_edges(m));
	if (reason)
		cJSON_AddStringToObject(json, "reason", reason);
	free(reason);
	cJSON_AddItemToArray(p->tuning->chosen, json);
	return made.values;
}

/* So that what is chosen stands in the order of the methods, whenever their runs were made. */
static void choice_clear(struct tuning *t)
{
	for (size_t i = 0; i < t->n; i++) {
		cJSON_Delete(t->methods[i].chosen);
		t->methods[i].chosen = NULL;
	}
	cJSON_Delete(t->results);
	cJSON_Delete(t->chosen);
	t->results = cJSON_CreateArray();
	t->chosen = cJSON_CreateArray();
}

int tuning_choose(struct plan *p)
{
	struct tuning *t = p->tuning;
	int values = 0, made = 0;

	choice_clear(t);
	for (size_t i = 0; i < t->n; i++) {
		int some;

		if (!choice_is_ready(t, &t->methods[i]))
			continue;
		some = choice_make(p, &t->methods[i]);
		if (some < 0)
			return -1;
		values += some;
		made++;
	}
	if (made && !values)
		return error("%s: tune: no tuning run has the measure '%s'. Choose another.",
			     p->spec.path, json_string(p->spec.tune, "measure"));
	cJSON_DeleteItemFromObjectCaseSensitive(p->spec.json, TUNING_NAME);
	cJSON_AddItemToObject(p->spec.json, TUNING_NAME, cJSON_Duplicate(t->chosen, true));
	return tuning_close(p);
}

/* ---- in words ---- */

/* "lr 0.05, 0.1, 0.2"; the caller frees. */
static char *choice_grid_text(const cJSON *grid)
{
	char *all = xstrdup("");
	const cJSON *list;

	cJSON_ArrayForEach(list, grid) {
		char *values = tuning_values_text(list);

		xappend_own(&all, "; ", xasprintf("%s %s", list->string, values));
		free(values);
	}
	return all;
}

/* "test accuracy (highest), seeds 101, epochs=2"; the caller frees. */
static char *choice_how_text(const cJSON *json)
{
	char *measure = measure_label(json_string(json, "measure"), NULL);
	char *seeds = tuning_values_text(json_get(json, "seeds"));
	char *budget = plan_point_text(json_get(json, "budget"));
	char *all = xasprintf("%s (%s), seed%s %s%s%s", measure, json_string(json, "best"),
			      cJSON_GetArraySize(json_get(json, "seeds")) > 1 ? "s" : "", seeds,
			      *budget ? ", " : "", budget);

	free(measure);
	free(seeds);
	free(budget);
	return all;
}

/* "lr=0.4 (lr at the edge of the grid)"; the caller frees. */
static char *choice_chosen_text(const cJSON *json)
{
	char *all = plan_point_text(json_get(json, "chosen"));
	char *edges = tuning_values_text(json_get(json, "edge"));
	const char *reason = json_string(json, "reason");

	if (reason)
		xappend_own(&all, " ", xasprintf("(the first: %s)", reason));
	else if (*edges)
		xappend_own(&all, " ", xasprintf("(%s at the edge of the grid)", edges));
	free(edges);
	return all;
}

static char *choice_method_text(const cJSON *json)
{
	const char *name = json_string(json, "method");
	char *chosen = choice_chosen_text(json);
	char *all = xasprintf("%s%s%s", name, *name ? ": " : "", chosen);

	free(chosen);
	return all;
}

/* Methods in their order; a grid stands once, after the last of the methods that share it. */
static char *choice_methods_text(const cJSON *all, bool with_grids)
{
	char *text = xstrdup("");
	const cJSON *json;
	int alike = 0;

	cJSON_ArrayForEach(json, all) {
		const cJSON *grid = json_get(json, "grid");
		char *words = choice_grid_text(grid);

		xappend_own(&text, "; ", choice_method_text(json));
		alike++;
		if (!cJSON_Compare(grid, json_get(json->next, "grid"), true)) {
			if (with_grids && *words)
				xappend(&text, alike > 1 ? ", each of " : " of ", words);
			alike = 0;
		}
		free(words);
	}
	return text;
}

char *tuning_text(const struct plan *p)
{
	const cJSON *all = p->tuning ? p->tuning->chosen : NULL;
	const bool common = json_get(p->spec.tune, "grid");
	char *grid, *how, *text, *methods;

	if (!all || !all->child)
		return NULL;
	grid = common ? choice_grid_text(json_get(all->child, "grid")) : xstrdup("");
	how = choice_how_text(all->child);
	methods = choice_methods_text(all, !common);
	text = xasprintf("tuned by %s%s%s. %s", how, common ? ", over " : "", grid, methods);
	free(grid);
	free(how);
	free(methods);
	return text;
}

char *tuning_text_of(const struct plan *p, const struct planned *r)
{
	const cJSON *all = p->tuning && r->extra ? p->tuning->chosen : NULL, *json;

	cJSON_ArrayForEach(json, all)
		if (cJSON_Compare(json_get(json, "per"), p->tuning->methods[r->method].per, true)) {
			char *chosen = choice_chosen_text(json), *how = choice_how_text(json);
			char *grid = choice_grid_text(json_get(json, "grid"));
			char *text = xasprintf("%s of %s, by %s", chosen, grid, how);

			free(chosen);
			free(grid);
			free(how);
			return text;
		}
	return NULL;
}
