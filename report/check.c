/* The sections of a spec that reports read, refused before anything runs. */
#include "report/report.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/paths.h"
#include "core/metric.h"
#include "core/text/opt.h"
#include "core/text/word.h"
#include "record/layout.h"
#include "record/measure.h"
#include "report/claims/claims.h"
#include "report/filter/filter.h"
#include "report/keys.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the keys; docs/specs.md says what they mean ---- */

const struct json_key report_published_keys[] = {
	{ "source", JSON_TEXT, true, "where the numbers stand", NULL },
	{ "cells", JSON_OWN, false, "settings, and the measures published for them", "cells" },
	{ "calculated", JSON_BOOL, false, "the paper defines the numbers, but does not print them",
	  NULL },
	{ NULL, JSON_OWN, false, NULL, NULL }
};

const struct json_key report_table_keys[] = {
	{ "name", JSON_TEXT, true, "of the table's files", "name" },
	{ "title", JSON_TEXT, false, "above the table", NULL },
	{ "title_says", JSON_TEXTS, false, "settings whose values the title says in words",
	  "words" },
	{ "rows", JSON_TEXTS, true, "settings whose values are the rows", "words" },
	{ "columns", JSON_TEXTS, false, "settings whose values are the columns", "words" },
	{ "values", JSON_TEXTS, true, "measures in the cells", "words" },
	{ "labels", JSON_OWN, false, "values and measures in other words", "labels" },
	{ "notes", JSON_LINES, false, "lines below the table", NULL },
	{ "where", JSON_OWN, false, "only runs of these settings", "where" },
	{ NULL, JSON_OWN, false, NULL, NULL }
};

const struct json_key report_plot_keys[] = {
	{ "name", JSON_TEXT, true, "of the plot's files", "name" },
	{ "title", JSON_TEXT, false, "above the plot", NULL },
	{ "title_says", JSON_TEXTS, false, "settings whose values the title says in words",
	  "words" },
	{ "from", JSON_TEXT, true, "a point a run, or a curve of it", "from" },
	{ "x", JSON_TEXT, true, "across: a setting or measure, or a column of the curve", "axis" },
	{ "y", JSON_TEXTS, true, "up: a setting or measure, or a column of the curve; several: a "
	  "plot for each", "axes" },
	{ "series", JSON_TEXTS, false, "settings whose values are lines of their own", "words" },
	{ "xlabel", JSON_TEXT, false, "along the x axis", NULL },
	{ "ylabel", JSON_TEXT, false, "along the y axis", NULL },
	{ "logx", JSON_BOOL, false, "a logarithmic x axis", NULL },
	{ "logy", JSON_BOOL, false, "a logarithmic y axis", NULL },
	{ "labels", JSON_OWN, false, "values and measures in other words", "labels" },
	{ "where", JSON_OWN, false, "only runs of these settings", "where" },
	{ "published", JSON_BOOL, false, "draws what was published too", NULL },
	{ NULL, JSON_OWN, false, NULL, NULL }
};

#define RULE_KEYS \
	{ "beats", JSON_OWN, false, "instead of jq: the mean of a is better than that of b", \
	  "beats" }, \
	{ "within", JSON_OWN, false, "instead of jq: the means differ by no more than a distance", \
	  "within" }, \
	{ "no_worse", JSON_OWN, false, "instead of jq: the mean of a is at most a margin worse " \
	  "than that of b", "no_worse" }, \
	{ "no_later", JSON_OWN, false, "instead of jq: a needs no more time to a target than b", \
	  "no_later" }, \
	{ "order", JSON_OWN, false, "instead of jq: each side is better than the next", "order" }, \
	{ "all_of", JSON_OWN, false, "instead of jq: every one of these rules holds", "rules" }, \
	{ "any_of", JSON_OWN, false, "instead of jq: one of these rules holds", "rules" }

const struct json_key report_rule_keys[] = {
	RULE_KEYS,
	{ NULL, JSON_OWN, false, NULL, NULL }
};

#define SIDE_KEYS \
	{ "a", JSON_OWN, true, "the settings of its runs, a number, or a published one", "side" }, \
	{ "b", JSON_OWN, true, "the same of the other side", "side" }
#define MEASURE_KEY \
	{ "measure", JSON_TEXT, false, "what is compared; test_accuracy by default", "word" }

