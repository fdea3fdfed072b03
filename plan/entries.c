/*
 * entries.c - changes the tables and plots of a spec ("entries") to fit the settings of its runs.
 *
 * A setting to which the command line gives several values becomes an axis of every table and plot.
 * {setting} in a text is replaced by the value that the runs have, spelt as in the entry's labels;
 * if the grid has several values, by all of them. A note without {setting} describes the spec's own
 * settings: it is left out when the command line changes some.
 */
#include "plan/spec_tune.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/fields.h"
#include "core/file/json.h"
#include "core/file/members.h"
#include "record/measure.h"
#include "report/claims/claims.h"

#include <stdlib.h>
#include <string.h>

enum { TABLES, PLOTS, SECTIONS };

static const char *const sections[SECTIONS] = { [TABLES] = "tables", [PLOTS] = "plots" };

/* A table or a plot. Members are borrowed: call entry_of() again after a change of json. */
struct entry {
	cJSON *json;
	int section;
	const char *name, *title;
	cJSON *where, *notes;           /* of json */
	const cJSON *labels, *rows, *columns, *values, *x, *y, *series, *ylabel;
	const cJSON *title_says;        /* settings whose values the title says in words */
};

static struct entry entry_of(cJSON *json)
{
	static const struct field fields[] = {
		FIELD(LENT, struct entry, name, "name"),
		FIELD(LENT, struct entry, title, "title"),
		FIELD(TREE, struct entry, labels, "labels"),
		FIELD(TREE, struct entry, where, "where"),
		FIELD(TREE, struct entry, notes, "notes"),
		FIELD(TREE, struct entry, rows, "rows"),
		FIELD(TREE, struct entry, columns, "columns"),
		FIELD(TREE, struct entry, values, "values"),
		FIELD(TREE, struct entry, x, "x"),
		FIELD(TREE, struct entry, y, "y"),
		FIELD(TREE, struct entry, series, "series"),
		FIELD(TREE, struct entry, ylabel, "ylabel"),
		FIELD(TREE, struct entry, title_says, "title_says"), { 0 }
	};
	struct entry e = { .json = json };

	fields_read(json, fields, &e);
	return e;
}

/* All tables, then all plots, of a spec, and their number; the caller frees. */
static struct entry *entries_of(const cJSON *spec, size_t *n)
{
	struct entry *all = NULL;
	cJSON *item;

	*n = 0;
	for (int i = 0; i < SECTIONS; i++)
		cJSON_ArrayForEach(item, json_get(spec, sections[i])) {
			all = xrealloc(all, *n + 1, sizeof(*all));
			all[*n] = entry_of(item);
			all[(*n)++].section = i;
		}
	return all;
}

/* ---- when the spec is read ---- */

/*
 * Adds to `split` one plot for each quantity in the plot's y: NAME-1, NAME-2, ... 0, or error()
 * where one of `plots` has such a name.
 */
static int plot_split(cJSON *split, const cJSON *plots, const struct entry *plot, const char *path)
{
	const bool several = plot->y->child->next;
	cJSON *y, *other;
	int i = 0;

	if (several && plot->ylabel)
		return error("%s: plots: %s: 'ylabel' is of one quantity, and 'y' has several. "
			     "Leave it out: each has a plot of its own, with the name and the unit "
			     "of the measure", path, plot->name);
	cJSON_ArrayForEach(y, plot->y) {
		char *name = several ? xasprintf("%s-%d", plot->name, ++i) : xstrdup(plot->name);
		cJSON *panel = cJSON_Duplicate(plot->json, true);
		bool taken = false;

		json_put(panel, "name", cJSON_CreateString(name));
		json_put(panel, "y", cJSON_Duplicate(y, true));
		list_add(split, panel);
		cJSON_ArrayForEach(other, plots)
			taken |= several && strcmp(entry_of(other).name, name) == 0;
		if (taken)
			error("%s: plots: the name '%s' is taken, and a plot with several 'y' "
			      "needs it. Rename one of them", path, name);
		free(name);
		if (taken)
			return -1;
	}
	return 0;
}

