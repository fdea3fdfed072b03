/* Reads what an experiment's file says of its runs, and checks it: its keys, settings, "tune". */
#include "plan/spec/spec.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/fields.h"
#include "core/file/json.h"
#include "core/text/word.h"
#include "plan/settings/settings.h"
#include "plan/settings/values.h"
#include "record/measure.h"
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

const struct json_key spec_keys[] = {
	SCHEMA_KEY,
	{ "title", JSON_TEXT, true, "what it is, in a line", NULL },
	{ "paper", JSON_TEXT, false, "paper of the experiment", NULL },
	{ "figure", JSON_TEXT, false, "the paper's figure or table", NULL },
	{ "about", JSON_TEXT, false, "what is asked, and how", NULL },
	{ "scale", JSON_TEXT, false, "the scale that is run where none is asked for", NULL },
	{ "base", JSON_OWN, false, "settings of every run", "settings" },
	{ "grid", JSON_OWN, false, "settings with several values: all combinations", "grid" },
	{ "baseline", JSON_OWN, false, "settings of the run that speedups are over", "settings" },
	{ "tune", JSON_OWN, false, "settings that are chosen for each method by runs of their own",
	  "tune_or_not" },
	{ "scales", JSON_OWN, false, "the same experiment smaller or larger, by name", "scales" },
	{ "published", JSON_OWN, false, "the paper's numbers", "published" },
	{ "paper_accuracy", JSON_OWN, false, "test accuracy of the paper's baseline: below half of "
	  "it training results are not judged", "paper_accuracy" },
	{ "labels", JSON_OWN, false, "values and measures in other words, in all tables and plots",
	  "labels" },
	{ "tables", JSON_OWN, false, "tables to print and write", "tables" },
	{ "plots", JSON_OWN, false, "plots to draw", "plots" },
	{ "reads", JSON_OWN, false, "JSON files in the folder of results for filters of claims",
	  "reads" },
	{ "claims", JSON_OWN, false, "statements to judge by the runs", "claims" },
	{ NULL, JSON_OWN, false, NULL, NULL }
};

const struct json_key spec_scale_keys[] = {
	{ "about", JSON_TEXT, false, "what is smaller or larger here", NULL },
	{ "time", JSON_TEXT, false, "time it needs, such as \"40 min on two cores\"", NULL },
	{ "base", JSON_OWN, false, "settings that override the spec's own", "settings" },
	{ "grid", JSON_OWN, false, "values that override the spec's own; a list replaces them",
	  "grid" },
	{ "baseline", JSON_OWN, false, "settings that override the spec's own", "settings" },
	{ "tune", JSON_OWN, false, "keys that override the spec's own; false: nothing is tuned",
	  "tune_or_not" },
	{ NULL, JSON_OWN, false, NULL, NULL }
};

const struct json_key spec_tune_keys[] = {
	{ "grid", JSON_OWN, false, "settings to tune, with the values to try: all combinations",
	  "product" },
	{ "grids", JSON_OWN, false, "a grid for each method, by its name; all of equal size",
	  "grids" },
	{ "per", JSON_TEXTS, false, "axes of the grid whose values are the methods; all but the "
	  "seed unless given", "words" },
	{ "measure", JSON_TEXT, false, "measure that decides", "word" },
	{ "best", JSON_TEXT, false, "which value of the measure is best", "best" },
	{ "seeds", JSON_OWN, false, "seeds of the tuning runs, which no other run has", "seeds" },
	{ "budget", JSON_OWN, false, "settings of the tuning runs that differ", "settings" },
	{ NULL, JSON_OWN, false, NULL, NULL }
};

const char *const spec_tune_bests[] = { "highest", "lowest", NULL };

/* ---- settings ---- */

static bool is_scalar(const cJSON *value)
{
	return cJSON_IsString(value) || cJSON_IsNumber(value) || cJSON_IsBool(value);
}

/* {setting: value}, of "base" and the like; NULL is empty. 0 or error(). */
static int read_point(struct grid_point *point, const cJSON *object, const char *where)
{
	const cJSON *value;

	if (!object)
		return 0;
	if (!cJSON_IsObject(object))
		return error("%s must be an object of settings", where);
	cJSON_ArrayForEach(value, object)
		if (!is_scalar(value))
			return error("%s: %s must be a text, a number or a bool%s", where,
				     value->string, cJSON_IsArray(value) ?
				     "; a list of values belongs in grid" : "");
	if (settings_check_keys(object, where) < 0)
		return -1;
	*point = point_read(object);
	for (size_t i = 0; i < point->n; i++)
		if (settings_check_value(point->v[i].key, point->v[i].value.text, where) < 0)
			return -1;
	return 0;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(((const struct value *)a)->text, ((const struct value *)b)->text);
}

