/* A run in memory: its members by key, and as JSON. */
#include "record/result.h"

#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/members.h"
#include "core/metric.h"
#include "core/slow.h"
#include "core/text/opt.h"
#include "core/text/opt_text.h"
#include "record/layout.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const text_name[RESULT_TEXTS] = {
	[RESULT_EXPERIMENT] = "experiment", [RESULT_SCALE] = "scale", [RESULT_HASH] = "hash",
	[RESULT_ALGO] = "algo", [RESULT_STATUS] = "status", [RESULT_END] = "end",
	[RESULT_MODEL] = "model", [RESULT_REMARK] = "remark", [RESULT_TRAINED_BY] = "trained_by",
	[RESULT_TEST_CORRECT] = "test_correct", [RESULT_FILE] = "file",
	[RESULT_COMPUTED_IN] = "computed_in", [RESULT_TUNED_BY] = "tuned_by",
	[RESULT_BASELINE] = "baseline",
};

static const char *const part_name[RESULT_PARTS] = {
	[RESULT_SETTINGS] = "settings", [RESULT_ASSUMED] = "assumed", [RESULT_POINT] = "point",
	[RESULT_TUNED] = "tuned",
};

static const char *const curve_name[RESULT_CURVES] = {
	[RESULT_TRAIN] = "train", [RESULT_EVAL] = "eval", [RESULT_NODES] = "nodes",
	[RESULT_STALENESS] = "staleness", [RESULT_GAP] = "gap", [RESULT_FAULTS] = "faults",
};

static const char *number_name(int number)
{
	static const char *const others[] = { "workers", "seed", "batch", "test_samples" };

	return number < MEASURE_COUNT ? measure_table[number].name :
					others[number - MEASURE_COUNT];
}

/* ---- filled and released ---- */

void result_set(struct result *r, int number, double x)
{
	r->has[number] = true;
	r->number[number] = isfinite(x) ? x : (double)NAN;
}

void result_say(struct result *r, enum result_text which, const char *text)
{
	free(r->text[which]);
	r->text[which] = xstrdup(text);
	r->has_text[which] = true;
}

static void values_release(struct result_values *values)
{
	for (size_t i = 0; i < values->n; i++)
		free_all(values->v[i].key, values->v[i].text);
	free(values->v);
	*values = (struct result_values){ 0 };
}

void result_add_value(struct result *r, enum result_part part, struct result_value value)
{
	struct result_values *values = &r->values[part];

	values->v = xgrown(values->v, values->n, sizeof(*values->v));
	values->v[values->n++] = value;
	values->there = true;
}

static void curve_release(struct curve *c)
{
	for (size_t i = 0; i < c->n; i++)
		free_all(c->column[i].name, c->column[i].v);
	free(c->column);
	*c = (struct curve){ 0 };
}

struct curve_column *curve_add(struct curve *c, const char *name, size_t n)
{
	c->column = xrealloc(c->column, c->n + 1, sizeof(*c->column));
	c->column[c->n] = (struct curve_column){ xstrdup(name), xcalloc(n + 1, sizeof(double)), n };
	return &c->column[c->n++];
}

void result_release(struct result *r)
{
	for (int i = 0; i < RESULT_TEXTS; i++)
		free(r->text[i]);
	for (int i = 0; i < RESULT_PARTS; i++)
		values_release(&r->values[i]);
	for (int i = 0; i < RESULT_CURVES; i++)
		curve_release(&r->curve[i]);
	free_all(r->said.baseline, r->said.tuned, r->host);
	*r = (struct result){ 0 };
}

const struct result *results_find(const struct results *all, const char *hash)
{
	for (size_t i = 0; i < all->n; i++) {
		const char *own = all->v[i].text[RESULT_HASH];

		if (own && strcmp(own, hash) == 0)
			return &all->v[i];
	}
	return NULL;
}

struct result *results_add(struct results *all, const struct result *r)
{
	all->v = xrealloc(all->v, all->n + 1, sizeof(*all->v));
	all->v[all->n] = *r;
	return &all->v[all->n++];
}

void results_release(struct results *all)
{
	for (size_t i = 0; i < all->n; i++)
		result_release(&all->v[i]);
	free(all->v);
	*all = (struct results){ 0 };
}

/* ---- JSON ---- */