int entries_prepare(cJSON *spec, const char *path)
{
	const cJSON *labels = json_get(spec, "labels"), *plots = json_get(spec, "plots");
	cJSON *split = cJSON_CreateArray(), *item;
	struct entry *entry;
	size_t n;

	cJSON_ArrayForEach(item, plots) {
		const struct entry plot = entry_of(item);

		if (!cJSON_IsArray(plot.y)) {
			list_add(split, cJSON_Duplicate(item, true));
		} else if (plot_split(split, plots, &plot, path) < 0) {
			cJSON_Delete(split);
			return -1;
		}
	}
	if (plots)
		json_put(spec, "plots", split);
	else
		cJSON_Delete(split);
	/* the spec's labels are those of each entry, unless it has its own of the same key */
	entry = entries_of(spec, &n);
	for (size_t i = 0; labels && i < n; i++) {
		const cJSON *own = entry[i].labels, *label;
		cJSON *all = own ? cJSON_Duplicate(own, true) : cJSON_CreateObject();

		cJSON_ArrayForEach(label, labels)
			if (!json_get(own, label->string))
				ADD(all, j_json(label->string, cJSON_Duplicate(label, true)));
		json_put(entry[i].json, "labels", all);
	}
	free(entry);
	return 0;
}

/* True when a key names a measure of the real clock. */
static bool keys_name_real(const cJSON *keys)
{
	const char *key;

	for (int i = 0; (key = keys_at(keys, i)); i++)
		if (measure_is_real(key))
			return true;
	return false;
}

/* True when a claim is about the real clock, or reads a measure or a column of it. */
static bool claim_names_real(const struct claim *c)
{
	bool real = claim_is_timed(c, false) || claim_reads(c, "train_wall_s") ||
		    claim_reads(c, "eval_wall_s");

	for (int m = 0; m < MEASURE_COUNT && !real; m++)
		real = measure_is_real(measure_table[m].name) &&
		       claim_reads(c, measure_table[m].name);
	return real;
}

bool spec_is_real(const struct spec *s)
{
	size_t n;
	scoped struct entry *e = entries_of(s->json, &n);
	const cJSON *claim;
	bool real = false;

	json_each(claim, s->json, "claims") {
		const struct claim c = claim_read(claim);

		real = real || claim_names_real(&c);
	}

	for (size_t i = 0; i < n; i++)
		real |= keys_name_real(e[i].values) || keys_name_real(e[i].x) ||
			keys_name_real(e[i].y);
	return real;
}

int entries_check_tuning(const struct spec *s)
{
	const size_t length = strlen(TUNING_NAME);
	size_t n;
	scoped struct entry *e = entries_of(s->json, &n);
	int ret = 0;

	for (size_t i = 0; i < n && ret == 0; i++) {
		const char *name = e[i].name, *end = name ? name + length : NULL;

		/* "tuning", "tuning-2" */
		if (name && strncmp(name, TUNING_NAME, length) == 0 &&
		    (!*end || (*end == '-' && !end[1 + strspn(end + 1, "0123456789")])))
			ret = error("%s: %s: the name '%s' is that of the tuning runs. Choose "
				    "another.", s->path, sections[e[i].section], name);
	}
	return ret;
}

/* ---- when the command line gives values ---- */

/* True when the keys name the setting, or a measure computed from it. */
static bool keys_name(const cJSON *keys, const char *setting)
{
	const char *key;

	for (int i = 0; (key = keys_at(keys, i)); i++) {
		const struct opt *o = opt_find(settings_opts, key);

		if (strcmp(o ? o->name : key, setting) == 0 ||
		    (strcmp(setting, "slow") == 0 && strcmp(key, "slow_factor") == 0))
			return true;
	}
	return false;
}

/* How many of these values of a setting the entry's "where" picks; all if it does not name it. */
static size_t entry_picks(const struct entry *e, const char *setting,
			  const struct value_list *values)
{
	const cJSON *wanted = json_get(e->where, setting);
	struct value_list choices;
	size_t n = 0;

	if (!wanted)
		return values->n;
	choices = value_list_read(wanted);
	for (size_t i = 0; i < choices.n; i++)
		n += choices.v[i].text && value_list_has(values, choices.v[i].text);
	value_list_release(&choices);
	return n;
}

