/* The table and the plots of an experiment's tuning runs. */
#include "plan/tuning.h"

#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/members.h"

#include <stdlib.h>
#include <string.h>

enum { LINES_MOST = 16 }; /* of a plot; more methods have more plots */

/* Adds a key that the list does not have. */
static void names_add(cJSON *list, const char *key)
{
	const cJSON *own;

	cJSON_ArrayForEach(own, list)
		if (!strcmp(own->valuestring, key))
			return;
	list_add(list, cJSON_CreateString(key));
}

/* The settings that tell methods apart and those that are tuned, without `except`. */
static cJSON *settings_shown(const struct tuning *t, const char *except)
{
	cJSON *list = cJSON_CreateArray();

	for (size_t i = 0; i < t->n; i++)
		for (size_t k = 0; k < t->methods[i].per.n; k++)
			if (strcmp(t->methods[i].per.v[k].key, except) != 0)
				names_add(list, t->methods[i].per.v[k].key);
	for (size_t i = 0; i < t->n; i++)
		for (size_t k = 0; k < t->methods[i].grid->n; k++)
			if (strcmp(t->methods[i].grid->v[k].key, except) != 0)
				names_add(list, t->methods[i].grid->v[k].key);
	return list;
}

/* Whether all methods' values of the setting are numbers above 0, for a logarithmic axis. */
static bool is_positive(const struct tuning *t, const char *setting)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct value_list *values = product_values(t->methods[i].grid, setting);

		for (size_t k = 0; values && k < values->n; k++) {
			const char *text = values->v[k].text;
			char *end;

			if (!(strtod(text, &end) > 0) || end == text || *end)
				return false;
		}
	}
	return true;
}

/* A method's value of the first setting that tells methods apart. */
static const char *first_value(const struct tuning_method *m)
{
	return m->per.n ? m->per.v[0].value.text : "";
}

/* Lines of the methods with that value: one for each combination of the settings but x. */
static size_t lines_of(const struct tuning *t, const char *value, const char *x)
{
	size_t lines = 0;

	for (size_t i = 0; i < t->n; i++) {
		const struct tuning_method *m = &t->methods[i];
		const struct value_list *points = product_values(m->grid, x);

		if (m->used && strcmp(first_value(m), value) == 0)
			lines += product_size(m->grid) / (points ? points->n : 1);
	}
	return lines;
}

/* Whether the method is used, and no used one before it has its value. */
static bool is_new_value(const struct tuning *t, size_t method)
{
	for (size_t i = 0; i < method; i++)
		if (t->methods[i].used &&
		    strcmp(first_value(&t->methods[i]), first_value(&t->methods[method])) == 0)
			return false;
	return t->methods[method].used;
}

/* Which values of the first setting a plot shows each, in order; `n` of them, the caller frees. */
static struct grid_axis *parts_of(const struct tuning *t, const char *x, size_t *n)
{
	struct grid_axis *parts = NULL;
	size_t lines = 0;

	*n = 0;
	for (size_t i = 0; i < t->n; i++) {
		const struct tuning_method *m = &t->methods[i];
		const struct value_list *variants;
		size_t more;

		if (!m->per.n || !is_new_value(t, i))
			continue;
		variants = product_values(m->grid, m->per.v[0].key);
		more = lines_of(t, first_value(m), x);
		if (!*n || lines + more > LINES_MOST) {
			parts = xrealloc(parts, *n + 1, sizeof(*parts));
			parts[(*n)++] = (struct grid_axis){ .key = m->per.v[0].key };
			lines = 0;
		}
		/* The method's own grid may put variants in the value's stead. */
		if (!variants)
			value_list_add(&parts[*n - 1].values, m->per.v[0].value);
		for (size_t k = 0; variants && k < variants->n; k++)
			value_list_add(&parts[*n - 1].values, variants->v[k]);
		lines += more;
	}
	return parts;
}

/* Letters of NAME where all values are NAME or NAME:...; 0: they differ. */
static int common_name(const struct value_list *values)
{
	const char *first = values->v[0].text;
	const size_t n = strcspn(first, ":");

	for (size_t i = 1; i < values->n; i++)
		if (strcspn(values->v[i].text, ":") != n ||
		    strncmp(values->v[i].text, first, n) != 0)
			return 0;
	return (int)n;
}

/* The i-th of n plots, which shows methods of these values; NULL: all. */
static cJSON *plot_of(const struct plan *p, const char *x, size_t i, size_t n,
		      const struct grid_axis *shown)
{
	/* Labels of lines leave out an algorithm that all have. */
	const int algo = shown && strcmp(shown->key, "algo") == 0 ? common_name(&shown->values) : 0;
	char *name = shown ? xasprintf(TUNING_NAME "-%zu", i + 1) : xstrdup(TUNING_NAME);
	char *title = shown ? xasprintf("Tuning runs (%zu of %zu)%s%.*s", i + 1, n,
					algo ? ": " : "", algo, shown->values.v[0].text) :
			      xstrdup("Tuning runs");
	cJSON *series = settings_shown(p->tuning, x);
	cJSON *plot = OBJECT(j_text("name", name), j_text("title", title), j_text("from", "runs"),
			     j_text("y", p->spec.tune->measure));

	if (series->child)
		ADD(plot, j_json("series", series));
	else
		cJSON_Delete(series);
	ADD(plot, j_text("x", x), j_bool("logx", is_positive(p->tuning, x)));
	if (shown)
		ADD(plot, j_json("where", OBJECT(j_json(shown->key,
							value_list_json(&shown->values)))));
	free(name);
	free(title);
	return plot;
}

cJSON *tuning_report(const struct plan *p)
{
	const struct tuning *t = p->tuning;
	const cJSON *tables = json_get(p->spec.json, "tables");
	const cJSON *labels = json_get(tables ? tables->child : NULL, "labels");
	cJSON *plots = cJSON_CreateArray();
	struct grid_axis *parts;
	const char *x;
	size_t n, first = 0;

	while (!t->methods[first].grid->n)
		first++;
	x = t->methods[first].grid->v[0].key;
	parts = parts_of(t, x, &n);
	for (size_t i = 0; i < (n > 1 ? n : 1); i++)
		list_add(plots, plot_of(p, x, i, n, n > 1 ? &parts[i] : NULL));
	for (size_t i = 0; i < n; i++)
		value_list_release(&parts[i].values);
	free(parts);
	return OBJECT(j_json("tables", list_add(cJSON_CreateArray(), OBJECT(
			      j_text("name", TUNING_NAME), j_text("title", "Tuning runs"),
			      j_json("rows", settings_shown(t, "")),
			      j_text("values", p->spec.tune->measure),
			      j_if(labels, j_json("labels", cJSON_Duplicate(labels, true)))))),
		      j_json("plots", plots));
}