/* The members of a run object, in their order. */
static const struct {
	enum { OF_TEXT, OF_NUMBER, OF_PART, OF_CURVE, OF_BASELINE } kind;
	int which;
} member_order[] = {
	{ OF_TEXT, RESULT_EXPERIMENT }, { OF_TEXT, RESULT_SCALE }, { OF_TEXT, RESULT_HASH },
	{ OF_TEXT, RESULT_ALGO }, { OF_NUMBER, RESULT_WORKERS }, { OF_NUMBER, RESULT_SEED },
	{ OF_TEXT, RESULT_STATUS }, { OF_TEXT, RESULT_END }, { OF_TEXT, RESULT_MODEL },
	{ OF_NUMBER, MEASURE_TIME }, { OF_NUMBER, MEASURE_EPOCHS },
	{ OF_NUMBER, MEASURE_TIME_PER_EPOCH }, { OF_NUMBER, MEASURE_SPEEDUP },
	{ OF_TEXT, RESULT_REMARK }, { OF_TEXT, RESULT_TRAINED_BY },
	{ OF_NUMBER, MEASURE_GRADIENTS }, { OF_NUMBER, MEASURE_EVENTS },
	{ OF_NUMBER, MEASURE_WAIT_SHARE }, { OF_NUMBER, MEASURE_BYTES_SENT },
	{ OF_NUMBER, MEASURE_BUSIEST_BYTES }, { OF_NUMBER, MEASURE_STALENESS_MEAN },
	{ OF_NUMBER, MEASURE_STALENESS_MAX }, { OF_NUMBER, MEASURE_GLOBAL_STALENESS_MEAN },
	{ OF_NUMBER, MEASURE_GLOBAL_STALENESS_MAX }, { OF_NUMBER, MEASURE_GAP_MEAN },
	{ OF_NUMBER, MEASURE_GAP_MAX }, { OF_NUMBER, MEASURE_NORM_MEAN },
	{ OF_NUMBER, MEASURE_MOMENTUM_MEAN }, { OF_NUMBER, MEASURE_MOMENTUM_PUBLISHED_MEAN },
	{ OF_NUMBER, MEASURE_STALENESS_HEAD_MAX }, { OF_NUMBER, MEASURE_SPREAD },
	{ OF_NUMBER, MEASURE_FAIRNESS }, { OF_NUMBER, MEASURE_DROPPED },
	{ OF_NUMBER, MEASURE_TRAIN_LOSS }, { OF_NUMBER, MEASURE_TEST_LOSS },
	{ OF_NUMBER, MEASURE_TEST_ACCURACY }, { OF_TEXT, RESULT_TEST_CORRECT },
	{ OF_NUMBER, RESULT_TEST_SAMPLES },
	{ OF_NUMBER, MEASURE_GOODPUT },
	{ OF_NUMBER, MEASURE_FAILURES }, { OF_NUMBER, MEASURE_CHECKPOINTS },
	{ OF_NUMBER, MEASURE_CHECKPOINT }, { OF_NUMBER, MEASURE_LOST }, { OF_NUMBER, MEASURE_DOWN },
	{ OF_NUMBER, MEASURE_YOUNG }, { OF_NUMBER, MEASURE_DALY },
	{ OF_NUMBER, MEASURE_GOODPUT_EXPECTED }, { OF_NUMBER, RESULT_BATCH },
	{ OF_NUMBER, MEASURE_PARAMETERS }, { OF_NUMBER, MEASURE_FORWARD_FLOP },
	{ OF_NUMBER, MEASURE_FLOP_PER_PARAMETER }, { OF_TEXT, RESULT_FILE },
	{ OF_PART, RESULT_SETTINGS }, { OF_PART, RESULT_ASSUMED }, { OF_CURVE, RESULT_TRAIN },
	{ OF_CURVE, RESULT_EVAL }, { OF_CURVE, RESULT_NODES }, { OF_CURVE, RESULT_STALENESS },
	{ OF_CURVE, RESULT_GAP }, { OF_CURVE, RESULT_FAULTS }, { OF_NUMBER, MEASURE_ITERATIONS },
	{ OF_NUMBER, MEASURE_STEP }, { OF_NUMBER, MEASURE_SAMPLES_PER_TIME },
	{ OF_NUMBER, MEASURE_TOKENS_PER_TIME }, { OF_NUMBER, MEASURE_MFU },
	{ OF_NUMBER, MEASURE_GPU_HOURS }, { OF_NUMBER, MEASURE_COST },
	{ OF_NUMBER, MEASURE_BUSIEST_BYTES_PER_EPOCH }, { OF_NUMBER, MEASURE_MESSAGES },
	{ OF_NUMBER, MEASURE_MESSAGE_BYTES }, { OF_NUMBER, MEASURE_COMMUNICATION_SHARE },
	{ OF_NUMBER, MEASURE_TEST_PERPLEXITY }, { OF_NUMBER, MEASURE_TEST_BITS },
	{ OF_TEXT, RESULT_COMPUTED_IN }, { OF_NUMBER, MEASURE_WALL },
	{ OF_NUMBER, MEASURE_GRADIENT_WALL }, { OF_NUMBER, MEASURE_SAMPLES_PER_WALL },
	{ OF_NUMBER, MEASURE_GFLOP_PER_WALL }, { OF_PART, RESULT_POINT }, { OF_PART, RESULT_TUNED },
	{ OF_TEXT, RESULT_TUNED_BY }, { OF_TEXT, RESULT_BASELINE }, { OF_BASELINE, 0 },
};
enum { MEMBERS = sizeof(member_order) / sizeof(member_order[0]) };
_Static_assert(MEMBERS == (int)RESULT_TEXTS + (int)RESULT_NUMBERS + (int)RESULT_PARTS +
	       (int)RESULT_CURVES + 1, "a member of a run object is not in member_order");