/* 0, or error(): it is a list of values, none of which would weigh twice in every mean. */
static int check_list(const cJSON *list, const char *key, const char *where)
{
	struct value_list values;
	const cJSON *value;
	int ret = 0;

	if (!cJSON_IsArray(list) || !list->child)
		return error("%s: %s must be a list of at least one value", where, key);
	cJSON_ArrayForEach(value, list)
		if (!is_scalar(value))
			return error("%s: %s: each value must be a text, a number or a bool", where,
				     key);
	values = value_list_read(list);
	qsort(values.v, values.n, sizeof(*values.v), by_text);
	for (size_t i = 1; i < values.n && ret == 0; i++)
		if (strcmp(values.v[i - 1].text, values.v[i].text) == 0)
			ret = error("%s: %s: the value %s stands there twice", where, key,
				    values.v[i].text);
	value_list_release(&values);
	return ret;
}

/* 0, or error(): the setting accepts each value, and none stands there twice, as 1 and "01". */
static int check_values(const char *key, const struct value_list *values, const char *where)
{
	const struct opt *setting = opt_find(settings_opts, key);
	scoped_by(value_list_release) struct value_list seen = { 0 };
	int ret = 0;

	for (size_t i = 0; i < values->n && ret == 0; i++) {
		const char *given = values->v[i].text;
		char *value = settings_check_value(key, given, where) < 0
			      ? NULL : settings_canonical(setting, given, where);

		ret = values_see(&seen, value, where, key, ", in two spellings");
	}
	return ret;
}

/* {setting: [value, ...]} */
static int read_product(struct grid_product *product, const cJSON *object, const char *where)
{
	const cJSON *list;

	if (!cJSON_IsObject(object))
		return error("%s must be an object of lists, or a list of such objects", where);
	cJSON_ArrayForEach(list, object)
		if (check_list(list, list->string, where) < 0)
			return -1;
	if (settings_check_keys(object, where) < 0)
		return -1;
	*product = product_read(object);
	for (size_t i = 0; i < product->n; i++)
		if (check_values(product->v[i].key, &product->v[i].values, where) < 0)
			return -1;
	return 0;
}

/* An object is one product, a list has several; nothing is one without settings. */
static int read_grid(struct spec_part *part, const cJSON *json, const char *where)
{
	struct grid *grid = &part->grid;
	const cJSON *product = json;

	part->replaces = cJSON_IsArray(json);
	if (part->replaces && !json->child)
		return error("%s is an empty list", where);
	if (part->replaces)
		product = json->child;
	do {
		APPEND(grid->v, grid->n) = (struct grid_product){ 0 };
		if (product && read_product(&grid->v[grid->n - 1], product, where) < 0)
			return -1;
	} while (part->replaces && (product = product->next));
	return 0;
}

/* ---- tune ---- */

/* {method: {setting: [value, ...]}} */
static int read_method_grids(struct spec_tune *t, const cJSON *grids, const char *where)
{
	const cJSON *grid;
	int ret = 0;

	if (!cJSON_IsObject(grids) || !grids->child)
		return error("%s must be an object of grids, one a method", where);
	cJSON_ArrayForEach(grid, grids) {
		scoped char *inner = xasprintf("%s: %s", where, grid->string);

		APPEND(t->grids, t->ngrids) = (struct method_grid){
			.method = xstrdup(grid->string) };
		if (ret == 0)
			ret = read_product(&t->grids[t->ngrids - 1].grid, grid, inner);
	}
	return ret;
}

static int check_tune_measure(const char *measure, const char *where)
{
	if (measure_is_real(measure))
		return error("%s: measure '%s' is of the real clock, and differs in every run "
			     "(expected one of virtual time, such as time_s). Choose another.",
			     where, measure);
	if (!strcmp(measure, "speedup"))
		return error("%s: measure 'speedup': tuning runs have no baseline "
			     "(expected a measure of each run, such as time_per_epoch_s). Choose "
			     "another.", where);
	if (measure_known(measure))
		return 0;
	if (target_named(measure))
		return target_error(where, "measure", measure);
	return word_unknown(where, "measure", measure, measure_names);
}