const struct json_key report_beats_keys[] = {
	SIDE_KEYS, MEASURE_KEY, { NULL, JSON_OWN, false, NULL, NULL }
};

const struct json_key report_within_keys[] = {
	SIDE_KEYS, MEASURE_KEY,
	{ "distance", JSON_AMOUNT, true, "of the means; of accuracies in percentage points", NULL },
	{ NULL, JSON_OWN, false, NULL, NULL }
};

const struct json_key report_no_worse_keys[] = {
	SIDE_KEYS, MEASURE_KEY,
	{ "margin", JSON_AMOUNT, true, "of the means; of accuracies in percentage points", NULL },
	{ NULL, JSON_OWN, false, NULL, NULL }
};

const struct json_key report_published_side_keys[] = {
	{ "published", JSON_AMOUNT, true, "the number", NULL },
	{ "same_images", JSON_BOOL, false, "it was measured on the test images of the runs", NULL },
	{ "error", JSON_AMOUNT, false, "its standard error; 0 by default", NULL },
	{ NULL, JSON_OWN, false, NULL, NULL }
};

const struct json_key report_no_later_keys[] = {
	SIDE_KEYS,
	{ "target", JSON_TEXT, false, "such as test_accuracy>=0.8; by default the best accuracy "
	  "that all runs reach", NULL },
	{ NULL, JSON_OWN, false, NULL, NULL }
};

const struct json_key report_order_keys[] = {
	{ "of", JSON_OWN, true, "sides, the best first", "sides" }, MEASURE_KEY,
	{ NULL, JSON_OWN, false, NULL, NULL }
};

const struct json_key report_claim_keys[] = {
	{ "says", JSON_TEXT, true, "the claim in words", NULL },
	{ "kind", JSON_TEXT, true, "source: the paper, in which way, or this experiment",
	  "kind" },
	{ "where", JSON_TEXT, false, "the section, table or figure of the paper", NULL },
	{ "quote", JSON_TEXT, false, "the paper's own words", NULL },
	{ "criterion", JSON_OWN, false, "when the criterion was set, and what it was before",
	  "criterion" },
	{ "jq", JSON_TEXT, false, "a jq filter over the runs that gives a verdict, true or false",
	  NULL },
	RULE_KEYS,
	{ "only_at", JSON_TEXTS, false, "scales at which the claim is judged", NULL },
	{ "not_at", JSON_TEXTS, false, "scales at which the claim is not judged", NULL },
	{ "learnt", JSON_BOOL, false, "whether it is about what training makes", NULL },
	{ "timed", JSON_BOOL, false, "whether it is about real times", NULL },
	{ "paired", JSON_BOOL, false, "groups are compared by the differences of the runs of each "
	  "seed", NULL },
	{ "best_of", JSON_AMOUNT, false, "of how many methods the filter takes the best", NULL },
	{ "shows", JSON_TEXT, false, "a jq filter of the numbers that the verdict rests on", NULL },
	{ "quantity", JSON_TEXT, false, "what these numbers are, with their unit", NULL },
	{ NULL, JSON_OWN, false, NULL, NULL }
};

const struct json_key report_criterion_keys[] = {
	{ "since", JSON_TEXT, true, "the day on which it was set, such as 2024-01-31", "date" },
	{ "was", JSON_OWN, false, "former criteria, the oldest first", "formers" },
	{ NULL, JSON_OWN, false, NULL, NULL }
};

const struct json_key report_former_keys[] = {
	{ "says", JSON_TEXT, true, "the former criterion in words", NULL },
	{ "since", JSON_TEXT, true, "the day on which it was set", "date" },
	{ "verdict", JSON_TEXT, true, "what it gave", "former_verdict" },
	{ NULL, JSON_OWN, false, NULL, NULL }
};

const struct json_key report_paper_accuracy_keys[] = {
	{ "value", JSON_AMOUNT, true, "test accuracy of the paper's baseline, 0 to 1", NULL },
	{ "source", JSON_TEXT, true, "where it stands", NULL },
	{ NULL, JSON_OWN, false, NULL, NULL }
};

const char *const report_froms[] = { "runs", "train", "eval", "staleness", NULL };

/* ---- what is checked ---- */

struct given {                  /* an object of the spec that gives settings their values */
	const cJSON *values;
	bool grid;              /* else the base or a grid of tuning */
	bool of_scale;          /* else of the spec itself */
};

