/* Chooses the claim whose next look is likely to decide for its time, adds its seeds, looks. */
#include "study/decide.h"

#include "core/base/clock.h"
#include "core/base/cores.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/output.h"
#include "core/text/word.h"
#include "plan/tuning.h"
#include "report/claims/contrast.h"
#include "report/claims/looks.h"
#include "runner/signals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FUTILE 0.10             /* a claim with less power at its last look is closed */

/* ---- groups of runs that differ in the seed alone ---- */

struct group {
	size_t run;             /* its first run in the plan */
	int64_t *seed;          /* [n] those that the plan has; owned */
	size_t n;
	double wall_s;          /* mean of a finished run; NaN: none is */
};

struct groups {
	struct group *v;        /* [n] */
	size_t n;
};

static void groups_release(struct groups *all)
{
	for (size_t i = 0; i < all->n; i++)
		free(all->v[i].seed);
	free(all->v);
	*all = (struct groups){ 0 };
}

static bool runs_alike(const struct planned *a, const struct planned *b)
{
	return points_equal_but(&a->point, &b->point, "seed");
}

static struct group group_read(const struct deciding *d, size_t run)
{
	const struct plan *p = d->plan;
	struct group g = { .run = run, .seed = xcalloc(p->n + 1, sizeof(*g.seed)) };
	double sum = 0;
	int known = 0;

	for (size_t i = 0; i < p->n - p->nbaselines; i++) {
		const struct result *r;
		double wall;

		if (!runs_alike(&p->runs[i], &p->runs[run]))
			continue;
		g.seed[g.n++] = p->runs[i].su.in.seed;
		r = results_find(&d->outcome.runs, p->runs[i].su.hash);
		wall = r ? r->number[MEASURE_WALL] : (double)NAN;
		sum += isnan(wall) ? 0 : wall;
		known += !isnan(wall);
	}
	g.wall_s = known ? sum / known : (double)NAN;
	return g;
}

/* Adds the group of each run with that hash, once; points that make no difference share it. */
static void groups_add_hash(struct groups *all, const struct deciding *d, const char *hash)
{
	const struct plan *p = d->plan;

	for (size_t i = 0; i < p->n - p->nbaselines; i++) {
		bool known = strcmp(p->runs[i].su.hash, hash) != 0;

		for (size_t k = 0; k < all->n && !known; k++)
			known = runs_alike(&p->runs[all->v[k].run], &p->runs[i]);
		if (known)
			continue;
		all->v = xrealloc(all->v, all->n + 1, sizeof(*all->v));
		all->v[all->n++] = group_read(d, i);
	}
}

/* The groups that a verdict compares. */
static struct groups groups_of(const struct deciding *d, const struct verdict *v)
{
	struct groups all = { 0 };
	size_t n;
	struct claim_contrast *c = contrasts_of(v->interval, &n);
	const cJSON *hash;

	for (size_t i = 0; i < n; i++)
		for (int side = 0; side < 2 && contrast_varies(&c[i]); side++)
			cJSON_ArrayForEach(hash, c[i].side[side].runs)
				if (cJSON_IsString(hash))
					groups_add_hash(&all, d, hash->valuestring);
	free(c);
	return all;
}

static bool group_has_seed(const struct group *g, int64_t seed)
{
	for (size_t i = 0; i < g->n; i++)
		if (g->seed[i] == seed)
			return true;
	return false;
}

/*
 * The seeds that a group lacks for a look: the smallest from the claim's smallest one on, so that
 * all its groups get the same. The caller frees.
 */
static int64_t *seeds_to_add(const struct groups *all, const struct group *g, int seeds, size_t *n)
{
	int64_t *list = xcalloc((size_t)seeds + 1, sizeof(*list)), next = INT64_MAX;

	*n = 0;
	for (size_t i = 0; i < all->n; i++)
		for (size_t k = 0; k < all->v[i].n; k++)
			next = all->v[i].seed[k] < next ? all->v[i].seed[k] : next;
	for (; g->n + *n < (size_t)seeds; next++)
		if (!group_has_seed(g, next))
			list[(*n)++] = next;
	return list;
}

/* ---- the next look ---- */

struct move {                   /* a look that could be made */
	struct deciding *of;
	size_t claim;
	int seeds;              /* of each group */
	size_t runs;            /* to make */
	double seconds;         /* that they take; NaN: not known */
	double power;           /* probability that it decides */
};

