/* The tuning runs of an experiment: its methods, and a run for each point and seed. */
#include "plan/tuning.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/text/word.h"
#include "plan/spec/tune.h"
#include "record/measure.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_TUNING_RUNS = 10000 };      /* more are a mistake */

int tuning_leave_out(struct plan *p, const cJSON *set)
{
	struct spec *s = &p->spec;
	const cJSON *given;

	cJSON_ArrayForEach(given, set) {
		const char *name = opt_find(settings_opts, given->string)->name;

		if (!spec_tune_has(s->tune, name))
			continue;
		note("%s: %s is given, and not tuned", s->name, name);
		if (spec_tune_drop(s->tune, name))
			s->tune = spec_tune_lay(s->tune, &(cJSON){ .type = cJSON_False });
	}
	return spec_tune_check_whole(s->tune, s->grid, s->path);
}

/* ---- methods ---- */

static void tuning_copy(cJSON *to, const cJSON *from)
{
	const cJSON *value;

	cJSON_ArrayForEach(value, from) {
		cJSON_DeleteItemFromObjectCaseSensitive(to, value->string);
		cJSON_AddItemToObject(to, value->string, cJSON_Duplicate(value, true));
	}
}

/* A setting of the point, of the base, or the default. The caller frees. */
static cJSON *tuning_value(const struct spec *s, const cJSON *point, const char *key)
{
	const cJSON *own = json_get(point, key);

	if (!own)
		own = json_get(s->base, key);
	return own ? cJSON_Duplicate(own, true) :
		     cJSON_CreateString(opt_find(settings_opts, key)->def);
}

/* {setting: value} of what tells the point's method apart. The caller frees. */
static cJSON *tuning_per(const struct spec *s, const cJSON *point)
{
	const cJSON *keys = json_get(s->tune, "per");
	cJSON *per = keys ? cJSON_CreateObject() : cJSON_Duplicate(point, true);
	const char *key;

	if (!keys)
		cJSON_DeleteItemFromObjectCaseSensitive(per, "seed");
	for (int i = 0; (key = keys_at(keys, i)); i++) {
		const char *name = opt_find(settings_opts, key)->name;

		cJSON_AddItemToObject(per, name, tuning_value(s, point, name));
	}
	return per;
}

char *tuning_values_text(const cJSON *values)
{
	char *all = xstrdup("");
	const cJSON *value;

	cJSON_ArrayForEach(value, values)
		xappend_own(&all, ", ", json_text(value));
	return all;
}

/* Settings of the tuning runs that neither tell methods apart nor are tuned. The caller frees. */
static cJSON *tuning_rest(const struct spec *s, const cJSON *point, const cJSON *per)
{
	cJSON *rest = cJSON_Duplicate(point, true);
	const cJSON *value;

	cJSON_DeleteItemFromObjectCaseSensitive(rest, "seed");
	cJSON_ArrayForEach(value, per)
		cJSON_DeleteItemFromObjectCaseSensitive(rest, value->string);
	tuning_copy(rest, json_get(s->tune, "budget"));
	return rest;
}

static int tuning_no_grid(const struct spec *s, const char *name)
{
	const cJSON *grids = json_get(s->tune, "grids"), *grid;
	const char **known = xcalloc((size_t)cJSON_GetArraySize(grids) + 1, sizeof(*known));
	char *advice;
	size_t n = 0;

	cJSON_ArrayForEach(grid, grids)
		known[n++] = grid->string;
	advice = word_advice(name, known);
	error("%s: tune: grids: the method %s has no grid%s", s->path, name, advice);
	free(advice);
	free(known);
	return -1;
}

/* A method's own grid may have variants of what names it: of asgd, {"algo": ["asgd:x=1", ...]}. */
static int tuning_check_method(const struct spec *s, const struct tuning_method *m,
			       const cJSON *point)
{
	const cJSON *grids = json_get(s->tune, "grids"), *list;

	if (!m->grid)
		return tuning_no_grid(s, m->name);
	cJSON_ArrayForEach(list, m->grid)
		if (json_get(point, list->string) &&
		    !(grids && json_get(m->per, list->string)))
			return error("%s: tune: %s is an axis of the grid too (a setting is tuned "
				     "or an axis). Take it out of one.", s->path, list->string);
	return 0;
}

/* Algorithms that one method has would all get what is chosen with the first. */
static int tuning_check_algo(const struct spec *s, const struct tuning_method *m,
			     const cJSON *point)
{
	cJSON *first, *own;
	int ret = 0;

	if (json_get(m->per, "algo") || json_get(json_get(s->tune, "budget"), "algo"))
		return 0;
	first = tuning_value(s, m->rest, "algo");
	own = tuning_value(s, point, "algo");
	if (!cJSON_Compare(first, own, true))
		ret = error("%s: tune: per: without algo, %s would have the settings that are "
			    "chosen with %s. Name algo in per, or one algorithm in the budget.",
			    s->path, cJSON_GetStringValue(own), cJSON_GetStringValue(first));
	cJSON_Delete(first);
	cJSON_Delete(own);
	return ret;
}

