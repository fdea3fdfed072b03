/* Settings of a command line with several values: axes of an experiment's grid. */
#include "plan/plan.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "plan/settings/values.h"
#include "record/measure.h"

#include <stdlib.h>
#include <string.h>

/* Seeds are numbers in a spec, and in what its filters read. */
static void turn_into_numbers(cJSON *texts)
{
	for (int i = 0; i < cJSON_GetArraySize(texts); i++) {
		const char *text = cJSON_GetArrayItem(texts, i)->valuestring;

		cJSON_ReplaceItemInArray(texts, i, cJSON_CreateNumber(strtod(text, NULL)));
	}
}

/* ---- what tables and plots show of it ---- */

/* Whether an entry's keys ("rows", "x", ...) name the setting, or what is computed from it. */
static bool sweep_names(const cJSON *entry, const char *const *members, const char *setting)
{
	for (; *members; members++) {
		const char *key;

		for (int i = 0; (key = keys_at(json_get(entry, *members), i)); i++) {
			const struct opt *o = opt_find(settings_opts, key);

			if (strcmp(o ? o->name : key, setting) == 0 ||
			    (strcmp(setting, "slow") == 0 && strcmp(key, "slow_factor") == 0))
				return true;
		}
	}
	return false;
}

static bool sweep_holds(const cJSON *values, const cJSON *wanted)
{
	char *text = json_text(wanted);
	const cJSON *value;
	bool found = false;

	cJSON_ArrayForEach(value, values) {
		char *own = json_text(value);

		found = found || (text && own && strcmp(own, text) == 0);
		free(own);
	}
	free(text);
	return found;
}

int sweep_picked(const cJSON *entry, const cJSON *values)
{
	const cJSON *wanted = json_get(json_get(entry, "where"), values->string), *choice;
	int n = 0;

	if (!wanted)
		return cJSON_GetArraySize(values);
	if (!cJSON_IsArray(wanted))
		return sweep_holds(values, wanted);
	cJSON_ArrayForEach(choice, wanted)
		n += sweep_holds(values, choice);
	return n;
}

/* "training loss against time [s]", or a table's "speedup, waiting": what it shows. Owned. */
static char *sweep_shown(const cJSON *entry)
{
	const cJSON *labels = json_get(entry, "labels"), *y = json_get(entry, "y");
	const char *x = json_string(entry, "x"), *key;
	char *text = NULL;

	for (int i = 0; (key = keys_at(y ? y : json_get(entry, "values"), i)); i++)
		xappend_own(&text, ", ", measure_label(key, labels));
	if (x)
		xappend_own(&text, " against ", measure_label(x, labels));
	return text ? text : xstrdup(json_string(entry, "name"));
}

/* Instead of a title that speaks of other values in words: what is shown, and of which values. */
static void sweep_retitle(cJSON *entry, const char *setting)
{
	char *word = xasprintf("{%s}", setting), *shown = sweep_shown(entry);
	const char *title = json_string(entry, "title");
	const bool begun = title && strncmp(title, shown, strlen(shown)) == 0;

	if (!title || !strstr(title, word)) {
		cJSON_DeleteItemFromObjectCaseSensitive(entry, "xlabel");
		cJSON_DeleteItemFromObjectCaseSensitive(entry, "ylabel");
		json_set_owned(entry, "title", xasprintf("%s; %s: %s", begun ? title : shown,
							 setting, word));
	}
	free(shown);
	free(word);
}

/* Adds a setting to a member that names some: none, one, or a list. */
static void add_key(cJSON *entry, const char *member, const char *setting)
{
	cJSON *list = cJSON_CreateArray();
	const char *key;

	for (int i = 0; (key = keys_at(json_get(entry, member), i)); i++)
		cJSON_AddItemToArray(list, cJSON_CreateString(key));
	cJSON_AddItemToArray(list, cJSON_CreateString(setting));
	cJSON_DeleteItemFromObjectCaseSensitive(entry, member);
	cJSON_AddItemToObject(entry, member, list);
}

/* Whether "title_says" names a setting that the command line changes. */
static bool sweep_title_says(const struct plan *p, const cJSON *entry, const char *setting)
{
	static const char *const says[] = { "title_says", NULL };

	return changes_has(&p->changes, setting) && sweep_names(entry, says, setting);
}

/* The entries of "tables" or "plots"; `member` is where they name what tells their runs apart. */
static void fit_entries(const struct plan *p, const char *section, const char *member,
			const cJSON *values)
{
	static const char *const members[] = { "rows", "columns", "x", "series", NULL };
	cJSON *entry;

	cJSON_ArrayForEach(entry, json_get(p->spec.json, section)) {
		const bool picked = sweep_picked(entry, values) > 0;

		if (!picked)    /* of a value that no run has any more: it is of all they have */
			cJSON_DeleteItemFromObjectCaseSensitive(json_get(entry, "where"),
								values->string);
		if (!picked || sweep_title_says(p, entry, values->string))
			sweep_retitle(entry, values->string);
		if (sweep_picked(entry, values) > 1 && !sweep_names(entry, members, values->string))
			add_key(entry, member, values->string);
	}
}

/* ---- the grid ---- */

/* An axis of these values, which are taken, under the setting's own name. */
static void lay_axis(struct plan *p, cJSON *values, const char *name)
{
	if (strcmp(name, "seed") == 0) {
		turn_into_numbers(values);
		spec_set_list(&p->spec, name, values);
		cJSON_Delete(values);
		return;
	}
	cJSON_AddItemToObject(p->swept, name, values);
	if (spec_grid_differs(p->spec.grid, name))
		warning("%s: the objects of the spec's grid differ in %s; each of them is run with "
			"all %d values of the command line", p->spec.path, name,
			cJSON_GetArraySize(values));
	spec_set_list(&p->spec, name, values);
	fit_entries(p, "tables", "rows", values);
	fit_entries(p, "plots", "series", values);
}

/* One value of every run. */
static void lay_one(const struct plan *p, const cJSON *values, const char *name, cJSON *one)
{
	cJSON *named = cJSON_CreateObject();

	cJSON_AddItemToObject(named, name, cJSON_Duplicate(values, true));
	fit_entries(p, "tables", "rows", named->child);
	fit_entries(p, "plots", "series", named->child);
	cJSON_Delete(named);
	cJSON_AddItemToObject(one, name, cJSON_Duplicate(values->child, true));
}

static int sweep_setting(struct plan *p, const cJSON *given, cJSON *one)
{
	const char *name = opt_find(settings_opts, given->string)->name;
	char *text = json_text(given);
	cJSON *values = text ? values_of(given->string, text, "command line") : NULL;

	free(text);
	if (!values)
		return -1;
	if (!values->child->next) {
		lay_one(p, values, name, one);
	} else if (strcmp(name, "engine") != 0) {
		lay_axis(p, values, name);
		return 0;
	}
	cJSON_Delete(values);
	return json_get(one, name) ? 0 :
				     error("command line: engine: expected one value, sim or mpi");
}

int plan_sweep(struct plan *p, const cJSON *set, cJSON *one)
{
	const cJSON *given;

	p->swept = cJSON_CreateObject();
	cJSON_ArrayForEach(given, set)
		if (sweep_setting(p, given, one) < 0)
			return -1;
	return 0;
}
