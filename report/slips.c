/* Warns of values in tables, plots and cells that no run has, and of what means nothing there. */
#include "report/report.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/text/opt.h"
#include "core/text/opt_text.h"
#include "core/text/word.h"
#include "record/measure.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct values {                 /* of a setting */
	const char *key;
	char **grid, **base;    /* [ngrid + 1], [nbase + 1] texts, NULL-ended */
	size_t ngrid, nbase;
};

/* ---- what a spec says of a setting ---- */

static void where_add(char ***texts, size_t *n, const cJSON *value)
{
	char *text = value_text(value);

	if (!text || texts_have(&(struct texts){ *texts, *n }, text)) {
		free(text);
		return;
	}
	*texts = xrealloc(*texts, *n + 2, sizeof(**texts));
	(*texts)[(*n)++] = text;
	(*texts)[*n] = NULL;
}

static void learn_product(struct values *v, const cJSON *product)
{
	const cJSON *value;

	cJSON_ArrayForEach(value, key_find(product, v->key))
		where_add(&v->grid, &v->ngrid, value);
}

/* base, grid and baseline of the spec, or of one of its scales. */
static void where_learn(struct values *v, const cJSON *object)
{
	const cJSON *grid = json_get(object, "grid"), *product;

	if (cJSON_IsArray(grid))
		cJSON_ArrayForEach(product, grid)
			learn_product(v, product);
	else
		learn_product(v, grid);
	where_add(&v->base, &v->nbase, key_find(json_get(object, "base"), v->key));
	where_add(&v->base, &v->nbase, key_find(json_get(object, "baseline"), v->key));
}

/* The next object with base, grid and baseline: after the spec its scales. NULL: none. */
static const cJSON *part_after(const cJSON *spec, const cJSON *part)
{
	const cJSON *scales = part == spec ? json_get(spec, "scales") : NULL;

	return part != spec ? part->next : scales ? scales->child : NULL;
}

/* Whether some product of a list leaves the setting to the base. */
static bool some_lacks(const cJSON *list, const char *key)
{
	const cJSON *product;

	if (cJSON_IsArray(list))
		cJSON_ArrayForEach(product, list)
			if (!key_find(product, key))
				return true;
	return false;
}

/* Whether some run has the default. */
static bool is_open(const cJSON *spec, const char *key)
{
	const cJSON *grid = json_get(spec, "grid");

	if (key_find(json_get(spec, "base"), key))
		return false;
	if (!cJSON_IsArray(grid) && !key_find(grid, key))
		return true;
	for (const cJSON *part = spec; part; part = part_after(spec, part))
		if (some_lacks(json_get(part, "grid"), key))
			return true;
	return false;
}

static struct values values_of(const cJSON *spec, const cJSON *defaults, const char *key)
{
	struct values v = { .key = key };

	for (const cJSON *part = spec; part; part = part_after(spec, part))
		where_learn(&v, part);
	if (is_open(spec, key))
		where_add(&v.base, &v.nbase, key_find(defaults, key));
	return v;
}

static void where_release(char **texts, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(texts[i]);
	free(texts);
}

/* ---- is it one of them ---- */

/*
 * A value of the base is compared in its canonical form: a number in any, a name with all its
 * options, and for "auto" what only the run knows; one of the grid as it is written there.
 */
static bool is_form_of(const char *written, const char *text)
{
	const size_t n = strcspn(written, ":");
	double a, b;

	if (!strcmp(written, "auto") || !strcmp(written, text))
		return true;
	if (text_double(written, &a) && text_double(text, &b))
		return fabs(a - b) <= 0;
	return !strncmp(written, text, n) && (!text[n] || text[n] == ':');
}

static bool in_base(const struct values *v, const char *text)
{
	for (size_t i = 0; i < v->nbase; i++)
		if (is_form_of(v->base[i], text))
			return true;
	return false;
}

static void check_value(const struct values *v, const cJSON *value, const char *where)
{
	char *text = value_text(value), *advice;

	if (text && !texts_have(&(struct texts){ v->grid, v->ngrid }, text) && !in_base(v, text)) {
		advice = word_advice(text, (const char *const *)(v->ngrid ? v->grid : v->base));
		warning("%s: no run has %s=%s%s", where, v->key, text, advice);
		free(advice);
	}
	free(text);
}

struct checker {
	const cJSON *spec, *defaults;
	const char *path;
};

/* Of a measure nothing is known. */
static void check_wanted(const struct checker *c, const cJSON *wanted, const char *where)
{
	struct values v = values_of(c->spec, c->defaults, wanted->string);
	const cJSON *choice;

	if (v.ngrid + v.nbase && cJSON_IsArray(wanted))
		cJSON_ArrayForEach(choice, wanted)
			check_value(&v, choice, where);
	else if (v.ngrid + v.nbase)
		check_value(&v, wanted, where);
	where_release(v.grid, v.ngrid);
	where_release(v.base, v.nbase);
}

/* ---- names in texts, and keys of labels ---- */

/* Adds all keys and texts of the tree, except of labels. */
static void words_add_tree(struct words *w, const cJSON *tree)
{
	const cJSON *item;

	if (cJSON_IsString(tree))
		words_add(w, tree->valuestring);
	cJSON_ArrayForEach(item, tree) {
		if (item->string)
			words_add(w, item->string);
		if (!item->string || strcmp(item->string, "labels") != 0)
			words_add_tree(w, item);
	}
}

