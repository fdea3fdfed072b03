/* The section "tune" of a spec: checked, and a scale's applied. */
#include "plan/spec/tune.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/text/opt.h"
#include "core/text/word.h"
#include "plan/settings/settings.h"
#include "plan/spec/spec.h"
#include "record/measure.h"

#include <stdlib.h>
#include <string.h>

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

/* ---- what stands in it ---- */

static int tune_check_grids(const cJSON *grids, const char *where)
{
	const cJSON *grid;
	int ret = 0;

	if (!grids)
		return 0;
	if (!cJSON_IsObject(grids) || !grids->child)
		return error("%s must be an object of grids, one a method", where);
	cJSON_ArrayForEach(grid, grids) {
		char *inner = xasprintf("%s: %s", where, grid->string);

		ret = ret < 0 ? ret : spec_check_product(grid, inner);
		free(inner);
	}
	return ret;
}

static int tune_check_measure(const char *measure, const char *where)
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

static int tune_check_best(const char *best, const char *where)
{
	if (!best || !strcmp(best, spec_tune_bests[0]) || !strcmp(best, spec_tune_bests[1]))
		return 0;
	return error("%s: best cannot be '%s' (highest or lowest)", where, best);
}

static int tune_check_per_key(const cJSON *per, int at, const char *where)
{
	const char *key = keys_at(per, at);
	cJSON *one = cJSON_CreateObject();
	int ret;

	cJSON_AddNullToObject(one, key);
	ret = settings_check_keys(one, where);
	cJSON_Delete(one);
	if (ret < 0)
		return -1;
	if (opt_same_key(key, "seed"))
		return error("%s: the seed cannot tell methods apart", where);
	for (int i = 0; i < at; i++)
		if (opt_same_key(keys_at(per, i), key))
			return error("%s: '%s' stands there twice", where, key);
	return 0;
}

static int tune_check_per(const cJSON *per, const char *where)
{
	if (cJSON_IsArray(per) && !per->child)
		return error("%s is empty (such as [\"algo\"]). Name the axes whose values are the "
			     "methods, or leave it out: all axes.", where);
	for (int i = 0; keys_at(per, i); i++)
		if (tune_check_per_key(per, i, where) < 0)
			return -1;
	return 0;
}

/* Lists and settings are those of a grid and a base. */
static int tune_check_seeds(const cJSON *seeds, const char *where)
{
	cJSON *product;
	int ret;

	if (!seeds)
		return 0;
	product = cJSON_CreateObject();
	cJSON_AddItemToObject(product, "seed", cJSON_Duplicate(seeds, true));
	ret = spec_check_product(product, where);
	cJSON_Delete(product);
	return ret;
}

static int tune_check_parts(const cJSON *tune, const char *where)
{
	const cJSON *grid = json_get(tune, "grid");
	char *of_grid = xasprintf("%s: grid", where), *of_grids = xasprintf("%s: grids", where);
	char *of_per = xasprintf("%s: per", where), *of_budget = xasprintf("%s: budget", where);
	char *of_seeds = xasprintf("%s: seeds", where);
	const int ret = (grid && spec_check_product(grid, of_grid) < 0) ||
			tune_check_grids(json_get(tune, "grids"), of_grids) < 0 ||
			tune_check_per(json_get(tune, "per"), of_per) < 0 ||
			tune_check_measure(json_string(tune, "measure"), where) < 0 ||
			tune_check_best(json_string(tune, "best"), where) < 0 ||
			tune_check_seeds(json_get(tune, "seeds"), of_seeds) < 0 ||
			spec_check_object(json_get(tune, "budget"), of_budget) < 0 ? -1 : 0;

	free(of_grid);
	free(of_grids);
	free(of_per);
	free(of_budget);
	free(of_seeds);
	return ret;
}