/*
 * Replaces a title that describes other values of the setting in words: the new one names what is
 * shown, and {setting}. Labels of axes go with the old title, for they may describe them too.
 */
static void entry_retitle(const struct entry *e, const char *setting)
{
	const char *title = e->title, *x = keys_at(e->x, 0), *key;
	scoped char *word = xasprintf("{%s}", setting), *shown = NULL;

	/* "training loss against time [s]", or a table's "speedup, waiting" */
	for (int i = 0; (key = keys_at(e->y ? e->y : e->values, i)); i++)
		xappend_own(&shown, ", ", measure_label(key, e->labels));
	if (x)
		xappend_own(&shown, " against ", measure_label(x, e->labels));
	if (!shown)
		shown = xstrdup(e->name);
	if (!title || !strstr(title, word)) {
		const bool begun = title && strncmp(title, shown, strlen(shown)) == 0;
		char *text = xasprintf("%s; %s: %s", begun ? title : shown, setting, word);

		cJSON_DeleteItemFromObjectCaseSensitive(e->json, "xlabel");
		cJSON_DeleteItemFromObjectCaseSensitive(e->json, "ylabel");
		json_set_owned(e->json, "title", text);
	}
}

/* Adds a setting to the keys that the member has: none, one, or a list. */
static void entry_add_key(const struct entry *e, const char *member, const cJSON *keys,
			  const char *setting)
{
	scoped_by(texts_release) struct texts names = { 0 };
	const char *key;

	for (int i = 0; (key = keys_at(keys, i)); i++)
		texts_put(&names, key);
	texts_put(&names, setting);
	cJSON_DeleteItemFromObjectCaseSensitive(e->json, member);
	ADD(e->json, j_texts(member, names.v, names.n));
}

void entries_fit(const struct plan *p, const char *setting, const struct value_list *values)
{
	size_t n;
	scoped struct entry *all = entries_of(p->spec.json, &n);

	for (size_t i = 0; i < n; i++) {
		struct entry *e = &all[i];
		const bool picked = entry_picks(e, setting, values) > 0;
		const bool plot = e->section == PLOTS;

		/* "where" picks only values that no run has: show all values instead */
		if (!picked)
			cJSON_DeleteItemFromObjectCaseSensitive(e->where, setting);
		if (!picked || (changes_has(&p->changes, setting) &&
				keys_name(e->title_says, setting)))
			entry_retitle(e, setting);
		*e = entry_of(e->json);
		/* runs of several values are told apart by rows, or by series of a plot */
		if (entry_picks(e, setting, values) > 1 && !keys_name(e->rows, setting) &&
		    !keys_name(e->columns, setting) && !keys_name(e->x, setting) &&
		    !keys_name(e->series, setting))
			entry_add_key(e, plot ? "series" : "rows", plot ? e->series : e->rows,
				      setting);
	}
}

void entries_name_data(cJSON *spec, const char *data)
{
	size_t n;
	scoped struct entry *e = entries_of(spec, &n);

	for (size_t i = 0; i < n; i++) {
		const char *net = json_string(e[i].where, "net");

		if (!net || !model_is_analytic(net))
			json_set_owned(e[i].json, "title",
				       xasprintf("%s; data: %s",
						 e[i].title ? e[i].title : e[i].name, data));
	}
}

/* ---- {setting} in texts ---- */

/* Adds another value, in the words of the table or plot. */
static void words_add_value(char **list, const char *value, const cJSON *labels)
{
	const char *label = json_string(labels, value);

	xappend(list, ", ", label ? label : value);
}

/* True when the entry's "where" picks at least one of the product's values of each setting. */
static bool product_is_shown(const struct grid_product *product, const struct entry *e)
{
	for (size_t i = 0; i < product->n; i++)
		if (!entry_picks(e, product->v[i].key, &product->v[i].values))
			return false;
	return true;
}