struct checker {
	const char *path;
	struct words known;     /* that may be named: settings, then measures */
	size_t ngrid;           /* the first of them, which the grid names ... */
	size_t nsettings;       /* ... or the grid and the base */
	struct given *given;    /* [ngiven] of the spec and its scales, in their order */
	size_t ngiven;
	const cJSON *scales;    /* of the spec; NULL: it has none */
	bool filters_compile;   /* all of them do */
	const cJSON *section, *entry;   /* of the spec, whose entry is checked */
	char where[256];        /* "PATH: tables[2]" */
	const char *rule;       /* "beats": of the claim, whose sides are checked; NULL: none */
};

/* ---- the words that may be named ---- */

static bool known_among(const struct checker *c, size_t n, const char *word)
{
	for (size_t i = 0; i < n; i++)
		if (opt_same_key(c->known.v[i], word))
			return true;
	return false;
}

static bool word_is_known(const struct checker *c, const char *word)
{
	struct target target;

	return known_among(c, c->known.n, word) || target_parse(word, &target) ||
	       metric_is_key(word);
}

static void known_add(struct checker *c, const char *word)
{
	if (!word_is_known(c, word))
		words_add(&c->known, word);
}

/* Adds an object of settings, or each of a list. */
static void given_add(struct checker *c, struct given given)
{
	const cJSON *one;

	if (cJSON_IsArray(given.values)) {
		cJSON_ArrayForEach(one, given.values)
			given_add(c, (struct given){ one, given.grid, given.of_scale });
	} else if (given.values) {
		APPEND(c->given, c->ngiven) = given;
	}
}

/* Those of the spec, or of a scale. Tuned settings have values of each run, though no axis has. */
static void given_add_part(struct checker *c, const cJSON *part, bool of_scale)
{
	const cJSON *tune = json_get(part, "tune");

	given_add(c, (struct given){ json_get(part, "base"), false, of_scale });
	given_add(c, (struct given){ json_get(part, "grid"), true, of_scale });
	given_add(c, (struct given){ json_get(tune, "grid"), false, of_scale });
	given_add(c, (struct given){ json_get(tune, "grids"), false, of_scale });
}

static void learn_keys(struct checker *c, bool grid)
{
	for (size_t i = 0; i < c->ngiven; i++)
		for (const cJSON *item = c->given[i].values->child; item; item = item->next)
			if (c->given[i].grid == grid && item->string)
				known_add(c, item->string);
}

static void learn_spec(struct checker *c, const cJSON *spec)
{
	const cJSON *scale;

	given_add_part(c, spec, false);
	cJSON_ArrayForEach(scale, c->scales)
		given_add_part(c, scale, true);
	known_add(c, "seed");
	learn_keys(c, true);
	c->ngrid = c->known.n;
	learn_keys(c, false);
	c->nsettings = c->known.n;
	for (size_t i = 0; measure_names[i]; i++)
		known_add(c, measure_names[i]);
	known_add(c, "slow_factor");
}

/* ---- messages ---- */

static int refuse_kind(const struct checker *c, const char *key, const char *what)
{
	return error("%s: '%s' must be %s", c->where, key, what);
}

static int refuse_word(const struct checker *c, const char *key, const char *word,
		       const char *const *known)
{
	return target_named(word) ? target_error(c->where, key, word) :
				    word_unknown(c->where, key, word, known);
}

/* ---- values ---- */

/* 0, or error() for a value that a measure from 0 to 1, such as an accuracy, cannot have. */
static int check_share(const struct checker *c, const char *key, const char *measure, double x)
{
	if (measure_range(measure) != RANGE_SHARE || isnan(x) || (x >= 0 && x <= 1))
		return 0;
	return error("%s: %s: %g cannot be a %s, which is a share from 0 to 1 (90 %% is 0.9)",
		     c->where, key, x, measure);
}

/* The same for the bound of a target, if the word is one. */
static int check_bound(const struct checker *c, const char *key, const char *word)
{
	struct target target;

	return target_parse(word, &target) ? check_share(c, key, target.column, target.bound.limit)
					   : 0;
}

/* Keys of settings (and, where they make sense, of measures): a text or a list. */
static int check_words(const struct checker *c, const char *key, const cJSON *item)
{
	const char *word;

	if (!keys_at(item, 0))
		return refuse_kind(c, key, "a text or a list of texts");
	for (int i = 0; (word = keys_at(item, i)); i++) {
		if (check_bound(c, key, word))
			return -1;
		if (word_is_known(c, word))
			continue;
		if (target_named(word) || nearest_word(word, c->known.v))
			return refuse_word(c, key, word, c->known.v);
		return error("%s: unknown %s '%s', which is no measure and is in neither the grid "
			     "nor the base", c->where, key, word);
	}
	return 0;
}