size_t tuning_meet(struct plan *p, const cJSON *point)
{
	struct tuning *t = p->tuning;
	struct tuning_method *m;
	cJSON *per = tuning_per(&p->spec, point);
	char *name = tuning_values_text(per);

	for (size_t i = 0; i < t->n; i++)
		if (cJSON_Compare(t->methods[i].per, per, true)) {
			cJSON_Delete(per);
			free(name);
			return tuning_check_algo(&p->spec, &t->methods[i], point) < 0 ? PLAN_NONE
										      : i;
		}
	t->methods = xrealloc(t->methods, t->n + 1, sizeof(*t->methods));
	m = &t->methods[t->n++];
	*m = (struct tuning_method){ .name = name, .per = per,
				     .rest = tuning_rest(&p->spec, point, per),
				     .grid = spec_tune_grid(p->spec.tune, name) };
	return tuning_check_method(&p->spec, m, point) < 0 ? PLAN_NONE : t->n - 1;
}

/* ---- the runs of the experiment ---- */

/* Says of the tuned settings where their values come from. */
static void tuning_mark(struct planned *r, const char *source)
{
	const cJSON *value;

	cJSON_ArrayForEach(value, r->extra) {
		struct setting_source *src = setting_source_at(r->su.sources, value->string);

		free(src->name);
		src->name = xstrdup(source);
		src->used = true;
	}
}

int tuning_add(struct plan *p, cJSON *point, size_t method)
{
	struct tuning_method *m = &p->tuning->methods[method];
	struct planned *r;

	m->used = true;
	if (plan_add_with(p, point, plan_product_point(m->grid, 0), false) < 0)
		return -1;
	r = &p->runs[p->n - 1];
	r->method = method;
	r->open = true;
	tuning_mark(r, "to be tuned");
	return 0;
}

int tuning_close(struct plan *p)
{
	for (size_t i = 0; i < p->n; i++) {
		struct planned *r = &p->runs[i];
		const cJSON *chosen = r->open ? p->tuning->methods[r->method].chosen : NULL;

		if (!chosen)
			continue;
		if (plan_again_with(p, r, cJSON_Duplicate(chosen, true)) < 0)
			return -1;
		r->open = false;
		tuning_mark(r, "tuned");
	}
	return 0;
}

/* ---- the plan of tuning runs ---- */

int tuning_begin(struct plan *p)
{
	const struct spec *s = &p->spec;
	struct plan *t;

	if (!s->tune)
		return 0;
	if (tuning_check_names(s) < 0)
		return -1;
	p->tuning = xcalloc(1, sizeof(*p->tuning));
	t = &p->tuning->plan;
	t->stage = TUNING_NAME;
	t->spec = (struct spec){ .path = xstrdup(s->path), .name = xstrdup(s->name),
				 .scale = xstrdup(s->scale), .json = tuning_report(s),
				 .base = cJSON_Duplicate(s->base, true),
				 .grid = cJSON_CreateArray() };
	t->set = p->set ? cJSON_Duplicate(p->set, true) : NULL;
	t->dir = xstrdup(p->dir);
	t->folder = xasprintf("%s/%s", p->dir, TUNING_NAME);
	return 0;
}

static int tuning_add_runs(struct plan *p, struct tuning_method *m)
{
	struct plan *t = &p->tuning->plan;
	const size_t points = plan_product_size(m->grid);
	const cJSON *seeds = json_get(p->spec.tune, "seeds"), *seed;

	m->first = t->n;
	if (points > (MOST_TUNING_RUNS - t->n) / (size_t)cJSON_GetArraySize(seeds))
		return error("%s: tune: more than %d runs", p->spec.path, MOST_TUNING_RUNS);
	for (size_t i = 0; i < points; i++)
		cJSON_ArrayForEach(seed, seeds) {
			cJSON *point = cJSON_Duplicate(m->per, true);
			cJSON *values = plan_product_point(m->grid, i);

			tuning_copy(point, values);
			cJSON_Delete(values);
			cJSON_AddItemToObject(point, "seed", cJSON_Duplicate(seed, true));
			if (plan_add_with(t, point, cJSON_Duplicate(m->rest, true), false) < 0)
				return -1;
		}
	m->n = t->n - m->first;
	return 0;
}

int tuning_plan(struct plan *p, bool again)
{
	struct tuning *t = p->tuning;

	for (size_t i = 0; i < t->n; i++)
		if (t->methods[i].used && tuning_add_runs(p, &t->methods[i]) < 0)
			return -1;
	plan_settle(&t->plan, again);
	if (tuning_check_runs(p) < 0)
		return -1;
	tuning_warn(p);
	tuning_report_fill(p);
	return tuning_choose(p);
}

int tuning_end(struct plan *p, bool again)
{
	const int ret = tuning_choose(p);

	plan_settle(p, again);
	for (size_t i = 0; i < p->n; i++)
		if (p->runs[i].open)
			p->runs[i].state = RUN_FAILED;
	return ret;
}

void tuning_release(struct tuning *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->n; i++) {
		free(t->methods[i].name);
		cJSON_Delete(t->methods[i].per);
		cJSON_Delete(t->methods[i].rest);
		cJSON_Delete(t->methods[i].chosen);
	}
	free(t->methods);
	cJSON_Delete(t->results);
	cJSON_Delete(t->chosen);
	plan_release(&t->plan);
	free(t);
}