static const char *member_name(int i)
{
	const int which = member_order[i].which;

	switch (member_order[i].kind) {
	case OF_TEXT:
		return text_name[which];
	case OF_NUMBER:
		return number_name(which);
	case OF_PART:
		return part_name[which];
	case OF_CURVE:
		return curve_name[which];
	case OF_BASELINE:
		break;
	}
	return "is_baseline";
}

static cJSON *values_json(const struct result_values *values)
{
	cJSON *object = cJSON_CreateObject();

	for (size_t i = 0; i < values->n; i++) {
		const struct result_value *v = &values->v[i];

		ADD(object, v->kind == VALUE_NUMBER ? j_number(v->key, v->number) :
			    v->kind == VALUE_BOOL   ? j_bool(v->key, v->number > 0) :
						      j_text(v->key, v->text));
	}
	return object;
}

static cJSON *curve_json(const struct curve *curve, bool brief)
{
	cJSON *object = cJSON_CreateObject();

	for (size_t i = 0; i < curve->n; i++) {
		const struct curve_column *c = &curve->column[i];
		cJSON *rows;

		if (brief && strcmp(c->name, "wall_s") == 0)
			continue;
		rows = cJSON_CreateArray();
		for (size_t k = 0; k < c->n; k++)
			list_add(rows, isnan(c->v[k]) ? NULL : cJSON_CreateNumber(c->v[k]));
		ADD(object, j_json(c->name, rows));
	}
	return object;
}

static bool result_has_member(const struct result *r, int i)
{
	const int which = member_order[i].which;

	switch (member_order[i].kind) {
	case OF_TEXT:
		return r->has_text[which];
	case OF_NUMBER:
		return r->has[which];
	case OF_PART:
		return r->values[which].there;
	case OF_CURVE:
		return r->curve[which].there;
	case OF_BASELINE:
		break;
	}
	return r->is_baseline;
}

static bool member_is_simulated(int i)
{
	const int which = member_order[i].which;
	const char *name = member_name(i);

	switch (member_order[i].kind) {
	case OF_TEXT:
		return which == RESULT_HASH || which == RESULT_EXPERIMENT ||
		       which == RESULT_SCALE || which == RESULT_ALGO;
	case OF_NUMBER:
		return which == RESULT_SEED || which == RESULT_WORKERS || which == RESULT_BATCH ||
		       (which < MEASURE_COUNT && !measure_learnt(name) && !measure_is_real(name));
	case OF_PART:
		return which == RESULT_POINT || which == RESULT_SETTINGS;
	case OF_CURVE:
	case OF_BASELINE:
		break;
	}
	return false;
}

static bool member_is_among(int i, enum result_members members)
{
	const int which = member_order[i].which;

	if (members == RESULT_SIMULATED)
		return member_is_simulated(i);
	if (members == RESULT_ALL)
		return true;
	if (member_order[i].kind == OF_CURVE)
		return which != RESULT_TRAIN && which != RESULT_NODES;
	return member_order[i].kind != OF_NUMBER || which >= MEASURE_COUNT ||
	       measure_table[which].source != MEASURED_CLOCK;
}

static struct member result_member(const struct result *r, int i, bool brief)
{
	const int which = member_order[i].which;
	const char *name = member_name(i);

	switch (member_order[i].kind) {
	case OF_TEXT:
		return j_text(name, r->text[which]);
	case OF_NUMBER:
		return isnan(r->number[which]) ? j_null(name) : j_number(name, r->number[which]);
	case OF_PART:
		return j_json(name, values_json(&r->values[which]));
	case OF_CURVE:
		return j_json(name, curve_json(&r->curve[which], brief));
	case OF_BASELINE:
		break;
	}
	return j_bool(name, true);
}

