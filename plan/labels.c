/*
 * labels.c - titles, labels and notes that are true of the settings a run really has.
 *
 * A {setting} in a text of a spec stands for the value that the runs have, as the table's or plot's
 * labels spell it; where the grid has several, for all of them. A note without one is about the
 * spec's own set-up, and is left out of any other.
 */
#include "plan/plan.h"

#include "core/base/mem.h"
#include "core/file/json.h"

#include <stdlib.h>
#include <string.h>

/* Adds another value, in the words of the table or plot. */
static void words_add_value(char **list, const char *value, const cJSON *labels)
{
	const char *label = json_string(labels, value);

	xappend(list, ", ", label ? label : value);
}

/* True unless the entry's "where" picks no value that a product of the grid has of a setting. */
static bool is_shown(const struct grid_product *product, const cJSON *entry)
{
	for (size_t i = 0; i < product->n; i++)
		if (!entry_picks(entry, product->v[i].key, &product->v[i].values))
			return false;
	return true;
}

/* What the grid gives the setting in the entry's runs, each value once. The caller frees. */
static char *values_in_grid(const struct spec *s, const char *key, const cJSON *entry,
			    const cJSON *labels)
{
	struct value_list seen = { 0 };
	char *list = NULL;

	for (size_t i = 0; i < s->grid.n; i++) {
		const struct value_list *values = product_values(&s->grid.v[i], key);

		for (size_t k = 0; values && is_shown(&s->grid.v[i], entry) && k < values->n; k++) {
			if (value_list_has(&seen, values->v[k].text))
				continue;
			value_list_add(&seen, values->v[k]);
			words_add_value(&list, values->v[k].text, labels);
		}
	}
	value_list_release(&seen);
	return list;
}

/* What the table or plot itself is of: a value, or several; NULL: all. The caller frees. */
static char *values_in_where(const cJSON *where, const char *key, const cJSON *labels)
{
	const cJSON *own = json_get(where, key), *value = cJSON_IsArray(own) ? own->child : own;
	char *list = NULL;

	for (; value; value = value == own ? NULL : value->next) {
		char *text = json_text(value);

		words_add_value(&list, text, labels);
		free(text);
	}
	return list;
}

/* The values that the entry's runs have of a setting, in its words. The caller frees. */
static char *setting_words(const struct spec *s, const struct opt *o, const cJSON *entry)
{
	const char *value = point_text(&s->base, o->name);
	const cJSON *labels = json_get(entry, "labels");
	char *list = values_in_where(json_get(entry, "where"), o->name, labels);

	if (!list)
		list = values_in_grid(s, o->name, entry, labels);
	if (list)
		return list;
	if (spec_tune_has(s->tune, o->name))
		return xstrdup("tuned");
	words_add_value(&list, value ? value : o->def ? o->def : "", labels);
	return list;
}

/* The setting that a {name} at that position stands for, and where the text goes on; else NULL. */
static const struct opt *setting_at(const char *brace, const char **after)
{
	const char *end = *brace == '{' ? strchr(brace, '}') : NULL;
	const struct opt *o;
	char *name;

	if (!end)
		return NULL;
	name = xasprintf("%.*s", (int)(end - brace - 1), brace + 1);
	o = opt_find(settings_opts, name);
	free(name);
	*after = end + 1;
	return o;
}

/*
 * Letters of a counted word after a value, without its "s": 6 of " workers"; 0: there is none. A
 * word of fewer than 5 letters may be a verb: " is", " lags".
 */
static int counted_word(const char *text)
{
	const int n = *text == ' ' ? (int)strspn(text + 1, "abcdefghijklmnopqrstuvwxyz") : 0;

	return n >= 5 && text[n] == 's' ? n - 1 : 0;
}

/* Spells out the settings that a text names. */
static void expand_text(const struct spec *s, cJSON *item, const cJSON *entry)
{
	const char *text = cJSON_GetStringValue(item);
	char *out;

	if (!text || !strchr(text, '{'))
		return;
	out = xstrdup("");
	while (*text) {
		const char *after = text + 1;
		const struct opt *o = setting_at(text, &after);
		char *value = o ? setting_words(s, o, entry) : xasprintf("%c", *text);
		const int counted = o && strcmp(value, "1") == 0 ? counted_word(after) : 0;

		xappend_own(&out, "", value);
		text = o ? after : text + 1;
		if (counted) {
			xappend_own(&out, "", xasprintf(" %.*s", counted, text + 1));
			text += counted + 2;
		}
	}
	cJSON_SetValuestring(item, out);
	free(out);
}

static bool has_setting(const char *text)
{
	const char *after;

	for (text = strchr(text, '{'); text; text = strchr(text + 1, '{'))
		if (setting_at(text, &after))
			return true;
	return false;
}

/* A table, or a plot. */
static void expand_entry(const struct spec *s, cJSON *entry, bool changed)
{
	static const char *const keys[] = { "title", "corner", "xlabel", "ylabel" };
	cJSON *notes = json_get(entry, "notes"), *item;

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		expand_text(s, json_get(entry, keys[i]), entry);
	cJSON_ArrayForEach(item, json_get(entry, "labels"))
		expand_text(s, item, NULL);
	for (int i = changed ? cJSON_GetArraySize(notes) - 1 : -1; i >= 0; i--)
		if (!has_setting(cJSON_GetArrayItem(notes, i)->valuestring))
			cJSON_DeleteItemFromArray(notes, i);
	cJSON_ArrayForEach(item, notes)
		expand_text(s, item, entry);
}

void plan_expand_words(struct plan *p)
{
	static const char *const lists[] = { "tables", "plots" };
	cJSON *entry;

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		cJSON_ArrayForEach(entry, json_get(p->spec.json, lists[i]))
			expand_entry(&p->spec, entry, p->changes.settings != NULL);
}