static int check_labels(const struct checker *c, const char *key, const cJSON *labels)
{
	const cJSON *item;

	if (!cJSON_IsObject(labels))
		return refuse_kind(c, key, "an object of texts");
	cJSON_ArrayForEach(item, labels)
		if (!cJSON_IsString(item))
			return refuse_kind(c, key, "an object of texts");
	return 0;
}

static bool is_value(const cJSON *item)
{
	return cJSON_IsString(item) || cJSON_IsNumber(item) || cJSON_IsBool(item);
}

/* error() about a setting of the object that the key names. */
static int setting_unknown(const struct checker *c, const char *key, const char *word)
{
	char *where = xasprintf("%s: %s%s%s", c->where, c->rule ? c->rule : "",
				c->rule ? ": " : "", key), *advice;
	struct words settings = { 0 };

	for (size_t i = 0; i < c->nsettings; i++)
		words_add(&settings, c->known.v[i]);
	advice = word_advice(word, settings.v);
	if (target_named(word))
		target_error(where, "setting", word);
	else
		error("%s: the setting '%s' is in neither the grid nor the base%s", where, word,
		      advice);
	free_all(settings.v, advice, where);
	return -1;
}

static int check_selection(const struct checker *c, const char *key, const cJSON *where)
{
	const cJSON *item, *choice;

	if (!cJSON_IsObject(where))
		return refuse_kind(c, key, "an object of settings");
	cJSON_ArrayForEach(item, where) {
		if (!word_is_known(c, item->string))
			return setting_unknown(c, key, item->string);
		if (!is_value(item) && !cJSON_IsArray(item))
			return refuse_kind(c, item->string, "a value or a list of values");
		cJSON_ArrayForEach(choice, item)
			if (!is_value(choice))
				return refuse_kind(c, item->string,
						   "a value or a list of values");
	}
	return 0;
}

/* The name of a file that will be written, once in its section. */
static int check_name(const struct checker *c, const char *key, const cJSON *item)
{
	const char *name = item->valuestring;

	if (word_check_name(name, c->where) < 0)
		return -1;
	for (const cJSON *other = c->section->child; other != c->entry; other = other->next)
		if (!strcmp(json_word(other, key), name))
			return error("%s: the name '%s' is taken", c->where, name);
	return 0;
}

static int check_from(const struct checker *c, const char *key, const cJSON *item)
{
	return word_is_among(item->valuestring, report_froms) ? 0 :
		refuse_word(c, key, item->valuestring, report_froms);
}

/* Keys of runs, or columns of a curve, of which runs of texts have more. */
static int check_axis(const struct checker *c, const char *key, const cJSON *item)
{
	const char *from = json_word(c->entry, "from"), *word;
	const struct layout_column *columns = !strcmp(from, "train") ? layout_train :
					      !strcmp(from, "eval")  ? layout_eval :
								       layout_staleness;
	const char *names[EVAL_COLUMNS + TRAIN_COLUMNS] = { NULL };

	if (!strcmp(from, "runs"))
		return check_words(c, key, item);
	if (!keys_at(item, 0))
		return refuse_kind(c, key, "a text or a list of texts");
	for (size_t i = 0; columns[i].name; i++)
		names[i] = columns[i].name;
	for (int i = 0; (word = keys_at(item, i)); i++) {
		const enum measure_id measure = measure_find(word);

		if (!word_is_among(word, names) && strcmp("wall_s", word) != 0 &&
		    !(columns == layout_eval && metric_is_key(word)) &&
		    !(columns == layout_eval && measure < MEASURE_COUNT &&
		      measure_table[measure].source == MEASURED_TOKENS))
			return refuse_word(c, key, word, names);
	}
	return 0;
}

/* Adds the texts of a value, or of a list of values. */
static void words_add_values(struct words *w, const cJSON *value)
{
	const cJSON *one;

	cJSON_ArrayForEach(one, value)
		words_add_values(w, one);
	if (cJSON_IsString(value))
		words_add(w, value->valuestring);
}