static int read_per(struct spec_tune *t, const cJSON *per, const char *where)
{
	const char *key;

	if (per && !keys_at(per, 0))
		return error("%s is empty (expected axes, such as [\"algo\"]). Name the axes whose "
			     "values are the methods, or leave it out: all axes.", where);
	for (; (key = keys_at(per, (int)t->nper)); t->nper++) {
		if (settings_check_key(key, where) < 0)
			return -1;
		if (opt_same_key(key, "seed"))
			return error("%s: the seed cannot tell methods apart", where);
		for (size_t k = 0; k < t->nper; k++)
			if (opt_same_key(t->per[k], key))
				return error("%s: '%s' stands there twice", where, key);
		t->per = xrealloc(t->per, t->nper + 1, sizeof(*t->per));
		t->per[t->nper] = key;
	}
	return 0;
}

/* "tune" of a spec or of a scale, which need not have all keys; false: nothing is tuned. */
static int read_tune(struct spec_part *part, const cJSON *json, const char *where)
{
	struct tune_json {
		const cJSON *grid, *grids, *per, *seeds, *budget;
		const char *measure, *best;
	} j = { 0 };
	static const struct field fields[] = {
		FIELD(TREE, struct tune_json, grid, "grid"),
		FIELD(TREE, struct tune_json, grids, "grids"),
		FIELD(TREE, struct tune_json, per, "per"),
		FIELD(LENT, struct tune_json, measure, "measure"),
		FIELD(LENT, struct tune_json, best, "best"),
		FIELD(TREE, struct tune_json, seeds, "seeds"),
		FIELD(TREE, struct tune_json, budget, "budget"), { 0 }
	};
	static const char *const inner[] = { "grid", "grids", "per", "seeds", "budget" };
	struct spec_tune *t;
	char *of[5];
	int ret = -1;

	part->untuned = json && cJSON_IsFalse(json);
	if (!json || part->untuned)
		return 0;
	if (!cJSON_IsObject(json))
		return error("%s must be an object, or false", where);
	if (json_check_members(json, spec_tune_keys, where) < 0)
		return -1;
	fields_read(json, fields, &j);
	if (j.grid && j.grids)
		return error("%s: grid and grids are both given (one of them). Take one out.",
			     where);
	part->tune = t = xcalloc(1, sizeof(*t));
	*t = (struct spec_tune){ .common = j.grid, .measure = j.measure, .best = j.best,
				 .has_budget = j.budget };
	for (size_t i = 0; i < 5; i++)
		of[i] = xasprintf("%s: %s", where, inner[i]);
	if ((j.grid && read_product(&t->grid, j.grid, of[0]) < 0) ||
	    (j.grids && read_method_grids(t, j.grids, of[1]) < 0) ||
	    read_per(t, j.per, of[2]) < 0 ||
	    (j.measure && check_tune_measure(j.measure, where) < 0))
		ret = -1;
	else if (j.best && strcmp(j.best, spec_tune_bests[0]) != 0 &&
		 strcmp(j.best, spec_tune_bests[1]) != 0)
		ret = error("%s: best cannot be '%s' (highest or lowest)", where, j.best);
	else if (!j.seeds || check_list(j.seeds, "seed", of[3]) == 0)
		ret = 0;
	if (ret == 0) {
		t->seeds = value_list_read(j.seeds);
		ret = check_values("seed", &t->seeds, of[3]);
	}
	if (ret == 0)
		ret = read_point(&t->budget, j.budget, of[4]);
	for (size_t i = 0; i < 5; i++)
		free(of[i]);
	return ret;
}

/* ---- the whole ---- */

/* Reads what the spec, or a scale, says of its runs. 0 or error(); release in either case. */
static int read_part(struct spec_part *part, const cJSON *object, const char *where)
{
	struct part_json {
		const cJSON *base, *grid, *baseline, *tune;
	} j = { 0 };
	static const struct field fields[] = {
		FIELD(TREE, struct part_json, base, "base"),
		FIELD(TREE, struct part_json, grid, "grid"),
		FIELD(TREE, struct part_json, baseline, "baseline"),
		FIELD(TREE, struct part_json, tune, "tune"), { 0 }
	};
	char *of[4];
	int ret;

	fields_read(object, fields, &j);
	for (size_t i = 0; i < 4; i++)
		of[i] = xasprintf("%s: %s", where, fields[i].key);
	part->has_baseline = j.baseline;
	ret = read_point(&part->base, j.base, of[0]) < 0 ||
		      read_grid(part, j.grid, of[1]) < 0 ||
		      read_point(&part->baseline, j.baseline, of[2]) < 0 ||
		      read_tune(part, j.tune, of[3]) < 0 ? -1 : 0;
	for (size_t i = 0; i < 4; i++)
		free(of[i]);
	return ret;
}