/* Runs of these experiments at once, as plan_run() will choose. */
static double at_once(const struct deciding *d, const struct decide_conf *c)
{
	bool timing = true;

	for (size_t i = 0; i < d->plan->n; i++)
		timing = timing && d->plan->runs[i].su.in.timing;
	return c->pool.jobs ? c->pool.jobs : timing ? cores_allowed() : 1;
}

/* Counts runs and their time for a look at so many seeds. */
static void move_count(struct move *m, const struct decide_conf *c, int seeds)
{
	struct groups all = groups_of(m->of, &m->of->outcome.claims->v[m->claim]);

	m->seeds = seeds;
	m->runs = 0;
	m->seconds = 0;
	for (size_t i = 0; i < all.n; i++) {
		const struct group *g = &all.v[i];
		const size_t n = g->n < (size_t)seeds ? (size_t)seeds - g->n : 0;

		m->runs += n;
		m->seconds += (double)n * g->wall_s / at_once(m->of, c);
	}
	groups_release(&all);
}

char *decide_time_text(double t)
{
	char *text = isnan(t) ? NULL : word_duration(t);
	char *all = text ? xasprintf(", about %s", text) : xstrdup("");

	free(text);
	return all;
}

static void claim_close(struct deciding *d, const struct verdict *v, const char *why)
{
	struct looks_claim *c = looks_find(d->plan->looks, &v->of);

	if (!c || c->closed)
		return;
	c->closed = xstrdup(why);
	free(v->looks->closed);
	v->looks->closed = xstrdup(why);
	looks_write(d->plan->looks, d->plan->dir);
}

/* Whether a verdict waits for a look of its plan. */
static bool is_waiting(const struct verdict *v)
{
	const struct claim_looks *l = v->looks;

	return l && v->word && !strcmp(v->word, "undecided") && !claim_looks_decided(l) &&
	       !l->closed && l->n < l->plan.n;
}

/* The last look of the plan with at most so many seeds; -1: all have more. */
static int last_look(const struct claim_looks *l, int most)
{
	int k = -1;

	for (int i = 0; i < l->plan.n; i++)
		if (l->plan.seeds[i] <= most)
			k = i;
	return k;
}

/* Power at the plan's last look with at most so many seeds; 1 before the deviations are known. */
static double power_until(const struct verdict *v, int most)
{
	const struct claim_looks *l = v->looks;
	const int last = last_look(l, most);

	if (last < l->n)
		return 0;
	return l->n == 0 ? 1 : contrasts_power(v->interval, l->plan.seeds[last],
					       claim_looks_level(l, last));
}

/* False where the claim's next look is not to be made; closes it where it never will be. */
static bool move_find(struct move *m, struct deciding *d, size_t claim,
		      const struct decide_conf *c)
{
	const struct verdict *v = &d->outcome.claims->v[claim];
	const struct claim_looks *l = v->looks;

	if (!is_waiting(v) || l->plan.seeds[l->n] > c->most)
		return false;
	*m = (struct move){ .of = d, .claim = claim };
	if (power_until(v, d->plan->looks->most) < FUTILE) {
		claim_close(d, v, "the largest number of seeds is not expected to decide it");
		return false;
	}
	if (power_until(v, c->most) < FUTILE)
		return false;
	move_count(m, c, l->plan.seeds[l->n]);
	if (!m->runs) {
		claim_close(d, v, "its filter takes no further seeds");
		return false;
	}
	m->power = l->n == 0 ? 0.5 : contrasts_power(v->interval, m->seeds,
						     claim_looks_level(l, l->n));
	return true;
}

/* Probability to be decided for a second; a look that rarely decides is a step to later ones. */
static double move_worth(const struct move *m)
{
	const double seconds = isnan(m->seconds) ? (double)m->runs : m->seconds;

	return (m->power + 0.01) / (seconds + 0.01);
}

static bool move_choose(struct move *best, struct deciding *d, size_t n,
			const struct decide_conf *c)
{
	struct move m = { 0 };
	bool any = false;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; d[i].read && k < d[i].outcome.claims->n; k++)
			if (move_find(&m, &d[i], k, c) &&
			    (!any || move_worth(&m) > move_worth(best))) {
				*best = m;
				any = true;
			}
	return any;
}

