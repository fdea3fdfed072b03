/*
 * notes.c - a run's speedup over its baseline, and notes below tables: speedups that more workers
 * do not explain, runs that cannot be compared, goodputs of runs in which nothing failed, and
 * slow periods after the end.
 */
#include "record/result.h"

#include "core/base/mem.h"
#include "core/slow.h"
#include "core/text/word.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Share by which a speedup may be above the number of workers, for rounding. */
#define ROUNDING 1e-3

void result_speedup(struct result *r, const struct result *baseline)
{
	const double base = baseline ? baseline->number[MEASURE_TIME_PER_EPOCH] : (double)NAN;

	result_set(r, MEASURE_SPEEDUP, base / r->number[MEASURE_TIME_PER_EPOCH]);
	result_say(r, RESULT_BASELINE, baseline ? baseline->text[RESULT_HASH] : NULL);
}

static bool texts_agree(const char *a, const char *b)
{
	return a && b && strcmp(a, b) == 0;
}

/* ---- speedups ---- */

static const struct result *baseline_of(const struct result *r, const struct results *baselines)
{
	for (size_t i = 0; i < baselines->n; i++)
		if (texts_agree(r->text[RESULT_BASELINE], baselines->v[i].text[RESULT_HASH]))
			return &baselines->v[i];
	return NULL;
}

