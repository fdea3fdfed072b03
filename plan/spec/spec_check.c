/* Checks an experiment's file: its keys, its settings and their values, "tune", its scales. */
#include "plan/spec/spec.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/text/opt.h"
#include "core/text/word.h"
#include "plan/settings/settings.h"
#include "record/measure.h"
#include "report/report.h"

#include <stdbool.h>
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

static int check_settings(const cJSON *object, const char *where)
{
	return settings_check_keys(object, where) < 0 ? -1 : settings_check_values(object, where);
}

/* {setting: value}, of "base" and the like; NULL is right. */
static int check_point(const cJSON *object, const char *where)
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
	return check_settings(object, where);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(((const struct value *)a)->text, ((const struct value *)b)->text);
}

/* A value that stands twice would weigh twice in every mean. */
static int check_duplicates(const cJSON *list, const char *where)
{
	struct value_list values = value_list_read(list);
	int ret = 0;

	qsort(values.v, values.n, sizeof(*values.v), by_text);
	for (size_t i = 1; i < values.n && ret == 0; i++)
		if (strcmp(values.v[i - 1].text, values.v[i].text) == 0)
			ret = error("%s: %s: the value %s stands there twice", where,
				    list->string, values.v[i].text);
	value_list_release(&values);
	return ret;
}

/* {setting: [value, ...]} */
static int check_product(const cJSON *product, const char *where)
{
	const cJSON *list, *value;

	if (!cJSON_IsObject(product))
		return error("%s must be an object of lists, or a list of such objects", where);
	cJSON_ArrayForEach(list, product) {
		if (!cJSON_IsArray(list) || !list->child)
			return error("%s: %s must be a list of at least one value", where,
				     list->string);
		cJSON_ArrayForEach(value, list)
			if (!is_scalar(value))
				return error("%s: %s: each value must be a text, a number or a "
					     "bool", where, list->string);
		if (check_duplicates(list, where) < 0)
			return -1;
	}
	return check_settings(product, where);
}

static int check_grid(const cJSON *grid, const char *where)
{
	const cJSON *product;

	if (!grid)
		return 0;
	if (!cJSON_IsArray(grid))
		return check_product(grid, where);
	if (!grid->child)
		return error("%s is an empty list", where);
	cJSON_ArrayForEach(product, grid)
		if (check_product(product, where) < 0)
			return -1;
	return 0;
}

/* ---- tune ---- */

static int check_method_grids(const cJSON *grids, const char *where)
{
	const cJSON *grid;
	int ret = 0;

	if (!grids)
		return 0;
	if (!cJSON_IsObject(grids) || !grids->child)
		return error("%s must be an object of grids, one a method", where);
	cJSON_ArrayForEach(grid, grids) {
		char *inner = xasprintf("%s: %s", where, grid->string);

		ret = ret < 0 ? ret : check_product(grid, inner);
		free(inner);
	}
	return ret;
}

static int check_tune_measure(const char *measure, const char *where)
{
	if (!measure)
		return 0;
	if (measure_is_real(measure))
		return error("%s: measure '%s' is of the real clock, and differs in every run "
			     "(such as time_s). Choose another.", where, measure);
	if (!strcmp(measure, "speedup"))
		return error("%s: measure 'speedup': tuning runs have no baseline (such as "
			     "time_per_epoch_s). Choose another.", where);
	if (measure_known(measure))
		return 0;
	if (target_named(measure))
		return target_error(where, "measure", measure);
	return word_unknown(where, "measure", measure, measure_names);
}

static int check_per(const cJSON *per, const char *where)
{
	const char *key;

	if (cJSON_IsArray(per) && !per->child)
		return error("%s is empty (such as [\"algo\"]). Name the axes whose values are the "
			     "methods, or leave it out: all axes.", where);
	for (int i = 0; (key = keys_at(per, i)); i++) {
		if (settings_check_key(key, where) < 0)
			return -1;
		if (opt_same_key(key, "seed"))
			return error("%s: the seed cannot tell methods apart", where);
		for (int k = 0; k < i; k++)
			if (opt_same_key(keys_at(per, k), key))
				return error("%s: '%s' stands there twice", where, key);
	}
	return 0;
}