/* Adds what the spec gives the setting, and if that is anything, what its scales give. */
static void words_add_given(struct words *w, const struct checker *c, const char *key)
{
	for (size_t i = 0; i < c->ngiven; i++)
		if (!c->given[i].of_scale)
			words_add_values(w, key_find(c->given[i].values, key));
	for (size_t i = 0; i < c->ngiven && w->n; i++)  /* else some runs have the default */
		if (c->given[i].of_scale)
			words_add_values(w, key_find(c->given[i].values, key));
}

/* True when one of the values is of the same plug-in, whatever its options; all numbers are. */
static bool words_have_name(const struct words *w, const char *text)
{
	for (size_t i = 0; i < w->n; i++)
		if (choice_same_name(w->v[i], text))
			return true;
	return w->n == 0 || !isalpha((unsigned char)*text);
}

/* error() for a side's value of a setting of the grid, by name, that no scale's runs have. */
static int check_side_names(const struct checker *c, const cJSON *side)
{
	const cJSON *item;
	int ret = 0;

	cJSON_ArrayForEach(item, side) {
		struct words known = { 0 }, named = { 0 };

		if (!known_among(c, c->ngrid, item->string))
			continue;
		words_add_given(&known, c, item->string);
		words_add_values(&named, item);
		for (size_t i = 0; i < named.n && ret == 0; i++) {
			scoped char *advice = words_have_name(&known, named.v[i])
					      ? NULL : word_advice(named.v[i], known.v);

			if (advice)
				ret = error("%s: no run has %s '%s'%s", c->where, item->string,
					    named.v[i], advice);
		}
		free_all(known.v, named.v);
	}
	return ret;
}

/* Runs of these settings, a number, or a published one. */
static int check_side(const struct checker *c, const char *key, const cJSON *side)
{
	if (json_get(side, "published"))
		return json_check_members(side, report_published_side_keys, c->where);
	if (cJSON_IsNumber(side))
		return 0;
	return check_selection(c, key, side) < 0 ? -1 : check_side_names(c, side);
}

static bool side_is_number(const cJSON *side)
{
	return cJSON_IsNumber(side) || json_get(side, "published");
}

/* A group is compared with another one, or with a number; NULL: there is no other side. */
static int check_other_side(const struct checker *c, const cJSON *a, const cJSON *b)
{
	const char *what = !a || !b ? NULL :
			   side_is_number(a) && side_is_number(b) ? "are numbers" :
			   cJSON_Compare(a, b, true) ? "have the same runs" : NULL;

	return what ? error("%s: both sides %s. A comparison needs two groups, or a group and a "
			    "number", c->where, what) : 0;
}

static int check_sides(const struct checker *c, const char *key, const cJSON *sides)
{
	const cJSON *side;

	if (cJSON_GetArraySize(sides) < 2 || !cJSON_IsArray(sides))
		return refuse_kind(c, key, "a list of two or more sides");
	cJSON_ArrayForEach(side, sides)
		if (check_side(c, key, side) || check_other_side(c, side, side->next))
			return -1;
	return 0;
}

/* A number with which a measure of the runs is compared. */
static int check_side_number(const struct checker *c, const char *rule, const char *measure,
			     const cJSON *side)
{
	const cJSON *published = json_get(side, "published");
	const cJSON *number = published ? published : side;

	return cJSON_IsNumber(number) ? check_share(c, rule, measure, number->valuedouble) : 0;
}

/* The sides of the rule of that name, and their numbers; no_later compares times. */
static int check_side_numbers(const struct checker *c, const char *name, const cJSON *rule)
{
	const char *given = json_string(rule, "measure");
	const char *measure = given ? given : "test_accuracy";
	const cJSON *a = json_get(rule, "a"), *b = json_get(rule, "b"), *side;

	if (check_other_side(c, a, b))
		return -1;
	if (strcmp(name, "no_later") == 0)
		return 0;
	json_each(side, rule, "of")
		if (check_side_number(c, name, measure, side))
			return -1;
	return check_side_number(c, name, measure, a) || check_side_number(c, name, measure, b)
		       ? -1 : 0;
}

static int check_object(struct checker *c, const struct json_key *keys, const cJSON *object);

