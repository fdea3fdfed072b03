/* Names of measures, the words for them, and how far a run went until a curve met a bound. */
#include "record/measure.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/paths.h"
#include "core/metric.h"
#include "core/text/opt.h"
#include "core/text/units.h"
#include "core/text/word.h"
#include "record/layout.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TIMES 0
#define LOSS HUGE_VAL
#define LEARNT (-HUGE_VAL)
#define MEASURE(id, name_, words_, unit_, lost_, better_, source_, range_, shown_, last_)         \
	[MEASURE_##id] = { .name = name_, .words = words_, .unit = unit_, .lost = lost_,           \
			   .source = MEASURED_##source_, .better = BETTER_##better_,               \
			   .range = RANGE_##range_, .shown = SHOWN_##shown_, .last = last_ },
#define WORDS(...)
const struct measure_info measure_table[MEASURE_COUNT] = {
#include "record/measures.def"
};
#undef MEASURE
#undef WORDS

#define MEASURE(id, name, ...) name,
#define WORDS(...)
const char *const measure_names[] = {
#include "record/measures.def"
	NULL
};
#undef MEASURE
#undef WORDS

/* All keys that have words. */
static const struct key_words {
	const char *name, *words, *unit;
	double lost;
	enum measure_range range;
} words_table[] = {
#define MEASURE(id, name, words, unit, lost, better, source, range, shown, last)                \
	{ name, words, unit, lost, RANGE_##range },
#define WORDS(name, words, unit, lost, range) { name, words, unit, lost, RANGE_##range },
#include "record/measures.def"
#undef MEASURE
#undef WORDS
};

static const struct key_words *words_find(const char *name)
{
	for (size_t i = 0; i < sizeof(words_table) / sizeof(words_table[0]); i++)
		if (opt_same_key(words_table[i].name, name))
			return &words_table[i];
	return NULL;
}

enum measure_id measure_find(const char *name)
{
	int i = 0;

	while (i < MEASURE_COUNT && !opt_same_key(measure_table[i].name, name))
		i++;
	return (enum measure_id)i;
}

bool measure_known(const char *name)
{
	struct target target;

	return measure_find(name) < MEASURE_COUNT || target_parse(name, &target) ||
	       metric_is_key(name);
}

bool measure_is_better_high(const char *name)
{
	const enum measure_id m = measure_find(name);

	return m < MEASURE_COUNT && measure_table[m].better == BETTER_HIGH;
}

enum measure_range measure_range(const char *name)
{
	const struct key_words *own = words_find(name);

	if (own)
		return own->range;
	return measure_known(name) && !metric_is_key(name) ? RANGE_POSITIVE : RANGE_ANY;
}

bool measure_varies(const char *name)
{
	const struct key_words *own = words_find(name);

	return target_named(name) || (own && fabs(own->lost) > 0) || measure_is_real(name) ||
	       metric_is_key(name);
}

bool measure_is_real(const char *name)
{
	const enum measure_id m = measure_find(name);

	return m < MEASURE_COUNT && measure_table[m].source == MEASURED_CLOCK;
}

double measure_lost(const char *name)
{
	const enum measure_id m = measure_find(name);

	return m < MEASURE_COUNT ? measure_table[m].lost : metric_is_key(name) ? LEARNT : 0;
}

bool measure_learnt(const char *name)
{
	return fabs(measure_lost(name)) > 0;
}

char *option_label(const char *name)
{
	static const struct {
		const char *suffix, *unit;
	} units[] = { { "_s", " [s]" }, { "_GBps", " [GB/s]" } };
	const size_t n = strlen(name);
	char *label = xstrdup(name);

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		const size_t end = strlen(units[i].suffix);

		if (n > end && !strcmp(name + n - end, units[i].suffix)) {
			free(label);
			label = xasprintf("%.*s%s", (int)(n - end), name, units[i].unit);
		}
	}
	for (char *p = label; *p; p++)
		if (*p == '_')
			*p = ' ';
	return label;
}

/* Currency of the costs that were read; "?": of several. */
static char cost_currency[CURRENCY_LONGEST + 1];
static bool cost_seen;

void measure_currency(const char *currency)
{
	const bool other = cost_seen && strcmp(cost_currency, currency) != 0;

	snprintf(cost_currency, sizeof(cost_currency), "%s", other ? "?" : currency);
	cost_seen = true;
}

static char *target_label(const struct target *t);

char *measure_label(const char *name, const cJSON *labels)
{
	const char *said = cJSON_GetStringValue(key_find(labels, name));
	const struct key_words *own;
	struct target target;

	if (said)
		return xstrdup(said);
	if (target_parse(name, &target))
		return target_label(&target);
	own = words_find(name);
	if (!own)
		return option_label(metric_is_key(name) ? metric_name(name) : name);
	if (*cost_currency && opt_same_key(own->name, measure_table[MEASURE_COST].name))
		return xasprintf("%s [%s]", own->words,
				 strcmp(cost_currency, "?") == 0 ? "several currencies"
								 : cost_currency);
	return *own->unit ? xasprintf("%s [%s]", own->words, own->unit) : xstrdup(own->words);
}

int measure_check_name(const char *option, const char *name)
{
	if (measure_known(name))
		return 0;
	if (target_named(name))
		return target_error("command line", option, name);
	word_unknown(option, "measure", name, measure_names);
	if (!nearest_word(name, measure_names))
		note("'convoy help measures' lists them");
	return -1;
}

char **measures_parse(const char *option, const char *text)
{
	char *copy = xstrdup(text), **names = xcalloc(strlen(text) + 2, sizeof(*names));
	size_t n = 0;
	int ret = 0;

	for (char *name = strtok(copy, ","); name && ret == 0; name = strtok(NULL, ",")) {
		names[n++] = xstrdup(name);
		ret = measure_check_name(option, name);
	}
	free(copy);
	if (n == 0)
		ret = error("%s: no measure is named", option);
	if (ret == 0)
		return names;
	path_list_free(names);
	return NULL;
}

/* ---- what specs say ---- */

const cJSON *key_find(const cJSON *object, const char *key)
{
	const cJSON *item;

	if (!cJSON_IsObject(object))
		return NULL;
	cJSON_ArrayForEach(item, object)
		if (opt_same_key(item->string, key))
			return item;
	return NULL;
}

const char *keys_at(const cJSON *keys, int i)
{
	if (cJSON_IsString(keys))
		return i ? NULL : keys->valuestring;
	return cJSON_GetStringValue(cJSON_GetArrayItem(keys, i));
}

bool keys_have(const cJSON *keys, const char *key)
{
	const char *own;
	int i = 0;

	while ((own = keys_at(keys, i++)))
		if (strcmp(own, key) == 0)
			return true;
	return false;
}

char *value_text(const cJSON *value)
{
	if (cJSON_IsString(value))
		return xstrdup(value->valuestring);
	if (cJSON_IsNumber(value))
		return xasprintf("%.15g", value->valuedouble);
	if (cJSON_IsBool(value))
		return xstrdup(cJSON_IsTrue(value) ? "true" : "false");
	return NULL;
}

bool bound_parse(const char *text, struct bound *b)
{
	char *end;

	if (*text != '<' && *text != '>')
		return false;
	b->less = *text++ == '<';
	b->equal = *text == '=';
	text += b->equal;
	b->limit = strtod(text, &end);
	return *text && end == text + strspn(text, "+-.0123456789eE") && !*end &&
	       isfinite(b->limit);
}

bool bound_holds(const struct bound *b, double x)
{
	if (b->equal)
		return b->less ? x <= b->limit : x >= b->limit;
	return b->less ? x < b->limit : x > b->limit;
}

/* ---- targets ---- */

static const struct {
	const char *prefix, *axis, *unit;
} kinds[] = {
	{ "time_to:", "time_s", "time [s]" },
	{ "epochs_to:", "epoch", "epochs" },
	{ "gradients_to:", "gradients", "gradients" },
};
enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

/* The kind of a measure; KINDS: it is no target. */
static size_t target_kind_of(const char *measure)
{
	size_t i = 0;

	while (i < KINDS && strncmp(measure, kinds[i].prefix, strlen(kinds[i].prefix)) != 0)
		i++;
	return i;
}

const char *target_prefix(size_t i)
{
	return i < KINDS ? kinds[i].prefix : NULL;
}

bool target_named(const char *measure)
{
	return target_kind_of(measure) < KINDS;
}

static bool is_column(const struct layout_column *c, const char *name)
{
	for (; c->name; c++)
		if (!strcmp(c->name, name))
			return true;
	return false;
}

bool target_parse(const char *measure, struct target *t)
{
	size_t kind = target_kind_of(measure), n;

	if (kind == KINDS)
		return false;
	measure += strlen(kinds[kind].prefix);
	n = strcspn(measure, "<>");
	if (n >= sizeof(t->column) || !bound_parse(measure + n, &t->bound))
		return false;
	memcpy(t->column, measure, n);
	t->column[n] = '\0';
	t->axis = kinds[kind].axis;
	t->unit = kinds[kind].unit;
	t->eval = is_column(layout_eval, t->column) || metric_is_key(t->column);
	return t->eval || is_column(layout_train, t->column);
}

static void target_learn(const char **words, size_t *n, const struct layout_column *columns)
{
	for (const struct layout_column *c = columns; c->name; c++) {
		size_t i = 0;

		while (i < *n && strcmp(words[i], c->name) != 0)
			i++;
		words[i] = c->name;
		*n += i == *n;
	}
}

static int no_column(const char *where, const char *key, const char *measure, const char *column)
{
	const char *words[EVAL_COLUMNS + TRAIN_COLUMNS + 1] = { NULL };
	scoped char *advice = NULL;
	size_t n = 0;

	target_learn(words, &n, layout_eval);
	target_learn(words, &n, layout_train);
	advice = word_advice(column, words);
	error("%s: %s '%s': eval and train have no column '%s'%s", where, key, measure, column,
	      advice);
	return -1;
}

static int no_bound(const char *where, const char *key, const char *measure)
{
	return error("%s: %s '%s': expected a column of eval or train, then '>=', '<=', '>' or '<' "
		     "and a number: time_to:test_accuracy>=0.8", where, key, measure);
}

int target_error(const char *where, const char *key, const char *measure)
{
	const size_t kind = target_kind_of(measure);
	const char *column = measure + (kind < KINDS ? strlen(kinds[kind].prefix) : 0);
	scoped char *name = xasprintf("%.*s", (int)strcspn(column, "<>="), column);
	const bool known = is_column(layout_eval, name) || is_column(layout_train, name);

	return *name && !known ? no_column(where, key, measure, name) :
				no_bound(where, key, measure);
}

/* The minibatch loss of train is not what eval calls the training loss. */
static char *column_label(const char *column)
{
	return !strcmp(column, layout_train[TRAIN_LOSS].name) ? xstrdup("minibatch loss") :
								measure_label(column, NULL);
}

/* "time (s) to test accuracy >= 0.8"; the caller frees. */
static char *target_label(const struct target *t)
{
	scoped char *column = column_label(t->column);

	return xasprintf("%s to %s %s%s %.6g", t->unit, column, t->bound.less ? "<" : ">",
				t->bound.equal ? "=" : "", t->bound.limit);
}
