/* Chooses the claim whose next look is likely to decide for its time, adds its seeds, looks. */
#include "study/decide.h"

#include "core/base/clock.h"
#include "core/base/cores.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/output.h"
#include "core/text/word.h"
#include "report/claims/contrast.h"
#include "report/claims/looks.h"
#include "runner/results/folder.h"
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

	for (size_t i = 0; i < plan_own_runs(p); i++) {
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

/* Adds the run's group, once. */
static void groups_add(struct groups *all, const struct deciding *d, size_t run)
{
	for (size_t k = 0; k < all->n; k++)
		if (runs_alike(&d->plan->runs[all->v[k].run], &d->plan->runs[run]))
			return;
	APPEND(all->v, all->n) = group_read(d, run);
}

/* Adds the group of each run with that hash; points that make no difference share it. */
static void groups_add_hash(struct groups *all, const struct deciding *d, const char *hash)
{
	for (size_t i = 0; i < plan_own_runs(d->plan); i++)
		if (!strcmp(d->plan->runs[i].su.hash, hash))
			groups_add(all, d, i);
}

/* The groups that a verdict compares, and those that its filter is known to read too. */
static struct groups groups_of(const struct deciding *d, const struct verdict *v)
{
	struct groups all = { 0 };
	const struct claim_contrast *c;

	for (size_t k = 0; (c = contrast_at(v->contrast, k)); k++)
		for (int side = 0; side < 2 && contrast_varies(c); side++)
			for (size_t i = 0; i < c->side[side].runs.n; i++)
				groups_add_hash(&all, d, c->side[side].runs.v[i]);
	for (size_t i = 0; i < d->nreads; i++)
		if (&d->outcome.claims->v[d->reads[i].claim] == v)
			groups_add(&all, d, d->reads[i].run);
	return all;
}

/* Whether it compares the group of that first run. */
static bool verdict_has_group(const struct deciding *d, const struct verdict *v, size_t run)
{
	scoped_by(groups_release) struct groups all = groups_of(d, v);
	bool has = false;

	for (size_t i = 0; i < all.n; i++)
		has = has || all.v[i].run == run;
	return has;
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

/* ---- looks.json, which other processes may change too ---- */

/* The first run of a run's group. */
static size_t group_first(const struct plan *p, size_t run)
{
	size_t i = 0;

	while (i < run && !runs_alike(&p->runs[i], &p->runs[run]))
		i++;
	return i;
}

/*
 * Takes over what other processes have added to looks.json, makes the change (NULL: none) and
 * writes the file, while no other process does. 0 or error(); -1 without one after a signal.
 */
static int looks_edit(struct deciding *d, int (*change)(struct deciding *d, void *arg), void *arg)
{
	scoped char *path = xasprintf("%s/" LOOKS_FILE, d->plan->dir);
	struct result_lock lock = result_lock(path);
	struct looks *file = NULL;
	int ret = !lock.lease && signal_caught ? -1 : looks_load(&file, d->plan->dir);

	if (ret == 0 && file && looks_merge(d->plan->looks, file))
		d->outdated = true;
	if (ret == 0 && change)
		ret = change(d, arg);
	if (ret == 0)
		ret = looks_write(d->plan->looks, d->plan->dir);
	result_unlock(&lock);
	looks_free(file);
	return ret;
}

/* Whether a process makes the run. */
static bool run_is_being_made(const struct planned *r)
{
	scoped char *path = lease_path(r->path);
	struct lease_watch *watch = lease_watch_new();
	struct lease_owner owner;
	const bool made = lease_read(path, &owner) &&
			  !lease_owner_has_ended(path, &owner, watch);

	lease_watch_free(watch);
	return made;
}

static bool run_is_dropped(const struct planned *r)
{
	return r->state != RUN_FINISHED && !result_finished(r->path, r->su.hash) &&
	       !run_is_being_made(r);
}

/* Seeds without a result are added no more. */
static int looks_drop_unmade(struct deciding *d, void *unused)
{
	(void)unused;
	plan_drop_added(d->plan, run_is_dropped);
	return 0;
}

/* ---- the next look ---- */

struct move {                   /* a look that could be made */
	struct deciding *of;
	size_t claim;
	int seeds;              /* of each group */
	size_t runs;            /* to make */
	double seconds;         /* that they take; NaN: not known */
	double power;           /* probability that it decides */
	bool failed;            /* a run of a group that lacks seeds has */
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
	scoped_by(groups_release) struct groups all =
		groups_of(m->of, &m->of->outcome.claims->v[m->claim]);

	m->seeds = seeds;
	m->runs = 0;
	m->seconds = 0;
	m->failed = false;
	for (size_t i = 0; i < all.n; i++) {
		const struct group *g = &all.v[i];
		const size_t n = g->n < (size_t)seeds ? (size_t)seeds - g->n : 0;

		m->runs += n;
		m->seconds += n ? (double)n * g->wall_s / at_once(m->of, c) : 0;
		m->failed = m->failed || (n && m->of->failed[g->run]);
	}
}

/*
 * Finds the groups that the claim's filter reads without comparing them, as one that it subtracts
 * seed by seed, and that lack seeds for the look. True where there are some.
 */
static bool move_find_reads(const struct move *m)
{
	struct deciding *d = m->of;
	const struct plan *p = d->plan;
	const size_t before = d->nreads;

	for (size_t i = 0; i < plan_own_runs(p); i++) {
		struct group g;
		cJSON *point;

		if (group_first(p, i) != i)
			continue;
		g = group_read(d, i);
		point = point_json(&p->runs[i].point);
		if (g.n < (size_t)m->seeds &&
		    looks_claim_reads(p->spec.json, &d->outcome.runs, p->spec.scale, p->looks,
				      m->claim, point)) {
			d->reads = xgrown(d->reads, d->nreads, sizeof(*d->reads));
			d->reads[d->nreads++] = (struct read_group){ m->claim, i };
		}
		cJSON_Delete(point);
		free(g.seed);
	}
	return d->nreads > before;
}

char *decide_time_text(double t)
{
	scoped char *text = isnan(t) ? NULL : word_duration(t);

	return text ? xasprintf(", about %s", text) : xstrdup("");
}

static bool is_undecided(const struct verdict *v)
{
	return v->word && !v->error && !strcmp(v->word, "undecided");
}

/* Whether a verdict waits for a look of its plan. */
static bool is_waiting(const struct verdict *v)
{
	const struct claim_looks *l = v->looks;

	return l && is_undecided(v) && !claim_looks_decided(l) && !l->closed && l->n < l->plan.n &&
	       !contrasts_hopeless(v->contrast);
}

/* A claim that gets no more seeds. */
static void claim_close(struct deciding *d, const struct verdict *v, const char *why, bool quiet)
{
	struct looks_claim *c = looks_find(d->plan->looks, &v->of);

	if (!c || v->looks->closed)
		return;
	free_all(c->closed, c->closed_by);
	c->closed = xstrdup(why);
	c->closed_by = xstrdup(v->looks->runs);
	v->looks->closed = xstrdup(why);
	if (!quiet)
		note("\"%s\" gets no more seeds: %s", v->of.says, why);
	if (looks_edit(d, NULL, NULL) < 0)
		d->ended = true;
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
	return l->n == 0 ? 1 : contrasts_power(v->contrast, l->plan.seeds[last],
					       claim_looks_level(l, last));
}

/* False where the claim's next look is not to be made; closes it where it never will be. */
static bool move_find(struct move *m, struct deciding *d, size_t claim,
		      const struct decide_conf *c)
{
	const struct verdict *v = &d->outcome.claims->v[claim];
	const struct claim_looks *l = v->looks;

	if (d->ended || !is_waiting(v) || l->plan.seeds[l->n] > d->most)
		return false;
	*m = (struct move){ .of = d, .claim = claim };
	if (power_until(v, d->plan->looks->most) < FUTILE) {
		claim_close(d, v, "the largest number of seeds is not expected to decide it",
			    c->pool.quiet);
		return false;
	}
	if (power_until(v, d->most) < FUTILE)
		return false;
	move_count(m, c, l->plan.seeds[l->n]);
	if (!m->runs && move_find_reads(m))
		move_count(m, c, l->plan.seeds[l->n]);
	if (!m->runs) {
		claim_close(d, v, v->of.rule ?
			    "its sides take fewer seeds than their groups have" :
			    "its filter takes fewer seeds than its groups have", c->pool.quiet);
		return false;
	}
	if (m->failed)
		return false;
	m->power = l->n == 0 ? 0.5 : contrasts_power(v->contrast, m->seeds,
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

/* *json <- claims.json of the plan's folder; NULL: there is none. 0 or error(). */
static int former_read(const struct plan *p, cJSON **json)
{
	scoped char *path = xasprintf("%s/claims.json", p->dir);
	const bool there = access(path, F_OK) == 0;

	*json = there ? json_load(path) : NULL;
	if (there && !*json)
		note("verdicts are judged again where there is no %s: delete it if it is damaged",
		     path);
	return there && !*json ? -1 : 0;
}

/* The verdict of the file on the claim; "": it has none; NULL: it does not have the claim. */
static const char *former_word(const cJSON *json, const struct claim *c)
{
	const cJSON *former;
	const char *word = NULL;

	cJSON_ArrayForEach(former, json)
		if (!strcmp(json_word(former, "says"), c->says ? c->says : ""))
			word = json_word(former, "verdict");
	return word;
}

/* Whether a claim was judged before: a verdict is there, or it is newer than the others. */
static bool claim_was_judged(const cJSON *json, const struct claim *c)
{
	const char *word = former_word(json, c);

	return json && (!word || (*word && strcmp(word, "not evaluated") != 0));
}

static int decide_read(struct deciding *d)
{
	d->read = (d->read ? outcome_read_again(&d->outcome, d->plan) :
			     outcome_read(&d->outcome, d->plan)) == 0;
	if (!d->read)
		outcome_release(&d->outcome);
	return d->read ? 0 : -1;
}

/* Why an undecided claim gets no seeds, though none has said so before; NULL: it gets some. */
static const char *why_no_seeds(const struct verdict *v)
{
	const char *why = contrasts_hopeless(v->contrast);

	if (!is_undecided(v) || (v->looks && !why))
		return NULL;
	if (why)
		return why;
	return v->reason ? v->reason : "its runs do not differ from seed to seed";
}

/* Notes which claims wait for a look; `say`: which get no seeds, and whose verdict is dropped. */
static void note_waiting(struct deciding *d, const cJSON *former, bool say)
{
	d->waited = xcalloc(d->outcome.claims->n + 1, sizeof(*d->waited));
	for (size_t i = 0; i < d->outcome.claims->n; i++) {
		const struct verdict *v = &d->outcome.claims->v[i];
		const char *why = why_no_seeds(v), *word = former_word(former, &v->of);

		d->waited[i] = is_waiting(v);
		d->open += d->waited[i];
		if (say && why)
			note("\"%s\" gets no seeds: %s", v->of.says, why);
		if (say && d->waited[i] && word &&
		    (!strcmp(word, "holds") || !strcmp(word, "fails")))
			note("\"%s\": '%s' at 95 %%, but undecided at the level of planned looks, "
			     "%.4g", v->of.says, word,
			     claim_looks_level(v->looks, 0).holds);
	}
}

/* Seeds that a group may get: as given, else as planned. */
static int most_of(const struct plan *p, const struct decide_conf *c)
{
	return c->most ? c->most : p->looks ? p->looks->most : LOOKS_USUAL;
}

int decide_check(const struct plan *p, const struct decide_conf *c)
{
	if (point_text(&p->set, "seed"))
		return error("%s: the looks choose the seeds. Leave out the setting seed",
			     p->spec.name);
	if (!p->looks || p->looks->most >= c->most)
		return 0;
	return error("%s: the looks were planned up to %d seeds on %s, with levels for as many; "
		     "--max-seeds %d would be more. Leave it out, give at most %d, or another "
		     "--out", p->spec.name, p->looks->most, p->looks->since, c->most,
		     p->looks->most);
}

static bool run_is_unmade(const struct planned *r)
{
	return r->state != RUN_FINISHED;
}

/*
 * Judges with what other processes have added to looks.json, as far as its runs are finished: the
 * others are those that these processes make. 0 or error().
 */
static int catch_up(struct deciding *d)
{
	if (!d->outdated)
		return 0;
	d->outdated = false;
	if (plan_extend(d->plan) < 0)
		return -1;
	plan_drop_added(d->plan, run_is_unmade);
	return decide_read(d);
}

/* Plans looks at the claims of the plan, and judges them. */
static int plan_looks(struct deciding *d, const struct decide_conf *c, const cJSON *former)
{
	struct verdicts *all = verdicts_new(json_get(d->plan->spec.json, "claims"));
	bool *looked = xcalloc(all->n + 1, sizeof(*looked));

	for (size_t i = 0; i < all->n; i++)
		looked[i] = claim_was_judged(former, &all->v[i].of);
	if (!d->plan->looks)
		d->plan->looks = looks_new(most_of(d->plan, c));
	looks_add_claims(d->plan->looks, all, looked);
	free(looked);
	verdicts_free(all);
	return decide_read(d);
}

/*
 * Groups of which an added run has failed get no more seeds. error(): which, and the claims that
 * need them. False: none has failed.
 */
static bool note_failed(struct deciding *d)
{
	const struct plan *p = d->plan;
	bool any = false;

	for (size_t i = 0; i < plan_own_runs(p); i++) {
		const struct planned *r = &p->runs[i];
		char *claims = NULL;

		if (!r->added || r->state != RUN_FAILED || r->same_as != i)
			continue;
		any = d->failed[group_first(p, i)] = true;
		for (size_t k = 0; k < d->outcome.claims->n; k++) {
			const struct verdict *v = &d->outcome.claims->v[k];

			if (is_waiting(v) && verdict_has_group(d, v, group_first(p, i)))
				xappendf(&claims, ", ", "\"%s\"", v->of.says);
		}
		error("%s: the run %s has failed; undecided without it: %s", p->spec.name,
		      r->label, claims ? claims : "no claim");
		free(claims);
	}
	return any;
}

int decide_begin(struct deciding *d, struct plan *plan, const struct decide_conf *c, bool dry)
{
	scoped_json cJSON *former = NULL;
	bool any = false;
	int ret;

	*d = (struct deciding){ .plan = plan, .failed = xcalloc(plan->n + 1, sizeof(bool)) };
	ret = decide_check(plan, c) < 0 ? -1 : former_read(plan, &former);
	if (ret == 0)
		ret = plan_looks(d, c, former);
	for (size_t i = 0; ret == 0 && i < d->outcome.claims->n; i++)
		any = any || d->outcome.claims->v[i].looks;
	if (ret == 0 && any && !dry) {
		const bool failed = note_failed(d);

		d->incomplete = failed;
		ret = looks_edit(d, failed ? looks_drop_unmade : NULL, NULL);
		if (ret == 0 && decide_check(plan, c) == 0)
			ret = catch_up(d);
		else
			ret = -1;
	}
	d->most = most_of(plan, c);
	if (ret == 0)
		note_waiting(d, former, !c->pool.quiet);
	return ret;
}

void decide_end(struct deciding *d)
{
	if (d->read)
		outcome_release(&d->outcome);
	free_all(d->failed, d->waited, d->reads);
	*d = (struct deciding){ 0 };
}

size_t decide_bound(const struct plan *p, const struct decide_conf *c)
{
	const size_t n = plan_own_runs(p), most = (size_t)most_of(p, c);
	size_t runs = 0;

	for (size_t i = 0; i < n; i++) {
		size_t before = 0, seeds = 0;

		for (size_t k = 0; k < n; k++)
			if (runs_alike(&p->runs[i], &p->runs[k])) {
				before += k < i;
				seeds++;
			}
		if (!before && seeds < most)
			runs += most - seeds;
	}
	return runs;
}

/* Whether a claim's looks are expected to go on, and its last one. */
static bool claim_goes_on(const struct deciding *d, const struct verdict *v, int most, int *last)
{
	*last = is_waiting(v) ? last_look(v->looks, most) : -1;
	return *last >= 0 && *last >= v->looks->n &&
	       power_until(v, d->plan->looks->most) >= FUTILE;
}

/*
 * reach[n] <- probability that some claim needs seed n (from 1) of the group, of those claims that
 * wait. Claims count as independent: 1 - the product of the probabilities that none does.
 */
static void group_reach(const struct deciding *d, size_t group, int most, double *reach)
{
	for (int n = 0; n <= most; n++)
		reach[n] = 0;
	for (size_t i = 0; i < d->outcome.claims->n; i++) {
		const struct verdict *v = &d->outcome.claims->v[i];
		double open = 1;
		int last, n = 1;

		if (!claim_goes_on(d, v, most, &last) || !verdict_has_group(d, v, group))
			continue;
		for (int k = v->looks->n; k <= last; k++) {
			const double power = v->looks->n == 0 ? 0.5 :
				contrasts_power(v->contrast, v->looks->plan.seeds[k],
						claim_looks_level(v->looks, k));

			for (; n <= v->looks->plan.seeds[k]; n++)
				reach[n] = 1 - (1 - reach[n]) * (1 - open);
			open = 1 - power < open ? 1 - power : open;
		}
	}
}

struct decide_forecast decide_forecast(const struct deciding *d, const struct decide_conf *c)
{
	const struct plan *p = d->plan;
	struct decide_forecast f = { 0 };
	double reach[LOOK_LAST + 1];
	int last;

	for (size_t i = 0; i < d->outcome.claims->n; i++)
		f.claims += claim_goes_on(d, &d->outcome.claims->v[i], d->most, &last);
	for (size_t i = 0; i < plan_own_runs(p) && f.claims; i++) {
		struct group g;

		if (group_first(p, i) != i)
			continue;
		g = group_read(d, i);
		group_reach(d, i, d->most, reach);
		for (size_t n = g.n + 1; n <= (size_t)d->most; n++) {
			const bool needed = reach[n] > 0;

			f.runs += needed;
			f.expected += reach[n];
			f.seconds += needed ? g.wall_s / at_once(d, c) : 0;
		}
		free(g.seed);
	}
	return f;
}

/* ---- looks ---- */

/* Adds the seeds of a look to p->looks, but those that another process has added meanwhile. */
static int looks_add_seeds(struct deciding *d, void *arg)
{
	const struct move *m = arg;
	struct groups all;

	if (d->outdated && plan_extend(d->plan) < 0)
		return -1;
	d->outdated = false;
	all = groups_of(d, &d->outcome.claims->v[m->claim]);
	for (size_t i = 0; i < all.n; i++) {
		scoped_json cJSON *point = point_json(&d->plan->runs[all.v[i].run].point);
		struct looks_group *g = looks_group(d->plan->looks, point, true);
		size_t n;
		int64_t *seeds = seeds_to_add(&all, &all.v[i], m->seeds, &n);

		g->seed = xrealloc(g->seed, g->n + n + 1, sizeof(*g->seed));
		memcpy(g->seed + g->n, seeds, n * sizeof(*seeds));
		g->n += n;
		free(seeds);
	}
	groups_release(&all);
	return 0;
}

static void move_say(const struct move *m)
{
	const struct verdict *v = &m->of->outcome.claims->v[m->claim];
	scoped char *time = decide_time_text(m->seconds);

	note("deciding \"%s\": look %d of %d, %d seeds, %zu more run%s%s", v->of.says,
	     v->looks->n + 1, v->looks->plan.n, m->seeds, m->runs, word_plural((double)m->runs),
	     time);
}

/*
 * Makes the runs of a look, and judges. Seeds that the budget leaves out, or whose runs have
 * failed, are added no more. An exit code as plan_run(); after EXIT_BAD the look cannot be made.
 */
static int move_make(struct move *m, const struct decide_conf *c, double until_s)
{
	struct deciding *d = m->of;
	struct pool_conf pool = c->pool;
	const size_t before = plan_count(d->plan, RUN_FINISHED);
	size_t finished;
	bool failed;
	int code;

	if (!c->pool.quiet)
		move_say(m);
	if (looks_edit(d, looks_add_seeds, m) < 0 || plan_extend(d->plan) < 0) {
		d->ended = true;
		return output_code(EXIT_BAD);
	}
	pool.unannounced = true;
	pool.again = false;
	pool.until_s = until_s;
	code = plan_run(d->plan, &pool);
	finished = plan_count(d->plan, RUN_FINISHED);
	d->runs += finished > before ? finished - before : 0;   /* files may be gone meanwhile */
	if (code != EXIT_OK && code != EXIT_BAD)
		return code;
	failed = note_failed(d);
	if ((failed || plan_left(d->plan)) && looks_edit(d, looks_drop_unmade, NULL) < 0) {
		d->ended = true;
		return output_code(EXIT_BAD);
	}
	d->incomplete = d->incomplete || failed;
	d->ended = (code != EXIT_OK && !failed) || decide_read(d) < 0;
	return failed || d->ended ? EXIT_BAD : EXIT_OK;
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
	bool bad = false;
	struct move m = { 0 };

	while ((code == EXIT_OK || code == EXIT_BAD) && !signal_caught &&
	       move_choose(&m, d, n, c)) {
		if (until_s > 0 && clock_s() >= until_s) {
			note("the budget is spent: no more looks are made");
			break;
		}
		code = move_make(&m, c, until_s);
	}
	for (size_t i = 0; i < n; i++) {
		/* Another process may have added seeds, or taken out those that this one made. */
		if (d[i].read && d[i].open && !d[i].ended &&
		    (looks_edit(&d[i], NULL, NULL) < 0 || catch_up(&d[i]) < 0))
			d[i].ended = true;
		deciding_count(&d[i]);
		bad = bad || d[i].ended || d[i].incomplete;
	}
	return signal_caught ? signals_exit_code() : code == EXIT_OK && bad ? EXIT_BAD : code;
}