static int check_rule(struct checker *c, const char *name, const cJSON *rule)
{
	static const struct {
		const char *name;
		const struct json_key *keys;
	} kinds[] = { { "beats", report_beats_keys }, { "within", report_within_keys },
		      { "no_worse", report_no_worse_keys }, { "no_later", report_no_later_keys },
		      { "order", report_order_keys } };
	struct target parsed;
	const cJSON *one;
	char *measure;
	int ret;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(kinds[i].name, name) != 0)
			continue;
		if (!cJSON_IsObject(rule))
			return refuse_kind(c, name, "an object");
		c->rule = name;
		ret = check_object(c, kinds[i].keys, rule);
		c->rule = NULL;
		if (ret)
			return -1;
		if (json_get(rule, "target")) {
			measure = xasprintf("time_to:%s", json_word(rule, "target"));
			ret = target_parse(measure, &parsed) ?
				check_bound(c, "target", measure) :
				target_error(c->where, "target", measure);
			free(measure);
			if (ret < 0)
				return ret;
		}
		return check_side_numbers(c, name, rule);
	}
	if (!cJSON_IsArray(rule) || !rule->child)
		return refuse_kind(c, name, "a list of rules");
	cJSON_ArrayForEach(one, rule) {
		if (!cJSON_IsObject(one) || !one->child || one->child->next)
			return refuse_kind(c, name, "a list of objects with one rule each");
		if (json_check_members(one, report_rule_keys, c->where) ||
		    check_rule(c, one->child->string, one->child))
			return -1;
	}
	return 0;
}

/* An object's members, and their values by what the keys' table says of them. */
static int check_object(struct checker *c, const struct json_key *keys, const cJSON *object)
{
	static const struct {
		const char *def;
		int (*check)(const struct checker *c, const char *key, const cJSON *value);
	} kinds[] = { { "name", check_name }, { "words", check_words }, { "word", check_words },
		      { "labels", check_labels }, { "where", check_selection },
		      { "from", check_from }, { "axis", check_axis }, { "axes", check_axis },
		      { "side", check_side }, { "sides", check_sides } };

	if (json_check_members(object, keys, c->where))
		return -1;
	for (; keys->name; keys++) {
		const cJSON *value = keys->def ? json_get(object, keys->name) : NULL;

		for (size_t i = 0; value && i < sizeof(kinds) / sizeof(kinds[0]); i++)
			if (!strcmp(kinds[i].def, keys->def) &&
			    kinds[i].check(c, keys->name, value))
				return -1;
	}
	return 0;
}

/* ---- entries ---- */

static int check_table(struct checker *c, const cJSON *entry)
{
	return check_object(c, report_table_keys, entry);
}

static int check_plot(struct checker *c, const cJSON *entry)
{
	return check_object(c, report_plot_keys, entry);
}

static int check_filter(const struct checker *c, const cJSON *entry, const char *key)
{
	const char *filter = json_string(entry, key);
	scoped char *why = filter && !c->filters_compile ? filter_check(filter) : NULL;

	return why ? error("%s: %s: %s", c->where, key, why) : 0;
}

/* Names of scales that the spec has. */
static int check_scales(const struct checker *c, const cJSON *entry, const char *key)
{
	const cJSON *list = json_get(entry, key);
	const char *name;

	for (int i = 0; (name = keys_at(list, i)); i++)
		if (!json_get(c->scales, name))
			return error("%s: %s: the spec has no scale '%s'", c->where, key, name);
	return 0;
}

static int check_claim(struct checker *c, const cJSON *entry)
{
	const char *test = json_get(entry, "jq") ? "jq" : NULL;

	if (claim_check(entry, c->where) || check_scales(c, entry, "only_at") ||
	    check_scales(c, entry, "not_at"))
		return -1;
	for (size_t i = 0; claim_rules[i]; i++) {
		const cJSON *rule = json_get(entry, claim_rules[i]);

		if (rule && test)
			return error("%s: '%s' and '%s' are two tests of one claim. Take one out.",
				     c->where, test, claim_rules[i]);
		if (rule && check_rule(c, claim_rules[i], rule))
			return -1;
		test = rule ? claim_rules[i] : test;
	}
	if (!test)
		return error("%s: 'jq' is missing, or a rule such as 'beats'", c->where);
	return check_filter(c, entry, "jq") || check_filter(c, entry, "shows") ? -1 : 0;
}

/* Columns of curves may stand in published cells too: an epoch, a loss. */
static bool is_curve_column(const char *word)
{
	for (size_t i = 0; i < TRAIN_COLUMNS; i++)
		if (opt_same_key(layout_train[i].name, word))
			return true;
	for (size_t i = 0; i < EVAL_COLUMNS; i++)
		if (opt_same_key(layout_eval[i].name, word))
			return true;
	return false;
}