void spec_part_release(struct spec_part *part)
{
	point_release(&part->base);
	grid_release(&part->grid);
	point_release(&part->baseline);
	spec_tune_release(part->tune);
	*part = (struct spec_part){ 0 };
}

static int read_scale(struct spec *s, const cJSON *json)
{
	scoped char *where = xasprintf("%s: scales", s->path);
	const cJSON *list;
	struct spec_scale *scale;
	int ret = word_check_name(json->string, where);         /* it becomes a folder's */

	scale = &APPEND(s->scales, s->nscales);
	*scale = (struct spec_scale){ .name = json->string };
	xappend(&where, ": ", json->string);
	if (ret == 0 && !cJSON_IsObject(json))
		ret = error("%s must be an object", where);
	if (ret == 0 && (json_check_members(json, spec_scale_keys, where) < 0 ||
			 read_part(&scale->part, json, where) < 0))
		ret = -1;
	if (ret == 0)
		scale->time = json_string(json, "time");
	/* Several values of what tells the products of a list apart would be of each of them. */
	if (ret == 0 && !scale->part.replaces)
		json_each(list, json, "grid")
			if (ret == 0 && list->child->next &&
			    grid_differs(&s->grid, setting_name(list->string)))
				ret = error("%s: grid: %s has several values, and the objects of "
					    "the spec's grid differ in it: each of them would be "
					    "run with all these values. Write the scale's grid as "
					    "a list, which replaces the spec's.", where,
					    list->string);
	return ret;
}

int spec_read(struct spec *s)
{
	const cJSON *scales = json_get(s->json, "scales"), *scale;
	struct spec_part own = { 0 };
	int ret;

	if (!cJSON_IsObject(s->json))
		return error("%s: a spec must be a JSON object", s->path);
	if (json_check_members(s->json, spec_keys, s->path) < 0)
		return -1;
	ret = read_part(&own, s->json, s->path);
	s->base = own.base;
	s->grid = own.grid;
	s->baseline = own.baseline;
	s->has_baseline = own.has_baseline;
	s->tune = own.tune;
	if (ret < 0)
		return -1;
	if (scales && !cJSON_IsObject(scales))
		return error("%s: scales must be an object", s->path);
	cJSON_ArrayForEach(scale, scales)
		if (read_scale(s, scale) < 0)
			return -1;
	return report_check(s->json, s->path);
}

/* ---- "tune", as a whole ---- */

static void tune_release_grids(struct spec_tune *t)
{
	product_release(&t->grid);
	for (size_t i = 0; i < t->ngrids; i++) {
		free(t->grids[i].method);
		product_release(&t->grids[i].grid);
	}
	free(t->grids);
	t->grids = NULL;
	t->ngrids = 0;
	t->common = false;
}

void spec_tune_release(struct spec_tune *tune)
{
	if (!tune)
		return;
	tune_release_grids(tune);
	free(tune->per);
	value_list_release(&tune->seeds);
	point_release(&tune->budget);
	free(tune);
}

struct spec_tune *spec_tune_lay(struct spec_tune *tune, struct spec_part *part)
{
	struct spec_tune *over = part->tune;

	if (part->untuned) {
		spec_tune_release(tune);
		return NULL;
	}
	part->tune = NULL;
	if (!over || !tune)
		return over ? over : tune;
	if (over->common || over->ngrids) {
		tune_release_grids(tune);
		tune->common = over->common;
		tune->grid = over->grid;
		tune->grids = over->grids;
		tune->ngrids = over->ngrids;
	}
	if (over->nper) {
		free(tune->per);
		tune->per = over->per;
		tune->nper = over->nper;
	}
	if (over->measure)
		tune->measure = over->measure;
	if (over->best)
		tune->best = over->best;
	if (over->seeds.n) {
		value_list_release(&tune->seeds);
		tune->seeds = over->seeds;
	}
	if (over->has_budget) {
		point_release(&tune->budget);
		tune->budget = over->budget;
		tune->has_budget = true;
	}
	free(over);
	return tune;
}

static bool grid_has_axis(const struct grid *grid, const char *name)
{
	for (size_t i = 0; i < grid->n; i++)
		if (product_values(&grid->v[i], name))
			return true;
	return false;
}

