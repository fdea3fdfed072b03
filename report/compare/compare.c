/*
 * compare.c - two results side by side: settings that differ, measures, and whether seeds explain
 * the difference.
 */
#include "report/compare/compare.h"

#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/math/statistics.h"
#include "record/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const usual[] = {
	"time_s", "epochs", "time_per_epoch_s", "speedup", "wait_share", "bytes_sent",
	"staleness_mean", "train_loss", "test_loss", "test_accuracy", NULL
};

static const cJSON *compare_setting(const cJSON *run, const char *key)
{
	return json_get(json_get(run, "settings"),
						key);
}

static const char *compare_text_of(const cJSON *run, const char *key)
{
	const char *text = cJSON_GetStringValue(compare_setting(run, key));

	return text ? text : "";
}

/* The value that all runs have of a setting, or NULL. */
static const char *compare_common(const cJSON *runs, const char *key)
{
	const char *first = compare_text_of(runs->child, key);
	const cJSON *run;

	cJSON_ArrayForEach(run, runs)
		if (strcmp(compare_text_of(run, key), first) != 0)
			return NULL;
	return first;
}

/* ---- which settings tell runs apart ---- */

/* Names of all settings of the first runs of both. */
static cJSON *all_keys(const struct compared *a, const struct compared *b)
{
	cJSON *keys = cJSON_Duplicate(
		json_get(a->runs->child, "settings"), true);
	const cJSON *item;

	cJSON_ArrayForEach(item, json_get(b->runs->child, "settings"))
		if (!json_get(keys, item->string))
			cJSON_AddNullToObject(keys, item->string);
	return keys;
}

static void add_difference(cJSON *list, const char *key, const char *a, const char *b)
{
	cJSON *entry = cJSON_CreateObject();

	cJSON_AddStringToObject(entry, "setting", key);
	cJSON_AddStringToObject(entry, "a", a);
	cJSON_AddStringToObject(entry, "b", b);
	cJSON_AddItemToArray(list, entry);
}

/* Lists settings that differ between the two; returns the names of those that differ within. */
static cJSON *sort_settings(const struct compared *a, const struct compared *b, cJSON *differing)
{
	cJSON *keys = all_keys(a, b), *within = cJSON_CreateArray();
	const cJSON *key;

	cJSON_ArrayForEach(key, keys) {
		const char *va = compare_common(a->runs, key->string),
			   *vb = compare_common(b->runs, key->string);

		if (!strcmp(key->string, "seed"))
			continue;
		if (!va || !vb)
			cJSON_AddItemToArray(within, cJSON_CreateString(key->string));
		else if (strcmp(va, vb) != 0)
			add_difference(differing, key->string, va, vb);
	}
	cJSON_Delete(keys);
	return within;
}

/* "algo=asgd workers=4": a run's values of the settings that tell runs apart. */
static char *compare_name_of(const cJSON *run, const cJSON *within)
{
	char *name = xstrdup("");
	const cJSON *key;

	cJSON_ArrayForEach(key, within) {
		xappend(&name, " ", key->valuestring);
		xappend(&name, "=", compare_text_of(run, key->valuestring));
	}
	return name;
}

/* {name: [run, ...]} with borrowed runs, in order of appearance. */
static cJSON *groups_of(const cJSON *runs, const cJSON *within)
{
	cJSON *groups = cJSON_CreateObject();
	const cJSON *run;

	cJSON_ArrayForEach(run, runs) {
		char *name = compare_name_of(run, within);
		cJSON *group = json_get(groups, name);

		if (!group)
			group = cJSON_AddArrayToObject(groups, name);
		cJSON_AddItemReferenceToArray(group, (cJSON *)run);
		free(name);
	}
	return groups;
}

/* ---- measures ---- */

struct side {                   /* of a pair, for one measure */
	struct spread spread;
	int runs, diverged;
	bool target;            /* what a run may fail to reach */
};

static struct side side_of(const cJSON *runs, const char *measure)
{
	struct group g = group_where(runs, NULL);
	struct target target;
	struct side s = { group_spread(&g, measure), (int)g.n, group_diverged(&g),
			  target_parse(measure, &target) };

	group_release(&g);
	return s;
}

static void add_side(cJSON *entry, const char *name, const struct side *s)
{
	cJSON *side = cJSON_AddObjectToObject(entry, name);

	cJSON_AddItemToObject(side, "mean", json_of_number(s->spread.mean));
	cJSON_AddItemToObject(side, "deviation", json_of_number(s->spread.dev));
	cJSON_AddNumberToObject(side, "n", s->spread.n);
	cJSON_AddNumberToObject(side, "runs", s->runs);
	if (s->target)
		cJSON_AddNumberToObject(side, "reached", s->spread.n - s->spread.infinite);
	if (s->diverged)
		cJSON_AddNumberToObject(side, "diverged", s->diverged);
}

/* Where runs diverged, a difference is that of other work: no interval tells of it. */
static struct interval interval_of(const struct side *a, const struct side *b)
{
	if (a->diverged || b->diverged)
		return (struct interval){ (double)NAN, (double)NAN };
	return welch_interval(&a->spread, &b->spread);
}

