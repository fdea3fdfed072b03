/*
 * override.c - how a command line overrides a spec. One value of a setting is of every run; several
 * are an axis of the grid, and of every table and plot.
 */
#include "plan/tuning.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/text/opt_text.h"
#include "plan/settings/values.h"
#include "record/measure.h"

#include <stdlib.h>
#include <string.h>

/* ---- tables and plots ---- */

/* Whether an entry's keys ("rows", "x", ...) name the setting, or a measure computed from it. */
static bool entry_names(const cJSON *entry, const char *const *members, const char *setting)
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

size_t entry_picks(const cJSON *entry, const char *setting, const struct value_list *values)
{
	const cJSON *wanted = json_get(json_get(entry, "where"), setting), *choice = wanted;
	size_t n = 0;

	if (!wanted)
		return values->n;
	if (cJSON_IsArray(wanted))
		choice = wanted->child;
	for (; choice; choice = choice == wanted ? NULL : choice->next) {
		char *text = json_text(choice);

		n += text && value_list_has(values, text);
		free(text);
	}
	return n;
}

/* Instead of a title that speaks of other values in words: what is shown, and of which values. */
static void entry_retitle(cJSON *entry, const char *setting)
{
	const cJSON *labels = json_get(entry, "labels"), *y = json_get(entry, "y");
	const char *title = json_string(entry, "title"), *x = json_string(entry, "x"), *key;
	char *word = xasprintf("{%s}", setting), *shown = NULL;

	/* "training loss against time [s]", or a table's "speedup, waiting" */
	for (int i = 0; (key = keys_at(y ? y : json_get(entry, "values"), i)); i++)
		xappend_own(&shown, ", ", measure_label(key, labels));
	if (x)
		xappend_own(&shown, " against ", measure_label(x, labels));
	if (!shown)
		shown = xstrdup(json_string(entry, "name"));
	if (!title || !strstr(title, word)) {
		const bool begun = title && strncmp(title, shown, strlen(shown)) == 0;

		cJSON_DeleteItemFromObjectCaseSensitive(entry, "xlabel");
		cJSON_DeleteItemFromObjectCaseSensitive(entry, "ylabel");
		json_set_owned(entry, "title", xasprintf("%s; %s: %s", begun ? title : shown,
							 setting, word));
	}
	free(shown);
	free(word);
}

/* Adds a setting to a member that names some: none, one, or a list. */
static void entry_add_key(cJSON *entry, const char *member, const char *setting)
{
	cJSON *list = cJSON_CreateArray();
	const char *key;

	for (int i = 0; (key = keys_at(json_get(entry, member), i)); i++)
		cJSON_AddItemToArray(list, cJSON_CreateString(key));
	cJSON_AddItemToArray(list, cJSON_CreateString(setting));
	cJSON_DeleteItemFromObjectCaseSensitive(entry, member);
	cJSON_AddItemToObject(entry, member, list);
}

/* Has tables and plots show the values; `member` is where a section names what tells runs apart. */
static void entries_fit(const struct plan *p, const char *section, const char *member,
			const char *setting, const struct value_list *values)
{
	static const char *const members[] = { "rows", "columns", "x", "series", NULL };
	static const char *const says[] = { "title_says", NULL };
	cJSON *entry;

	cJSON_ArrayForEach(entry, json_get(p->spec.json, section)) {
		const bool picked = entry_picks(entry, setting, values) > 0;

		if (!picked)    /* of a value that no run has any more: it is of all they have */
			cJSON_DeleteItemFromObjectCaseSensitive(json_get(entry, "where"), setting);
		if (!picked || (changes_has(&p->changes, setting) &&
				entry_names(entry, says, setting)))
			entry_retitle(entry, setting);
		if (entry_picks(entry, setting, values) > 1 &&
		    !entry_names(entry, members, setting))
			entry_add_key(entry, member, setting);
	}
}

