/* The table and the plot of an experiment's tuning runs. */
#include "plan/tuning.h"

#include "core/file/json.h"
#include "report/measure/measure.h"

#include <stdlib.h>
#include <string.h>

cJSON *tuning_report(const struct spec *s)
{
	const char *measure = json_string(s->tune, "measure");
	cJSON *json = cJSON_CreateObject();
	cJSON *table = cJSON_CreateObject(), *plot = cJSON_CreateObject();

	cJSON_AddStringToObject(table, "name", TUNING_NAME);
	cJSON_AddStringToObject(table, "title", "Tuning runs");
	cJSON_AddArrayToObject(table, "rows");
	cJSON_AddStringToObject(table, "values", measure);
	cJSON_AddItemToArray(cJSON_AddArrayToObject(json, "tables"), table);
	cJSON_AddStringToObject(plot, "name", TUNING_NAME);
	cJSON_AddStringToObject(plot, "title", "Tuning runs");
	cJSON_AddStringToObject(plot, "from", "runs");
	cJSON_AddStringToObject(plot, "y", measure);
	cJSON_AddArrayToObject(plot, "series");
	cJSON_AddItemToArray(cJSON_AddArrayToObject(json, "plots"), plot);
	return json;
}

static bool tuning_names(const cJSON *list, const char *key)
{
	const char *own;

	for (int i = 0; (own = keys_at(list, i)); i++)
		if (!strcmp(own, key))
			return true;
	return false;
}

static void tuning_name_keys(cJSON *list, const cJSON *object, const char *except)
{
	const cJSON *item;

	cJSON_ArrayForEach(item, object)
		if (!tuning_names(list, item->string) && strcmp(item->string, except) != 0)
			cJSON_AddItemToArray(list, cJSON_CreateString(item->string));
}

/* Whether all methods' values of the setting are numbers above 0, for a logarithmic axis. */
static bool tuning_is_positive(const struct tuning *t, const char *setting)
{
	for (size_t i = 0; i < t->n; i++) {
		const cJSON *value;

		cJSON_ArrayForEach(value, json_get(t->methods[i].grid, setting)) {
			char *text = json_text(value), *end;
			const double x = strtod(text, &end);
			const bool positive = end != text && !*end && x > 0;

			free(text);
			if (!positive)
				return false;
		}
	}
	return true;
}

/* The first setting that is tuned. */
static const char *tuning_axis(const struct tuning *t)
{
	size_t i = 0;

	while (!t->methods[i].grid->child)
		i++;
	return t->methods[i].grid->child->string;
}

void tuning_report_fill(struct plan *p)
{
	struct tuning *t = p->tuning;
	cJSON *table = json_get(t->plan.spec.json, "tables")->child;
	cJSON *plot = json_get(t->plan.spec.json, "plots")->child;
	const cJSON *tables = json_get(p->spec.json, "tables");
	const cJSON *labels = json_get(cJSON_GetArrayItem(tables, 0), "labels");
	const char *x = tuning_axis(t);

	for (size_t i = 0; i < t->n; i++) {
		tuning_name_keys(json_get(table, "rows"), t->methods[i].per, "");
		tuning_name_keys(json_get(plot, "series"), t->methods[i].per, x);
	}
	for (size_t i = 0; i < t->n; i++) {
		tuning_name_keys(json_get(table, "rows"), t->methods[i].grid, "");
		tuning_name_keys(json_get(plot, "series"), t->methods[i].grid, x);
	}
	cJSON_AddStringToObject(plot, "x", x);
	cJSON_AddBoolToObject(plot, "logx", tuning_is_positive(t, x));
	if (!json_get(plot, "series")->child)
		cJSON_DeleteItemFromObjectCaseSensitive(plot, "series");
	if (labels)
		cJSON_AddItemToObject(table, "labels", cJSON_Duplicate(labels, true));
}