int spec_tune_check(const cJSON *tune, const char *where)
{
	if (!tune)
		return 0;
	if (!cJSON_IsObject(tune))
		return error("%s must be an object, or false", where);
	if (json_check_members(tune, spec_tune_keys, where) < 0)
		return -1;
	if (json_get(tune, "grid") && json_get(tune, "grids"))
		return error("%s: grid and grids are both given (one of them). Take one out.",
			     where);
	return tune_check_parts(tune, where);
}

/* ---- the whole ---- */

static size_t tune_size(const cJSON *grid)
{
	const cJSON *list;
	size_t size = 1;

	cJSON_ArrayForEach(list, grid)
		size *= (size_t)cJSON_GetArraySize(list);
	return size;
}

static int tune_check_sizes(const cJSON *grids, const char *path)
{
	const cJSON *first = grids ? grids->child : NULL, *grid;

	cJSON_ArrayForEach(grid, grids)
		if (tune_size(grid) != tune_size(first))
			return error("%s: tune: grids: the grid of %s has size %zu, that of %s %zu "
				     "(all methods need grids of equal size). Give each as many "
				     "points.", path, first->string, tune_size(first),
				     grid->string, tune_size(grid));
	return 0;
}

/* A setting is tuned, or given for the tuning runs; the seed is neither. */
static int tune_check_settings(const cJSON *tune, const char *path)
{
	const cJSON *setting;

	if (spec_tune_has(tune, "seed") || json_get(json_get(tune, "budget"), "seed"))
		return error("%s: tune: the seed cannot be tuned, nor in the budget. Name the "
			     "seeds in seeds.", path);
	cJSON_ArrayForEach(setting, json_get(tune, "budget"))
		if (spec_tune_has(tune, setting->string))
			return error("%s: tune: %s is tuned and in the budget (one of both). "
				     "Take it out of one.", path, setting->string);
	return 0;
}

/* ---- its methods ---- */

static bool tune_is_axis(const cJSON *grid, const char *name)
{
	const cJSON *product;

	cJSON_ArrayForEach(product, grid)
		if (json_get(product, name))
			return true;
	return false;
}

/* "algo, workers": the axes but for the seed; the caller frees. */
static char *tune_axes_text(const cJSON *grid)
{
	cJSON *axes = cJSON_CreateObject();
	const cJSON *product, *list;
	char *all = NULL;

	cJSON_ArrayForEach(product, grid)
		cJSON_ArrayForEach(list, product)
			json_put(axes, list->string, cJSON_CreateNull());
	cJSON_DeleteItemFromObjectCaseSensitive(axes, "seed");
	cJSON_ArrayForEach(list, axes)
		xappend(&all, ", ", list->string);
	cJSON_Delete(axes);
	return all ? all : xstrdup("none");
}

/* "per" names axes, or what one method chooses would silently be every method's. */
static int tune_check_axes(const cJSON *tune, const cJSON *grid, const char *path)
{
	const cJSON *per = json_get(tune, "per");
	const char *key;

	for (int i = 0; (key = keys_at(per, i)); i++) {
		char *axes;

		if (tune_is_axis(grid, opt_find(settings_opts, key)->name))
			continue;
		axes = tune_axes_text(grid);
		error("%s: tune: per: '%s' is no axis of the grid (it has: %s)", path, key, axes);
		free(axes);
		return -1;
	}
	return 0;
}

static bool tune_is_per(const cJSON *tune, const cJSON *grid, const char *setting)
{
	const cJSON *per = json_get(tune, "per");
	const char *key;

	if (!per)
		return tune_is_axis(grid, setting);
	for (int i = 0; (key = keys_at(per, i)); i++)
		if (opt_same_key(key, setting))
			return true;
	return false;
}

/* With one value for all, methods that differ in it would be tuned by the same runs. */
static int tune_check_budget(const cJSON *tune, const cJSON *grid, const char *path)
{
	const cJSON *setting;

	cJSON_ArrayForEach(setting, json_get(tune, "budget"))
		if (tune_is_per(tune, grid, setting->string))
			return error("%s: tune: budget: %s tells the methods apart. Take it out of "
				     "the budget, or name other axes in per.", path,
				     setting->string);
	return 0;
}