/* A list of seeds is one of a grid. */
static int check_seeds(const cJSON *seeds, const char *where)
{
	cJSON *product = cJSON_CreateObject();
	int ret;

	if (seeds)
		json_put(product, "seed", cJSON_Duplicate(seeds, true));
	ret = check_product(product, where);
	cJSON_Delete(product);
	return ret;
}

/* "tune" of a spec or of a scale, which need not have all keys. */
static int check_tune(const cJSON *tune, const char *where)
{
	const cJSON *grid = json_get(tune, "grid");
	const char *best = json_string(tune, "best");
	char *of[5] = { 0 };
	int ret = -1;

	if (!tune || cJSON_IsFalse(tune))
		return 0;
	if (!cJSON_IsObject(tune))
		return error("%s must be an object, or false", where);
	if (json_check_members(tune, spec_tune_keys, where) < 0)
		return -1;
	if (grid && json_get(tune, "grids"))
		return error("%s: grid and grids are both given (one of them). Take one out.",
			     where);
	for (size_t i = 0; i < 5; i++)
		of[i] = xasprintf("%s: %s", where, ((const char *const[]){
					  "grid", "grids", "per", "seeds", "budget" })[i]);
	if ((grid && check_product(grid, of[0]) < 0) ||
	    check_method_grids(json_get(tune, "grids"), of[1]) < 0 ||
	    check_per(json_get(tune, "per"), of[2]) < 0 ||
	    check_tune_measure(json_string(tune, "measure"), where) < 0)
		ret = -1;
	else if (best && strcmp(best, spec_tune_bests[0]) != 0 &&
		 strcmp(best, spec_tune_bests[1]) != 0)
		ret = error("%s: best cannot be '%s' (highest or lowest)", where, best);
	else if (check_seeds(json_get(tune, "seeds"), of[3]) == 0)
		ret = check_point(json_get(tune, "budget"), of[4]);
	for (size_t i = 0; i < 5; i++)
		free(of[i]);
	return ret;
}

/* ---- the whole ---- */

/* base, grid, baseline and tune of the spec, or of one of its scales. */
static int check_runs(const cJSON *object, const char *where)
{
	static const struct {
		const char *key;
		int (*check)(const cJSON *value, const char *where);
	} parts[] = { { "base", check_point }, { "grid", check_grid }, { "baseline", check_point },
		      { "tune", check_tune } };
	int ret = 0;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && ret == 0; i++) {
		char *inner = xasprintf("%s: %s", where, parts[i].key);

		ret = parts[i].check(json_get(object, parts[i].key), inner);
		free(inner);
	}
	return ret;
}

/* Several values of what tells the products of a list apart would be those of each of them. */
static int check_scale_grid(const cJSON *own, const cJSON *grid, const char *where)
{
	const cJSON *list;

	if (!cJSON_IsObject(own))
		return 0;
	cJSON_ArrayForEach(list, own)
		if (list->child->next && grid_json_differs(grid, list->string))
			return error("%s: grid: %s has several values, and the objects of the "
				     "spec's grid differ in it: each of them would be run with all "
				     "these values. Write the scale's grid as a list, which "
				     "replaces the spec's.", where, list->string);
	return 0;
}

static int check_scale(const cJSON *scale, const cJSON *spec, const char *path)
{
	char *where = xasprintf("%s: scales", path);
	int ret = word_check_name(scale->string, where);        /* it becomes a folder's */

	xappend(&where, ": ", scale->string);
	if (ret == 0 && !cJSON_IsObject(scale))
		ret = error("%s must be an object", where);
	if (ret == 0 && (json_check_members(scale, spec_scale_keys, where) < 0 ||
			 check_runs(scale, where) < 0))
		ret = -1;
	if (ret == 0)
		ret = check_scale_grid(json_get(scale, "grid"), json_get(spec, "grid"), where);
	free(where);
	return ret;
}

int spec_check(const cJSON *json, const char *path)
{
	const cJSON *scales = json_get(json, "scales"), *scale;

	if (!cJSON_IsObject(json))
		return error("%s: a spec must be a JSON object", path);
	if (json_check_members(json, spec_keys, path) < 0 || check_runs(json, path) < 0)
		return -1;
	if (scales && !cJSON_IsObject(scales))
		return error("%s: scales must be an object", path);
	cJSON_ArrayForEach(scale, scales)
		if (check_scale(scale, json, path) < 0)
			return -1;
	return report_check(json, path);
}