cJSON *result_json(const struct result *r, enum result_members members)
{
	const size_t nmetrics = members == RESULT_SIMULATED ? 0 : r->curve[RESULT_EVAL].n;
	cJSON *object = cJSON_CreateObject();

	for (int i = 0; i < MEMBERS; i++)
		if (result_has_member(r, i) && member_is_among(i, members))
			ADD(object, result_member(r, i, members == RESULT_BRIEF));
	for (size_t i = 0; i < nmetrics; i++) {
		const char *key = r->curve[RESULT_EVAL].column[i].name;
		const double last = result_last(r, RESULT_EVAL, key);

		if (metric_is_key(key))
			ADD(object, isnan(last) ? j_null(key) : j_number(key, last));
	}
	return object;
}

cJSON *results_json(const struct results *all, enum result_members members)
{
	cJSON *list = cJSON_CreateArray();

	for (size_t i = 0; i < all->n; i++)
		list_add(list, result_json(&all->v[i], members));
	return list;
}

static void values_of_json(struct result *r, enum result_part part, const cJSON *object)
{
	const cJSON *item;

	r->values[part].there = true;
	if (!cJSON_IsObject(object))
		return;
	cJSON_ArrayForEach(item, object)
		result_add_value(r, part, (struct result_value){
			.key = xstrdup(item->string),
			.text = value_text(item),
			.kind = cJSON_IsNumber(item) ? VALUE_NUMBER :
				cJSON_IsBool(item)   ? VALUE_BOOL :
						       VALUE_TEXT,
			.number = cJSON_IsNumber(item) ? item->valuedouble : cJSON_IsTrue(item),
		});
}

static void curve_of_json(struct curve *curve, const cJSON *object)
{
	const cJSON *column, *row;

	curve->there = true;
	if (!cJSON_IsObject(object))
		return;
	cJSON_ArrayForEach(column, object) {
		struct curve_column *c = curve_add(curve, column->string,
						   (size_t)cJSON_GetArraySize(column));
		size_t i = 0;

		cJSON_ArrayForEach(row, column)
			c->v[i++] = cJSON_IsNumber(row) ? row->valuedouble : (double)NAN;
	}
}

void result_of_json(struct result *r, const cJSON *run)
{
	*r = (struct result){ 0 };
	for (int i = 0; i < RESULT_NUMBERS; i++)
		r->number[i] = (double)NAN;
	for (int i = 0; i < MEMBERS; i++) {
		const cJSON *item = json_get(run, member_name(i));
		const int which = member_order[i].which;

		if (!item)
			continue;
		switch (member_order[i].kind) {
		case OF_TEXT:
			result_say(r, (enum result_text)which, cJSON_GetStringValue(item));
			break;
		case OF_NUMBER:
			result_set(r, which, cJSON_GetNumberValue(item));
			break;
		case OF_PART:
			values_of_json(r, (enum result_part)which, item);
			break;
		case OF_CURVE:
			curve_of_json(&r->curve[which], item);
			break;
		case OF_BASELINE:
			r->is_baseline = cJSON_IsTrue(item);
			break;
		}
	}
}

struct results results_of_json(const cJSON *runs)
{
	struct results all = { 0 };
	struct result r;
	const cJSON *run;

	cJSON_ArrayForEach(run, runs) {
		result_of_json(&r, run);
		results_add(&all, &r);
	}
	return all;
}

/* ---- by key ---- */

const char **result_names(const struct result *r)
{
	size_t most = MEMBERS + 1, n = 0;
	const char **names;

	for (int i = 0; i < RESULT_PARTS; i++)
		most += r->values[i].n;
	for (int i = 0; i < RESULT_CURVES; i++)
		most += r->curve[i].n;
	names = xcalloc(most, sizeof(*names));
	for (int i = 0; i < MEMBERS; i++)
		if (result_has_member(r, i))
			names[n++] = member_name(i);
	for (int i = 0; i < MEMBERS; i++) {
		const int which = member_order[i].which;

		if (member_order[i].kind == OF_PART)
			for (size_t k = 0; k < r->values[which].n; k++)
				names[n++] = r->values[which].v[k].key;
		if (member_order[i].kind == OF_CURVE)
			for (size_t k = 0; k < r->curve[which].n; k++)
				names[n++] = r->curve[which].column[k].name;
	}
	return names;
}

bool result_has_name(const struct result *r, const char *name)
{
	for (int i = 0; i < MEMBERS; i++)
		if (!strcmp(member_name(i), name))
			return result_has_member(r, i);
	return false;
}