/* With one value for all, methods that differ in it would be tuned by the same runs. */
static bool tune_tells_apart(const struct spec_tune *tune, const struct grid *grid,
			     const char *setting)
{
	for (size_t i = 0; i < tune->nper; i++)
		if (opt_same_key(tune->per[i], setting))
			return true;
	return !tune->nper && grid_has_axis(grid, setting);
}

int spec_tune_check(const struct spec_tune *tune, const struct grid *of_spec, const char *path)
{
	const struct method_grid *first = tune ? tune->grids : NULL;
	const struct grid_product *grid;

	if (!tune)
		return 0;
	grid = tune->common ? &tune->grid : NULL;
	if (!tune->measure || !tune->seeds.n)
		return error("%s: tune: '%s' is missing", path,
			     tune->measure ? "seeds" : "measure");
	if (!grid && !first)
		return error("%s: tune: 'grid' is missing", path);
	if (grid ? !grid->n : !first->grid.n)
		return error("%s: tune: the grid is empty (expected lists, such as "
			     "{\"lr\": [0.05, 0.1]}). Name the settings to tune.", path);
	for (size_t i = 0; i < tune->ngrids; i++)
		if (product_size(&tune->grids[i].grid) != product_size(&first->grid))
			return error("%s: tune: grids: the grid of %s has size %zu, that of %s %zu "
				     "(all methods need grids of equal size). Give each as many "
				     "points.", path, first->method, product_size(&first->grid),
				     tune->grids[i].method, product_size(&tune->grids[i].grid));
	if (spec_tune_has(tune, "seed") || point_value(&tune->budget, "seed"))
		return error("%s: tune: the seed cannot be tuned, nor in the budget. Name the "
			     "seeds in seeds.", path);
	for (size_t i = 0; i < tune->budget.n; i++)
		if (spec_tune_has(tune, tune->budget.v[i].key))
			return error("%s: tune: %s is tuned and in the budget (one of both). "
				     "Take it out of one.", path, tune->budget.v[i].key);
	/* "per" names axes, or what one method chooses would silently be every method's. */
	for (size_t j = 0; j < tune->nper; j++) {
		struct grid_product axes = { 0 };
		char *all = NULL;

		if (grid_has_axis(of_spec, setting_name(tune->per[j])))
			continue;
		for (size_t k = 0; k < of_spec->n; k++)
			for (size_t a = 0; a < of_spec->v[k].n; a++)
				product_put(&axes, of_spec->v[k].v[a].key,
					    &of_spec->v[k].v[a].values);
		product_drop(&axes, "seed");
		for (size_t a = 0; a < axes.n; a++)
			xappend(&all, ", ", axes.v[a].key);
		error("%s: tune: per: '%s' is no axis of the grid (it has: %s)", path, tune->per[j],
		      all ? all : "none");
		product_release(&axes);
		free(all);
		return -1;
	}
	for (size_t i = 0; i < tune->budget.n; i++)
		if (tune_tells_apart(tune, of_spec, tune->budget.v[i].key))
			return error("%s: tune: budget: %s tells the methods apart. Take it out of "
				     "the budget, or name other axes in per.", path,
				     tune->budget.v[i].key);
	return 0;
}

/* ---- its grids ---- */

bool spec_tune_has(const struct spec_tune *tune, const char *setting)
{
	bool has = tune && product_values(&tune->grid, setting);

	for (size_t i = 0; tune && i < tune->ngrids; i++)
		has = has || product_values(&tune->grids[i].grid, setting);
	return has;
}

bool spec_tune_drop(struct spec_tune *tune, const char *setting)
{
	bool none;

	product_drop(&tune->grid, setting);
	none = tune->grid.n == 0;
	for (size_t i = 0; i < tune->ngrids; i++) {
		product_drop(&tune->grids[i].grid, setting);
		none = none && tune->grids[i].grid.n == 0;
	}
	return none;
}

const struct grid_product *spec_tune_grid(const struct spec_tune *tune, const char *method)
{
	if (tune->common)
		return &tune->grid;
	for (size_t i = 0; i < tune->ngrids; i++)
		if (strcmp(tune->grids[i].method, method) == 0)
			return &tune->grids[i].grid;
	return NULL;
}

bool spec_tune_highest(const struct spec_tune *tune)
{
	return tune->best ? !strcmp(tune->best, "highest") :
			    measure_is_better_high(tune->measure);
}