/* A measure's value, which is compared: a number or a bound. */
static int check_measure(const struct checker *c, const cJSON *item)
{
	struct bound bound = { .limit = item->valuedouble };

	if (cJSON_IsNumber(item) ||
	    (cJSON_IsString(item) && bound_parse(item->valuestring, &bound)))
		return check_share(c, "the cell", item->string, bound.limit);
	return refuse_kind(c, item->string, "a number, or one after '<', '>', '<=' or "
			   "'>=', such as \">1000\"");
}

static int check_cell(struct checker *c, const cJSON *entry)
{
	const cJSON *item;
	int measures = 0;

	cJSON_ArrayForEach(item, entry) {
		bool measure = measure_known(item->string) || is_curve_column(item->string);

		if (!measure && !word_is_known(c, item->string))
			return refuse_word(c, "key", item->string, c->known.v);
		if (!is_value(item))
			return refuse_kind(c, item->string, "a number or a text");
		if (measure && !known_among(c, c->ngrid, item->string) &&
		    check_measure(c, item))
			return -1;
		measures += measure;
	}
	return measures ? 0 : error("%s: the cell has no measure, such as time_per_epoch_s",
				    c->where);
}

/* ---- sections ---- */

typedef int entry_check(struct checker *c, const cJSON *entry);

/* Each entry of the list that the key of the object has; `section` is the list's name in errors. */
static int check_entries(struct checker *c, const cJSON *object, const char *section,
			 const char *key, entry_check *check)
{
	const cJSON *entry;
	int i = 0;

	c->section = json_get(object, key);
	snprintf(c->where, sizeof(c->where), "%.200s: %s", c->path, section);
	if (!c->section)
		return 0;
	if (!cJSON_IsArray(c->section))
		return error("%s must be a list of objects", c->where);
	cJSON_ArrayForEach(entry, c->section) {
		snprintf(c->where, sizeof(c->where), "%.200s: %s[%d]", c->path, section, i++);
		if (!cJSON_IsObject(entry))
			return error("%s must be an object", c->where);
		c->entry = entry;
		if (check(c, entry))
			return -1;
	}
	return 0;
}

/* An object of the spec, if it is there, with its keys. */
static int check_part(struct checker *c, const cJSON *part, const char *name,
		      const struct json_key *keys, const char *with)
{
	snprintf(c->where, sizeof(c->where), "%.200s: %s", c->path, name);
	if (part && !cJSON_IsObject(part))
		return error("%s must be an object%s", c->where, with);
	return part ? json_check_members(part, keys, c->where) : 0;
}

static bool filters_compile(const cJSON *claims, const char *path)
{
	size_t n;
	scoped const char **filters = claims_filters(claims, &n);

	return filter_check_all(n, filters, path_is_shipped(path));
}

/* Those of the whole spec. */
static int check_own_labels(struct checker *c, const cJSON *labels)
{
	snprintf(c->where, sizeof(c->where), "%.200s", c->path);
	return labels ? check_labels(c, "labels", labels) : 0;
}

int report_check(const cJSON *spec, const char *path)
{
	struct checker c = { .path = path, .scales = json_get(spec, "scales") };
	const cJSON *published = json_get(spec, "published");
	const cJSON *accuracy = json_get(spec, "paper_accuracy");
	int rc;

	learn_spec(&c, spec);
	c.filters_compile = filters_compile(json_get(spec, "claims"), path);
	rc = check_part(&c, published, "published", report_published_keys, "") ||
	     check_entries(&c, published, "published.cells", "cells", check_cell) ||
	     check_part(&c, accuracy, "paper_accuracy",
			report_paper_accuracy_keys, " with 'value' and 'source'") ||
	     check_share(&c, "value", "test_accuracy",
			 json_number(accuracy, "value")) ||
	     check_own_labels(&c, json_get(spec, "labels")) ||
	     claims_check_names(json_get(spec, "reads"), path) ||
	     check_entries(&c, spec, "tables", "tables", check_table) ||
	     check_entries(&c, spec, "plots", "plots", check_plot) ||
	     check_entries(&c, spec, "claims", "claims", check_claim);
	free_all(c.given, c.known.v);
	return rc ? -1 : 0;
}