int spec_tune_check_whole(const cJSON *tune, const cJSON *of_spec, const char *path)
{
	static const char *const needed[] = { "measure", "seeds" };
	const cJSON *grid = json_get(tune, "grid");

	if (!tune)
		return 0;
	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
		if (!json_get(tune, needed[i]))
			return error("%s: tune: '%s' is missing", path, needed[i]);
	if (!grid && !json_get(tune, "grids"))
		return error("%s: tune: 'grid' is missing", path);
	if (grid ? !grid->child : !json_get(tune, "grids")->child->child)
		return error("%s: tune: the grid is empty (such as {\"lr\": [0.05, 0.1]}). Name "
			     "the settings to tune.", path);
	if (tune_check_sizes(json_get(tune, "grids"), path) < 0 ||
	    tune_check_settings(tune, path) < 0 || tune_check_axes(tune, of_spec, path) < 0)
		return -1;
	return tune_check_budget(tune, of_spec, path);
}

/* ---- a scale's over the spec's ---- */

static cJSON *tune_copy_grids(const cJSON *grids)
{
	cJSON *made = cJSON_CreateObject();
	const cJSON *grid;

	cJSON_ArrayForEach(grid, grids)
		cJSON_AddItemToObject(made, grid->string, spec_copy(grid));
	return made;
}

static cJSON *tune_copy_key(const cJSON *value)
{
	if (!strcmp(value->string, "grid") || !strcmp(value->string, "budget"))
		return spec_copy(value);
	if (!strcmp(value->string, "grids"))
		return tune_copy_grids(value);
	return cJSON_Duplicate(value, true);
}

cJSON *spec_tune_lay(cJSON *tune, const cJSON *over)
{
	const cJSON *value;

	if (over && cJSON_IsFalse(over)) {
		cJSON_Delete(tune);
		return NULL;
	}
	if (over && !tune)
		tune = cJSON_CreateObject();
	cJSON_ArrayForEach(value, over) {
		if (!strncmp(value->string, "grid", 4)) {
			cJSON_DeleteItemFromObjectCaseSensitive(tune, "grid");
			cJSON_DeleteItemFromObjectCaseSensitive(tune, "grids");
		}
		cJSON_DeleteItemFromObjectCaseSensitive(tune, value->string);
		cJSON_AddItemToObject(tune, value->string, tune_copy_key(value));
	}
	return tune;
}

/* ---- its grids ---- */

bool spec_tune_has(const cJSON *tune, const char *setting)
{
	const cJSON *grid;

	if (json_get(json_get(tune, "grid"), setting))
		return true;
	cJSON_ArrayForEach(grid, json_get(tune, "grids"))
		if (json_get(grid, setting))
			return true;
	return false;
}

bool spec_tune_drop(cJSON *tune, const char *setting)
{
	cJSON *grid = json_get(tune, "grid");
	bool none;

	cJSON_DeleteItemFromObjectCaseSensitive(grid, setting);
	none = !grid || !grid->child;
	cJSON_ArrayForEach(grid, json_get(tune, "grids")) {
		cJSON_DeleteItemFromObjectCaseSensitive(grid, setting);
		none = none && !grid->child;
	}
	return none;
}

const cJSON *spec_tune_grid(const cJSON *tune, const char *method)
{
	const cJSON *grid = json_get(tune, "grid");

	return grid ? grid : json_get(json_get(tune, "grids"), method);
}

bool spec_tune_highest(const cJSON *tune)
{
	static const char *const higher[] = { "test_accuracy", "fairness" };
	const char *best = json_string(tune, "best");

	if (best)
		return !strcmp(best, "highest");
	for (size_t i = 0; i < sizeof(higher) / sizeof(higher[0]); i++)
		if (opt_same_key(json_word(tune, "measure"), higher[i]))
			return true;
	return false;
}