/* A title says which data set it was, when it is not the spec's. */
static void entries_name_data(struct plan *p, const char *section)
{
	cJSON *entry;

	cJSON_ArrayForEach(entry, json_get(p->spec.json, section)) {
		const char *net = json_string(json_get(entry, "where"), "net");
		const char *title = json_string(entry, "title");

		if (!net || !model_is_analytic(net))
			json_set_owned(entry, "title",
				       xasprintf("%s; data: %s",
						 title ? title : json_string(entry, "name"),
						 p->changes.data));
	}
}

/* ---- the grid ---- */

/* An axis of several values. */
static void lay_axis(struct plan *p, struct value_list *values, const char *name)
{
	if (strcmp(name, "seed") != 0) {
		product_put(&p->swept, name, values);
		if (grid_differs(&p->spec.grid, name))
			warning("%s: the objects of the spec's grid differ in %s; each of them is "
				"run with all %d values of the command line",
				p->spec.path, name, (int)values->n);
		spec_set_list(&p->spec, name, values);
		entries_fit(p, "tables", "rows", name, values);
		entries_fit(p, "plots", "series", name, values);
		return;
	}
	/* Seeds are numbers in a spec, and in what its filters read. */
	for (size_t i = 0; i < values->n; i++) {
		char *text = double_text(strtod(values->v[i].text, NULL));

		free(values->v[i].text);
		values->v[i] = (struct value){ text, VALUE_NUMBER };
	}
	spec_set_list(&p->spec, name, values);
}

/* 0 or error(). Settings of one value are added to `one`. */
static int lay_setting(struct plan *p, const struct point_value *given, struct grid_point *one)
{
	const char *name = given->key;
	struct value_list values;
	int ret = 0;

	if (values_parse(&values, name, given->value.text, "command line") < 0)
		return -1;
	if (values.n == 1) {
		entries_fit(p, "tables", "rows", name, &values);
		entries_fit(p, "plots", "series", name, &values);
		point_put(one, name, values.v[0]);
	} else if (strcmp(name, "engine") == 0) {
		ret = error("command line: engine: expected one value, sim or mpi");
	} else {
		lay_axis(p, &values, name);
	}
	value_list_release(&values);
	return ret;
}

/* Leaves the settings of the command line out of the spec's "tune", and says so. 0 or error(). */
static int leave_out_of_tuning(struct spec *s, const struct grid_point *set)
{
	for (size_t i = 0; i < set->n; i++) {
		const char *name = set->v[i].key;

		if (!spec_tune_has(s->tune, name))
			continue;
		note("%s: %s is given, and not tuned", s->name, name);
		if (spec_tune_drop(s->tune, name)) {
			spec_tune_release(s->tune);
			s->tune = NULL;
		}
	}
	return spec_tune_check(s->tune, &s->grid, s->path);
}

int plan_override(struct plan *p, const struct plan_request *r)
{
	struct grid_point one = { 0 };
	char *suffix;
	int ret = 0;

	p->set = point_read(r->set);
	if (changes_find(&p->changes, &p->spec, &p->set) < 0)
		return -1;
	suffix = changes_suffix(&p->changes);
	p->dir = xasprintf("%s/%s/%s%s", r->out, p->spec.name, p->spec.scale, suffix);
	p->folder = xasprintf("%s/runs", p->dir);
	free(suffix);
	simulator_only_drop(&p->spec, &p->set);
	if (leave_out_of_tuning(&p->spec, &p->set) < 0)
		return -1;
	for (size_t i = 0; i < p->set.n && ret == 0; i++)
		ret = lay_setting(p, &p->set.v[i], &one);
	if (ret == 0)
		spec_set(&p->spec, &one);
	point_release(&one);
	if (ret < 0)
		return -1;
	if (p->changes.settings)
		cJSON_DeleteItemFromObjectCaseSensitive(p->spec.json, "published");
	plan_expand_words(p);
	if (p->changes.data) {
		entries_name_data(p, "tables");
		entries_name_data(p, "plots");
	}
	return 0;
}