/* ---- an experiment ---- */

/*
 * looked[i] <- whether the claim was judged before: claims.json of the plan's folder has a verdict
 * on it, or does not have the claim, which then is newer than the runs.
 */
static int looked_read(const struct plan *p, const struct verdicts *all, bool *looked)
{
	char *path = xasprintf("%s/claims.json", p->dir);
	const bool there = access(path, F_OK) == 0;
	cJSON *json = there ? json_load(path) : NULL;
	const cJSON *former;

	for (size_t i = 0; i < all->n && json; i++) {
		looked[i] = true;
		cJSON_ArrayForEach(former, json) {
			const char *word = json_word(former, "verdict");

			if (!strcmp(json_word(former, "says"), all->v[i].of.says))
				looked[i] = *word && strcmp(word, "not evaluated") != 0;
		}
	}
	free(path);
	if (there && !json)
		return -1;
	cJSON_Delete(json);
	return 0;
}

static int decide_read(struct deciding *d)
{
	d->read = (d->read ? outcome_read_again(&d->outcome, d->plan) :
			     outcome_read(&d->outcome, d->plan)) == 0;
	if (!d->read)
		outcome_release(&d->outcome);
	return d->read ? 0 : -1;
}

/* Notes which claims wait for a look at the beginning. */
static void note_waiting(struct deciding *d)
{
	d->waited = xcalloc(d->outcome.claims->n + 1, sizeof(*d->waited));
	for (size_t i = 0; i < d->outcome.claims->n; i++) {
		d->waited[i] = is_waiting(&d->outcome.claims->v[i]);
		d->open += d->waited[i];
	}
}

int decide_begin(struct deciding *d, struct plan *plan, const struct decide_conf *c, bool dry)
{
	struct verdicts *all = verdicts_new(json_get(plan->spec.json, "claims"));
	bool *looked = xcalloc(all->n + 1, sizeof(*looked)), any = false;
	int ret;

	*d = (struct deciding){ .plan = plan };
	ret = point_text(&plan->set, "seed") ?
		      error("%s: the looks choose the seeds. Leave out the setting seed",
			    plan->spec.name) :
		      looked_read(plan, all, looked);
	if (ret == 0 && plan->looks && plan->looks->most < c->most)
		ret = error("%s: the looks were planned up to %d seeds on %s, with levels for as "
			    "many; --max-seeds %d would be more. Give at most %d, or another "
			    "--out", plan->spec.name, plan->looks->most, plan->looks->since,
			    c->most, plan->looks->most);
	if (ret == 0) {
		plan->looks = plan->looks ? plan->looks : looks_new(c->most);
		looks_add_claims(plan->looks, all, looked);
		ret = decide_read(d);
	}
	for (size_t i = 0; ret == 0 && i < d->outcome.claims->n; i++)
		any = any || d->outcome.claims->v[i].looks;
	if (any && !dry)
		ret = looks_write(plan->looks, plan->dir);
	if (ret == 0)
		note_waiting(d);
	free(looked);
	verdicts_free(all);
	return ret;
}

void decide_end(struct deciding *d)
{
	if (d->read)
		outcome_release(&d->outcome);
	free(d->waited);
	*d = (struct deciding){ 0 };
}

size_t decide_bound(const struct plan *p, int most)
{
	const size_t n = p->n - p->nbaselines;
	size_t runs = 0;

	for (size_t i = 0; i < n; i++) {
		size_t before = 0, seeds = 0;

		for (size_t k = 0; k < n; k++)
			if (runs_alike(&p->runs[i], &p->runs[k])) {
				before += k < i;
				seeds++;
			}
		if (!before && seeds < (size_t)most)
			runs += (size_t)most - seeds;
	}
	return runs;
}

struct decide_forecast decide_forecast(const struct deciding *d, const struct decide_conf *c)
{
	struct decide_forecast f = { 0 };

