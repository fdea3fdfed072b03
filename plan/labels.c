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
#include "plan/spec/tune.h"

#include <stdlib.h>
#include <string.h>

/* Adds another value. */
static void labels_add(char **list, const char *value, const cJSON *labels)
{
	const char *label = json_string(labels, value);

	xappend(list, ", ", label ? label : value);
}

/* True unless the entry's "where" picks no value that a product of the grid has of a setting. */
static bool is_shown(const cJSON *product, const cJSON *entry)
{
	const cJSON *values;

	cJSON_ArrayForEach(values, product)
		if (!sweep_picked(entry, values))
			return false;
	return true;
}

/*
 * What the grid gives the setting in the entry's runs, each value once; NULL: nothing. The caller
 * frees.
 */
static char *values_in_grid(const struct spec *s, const char *key, const cJSON *entry,
			    const cJSON *labels)
{
	cJSON *seen = cJSON_CreateObject();
	const cJSON *product, *value;
	char *list = NULL;

	cJSON_ArrayForEach(product, s->grid) {
		if (!is_shown(product, entry))
			continue;
		cJSON_ArrayForEach(value, json_get(product, key)) {
			char *text = json_text(value);

			if (!json_get(seen, text)) {
				cJSON_AddTrueToObject(seen, text);
				labels_add(&list, text, labels);
			}
			free(text);
		}
	}
	cJSON_Delete(seen);
	return list;
}

/* What the table or plot itself is of: a value, or several; NULL: all. The caller frees. */
static char *values_in_where(const cJSON *where, const char *key, const cJSON *labels)
{
	const cJSON *own = json_get(where, key), *value = cJSON_IsArray(own) ? own->child : own;
	char *list = NULL;

	for (; value; value = cJSON_IsArray(own) ? value->next : NULL) {
		char *text = json_text(value);

		labels_add(&list, text, labels);
		free(text);
	}
	return list;
}

static char *labels_value_of(const struct spec *s, const struct opt *o, const cJSON *entry)
{
	const cJSON *value = json_get(s->base, o->name), *labels = json_get(entry, "labels");
	char *list = values_in_where(json_get(entry, "where"), o->name, labels), *text;

	if (!list)
		list = values_in_grid(s, o->name, entry, labels);
	if (list)
		return list;
	if (spec_tune_has(s->tune, o->name))
		return xstrdup("tuned");
	text = value ? json_text(value) : xstrdup(o->def ? o->def : "");
	labels_add(&list, text, labels);
	free(text);
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
static int labels_counted(const char *text)
{
	const int n = *text == ' ' ? (int)strspn(text + 1, "abcdefghijklmnopqrstuvwxyz") : 0;

	return n >= 5 && text[n] == 's' ? n - 1 : 0;
}

/* The caller frees. */
static char *labels_expand(const struct spec *s, const char *text, const cJSON *entry)
{
	char *out = xstrdup("");

	while (*text) {
		const char *after = text + 1;
		const struct opt *o = setting_at(text, &after);
		char *value = o ? labels_value_of(s, o, entry) : xasprintf("%c", *text);
		const int counted = o && strcmp(value, "1") == 0 ? labels_counted(after) : 0;

		xappend_own(&out, "", value);
		text = o ? after : text + 1;
		if (counted) {
			xappend_own(&out, "", xasprintf(" %.*s", counted, text + 1));
			text += counted + 2;
		}
	}
	return out;
}

static void expand_item(const struct spec *s, cJSON *item, const cJSON *entry)
{
	char *text;

	if (!cJSON_IsString(item) || !strchr(item->valuestring, '{'))
		return;
	text = labels_expand(s, item->valuestring, entry);
	cJSON_SetValuestring(item, text);
	free(text);
}

static bool has_setting(const char *text)
{
	const char *after;

	for (text = strchr(text, '{'); text; text = strchr(text + 1, '{'))
		if (setting_at(text, &after))
			return true;
	return false;
}

static void drop_notes(cJSON *notes)
{
	for (int i = cJSON_GetArraySize(notes) - 1; i >= 0; i--)
		if (!has_setting(cJSON_GetArrayItem(notes, i)->valuestring))
			cJSON_DeleteItemFromArray(notes, i);
}

/* A table, or a plot. */
static void expand_entry(const struct spec *s, cJSON *entry, bool changed)
{
	static const char *const keys[] = { "title", "corner", "xlabel", "ylabel" };
	cJSON *labels = json_get(entry, "labels"), *item;
	cJSON *notes = json_get(entry, "notes");

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		expand_item(s, json_get(entry, keys[i]), entry);
	cJSON_ArrayForEach(item, labels)
		expand_item(s, item, NULL);
	if (changed)
		drop_notes(notes);
	cJSON_ArrayForEach(item, notes)
		expand_item(s, item, entry);
}

void plan_expand_words(struct plan *p)
{
	static const char *const lists[] = { "tables", "plots" };
	cJSON *entry;

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		cJSON_ArrayForEach(entry, json_get(p->spec.json, lists[i]))
			expand_entry(&p->spec, entry, p->changes.settings != NULL);
}
