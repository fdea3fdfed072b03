/*
 * words.c - settings as words of a legend; and a number among a plug-in's options as an axis.
 *
 * A setting's text of the form "name:option=value,..." is a variant of a plug-in.
 */
#include "report/plot/plot.h"

#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/paths.h"
#include "core/text/opt.h"
#include "core/text/opt_text.h"
#include "core/text/units.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- variants ---- */

static const char NAME[] = "";          /* key of option[0], whose value is the plug-in's name */

struct variant {
	char *text;             /* owned; keys and values point into it */
	struct {
		const char *key, *value;
	} *option;              /* [n], owned */
	size_t n;
};

struct variants {
	struct variant *v;      /* [n] */
	size_t n;
};

static void variant_release(struct variant *v)
{
	free_all(v->text, v->option);
}

static void variants_release(struct variants *all)
{
	for (size_t i = 0; i < all->n; i++)
		variant_release(&all->v[i]);
	free(all->v);
}

/* False, with nothing to release, if the text has another form or is NULL. */
static bool variant_parse(struct variant *v, const char *text)
{
	size_t n = text ? strcspn(text, ":=,+*@ ") : 0;
	char *at;

	if (!text || !isalpha((unsigned char)*text) || (text[n] && text[n] != ':'))
		return false;
	*v = (struct variant){ .text = xstrdup(text) };
	v->option = xcalloc(strlen(text) + 1, sizeof(*v->option));
	v->option[v->n].key = NAME;
	v->option[v->n++].value = v->text;
	for (at = v->text + n; *at; at += n) {
		const size_t key = strcspn(at + 1, "=,");

		*at++ = '\0';
		n = strcspn(at, ",");
		if (!key || key >= n) {
			variant_release(v);
			return false;
		}
		at[key] = '\0';
		v->option[v->n].key = at;
		v->option[v->n++].value = at + key + 1;
	}
	return true;
}

static const char *variant_value(const struct variant *v, const char *key)
{
	for (size_t i = 0; i < v->n; i++)
		if (!strcmp(v->option[i].key, key))
			return v->option[i].value;
	return NULL;
}

static void variant_drop(struct variant *v, const char *key)
{
	for (size_t i = 0; i < v->n; i++)
		if (!strcmp(v->option[i].key, key)) {
			memmove(&v->option[i], &v->option[i + 1],
				(--v->n - i) * sizeof(*v->option));
			return;
		}
}

static bool variants_equal(const struct variant *a, const struct variant *b)
{
	for (size_t i = 0; i < a->n; i++) {
		const char *value = variant_value(b, a->option[i].key);

		if (!value || strcmp(value, a->option[i].value) != 0)
			return false;
	}
	return a->n == b->n;
}

/* Parses a run's setting; false, with nothing to release, if it has another form. */
static bool variant_of_run(struct variant *v, const struct result *run, const char *key)
{
	char space[32];

	return variant_parse(v, result_text(run, key, space));
}

/* The different values of a setting; none if one of them has another form. */
static struct variants variants_of(const struct selection *runs, const char *key)
{
	scoped_json cJSON *keys = cJSON_CreateString(key);
	scoped_paths char **texts = select_distinct(runs, keys);
	struct variants list = { .v = xcalloc(runs->n + 1, sizeof(*list.v)) };

	while (texts[list.n] && variant_parse(&list.v[list.n], texts[list.n]))
		list.n++;
	if (texts[list.n]) {
		variants_release(&list);
		list = (struct variants){ 0 };
	}
	return list;
}

/* True when variants differ in an option: those of the plug-in `name`, or all if it is NULL. */
static bool variants_differ(const struct variants *all, const char *option, const char *name)
{
	const char *first = NULL;
	bool any = false;

	for (size_t i = 0; i < all->n; i++) {
		const char *own = variant_value(&all->v[i], option);

		if (name && strcmp(variant_value(&all->v[i], NAME), name) != 0)
			continue;
		if (any && (!own || !first ? own != first : strcmp(own, first) != 0))
			return true;
		first = own;
		any = true;
	}
	return false;
}

/* ---- words ---- */

/* "tau 10", "latency 1e-6 s": the value after the label, which may end in " [UNIT]"; frees it. */
static char *quantity_words(char *label, const char *value)
{
	const char *unit = strstr(label, " [");
	char *words;

	if (unit)
		words = xasprintf("%.*s %s %.*s", (int)(unit - label), label, value,
				  (int)strcspn(unit + 2, "]"), unit + 2);
	else
		words = xasprintf("%s %s", label, value);
	free(label);
	return words;
}

/* "eamsgd, tau 10"; or "momentum -0.6" if all variants are of one plug-in. */
static char *variant_words(const struct variant *v, const struct variants *all)
{
	const char *name = variant_value(v, NAME);
	char *options = xstrdup(""), *words;

	/* the options in which it differs from others; all of them if there are no others */
	for (size_t i = 0; i < v->n; i++)
		if (*v->option[i].key &&
		    (all->n == 1 || variants_differ(all, v->option[i].key, name)))
			xappend_own(&options, ", ", quantity_words(option_label(v->option[i].key),
								   v->option[i].value));
	if (*options && all->n > 1 && !variants_differ(all, NAME, NULL))
		return options;
	words = xasprintf("%s%s%s", name, *name && *options ? ", " : "", options);
	free(options);
	return words;
}