static void add_interval(cJSON *entry, struct interval i)
{
	cJSON *ends = cJSON_AddArrayToObject(entry, "interval");

	cJSON_AddItemToArray(ends, json_of_number(i.low));
	cJSON_AddItemToArray(ends, json_of_number(i.high));
	cJSON_AddItemToObject(entry, "beyond_seeds",
			      isnan(i.low) ? cJSON_CreateNull() :
					     cJSON_CreateBool(i.low > 0 || i.high < 0));
}

static cJSON *measure_entry(const char *measure, const struct side *a, const struct side *b)
{
	cJSON *entry = cJSON_CreateObject();
	const double ma = a->spread.mean, mb = b->spread.mean;
	const bool finite = isfinite(ma) && isfinite(mb);
	char *label = measure_label(measure, NULL);

	cJSON_AddStringToObject(entry, "measure", measure);
	cJSON_AddStringToObject(entry, "label", label);
	add_side(entry, "a", a);
	add_side(entry, "b", b);
	cJSON_AddItemToObject(entry, "difference", json_of_number(finite ? mb - ma : (double)NAN));
	cJSON_AddItemToObject(entry, "ratio",
			      json_of_number(finite && fpclassify(ma) != FP_ZERO ? mb / ma :
										   (double)NAN));
	add_interval(entry, interval_of(a, b));
	free(label);
	return entry;
}

static cJSON *compare_pair(const char *name, const cJSON *a, const cJSON *b,
			   const char *const *measures)
{
	cJSON *made = cJSON_CreateObject(), *list;

	cJSON_AddStringToObject(made, "runs", name);
	list = cJSON_AddArrayToObject(made, "measures");
	for (; *measures; measures++) {
		struct side sa = side_of(a, *measures), sb = side_of(b, *measures);

		if (sa.spread.n || sb.spread.n)
			cJSON_AddItemToArray(list, measure_entry(*measures, &sa, &sb));
	}
	return made;
}

/* ---- all of it ---- */

/* The groups that the other has not, with borrowed runs. */
static cJSON *left_over(const cJSON *groups, const cJSON *other)
{
	cJSON *left = cJSON_CreateObject();
	const cJSON *group;

	cJSON_ArrayForEach(group, groups)
		if (!json_get(other, group->string))
			cJSON_AddItemReferenceToObject(left, group->string, (cJSON *)group);
	return left;
}

static void add_only(cJSON *object, const char *key, const cJSON *left)
{
	cJSON *list = cJSON_AddArrayToObject(object, key);
	const cJSON *group;

	cJSON_ArrayForEach(group, left)
		cJSON_AddItemToArray(list, cJSON_CreateString(group->string));
}

/* "algo=asgd, b algo=ssp": in what the first runs of two groups differ. */
static char *names_of(const cJSON *a, const cJSON *b, const cJSON *within)
{
	cJSON *differing = cJSON_CreateArray();
	char *na, *nb, *both;
	const cJSON *key;

	cJSON_ArrayForEach(key, within)
		if (strcmp(compare_text_of(a, key->valuestring),
			   compare_text_of(b, key->valuestring)) != 0)
			cJSON_AddItemToArray(differing, cJSON_CreateString(key->valuestring));
	na = compare_name_of(a, differing);
	nb = compare_name_of(b, differing);
	both = xasprintf("a %s, b %s", na, nb);
	cJSON_Delete(differing);
	free(na);
	free(nb);
	return both;
}

/* One group left on either side: they are each other's. */
static void pair_last(cJSON *made, cJSON *a, cJSON *b, const cJSON *within,
		      const char *const *measures)
{
	char *name;

	if (cJSON_GetArraySize(a) == 1 && cJSON_GetArraySize(b) == 1) {
		name = names_of(a->child->child, b->child->child, within);
		cJSON_AddItemToArray(json_get(made, "pairs"),
				     compare_pair(name, a->child, b->child, measures));
		free(name);
		cJSON_DeleteItemFromArray(a, 0);
		cJSON_DeleteItemFromArray(b, 0);
	}
	add_only(made, "only_a", a);
	add_only(made, "only_b", b);
}

static void pair_all(cJSON *made, const cJSON *a, const cJSON *b, const cJSON *within,
		     const char *const *measures)
{
	cJSON *pairs = cJSON_AddArrayToObject(made, "pairs");
	cJSON *left_a = left_over(a, b), *left_b = left_over(b, a);
	const cJSON *group, *other;

	cJSON_ArrayForEach(group, a) {
		other = json_get(b, group->string);
		if (other)
			cJSON_AddItemToArray(pairs,
					     compare_pair(group->string, group, other, measures));
	}
	pair_last(made, left_a, left_b, within, measures);
	cJSON_Delete(left_a);
	cJSON_Delete(left_b);
}

cJSON *results_compare(const struct compared *a, const struct compared *b,
		       const char *const *measures)
{
	cJSON *made = cJSON_CreateObject(), *settings, *within, *ga, *gb;

	cJSON_AddStringToObject(made, "a", a->name);
	cJSON_AddStringToObject(made, "b", b->name);
	settings = cJSON_AddArrayToObject(made, "settings");
	within = sort_settings(a, b, settings);
	ga = groups_of(a->runs, within);
	gb = groups_of(b->runs, within);
	pair_all(made, ga, gb, within, measures ? measures : usual);
	cJSON_Delete(within);
	cJSON_Delete(ga);
	cJSON_Delete(gb);
	return made;
}
