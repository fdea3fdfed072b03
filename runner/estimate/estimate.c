/* Estimates time and memory of a plan from previous results and the spec's own figure. */
#include "runner/estimate/estimate.h"

#include "core/base/context.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/text/word.h"
#include "runner/estimate/previous.h"

#include <math.h>
#include <stdlib.h>

void estimate_samples(const struct setup *su, int64_t n[2])
{
	n[SPLIT_TRAIN] = su->samples;
	n[SPLIT_TEST] = 0;
	if (!setup_needs_data(su))
		return;
	context_mute();
	if (dataset_count((const struct dataset_type *)su->data.plugin, su->data.conf, n) != 0)
		n[SPLIT_TRAIN] = n[SPLIT_TEST] = 0;
	context_unmute();
}

/* Training samples until the budget is spent; NaN: not known. */
static double samples_of(const struct setup *su, const int64_t n[2])
{
	double all = HUGE_VAL;

	if (su->in.gradients > 0)
		all = (double)su->in.gradients * (double)su->in.batch;
	if (su->num.epochs > 0)
		all = fmin(all, n[SPLIT_TRAIN] ? su->num.epochs * (double)n[SPLIT_TRAIN] :
						 (double)NAN);
	return isfinite(all) ? all : (double)NAN;
}

/* What evaluations cost in addition, in samples: a forward pass is a third of a gradient. */
static double estimate_evaluated(const struct setup *su, const int64_t n[2], double samples)
{
	const double test = su->in.eval_samples ? (double)su->in.eval_samples :
						  (double)n[SPLIT_TEST];
	const double epochs = n[SPLIT_TRAIN] ? samples / (double)n[SPLIT_TRAIN] : 0;
	const double times = su->in.eval_every > 0 ? floor(epochs / su->in.eval_every) : 1;

	return times * (test + 128.0 * (double)su->in.stat_batches) / 3;
}

/* Seconds of one run; NaN: not known. */
static double seconds_of(const struct setup *su, struct previous *previous, int threads,
			 struct estimate *e)
{
	int64_t n[2];
	double samples, seconds, rate;

	if (su->in.engine == ENGINE_MPI && su->in.seconds > 0)
		return su->in.seconds;
	estimate_samples(su, n);
	samples = samples_of(su, n);
	if (isnan(samples))
		return samples;
	seconds = previous_seconds(previous, su, threads, samples);
	if (!isnan(seconds))
		return seconds;
	rate = setup_needs_data(su) && su->in.engine == ENGINE_SIM ? estimate_rate(su, threads) : 0;
	e->nets += rate > 0;
	return rate > 0 ? (samples + estimate_evaluated(su, n, samples)) / rate : (double)NAN;
}

/* What the spec says that its scale takes, where the settings are its own; or NULL. */
static const char *declared_time(const struct plan *p)
{
	const cJSON *scales = json_get(p->spec.json, "scales");
	const cJSON *scale = json_get(scales, p->spec.scale);

	if (p->changes.settings || p->changes.data)
		return NULL;
	return json_string(scale, "time");
}

struct estimate plan_estimate(const struct plan *p, int jobs, int threads)
{
	struct estimate e = { 0 };
	struct previous previous = { 0 };
	double most = 0;

	if (plan_count(p, RUN_TODO))
		previous_read(&previous, p);
	for (size_t i = 0; i < p->n; i++) {
		const struct planned *r = &p->runs[i];
		double seconds;

		if (r->state != RUN_TODO || r->same_as != i)
			continue;
		seconds = seconds_of(&r->su, &previous, threads, &e);
		e.known += !isnan(seconds);
		e.unknown += isnan(seconds);
		/* What computes shares the cores already, whatever the jobs. */
		if (!isnan(seconds))
			e.seconds += setup_needs_data(&r->su) && r->su.in.engine == ENGINE_SIM ?
					     seconds : seconds / jobs;
		most = fmax(most, estimate_memory(&r->su, threads));
	}
	e.bytes = most * jobs;
	e.declared = e.unknown ? declared_time(p) : NULL;
	e.results = previous_used(&previous);
	previous_release(&previous);
	return e;
}

void estimate_add(struct estimate *e, const struct estimate *next)
{
	e->declared = e->known + e->unknown ? NULL : next->declared;
	e->seconds += next->seconds;
	e->known += next->known;
	e->unknown += next->unknown;
	e->results += next->results;
	e->nets += next->nets;
	e->bytes = fmax(e->bytes, next->bytes);
}

static char *span_text(double s)
{
	if (s < 90)
		return xasprintf("about %.0f s", ceil(s));
	if (s < 5400)
		return xasprintf("about %.0f min", s / 60);
	if (s < 72 * 3600)
		return xasprintf("about %.1f h", s / 3600);
	return xasprintf("about %.0f days", s / 86400);
}

static char *source_text(const struct estimate *e)
{
	const char *s = word_plural((double)e->results);

	if (e->results && e->nets)
		return xasprintf(" (from %zu result%s and rates measured now)", e->results, s);
	if (e->results)
		return xasprintf(" (from %zu result%s)", e->results, s);
	return xstrdup(e->nets ? " (from the net's rate, measured now)" : "");
}

/* Of the runs that no rate is known of. */
static char *rest_text(const struct estimate *e)
{
	const char *joint = e->known ? ", " : "";

	if (!e->unknown)
		return xstrdup("");
	if (!e->declared)
		return xasprintf("%stime of %zu run%s unknown", joint, e->unknown,
				 word_plural((double)e->unknown));
	return xasprintf("%stime of %zu run%s not measured; the spec says of all: %s", joint,
			 e->unknown, word_plural((double)e->unknown), e->declared);
}

char *estimate_text(const struct estimate *e)
{
	char *span = span_text(e->seconds), *from = source_text(e), *rest = rest_text(e);
	char *memory, *all;

	memory = e->bytes > 0 ? xasprintf(", memory about %.*f GB", e->bytes < 1e10 ? 2 : 0,
					  e->bytes / 1e9) : xstrdup("");
	all = e->known + e->unknown ? xasprintf("%s%s%s%s", e->known ? span : "",
						e->known ? from : "", rest, memory) : NULL;
	free(span);
	free(from);
	free(rest);
	free(memory);
	return all;
}

cJSON *estimate_json(const struct estimate *e)
{
	cJSON *json = cJSON_CreateObject();

	cJSON_AddItemToObject(json, "seconds", e->known || !e->unknown ?
						       cJSON_CreateNumber(e->seconds) :
						       cJSON_CreateNull());
	cJSON_AddNumberToObject(json, "known_runs", (double)e->known);
	cJSON_AddNumberToObject(json, "unknown_runs", (double)e->unknown);
	cJSON_AddNumberToObject(json, "results", (double)e->results);
	json_add_text(json, "declared", e->declared);
	cJSON_AddItemToObject(json, "memory_bytes", e->bytes > 0 ? cJSON_CreateNumber(e->bytes) :
								   cJSON_CreateNull());
	return json;
}