/* A value in words: a number needs the name of its quantity, "momentum -0.6". */
static char *value_words(const struct selection *runs, const char *key, const char *text)
{
	struct variants variants = { 0 };
	struct variant v;
	char *words;

	if (opt_same_key(key, "workers"))
		return xasprintf("%s worker%s", text, strcmp(text, "1") ? "s" : "");
	if (variant_parse(&v, text)) {
		variants = variants_of(runs, key);
		words = variants.n ? variant_words(&v, &variants) : NULL;
		variants_release(&variants);
		variant_release(&v);
		if (words)
			return words;
	}
	/* a name, or the path of a file that stands for one */
	if ((isalpha((unsigned char)*text) && strcmp(text, "true") && strcmp(text, "false")) ||
	    text[strspn(text, ".")] == '/')
		return xstrdup(text);
	return quantity_words(measure_label(key, NULL), text);
}

char *words_series(const struct selection *all, const struct result *run, const cJSON *keys,
		   const cJSON *labels)
{
	char *words = xstrdup(""), space[32];
	const char *key;

	for (int i = 0; (key = keys_at(keys, i)); i++) {
		const char *text = result_text(run, key, space);
		const char *label = text ? json_string(labels, text) : NULL;
		char *own = label ? xstrdup(label) :
			    text  ? value_words(all, key, text) :
				    xstrdup("-");

		xappend_own(&words, *own ? ", " : "", own);
	}
	return words;
}

/* ---- a numeric axis ---- */

/* The number of an option, which may have a unit. NaN: not a number as a whole. */
static double number_of(const char *option, const char *text)
{
	const enum quantity q = quantity_of_key(option);
	const char *unit = text;
	double x;

	return text && q != QUANTITY_NONE && unit_parse(&unit, q, &x) && !*unit
		       ? x : text_number(text);
}

/*
 * How many different numbers an option has among the variants of the same plug-in as `of`; 0 if
 * they do not make an axis. Two are enough if all variants have the option; else it takes three,
 * and more than there are variants without it.
 */
static int axis_numbers(const struct variants *all, const struct variant *of, const char *option)
{
	const char *name = variant_value(of, NAME);
	int distinct = 0, without = 0;

	for (size_t i = 0; i < all->n; i++) {
		const char *text = variant_value(&all->v[i], option);
		const double x = number_of(option, text);
		bool before = false;

		without += !text;
		if (text && !isfinite(x))
			return 0;
		if (!text || strcmp(variant_value(&all->v[i], NAME), name) != 0)
			continue;
		for (size_t k = 0; k < i; k++) {
			const double own = number_of(option, variant_value(&all->v[k], option));

			/* equal, without a warning of == */
			before = before || (own >= x && own <= x &&
					    !strcmp(variant_value(&all->v[k], NAME), name));
		}
		distinct += !before;
	}
	return distinct >= (without ? 3 : 2) && distinct > without ? distinct : 0;
}

char *words_option(const struct selection *all, const char *key)
{
	scoped_by(variants_release) struct variants variants = variants_of(all, key);
	const char *found = NULL;
	int most = 0;

	/* the option with the most numbers, or the first of these; 0 is the plug-in's name */
	for (size_t i = 0; i < variants.n; i++)
		for (size_t k = 1; k < variants.v[i].n; k++) {
			const char *own = variants.v[i].option[k].key;
			const int numbers = axis_numbers(&variants, &variants.v[i], own);

			if (numbers > most) {
				most = numbers;
				found = own;
			}
		}
	return xstrdup(found);
}

double words_number(const struct result *run, const char *key, const char *option)
{
	struct variant v;
	double x;

	if (!variant_of_run(&v, run, key))
		return (double)NAN;
	x = number_of(option, variant_value(&v, option));
	variant_release(&v);
	return x;
}

bool words_same_rest(const struct result *a, const struct result *b, const char *key,
		     const char *option)
{
	struct variant x = { 0 }, y = { 0 };
	bool same = variant_of_run(&x, a, key) && variant_of_run(&y, b, key);

	if (same) {
		variant_drop(&x, option);
		variant_drop(&y, option);
		same = variants_equal(&x, &y);
		variant_release(&x);
		variant_release(&y);
	}
	return same;
}

char *words_rest(const struct selection *all, const struct result *run, const char *key,
		 const char *option)
{
	struct variants variants;
	struct variant own;
	bool same = true;
	char *words;

	if (!variant_of_run(&own, run, key))
		return xstrdup("");
	variants = variants_of(all, key);
	variant_drop(&own, option);
	for (size_t i = 0; i < variants.n; i++) {
		variant_drop(&variants.v[i], option);
		same = same && variants_equal(&variants.v[i], &variants.v[0]);
	}
	words = same ? xstrdup("") : variant_words(&own, &variants);
	variant_release(&own);
	variants_release(&variants);
	return words;
}

char *words_axis(const struct selection *all, const char *key, const char *option)
{
	char *label = option_label(option), *words;
	struct variants variants = variants_of(all, key);
	const char *name = variant_value(&variants.v[0], NAME);
	const bool named = strcmp(name, option) && !variants_differ(&variants, NAME, NULL);

	words = xasprintf("%s%s%s", named ? name : "", named ? " " : "", label);
	variants_release(&variants);
	free(label);
	return words;
}