	for (size_t i = 0; i < d->outcome.claims->n; i++) {
		const struct verdict *v = &d->outcome.claims->v[i];
		struct move m = { .of = (struct deciding *)(uintptr_t)d, .claim = i };
		const int last = is_waiting(v) ? last_look(v->looks, c->most) : -1;
		double open = 1;
		size_t before = 0;

		if (last < 0 || last < v->looks->n ||
		    power_until(v, d->plan->looks->most) < FUTILE)
			continue;
		for (int k = v->looks->n; k <= last; k++) {
			const double power = v->looks->n == 0 ? 0.5 :
				contrasts_power(v->interval, v->looks->plan.seeds[k],
						claim_looks_level(v->looks, k));

			move_count(&m, c, v->looks->plan.seeds[k]);
			f.expected += open * (double)(m.runs - before);
			open = 1 - power < open ? 1 - power : open;
			before = m.runs;
		}
		f.runs += m.runs;
		f.seconds += m.seconds;
		f.claims++;
	}
	return f;
}

/* ---- looks ---- */

/* Adds the seeds of a look to looks.json and to the plan. 0 or error(). */
static int move_add_seeds(const struct move *m)
{
	struct deciding *d = m->of;
	struct looks *looks = d->plan->looks;
	struct groups all = groups_of(d, &d->outcome.claims->v[m->claim]);
	int ret;

	for (size_t i = 0; i < all.n; i++) {
		cJSON *point = point_json(&d->plan->runs[all.v[i].run].point);
		struct looks_group *g = looks_group(looks, point, true);
		size_t n;
		int64_t *seeds = seeds_to_add(&all, &all.v[i], m->seeds, &n);

		g->seed = xrealloc(g->seed, g->n + n + 1, sizeof(*g->seed));
		memcpy(g->seed + g->n, seeds, n * sizeof(*seeds));
		g->n += n;
		free(seeds);
		cJSON_Delete(point);
	}
	groups_release(&all);
	ret = looks_write(looks, d->plan->dir);
	return ret < 0 ? -1 : plan_extend(d->plan);
}

static void move_say(const struct move *m)
{
	const struct verdict *v = &m->of->outcome.claims->v[m->claim];
	char *time = decide_time_text(m->seconds);

	note("deciding \"%s\": look %d of %d, %d seeds, %zu more run%s%s", v->of.says,
	     v->looks->n + 1, v->looks->plan.n, m->seeds, m->runs, word_plural((double)m->runs),
	     time);
	free(time);
}

/*
 * Makes the runs of a look, and judges; seeds that the budget leaves out are added no more. An exit
 * code as plan_run().
 */
static int move_make(const struct move *m, const struct decide_conf *c, double until_s)
{
	struct deciding *d = m->of;
	struct pool_conf pool = c->pool;
	const size_t before = plan_count(d->plan, RUN_FINISHED);
	int code;

	if (!c->pool.quiet)
		move_say(m);
	if (move_add_seeds(m) < 0)
		return output_code(EXIT_BAD);
	pool.unannounced = true;
	pool.again = false;
	pool.until_s = until_s;
	code = plan_run(d->plan, &pool);
	d->runs += plan_count(d->plan, RUN_FINISHED) - before;
	if (code == EXIT_OK && plan_left(d->plan)) {
		plan_drop_added(d->plan);
		if (looks_write(d->plan->looks, d->plan->dir) < 0)
			return output_code(EXIT_BAD);
	}
	if (code != EXIT_OK)
		return code;
	return decide_read(d) < 0 || plan_count(d->plan, RUN_FAILED) ? EXIT_BAD : EXIT_OK;
}

/* Counts what became of the claims that waited for a look. */
static void deciding_count(struct deciding *d)
{
	for (size_t i = 0; d->read && i < d->outcome.claims->n; i++) {
		const struct claim_looks *l = d->outcome.claims->v[i].looks;

		d->closed += d->waited[i] && l && l->closed;
		d->decided += d->waited[i] && l && claim_looks_decided(l);
	}
}

int decide_run(struct deciding *d, size_t n, const struct decide_conf *c)
{
	const double until_s = isfinite(c->budget_s) ? clock_s() + c->budget_s : 0;
	int code = EXIT_OK;
	struct move m = { 0 };

	while (code == EXIT_OK && !signal_caught && move_choose(&m, d, n, c)) {
		if (until_s > 0 && clock_s() >= until_s) {
			note("the budget is spent: no more looks are made");
			break;
		}
		code = move_make(&m, c, until_s);
	}
	for (size_t i = 0; i < n; i++)
		deciding_count(&d[i]);
	return signal_caught ? signals_exit_code() : code;
}
