/* Settings of a command line with several values: axes of an experiment's grid. */
#include "plan/plan.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "plan/settings/values.h"
#include "report/measure/measure.h"

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

/* An entry that was of a value which no run has any more is of all that they have, and says so. */
static void drop_where(cJSON *entry, const char *setting)
{
	char *word = xasprintf("{%s}", setting), *text;
	const cJSON *title = json_get(entry, "title");

	cJSON_DeleteItemFromObjectCaseSensitive(json_get(entry, "where"), setting);
	if (!title)
		title = json_get(entry, "name");
	if (!strstr(title->valuestring, word)) {
		text = xasprintf("%s; %s: %s", title->valuestring, setting, word);
		cJSON_DeleteItemFromObjectCaseSensitive(entry, "title");
		cJSON_AddStringToObject(entry, "title", text);
		free(text);
	}
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

/* The entries of "tables" or "plots"; `member` is where they name what tells their runs apart. */
static void fit_entries(const struct plan *p, const char *section, const char *member,
			const cJSON *values)
{
	static const char *const members[] = { "rows", "columns", "x", "series", NULL };
	cJSON *entry;

	cJSON_ArrayForEach(entry, json_get(p->spec.json, section)) {
		if (!sweep_picked(entry, values))
			drop_where(entry, values->string);
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
	spec_set_list(&p->spec, name, values);
	fit_entries(p, "tables", "rows", values);
	fit_entries(p, "plots", "series", values);
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
		cJSON_AddItemToObject(one, name, cJSON_Duplicate(values->child, true));
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