/*
 * The values of a setting that the entry's runs have, spelt as in its labels: those that its
 * "where" picks; else those of the grid, each once; else "tuned", or the base setting or default.
 * The caller frees.
 */
static char *setting_words(const struct spec *s, const struct opt *o, const struct entry *e)
{
	const char *value = point_text(&s->base, o->name);
	struct value_list seen = value_list_read(json_get(e->where, o->name));
	const bool picked = seen.n > 0;
	char *list = NULL;

	for (size_t i = 0; i < seen.n; i++)
		words_add_value(&list, seen.v[i].text, e->labels);
	for (size_t i = 0; i < s->grid.n && !picked; i++) {
		const struct value_list *values = product_values(&s->grid.v[i], o->name);
		const bool shown = values && product_is_shown(&s->grid.v[i], e);

		for (size_t k = 0; shown && k < values->n; k++) {
			if (value_list_has(&seen, values->v[k].text))
				continue;
			value_list_add(&seen, values->v[k]);
			words_add_value(&list, values->v[k].text, e->labels);
		}
	}
	value_list_release(&seen);
	if (list)
		return list;
	if (spec_tune_has(s->tune, o->name))
		return xstrdup("tuned");
	words_add_value(&list, value ? value : o->def ? o->def : "", e->labels);
	return list;
}

/* The setting that {name} at `brace` stands for; *after <- the text after it. NULL: no setting. */
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
 * Number of letters of the plural noun after a value, without its "s": 6 for " workers". 0: there
 * is none. A word of fewer than 5 letters may be a verb: " is", " lags".
 */
static int counted_word(const char *text)
{
	const int n = *text == ' ' ? (int)strspn(text + 1, "abcdefghijklmnopqrstuvwxyz") : 0;

	return n >= 5 && text[n] == 's' ? n - 1 : 0;
}

/* Replaces each {setting} of a text by its values; "1 workers" becomes "1 worker". */
static void expand_text(const struct spec *s, cJSON *item, const struct entry *e)
{
	const char *text = cJSON_GetStringValue(item);
	scoped char *out = NULL;

	if (!text || !strchr(text, '{'))
		return;
	out = xstrdup("");
	while (*text) {
		const char *after = text + 1;
		const struct opt *o = setting_at(text, &after);
		char *value = o ? setting_words(s, o, e) : xasprintf("%c", *text);
		const int counted = o && strcmp(value, "1") == 0 ? counted_word(after) : 0;

		xappend_own(&out, "", value);
		text = o ? after : text + 1;
		if (counted) {
			xappendf(&out, "", " %.*s", counted, text + 1);
			text += counted + 2;
		}
	}
	cJSON_SetValuestring(item, out);
}

static bool has_setting(const char *text)
{
	const char *after;

	for (text = strchr(text, '{'); text; text = strchr(text + 1, '{'))
		if (setting_at(text, &after))
			return true;
	return false;
}

/*
 * Expands an entry's texts. If settings were changed, notes without {setting} are deleted. In
 * labels {setting} stands for plain values: no label and no "where" is applied to it.
 */
static void expand_entry(const struct spec *s, const struct entry *e, bool changed)
{
	static const char *const texts[] = { "title", "corner", "xlabel", "ylabel" };
	const struct entry none = { .json = e->json };
	cJSON *item, *next;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		expand_text(s, json_get(e->json, texts[i]), e);
	cJSON_ArrayForEach(item, e->labels)
		expand_text(s, item, &none);
	for (item = e->notes ? e->notes->child : NULL; item; item = next) {
		next = item->next;
		if (changed && !has_setting(item->valuestring))
			cJSON_Delete(cJSON_DetachItemViaPointer(e->notes, item));
		else
			expand_text(s, item, e);
	}
}

void entries_expand_words(const struct spec *s, bool changed)
{
	size_t n;
	scoped struct entry *e = entries_of(s->json, &n);

	for (size_t i = 0; i < n; i++)
		expand_entry(s, &e[i], changed);
}