const struct result_value *result_value(const struct result *r, enum result_part part,
					const char *key)
{
	const struct result_values *values = &r->values[part];

	for (size_t i = 0; i < values->n; i++)
		if (opt_same_key(values->v[i].key, key))
			return &values->v[i];
	return NULL;
}

const char *result_setting(const struct result *r, const char *key)
{
	const struct result_value *v = result_value(r, RESULT_SETTINGS, key);

	return v && v->kind == VALUE_TEXT && v->text ? v->text : "";
}

bool result_is(const struct result *r, const char *status)
{
	return r->text[RESULT_STATUS] && strcmp(r->text[RESULT_STATUS], status) == 0;
}

bool result_diverged(const struct result *r)
{
	return result_is(r, STATUS_DIVERGED);
}

/* The number of that name among the run's own members; RESULT_NUMBERS: there is none. */
static int result_number_named(const struct result *r, const char *key)
{
	int i = 0;

	while (i < RESULT_NUMBERS && !(r->has[i] && opt_same_key(number_name(i), key)))
		i++;
	return i;
}

const char *result_text(const struct result *r, const char *key, char space[32])
{
	const struct result_value *v = result_value(r, RESULT_POINT, key);
	double x;
	int i;

	if (!v)
		v = result_value(r, RESULT_SETTINGS, key);
	if (v)
		return v->text;
	for (i = 0; i < RESULT_TEXTS; i++)
		if (opt_same_key(text_name[i], key))
			return r->text[i];
	i = result_number_named(r, key);
	x = i < RESULT_NUMBERS ? r->number[i] :
	    metric_is_key(key) ? result_last(r, RESULT_EVAL, key) : (double)NAN;
	if (isnan(x))
		return r->is_baseline && opt_same_key("is_baseline", key) ? "true" : NULL;
	snprintf(space, 32, "%.15g", x);
	return space;
}

/*
 * The axis at the first row of the run that meets the bound; HUGE_VAL when none does, or when the
 * run diverged before; NaN when the column has no numbers, or the run none of it.
 */
static double result_target(const struct result *r, const struct target *t)
{
	const enum result_curve curve = t->eval ? RESULT_EVAL : RESULT_TRAIN;
	size_t n, nat;
	const double *x = result_column(r, curve, t->column, &n);
	const double *at = result_column(r, curve, t->axis, &nat);
	bool any = result_diverged(r);

	for (size_t i = 0; i < n && i < nat; i++) {
		if (isnan(x[i]) || isnan(at[i]))
			continue;
		if (bound_holds(&t->bound, x[i]))
			return at[i];
		any = true;
	}
	return any ? HUGE_VAL : (double)NAN;
}

double result_number(const struct result *r, const char *key)
{
	const int own = result_number_named(r, key);
	const bool slow = opt_same_key(key, "slow_factor");
	const char *text;
	struct target target;
	char space[32];

	if (measure_learnt(key) && result_diverged(r))
		return measure_lost(key);
	if (own < RESULT_NUMBERS && !isnan(r->number[own]))
		return r->number[own];
	if (target_parse(key, &target))
		return result_target(r, &target);
	if (metric_is_key(key))
		return result_last(r, RESULT_EVAL, key);
	if (measure_find(key) < MEASURE_COUNT)  /* a setting of that name is something else */
		return (double)NAN;
	text = result_text(r, slow ? "slow" : key, space);
	if (slow)
		return text ? slow_factor(text) : 1;
	return text_number(text);
}

char *result_label(const struct result *r, const cJSON *keys, const cJSON *labels)
{
	char *all = xstrdup(""), space[32];
	const char *key;

	for (int i = 0; (key = keys_at(keys, i)); i++) {
		const char *text = result_text(r, key, space);
		const char *label = text ? json_string(labels, text) : NULL;

		xappendf(&all, "", "%s%s", i ? ", " : "", label ? label : text ? text : "-");
	}
	return all;
}

/* ---- curves ---- */

enum result_curve result_curve_named(const char *name)
{
	int i = 0;

	while (i < RESULT_CURVES && strcmp(curve_name[i], name) != 0)
		i++;
	return (enum result_curve)i;
}

const double *result_column(const struct result *r, enum result_curve curve, const char *column,
			    size_t *n)
{
	const struct curve *c = &r->curve[curve];

	*n = 0;
	for (size_t i = 0; i < c->n; i++)
		if (opt_same_key(c->column[i].name, column)) {
			*n = c->column[i].n;
			return *n ? c->column[i].v : NULL;
		}
	return NULL;
}

double result_last(const struct result *r, enum result_curve curve, const char *column)
{
	size_t n;
	const double *v = result_column(r, curve, column, &n);

	return n ? v[n - 1] : (double)NAN;
}