/* A setting that makes a gradient take another time, and that the baseline has otherwise. */
static const char *differing_setting(const struct result *r, const struct result *baseline)
{
	static const char *const keys[] = { "delay", "compute_s", "batch", "net", "data",
					    "precision", "backend", "lowering", "partitions",
					    "fusion", "update_s", "engine", "accumulate", "device",
					    "mfu", "gpus_per_worker", "compute_threads",
					    "storage" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (strcmp(result_setting(r, keys[i]), result_setting(baseline, keys[i])) != 0)
			return keys[i];
	return NULL;
}

static bool slow_speeds_up(const char *slow)
{
	for (; (slow = strchr(slow, ':')); slow++)
		if (strtod(slow + 1, NULL) < 1)
			return true;
	return false;
}

/* Why the speedup may be above the number of workers. The caller frees. */
static char *speedup_reason(const struct result *r, const struct result *baseline)
{
	const char *key = differing_setting(r, baseline), *delay = result_setting(r, "delay");
	const char *slow = result_setting(r, "slow");

	if (key)
		return xasprintf("the baseline has %s=%s, these runs have not", key,
				 result_setting(baseline, key));
	if (slow_speeds_up(slow))
		return xasprintf("slow=%s makes a worker faster than the baseline's", slow);
	if (*delay && strcmp(delay, "constant") != 0)
		return xasprintf("compute times vary by delay=%s, and the baseline's one worker is "
				 "slower than these workers on average", delay);
	if (strcmp(result_setting(r, "engine"), "mpi") == 0)
		return xstrdup("real ranks were timed in several runs, between which caches, clock "
			       "rates and other load differ");
	return xstrdup("no reason known, check the baseline");
}

char **speedup_notes(const struct results *runs, const struct results *baselines)
{
	struct {
		char *why;
		int runs;
		const struct result *most;      /* the run with the largest speedup */
	} *reason = xcalloc(runs->n + 1, sizeof(*reason));
	char **notes = xcalloc(runs->n + 1, sizeof(*notes));
	size_t n = 0;

	for (size_t k = 0; k < runs->n; k++) {
		const struct result *r = &runs->v[k];
		const struct result *baseline = baseline_of(r, baselines);
		const double most = r->number[RESULT_WORKERS] * (1 + ROUNDING);
		char *why;
		size_t i = 0;

		if (!baseline || !(r->number[MEASURE_SPEEDUP] > most))
			continue;
		why = speedup_reason(r, baseline);
		while (i < n && strcmp(reason[i].why, why) != 0)
			i++;
		if (i < n) {
			free(why);
		} else {
			reason[n].why = why;
			reason[n++].most = r;
		}
		reason[i].runs++;
		if (r->number[MEASURE_SPEEDUP] > reason[i].most->number[MEASURE_SPEEDUP])
			reason[i].most = r;
	}
	for (size_t i = 0; i < n; i++) {
		const struct result *r = reason[i].most;

		notes[i] = xasprintf("Speedup above the number of workers in %d run%s (at most "
				     "%.4g, %s with %g workers): %s.", reason[i].runs,
				     word_plural(reason[i].runs), r->number[MEASURE_SPEEDUP],
				     r->text[RESULT_ALGO] ? r->text[RESULT_ALGO] : "",
				     r->number[RESULT_WORKERS], reason[i].why);
		free(reason[i].why);
	}
	free(reason);
	return notes;
}

/* ---- runs that sent nothing, made no step, or are too short to time ---- */

/* "diloco, 16": its values of the grid, but for the seed. The caller frees. */
static char *point_name(const struct result *r)
{
	const struct result_values *point = &r->values[RESULT_POINT];
	char *name = NULL;

	for (size_t i = 0; i < point->n; i++)
		if (strcmp(point->v[i].key, "seed") != 0)
			xappend(&name, ", ", point->v[i].text ? point->v[i].text : "");
	if (!name)
		name = xstrdup(r->text[RESULT_ALGO] ? r->text[RESULT_ALGO] : "");
	return name;
}

/* The runs from the i-th on that have its remark. */
static char *remark_note(const struct results *runs, size_t i)
{
	enum { NAMED = 6 };             /* runs, at most */
	const char *remark = runs->v[i].text[RESULT_REMARK];
	char *names = NULL, *last = NULL, *note;
	int named = 0;

	for (; i < runs->n; i++) {
		char *name;

		if (!texts_agree(runs->v[i].text[RESULT_REMARK], remark))
			continue;
		name = point_name(&runs->v[i]);
		if (texts_agree(last, name)) {
			free(name);
			continue;
		}
		free(last);
		last = name;
		if (named++ < NAMED)
			xappend(&names, "; ", name);
	}
	note = named > NAMED ? xasprintf("%s: %s; and %d more", remark, names, named - NAMED)
			     : xasprintf("%s: %s", remark, names);
	free_all(names, last);
	return note;
}

char **remark_notes(const struct results *runs)
{
	char **notes = xcalloc(runs->n + 1, sizeof(*notes));
	size_t n = 0;

	for (size_t i = 0; i < runs->n; i++) {
		const char *remark = runs->v[i].text[RESULT_REMARK];
		size_t k = 0;

		while (k < i && !texts_agree(runs->v[k].text[RESULT_REMARK], remark))
			k++;
		if (remark && k == i)
			notes[n++] = remark_note(runs, i);
	}
	return notes;
}

/* ---- runs that were not trained themselves ---- */

char *trained_text(const struct results *runs)
{
	size_t n = 0;

	for (size_t i = 0; i < runs->n; i++)
		n += runs->v[i].text[RESULT_TRAINED_BY] != NULL;
	if (n == 0)
		return NULL;
	return xasprintf("%zu of %zu run%s take%s %s training from runs in the same order", n,
			 runs->n, word_plural((double)runs->n), n == 1 ? "s" : "",
			 n == 1 ? "its" : "their");
}

/* ---- what did not happen: failures, whose goodput of 1 says nothing, and slow periods ---- */

/* Adds "WHAT in this run" if there are runs with that measure, and it is 0 in all of them. */
static void unfailing_add(const struct results *runs, enum measure_id count, enum measure_id needs,
			  const char *what, char **text)
{
	size_t n = 0;

	for (size_t i = 0; i < runs->n; i++) {
		const struct result *r = &runs->v[i];

		if (isnan(r->number[count]) || isnan(r->number[needs]))
			continue;
		if (r->number[count] > 0.0)
			return;
		n++;
	}
	if (n > 0 && runs->n == 1)
		xappendf(text, "; ", "%s in this run", what);
	else if (n > 0 && n == runs->n)
		xappendf(text, "; ", "%s in these %zu runs", what, n);
	else if (n > 0)
		xappendf(text, "; ", "%s in the %zu of %zu runs that could have one", what, n,
			 runs->n);
}

/* True when a slow period of the run begins after its end. */
static bool slow_is_late(const struct result *r, const char *text)
{
	struct slow *slow;
	size_t n;
	bool late = false;

	if (slow_parse(text, INT_MAX, &slow, &n) < 0)
		return false;
	for (size_t i = 0; i < n; i++)
		late = late || slow[i].from >= r->number[MEASURE_TIME];
	free(slow);
	return late;
}

/* "a period of slow 1:2@500-600 begins after the end of 2 of 3 runs"; NULL: none does. */
static char *late_text(const struct results *runs)
{
	const char *slow = NULL;
	size_t late = 0;

	for (size_t i = 0; i < runs->n; i++) {
		const struct result *r = &runs->v[i];
		const char *own = result_setting(r, "slow");

		if (!strchr(own, '@') || isnan(r->number[MEASURE_TIME]) || !slow_is_late(r, own))
			continue;
		late++;
		slow = slow ? slow : own;
	}
	if (late == 0)
		return NULL;
	return runs->n == 1
		? xasprintf("a period of slow %s begins after the end of this run", slow)
		: xasprintf("a period of slow %s begins after the end of %zu of %zu runs", slow,
			    late, runs->n);
}

char *absent_text(const struct results *runs)
{
	char *text = late_text(runs);

	unfailing_add(runs, MEASURE_FAILURES, MEASURE_GOODPUT, "no failure happened", &text);
	/* only jobs that go back to checkpoints have the time of these */
	unfailing_add(runs, MEASURE_CHECKPOINTS, MEASURE_CHECKPOINT, "no checkpoint was saved",
		      &text);
	return text;
}