/* Warns of each {name} that is printed as it is. TeX's x_{max} is none. */
static void check_braces(const struct checker *c, const char *text, const char *where)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-";
	struct words settings = { 0 };
	const cJSON *item;

	cJSON_ArrayForEach(item, c->defaults)
		words_add(&settings, item->string);
	for (const char *at = strchr(text, '{'); at; at = strchr(at + 1, '{')) {
		const int n = (int)strspn(at + 1, letters);
		char *name = xasprintf("%.*s", n, at + 1), *advice;

		if (n && at[1 + n] == '}' && (at == text || !strchr("_^\\", at[-1])) &&
		    !key_find(c->defaults, name)) {
			advice = word_advice(name, settings.v);
			warning("%s: {%s} is no setting, and stays as it is%s", where, name,
				advice);
			free(advice);
		}
		free(name);
	}
	free(settings.v);
}

/*
 * True when a key is a slip for the word: numbers, other options of a plug-in, and much longer
 * words may be values that the command line will give.
 */
static bool is_slip(const char *key, const char *word)
{
	enum { LETTERS = 2 };   /* more or less */
	const size_t n = strlen(key), m = strlen(word);
	double number;

	return !strchr(key, ':') && !text_double(key, &number) && n <= m + LETTERS &&
	       m <= n + LETTERS;
}

/* Warns of keys that nothing has and that are slips, and of names in what is said of them. */
static void check_labels(const struct checker *c, const cJSON *labels, const cJSON *seen,
			 const char *where)
{
	struct words words = { 0 };
	const cJSON *label;

	words_add_tree(&words, c->spec);
	words_add_tree(&words, c->defaults);
	for (size_t i = 0; measure_names[i]; i++)
		words_add(&words, measure_names[i]);
	cJSON_ArrayForEach(label, labels) {
		const char *key = label->string, *near;

		if (json_get(seen, key))
			continue;
		check_braces(c, label->valuestring, where);
		near = word_is_among(key, words.v) ? NULL : nearest_word(key, words.v);
		if (near && is_slip(key, near))
			warning("%s: no run, setting or measure has the name '%s'; did you mean "
				"'%s'?", where, key, near);
	}
	free(words.v);
}

static void check_entry(const struct checker *c, const cJSON *entry, const char *where)
{
	static const char *const texts[] = { "title", "xlabel", "ylabel" };
	scoped char *labels = xasprintf("%s: labels", where),
		    *filter = xasprintf("%s: where", where);
	const cJSON *item;

	json_each(item, entry, "where")
		check_wanted(c, item, filter);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		check_braces(c, json_word(entry, texts[i]), where);
	json_each(item, entry, "notes")
		check_braces(c, cJSON_IsString(item) ? item->valuestring : "", where);
	check_labels(c, json_get(entry, "labels"), json_get(c->spec, "labels"), labels);
}

static void check_section(const struct checker *c, const char *name)
{
	const cJSON *entry;
	int i = 0;

	json_each(entry, c->spec, name) {
		scoped char *where = xasprintf("%s: %s[%d]", c->path, name, i++);

		check_entry(c, entry, where);
	}
}

/* ---- cells of published numbers ---- */

/* Whether a plot has published points along this axis: a number there is no run's. */
static bool is_axis(const cJSON *spec, const char *key)
{
	const cJSON *plot;

	json_each(plot, spec, "plots") {
		const char *x = json_string(plot, "x");

		if (x && opt_same_key(x, key) && json_is_true(plot, "published"))
			return true;
	}
	return false;
}

/* A measure is a setting only where the grid names it. */
static bool where_is_setting(const cJSON *spec, const cJSON *defaults, const char *key)
{
	struct values v = values_of(spec, defaults, key);
	const bool setting = v.ngrid || !measure_known(key);

	where_release(v.grid, v.ngrid);
	where_release(v.base, v.nbase);
	return setting;
}

static void check_cells(const struct checker *c)
{
	const cJSON *cell, *item;
	int i = 0;

	json_each(cell, json_get(c->spec, "published"), "cells") {
		scoped char *where = xasprintf("%s: published.cells[%d]", c->path, i++);

		cJSON_ArrayForEach(item, cell)
			if (where_is_setting(c->spec, c->defaults, item->string) &&
			    !(cJSON_IsNumber(item) && is_axis(c->spec, item->string)))
				check_wanted(c, item, where);
	}
}

bool spec_has_baseline(const cJSON *spec)
{
	bool has = false;

	for (const cJSON *part = spec; part && !has; part = part_after(spec, part))
		has = json_get(part, "baseline");
	return has;
}

/* Warns of the first table or plot that shows speedups over nothing. */
static void warn_speedups(const struct checker *c)
{
	static const struct {
		const char *section, *key;
	} uses[] = { { "tables", "values" }, { "plots", "y" }, { "plots", "x" } };
	const cJSON *entry;

	for (size_t i = 0; i < sizeof(uses) / sizeof(uses[0]); i++) {
		int at = 0;

		cJSON_ArrayForEach(entry, json_get(c->spec, uses[i].section)) {
			if (keys_have(json_get(entry, uses[i].key), "speedup")) {
				warning("%s: %s[%d]: no run has a speedup, because the spec has no "
					"baseline", c->path, uses[i].section, at);
				return;
			}
			at++;
		}
	}
}

void slips_warn(const cJSON *spec, const cJSON *defaults, const char *path)
{
	const struct checker c = { spec, defaults, path };
	char *labels = xasprintf("%s: labels", path);

	if (!spec_has_baseline(spec))
		warn_speedups(&c);
	check_labels(&c, json_get(spec, "labels"), NULL, labels);
	free(labels);
	check_section(&c, "tables");
	check_section(&c, "plots");
	check_cells(&c);
}
