/* Is it an experiment at all? */
#include "plan/spec/spec.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/text/word.h"
#include "plan/settings/settings.h"
#include "plan/spec/tune.h"
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

static bool is_scalar(const cJSON *value)
{
	return cJSON_IsString(value) || cJSON_IsNumber(value) || cJSON_IsBool(value);
}

static int spec_check_check_settings(const cJSON *object, const char *where)
{
	if (settings_check_keys(object, where) < 0)
		return -1;
	return settings_check_values(object, where);
}

/* base, baseline: {setting: value} */
int spec_check_object(const cJSON *object, const char *where)
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
	return spec_check_check_settings(object, where);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* A value that stands twice would weigh twice in every mean. */
static int check_duplicates(const cJSON *list, const char *where)
{
	size_t n = 0;
	char **texts = xcalloc((size_t)cJSON_GetArraySize(list), sizeof(*texts));
	const cJSON *value;
	int ret = 0;

	cJSON_ArrayForEach(value, list)
		texts[n++] = json_text(value);
	qsort(texts, n, sizeof(*texts), by_text);
	for (size_t i = 1; i < n && ret == 0; i++)
		if (strcmp(texts[i - 1], texts[i]) == 0)
			ret = error("%s: %s: the value %s stands there twice", where,
				    list->string, texts[i]);
	for (size_t i = 0; i < n; i++)
		free(texts[i]);
	free(texts);
	return ret;
}

static int check_list(const cJSON *list, const char *where)
{
	const cJSON *value;

	if (!cJSON_IsArray(list) || !list->child)
		return error("%s: %s must be a list of at least one value", where,
			     list->string);
	cJSON_ArrayForEach(value, list)
		if (!is_scalar(value))
			return error("%s: %s: each value must be a text, a number or a bool",
				     where, list->string);
	return check_duplicates(list, where);
}

/* {setting: [value, ...]} */
int spec_check_product(const cJSON *product, const char *where)
{
	const cJSON *list;

	if (!cJSON_IsObject(product))
		return error("%s must be an object of lists, or a list of such objects", where);
	cJSON_ArrayForEach(list, product)
		if (check_list(list, where) < 0)
			return -1;
	return spec_check_check_settings(product, where);
}

static int check_grid(const cJSON *grid, const char *where)
{
	const cJSON *product;

	if (!grid)
		return 0;
	if (!cJSON_IsArray(grid))
		return spec_check_product(grid, where);
	if (!grid->child)
		return error("%s is an empty list", where);
	cJSON_ArrayForEach(product, grid)
		if (spec_check_product(product, where) < 0)
			return -1;
	return 0;
}

/* base, grid, baseline and tune of the spec, or of one of its scales. */
static int check_runs(const cJSON *object, const char *where)
{
	const cJSON *own = json_get(object, "tune");
	char *base = xasprintf("%s: base", where);
	char *grid = xasprintf("%s: grid", where);
	char *baseline = xasprintf("%s: baseline", where);
	char *tune = xasprintf("%s: tune", where);
	int ret = 0;

	if (spec_check_object(json_get(object, "base"), base) < 0 ||
	    check_grid(json_get(object, "grid"), grid) < 0 ||
	    spec_check_object(json_get(object, "baseline"), baseline) < 0 ||
	    spec_tune_check(cJSON_IsFalse(own) ? NULL : own, tune) < 0)
		ret = -1;
	free(base);
	free(grid);
	free(baseline);
	free(tune);
	return ret;
}

/* It becomes the name of a folder. */
static int check_scale_name(const char *name, const char *path)
{
	char *where = xasprintf("%s: scales", path);
	const int ret = word_check_name(name, where);

	free(where);
	return ret;
}

/* Several values of what tells the products of a list apart would be those of each of them. */
static int check_scale_grid(const cJSON *own, const cJSON *grid, const char *where)
{
	const cJSON *list;

	if (!cJSON_IsObject(own))
		return 0;
	cJSON_ArrayForEach(list, own)
		if (cJSON_GetArraySize(list) > 1 && spec_grid_differs(grid, list->string))
			return error("%s: grid: %s has several values, and the objects of the "
				     "spec's grid differ in it: each of them would be run with all "
				     "these values. Write the scale's grid as a list, which "
				     "replaces the spec's.", where, list->string);
	return 0;
}

static int check_scale(const cJSON *scale, const cJSON *spec, const char *where)
{
	if (!cJSON_IsObject(scale))
		return error("%s must be an object", where);
	if (json_check_members(scale, spec_scale_keys, where) < 0 || check_runs(scale, where) < 0)
		return -1;
	return check_scale_grid(json_get(scale, "grid"), json_get(spec, "grid"), where);
}

static int check_scales(const cJSON *json, const char *path)
{
	const cJSON *scales = json_get(json, "scales");
	const cJSON *scale;
	int ret = 0;

	if (scales && !cJSON_IsObject(scales))
		return error("%s: scales must be an object", path);
	cJSON_ArrayForEach(scale, scales) {
		char *where;

		if (check_scale_name(scale->string, path) < 0)
			return -1;
		where = xasprintf("%s: scales: %s", path, scale->string);
		ret = check_scale(scale, json, where);
		free(where);
		if (ret < 0)
			return -1;
	}
	return 0;
}

int spec_check(const cJSON *json, const char *path)
{
	if (!cJSON_IsObject(json))
		return error("%s: a spec must be a JSON object", path);
	if (json_check_members(json, spec_keys, path) < 0 || check_runs(json, path) < 0 ||
	    check_scales(json, path) < 0)
		return -1;
	return report_check(json, path);
}
