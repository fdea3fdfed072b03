/* The runs that speedups are relative to. */
#include "core/base/mem.h"
#include "core/text/opt_text.h"
#include "plan/plan.h"

#include <stdlib.h>
#include <string.h>

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

/*
 * One worker alone would be worker 0, which clauses, a log or a draw may have made the slow one:
 * the baseline of that run has what they give the quickest worker.
 */
static void take_quickest(struct plan *p, struct grid_point *point, const struct setup *su,
			  bool compute, bool delay)
{
	const struct delays *d = su->sim.pace.delays;
	const bool times = compute && su->times.n > 1, delays = delay && d && delays_differ(d);
	const char *text = point_text(point, "seed");
	int64_t seed = su->in.seed;
	int quickest = 0;

	if (text)
		text_int(text, &seed);
	if (times || delays)
		quickest = quickest_worker(su, (uint64_t)seed);
	if (times)
		point_put_last(point, "compute_s",
			       compute_times_format_worker(&su->times, quickest));
	if (delays)
		point_put_last(point, "delay", delays_format_worker(d, (uint64_t)seed, quickest));
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

/*
 * The run from `first` on that is at that point, or a new one; takes the point. PLAN_NONE where it
 * cannot be resolved, without an error() where `muted`.
 */
static size_t baseline_at(struct plan *p, size_t first, struct grid_point point, bool muted)
{
	const uint64_t digest = point_digest(&point);

	for (size_t i = first; i < p->n; i++)
		if (p->runs[i].digest == digest && points_equal(&p->runs[i].point, &point)) {
			point_release(&point);
			return i;
		}
	return plan_add(p, point, (struct grid_point){ 0 }, muted) == 0 ? p->n - 1 : PLAN_NONE;
}

static void point_put_default(struct grid_point *point, const struct opt *o)
{
	point_put_last(point, o->name, xstrdup(o->def));
}

/* The settings under which one worker alone makes the epoch of a run, timing only. */
static struct grid_point point_alone(struct plan *p, const struct planned *r)
{
	struct grid_point alone = { 0 };

	for (size_t i = 0; i < r->point.n; i++)
		if (!setting_facts(opt_find(settings_opts, r->point.v[i].key))->not_alone)
			point_put(&alone, r->point.v[i].key, r->point.v[i].value);
	for (size_t i = 0; i < p->spec.base.n; i++) {
		const struct opt *o = opt_find(settings_opts, p->spec.base.v[i].key);

		if (setting_facts(o)->not_alone)
			point_put_default(&alone, o);
	}
	point_put_last(&alone, "workers", xstrdup("1"));
	point_put_last(&alone, "timing", xstrdup("true"));
	take_quickest(p, &alone, &r->su, true, true);
	return alone;
}

/* Whether the spec's baseline has a setting as the run has it: neither says its own. */
static bool is_shared(const struct plan *p, const struct planned *r, const char *key)
{
	return !point_value(&p->spec.baseline, key) &&
	       (!point_value(&r->point, key) || product_values(&p->swept, key));
}

/* The spec's baseline, with the values that a run has of what the command line sweeps. */
static struct grid_point point_for(struct plan *p, const struct planned *r)
{
	const struct value_list *seeds = product_values(&p->spec.grid.v[0], "seed");
	struct grid_point point = point_copy(&p->spec.baseline);
	const struct opt *o;

	if (seeds && !point_value(&point, "seed"))
		point_put(&point, "seed", seeds->v[0]);
	for (int i = 1; (o = SETTING_WITH(baseline, i)); i++)
		if (!point_value(&point, o->name))
			point_put_default(&point, o);
	for (size_t i = 0; i < p->swept.n; i++) {
		const char *key = p->swept.v[i].key;

		if (!point_value(&point, key))
			point_put(&point, key, *point_value(&r->point, key));
	}
	take_quickest(p, &point, &r->su, is_shared(p, r, "compute_s"), is_shared(p, r, "delay"));
	return point;
}

int plan_add_baselines(struct plan *p)
{
	const size_t n = p->n;
	const bool several = p->swept.n > 0;

	if (!p->spec.has_baseline)
		return 0;
	for (size_t i = 0; i < n; i++) {
		const size_t at = baseline_at(p, n, point_for(p, &p->runs[i]), several);

		p->runs[i].baseline = at;
		if (at == PLAN_NONE && !several)
			return -1;
	}
	p->nbaselines = p->n - n;
	return 0;
}

void plan_add_baselines_alone(struct plan *p)
{
	const size_t n = p->n;

	for (size_t i = 0; i < n; i++) {
		const size_t at = baseline_at(p, n, point_alone(p, &p->runs[i]), true);

		p->runs[i].baseline = at;
	}
	p->nbaselines = p->n - n;
}
