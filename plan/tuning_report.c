/* The table and the plot of an experiment's tuning runs. */
#include "plan/tuning.h"

#include "core/base/mem.h"
#include "core/file/json.h"
#include "record/measure.h"

#include <stdlib.h>
#include <string.h>

enum { LINES_MOST = 16 }; /* of a plot; more methods have more plots */

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

/* ---- more lines than a plot can show ---- */

/* A method's value of the first setting that tells methods apart. */
static const cJSON *tuning_first(const struct tuning_method *m)
{
	return m->per->child;
}

/* Lines of the methods with that value: one for each combination of the settings but x. */
static size_t tuning_lines(const struct tuning *t, const cJSON *value, const char *x)
{
	size_t lines = 0;

	for (size_t i = 0; i < t->n; i++) {
		const struct tuning_method *m = &t->methods[i];
		const int points = cJSON_GetArraySize(json_get(m->grid, x));

		if (m->used && cJSON_Compare(tuning_first(m), value, true))
			lines += plan_product_size(m->grid) / (size_t)(points ? points : 1);
	}
	return lines;
}

static bool tuning_is_new(const struct tuning *t, size_t method)
{
	for (size_t i = 0; i < method; i++)
		if (t->methods[i].used && cJSON_Compare(tuning_first(&t->methods[i]),
							tuning_first(&t->methods[method]), true))
			return false;
	return t->methods[method].used;
}

/* Adds the value to the list, or those that the method's own grid puts in its stead. */
static void tuning_show(cJSON *list, const struct tuning_method *m, const cJSON *value)
{
	const cJSON *variants = json_get(m->grid, value->string), *variant;

	if (!variants)
		cJSON_AddItemToArray(list, cJSON_Duplicate(value, true));
	cJSON_ArrayForEach(variant, variants)
		cJSON_AddItemToArray(list, cJSON_Duplicate(variant, true));
}

/* Copies of the plot for some of the values each, in order; the caller frees the list. */
static cJSON *tuning_parts(const struct tuning *t, const cJSON *plot, const char *x)
{
	cJSON *parts = cJSON_CreateArray(), *shown = NULL;
	size_t lines = 0;

	for (size_t i = 0; i < t->n; i++) {
		const cJSON *value = tuning_first(&t->methods[i]);
		size_t more;

		if (!tuning_is_new(t, i))
			continue;
		more = tuning_lines(t, value, x);
		if (!shown || lines + more > LINES_MOST) {
			cJSON *part = cJSON_Duplicate(plot, true);
			cJSON *where = cJSON_AddObjectToObject(part, "where");

			shown = cJSON_AddArrayToObject(where, value->string);
			cJSON_AddItemToArray(parts, part);
			lines = 0;
		}
		tuning_show(shown, &t->methods[i], value);
		lines += more;
	}
	return parts;
}

static void tuning_put_text(cJSON *object, const char *key, char *text)
{
	cJSON_ReplaceItemInObjectCaseSensitive(object, key, cJSON_CreateString(text));
	free(text);
}

/* ": NAME" where all lines are of one algorithm, which their labels leave out; else "". */
static char *tuning_part_algo(const cJSON *part)
{
	const cJSON *list = json_get(json_get(part, "where"), "algo"), *item;
	const char *first = cJSON_GetStringValue(cJSON_GetArrayItem(list, 0));
	const size_t n = first ? strcspn(first, ":") : 0;

	cJSON_ArrayForEach(item, list) {
		const char *text = item->valuestring;

		if (strcspn(text, ":") != n || strncmp(text, first, n) != 0)
			return xstrdup("");
	}
	return n ? xasprintf(": %.*s", (int)n, first) : xstrdup("");
}

/* Puts several plots for the one, where it would have more than LINES_MOST lines. */
static void tuning_split(cJSON *spec, const struct tuning *t, const char *x)
{
	const cJSON *plot = json_get(spec, "plots")->child;
	cJSON *parts = t->methods[0].per->child ? tuning_parts(t, plot, x) : NULL, *part;
	const int n = cJSON_GetArraySize(parts);
	char *algo;
	int i = 0;

	cJSON_ArrayForEach(part, parts) {
		tuning_put_text(part, "name", xasprintf(TUNING_NAME "-%d", ++i));
		algo = tuning_part_algo(part);
		tuning_put_text(part, "title", xasprintf("Tuning runs (%d of %d)%s", i, n, algo));
		free(algo);
	}
	if (n > 1)
		cJSON_ReplaceItemInObjectCaseSensitive(spec, "plots", parts);
	else
		cJSON_Delete(parts);
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
	tuning_split(t->plan.spec.json, t, x);
}
