/* The runs that speedups are relative to. */
#include "core/base/hash.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/text/opt_text.h"
#include "plan/plan.h"

#include <stdlib.h>
#include <string.h>

/*
 * What slows a run, or speeds its server up, is no part of what it is measured by, unless the
 * spec's baseline says so.
 */
static void leave_out_machines(cJSON *point)
{
	static const char *const keys[] = { "slow", "faults", "recovery", "shares", "shards" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (!cJSON_HasObjectItem(point, keys[i]))
			cJSON_AddStringToObject(point, keys[i],
						opt_find(settings_opts, keys[i])->def);
}

/* A worker's mean seconds for a minibatch in runs of that seed. */
static double worker_seconds(const struct setup *su, uint64_t seed, int rank)
{
	const struct delays *d = su->sim.pace.delays;
	const double seconds = su->times.n
		? compute_times_seconds(&su->times, rank, (double)su->in.batch)
		: su->num.compute_s;

	return d ? seconds * delays_mean(d, seed, rank) : seconds;
}

/* The first of the workers that nothing is quicker than. */
static int quickest_worker(const struct setup *su, uint64_t seed)
{
	int quickest = 0;
	double least = worker_seconds(su, seed, 0);

	for (int w = 1; w < su->num.workers; w++) {
		const double seconds = worker_seconds(su, seed, w);

		if (seconds < least) {
			quickest = w;
			least = seconds;
		}
	}
	return quickest;
}

/* That of the point's runs. */
static uint64_t point_seed(const cJSON *point, const struct setup *su)
{
	char *text = json_text(json_get(point, "seed"));
	int64_t seed = su->in.seed;

	if (text)
		text_int(text, &seed);
	free(text);
	return (uint64_t)seed;
}

/*
 * One worker alone would be worker 0, which clauses, a log or a draw may have made the slow one:
 * the baseline of that run has what they give the quickest worker.
 */
static void take_quickest(struct plan *p, cJSON *point, const struct setup *su, bool compute,
			  bool delay)
{
	const struct delays *d = su->sim.pace.delays;
	const bool times = compute && su->times.n > 1, delays = delay && d && delays_differ(d);
	const uint64_t seed = point_seed(point, su);
	const int quickest = times || delays ? quickest_worker(su, seed) : 0;

	if (times)
		json_set_owned(point, "compute_s",
			       compute_times_format_worker(&su->times, quickest));
	if (delays)
		json_set_owned(point, "delay", delays_format_worker(d, seed, quickest));
	p->quick_compute_s |= times;
	p->quick_delay |= delays;
}

char *plan_baseline_text(const struct plan *p)
{
	const bool compute = p->quick_compute_s, delay = p->quick_delay;

	if (!compute && !delay)
		return NULL;
	return xasprintf("Speedups are relative to the quickest worker alone: workers differ by "
			 "%s%s%s.", compute ? "compute_s" : "", compute && delay ? " and " : "",
			 delay ? "delay" : "");
}

uint64_t plan_point_digest(const cJSON *point)
{
	uint64_t digest = 0;
	const cJSON *value;

	cJSON_ArrayForEach(value, point) {
		char *text = json_text(value);

		digest += fnv(fnv(FNV_START, value->string, strlen(value->string)), text,
			   strlen(text));
		free(text);
	}
	return digest;
}

size_t plan_baseline_at(struct plan *p, size_t first, cJSON *point, bool muted)
{
	const uint64_t digest = plan_point_digest(point);

	for (size_t i = first; i < p->n; i++)
		if (p->runs[i].digest == digest && cJSON_Compare(p->runs[i].point, point, true)) {
			cJSON_Delete(point);
			return i;
		}
	return plan_add(p, point, muted) == 0 ? p->n - 1 : PLAN_NONE;
}

/* What one worker alone does not have, and what only changes the model: the run is timing-only. */
static bool baseline_leaves_out(const char *key)
{
	static const char *const all[] = {
		"algo", "graph", "workers", "slow", "shares", "shards", "sim_in_flight", "zero",
		"faults", "recovery", "codec",
		"measures", "lr", "lr_scaling", "lr_batch", "schedule", "warmup", "warmup_from",
		"optim", "eval_every",
		"eval_samples", "stat_batches", "train_every", "backend", "precision", "lowering",
		"partitions", "fusion", "timing"
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (strcmp(all[i], key) == 0)
			return true;
	return false;
}

cJSON *plan_baseline_alone(struct plan *p, const struct planned *r)
{
	const cJSON *point = r->point;
	cJSON *alone = cJSON_CreateObject();
	const cJSON *value;

	cJSON_ArrayForEach(value, point)
		if (!baseline_leaves_out(value->string))
			cJSON_AddItemToObject(alone, value->string, cJSON_Duplicate(value, true));
	cJSON_ArrayForEach(value, p->spec.base)
		if (baseline_leaves_out(value->string))
			cJSON_AddStringToObject(alone, value->string,
						opt_find(settings_opts, value->string)->def);
	json_set_text(alone, "workers", "1");
	json_set_text(alone, "timing", "true");
	take_quickest(p, alone, &r->su, true, true);
	return alone;
}

/* Whether the spec's baseline has a setting as the run has it: neither says its own. */
static bool is_shared(const struct plan *p, const struct planned *r, const char *key)
{
	return !json_get(p->spec.baseline, key) &&
	       (!json_get(r->point, key) || json_get(p->swept, key));
}

/* The spec's baseline, with the values that a run has of what the command line sweeps. */
static cJSON *point_for(struct plan *p, const struct planned *r)
{
	const cJSON *seeds = json_get(p->spec.grid->child, "seed"), *list;
	cJSON *point = cJSON_Duplicate(p->spec.baseline, true);

	if (seeds && !json_get(point, "seed"))
		cJSON_AddItemToObject(point, "seed", cJSON_Duplicate(seeds->child, true));
	leave_out_machines(point);
	cJSON_ArrayForEach(list, p->swept) {
		const cJSON *own = json_get(r->point, list->string);

		if (!json_get(point, list->string))
			cJSON_AddItemToObject(point, list->string, cJSON_Duplicate(own, true));
	}
	take_quickest(p, point, &r->su, is_shared(p, r, "compute_s"), is_shared(p, r, "delay"));
	return point;
}

int plan_add_baselines(struct plan *p)
{
	const size_t n = p->n;
	const bool several = p->swept && p->swept->child;

	if (!p->spec.baseline)
		return 0;
	for (size_t i = 0; i < n; i++) {
		const size_t at = plan_baseline_at(p, n, point_for(p, &p->runs[i]), several);

		p->runs[i].baseline = at;
		if (at == PLAN_NONE && !several)
			return -1;
	}
	p->nbaselines = p->n - n;
	return 0;
}
