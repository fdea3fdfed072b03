/*
 * search.c - the order in which Omnivore's optimiser looks: cold start, then steady state.
 *
 * Groups are tried from one upwards. With the highest momentum the learning rate is found first;
 * more groups bring momentum of their own (Mitliagkas et al. 2016), so that none needs a higher
 * learning rate than fewer groups did, nor at the same one a higher momentum. An update not a
 * tenth faster than with fewer groups means that the server is saturated: there the search ends.
 *
 * Paper: Hadjis, Zhang, Mitliagkas, Iter, Re 2016 (Omnivore), and its authors' code.
 */
#include "study/tune/tune.h"

#include "core/base/error.h"
#include "core/file/json.h"

#include <math.h>
#include <string.h>

static const double
	faster = 1.10,          /* of an update, that makes more groups worth it */
	near = 1.01,            /* of the least loss: the higher learning rate is preferred */
	steady_share = 0.02,    /* of the budget, that a probe of the steady state takes ... */
	steady_rounds = 20,     /* ... and at least so many updates of each group */
	again_from = 0.6;       /* the highest momentum, where groups are halved */

static double highest_momentum(const struct tune *t)
{
	return t->momenta.v[t->momenta.n - 1];
}

size_t tune_best(const struct tune *t, const char *phase, size_t from, size_t to)
{
	size_t best = SIZE_MAX;

	for (size_t i = from; i < to; i++)
		if (strcmp(t->all[i].phase, phase) == 0 && isfinite(t->all[i].loss) &&
		    (best == SIZE_MAX || t->all[i].loss < t->all[best].loss))
			best = i;
	return best;
}

/* True when what has no more groups, learning rate and momentum has diverged. */
static bool tune_search_hopeless(const struct tune *t, const struct trial *trial)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct trial *a = &t->all[i].trial;

		if (!isfinite(t->all[i].loss) && trial->groups >= a->groups &&
		    trial->lr >= a->lr && trial->momentum >= a->momentum)
			return true;
	}
	return false;
}

/* Momenta and the last learning rate, or a tenth of it; but what is above or below the last one. */
static int try_around(struct tune *t, int64_t groups, struct trial last, const struct request *r)
{
	int code = EXIT_OK;

	for (int tenth = 0; tenth < 2; tenth++)
		for (size_t i = 0; i < t->momenta.n && code == EXIT_OK; i++) {
			const struct trial trial = { groups, t->momenta.v[i],
						     tenth ? last.lr / 10.0 : last.lr };

			if (tenth ? trial.momentum < last.momentum
				  : trial.momentum > last.momentum)
				continue;
			if (!tune_search_hopeless(t, &trial))
				code = tune_try(t, &trial, r);
		}
	return code;
}

static int try_rates(struct tune *t, int64_t groups, const struct request *r)
{
	int code = EXIT_OK;

	for (size_t i = 0; i < t->rates.n && code == EXIT_OK; i++) {
		const struct trial trial = { groups, highest_momentum(t), t->rates.v[i] };

		code = tune_try(t, &trial, r);
	}
	return code;
}

/* Tenths around the best momentum, up to two away, none above the highest. */
static int try_tenths(struct tune *t, struct trial best, const struct request *r)
{
	int code = EXIT_OK;

	for (int i = -2; i <= 2 && code == EXIT_OK; i++) {
		struct trial trial = best;

		trial.momentum = round(10.0 * best.momentum + i) / 10.0;
		if (i && trial.momentum >= 0.0 && trial.momentum <= highest_momentum(t) &&
		    !tune_search_hopeless(t, &trial))
			code = tune_try(t, &trial, r);
	}
	return code;
}

/* Index of the first number of groups whose updates are not enough faster; ngroups: none. */
static size_t tune_search_saturation(const struct tune *t)
{
	for (size_t i = 1; i < t->ngroups; i++)
		if (t->update_s[i] > t->update_s[i - 1] / faster)
			return i;
	return t->ngroups;
}

static int tune_search_refine(struct tune *t, struct search *s)
{
	const struct request r = { .phase = "refined", .seconds = t->share * t->budget };
	const struct trial best = t->all[s->chosen].trial;
	const size_t first = t->n;
	const int code = try_tenths(t, best, &r);
	const size_t found = tune_best(t, "refined", first, t->n);

	if (found != SIZE_MAX && t->all[found].loss < t->all[s->chosen].loss)
		s->chosen = found;
	return code;
}

int tune_cold(struct tune *t, struct search *s)
{
	const struct request r = { .phase = "cold", .seconds = t->share * t->budget };
	size_t last = SIZE_MAX;
	int code = EXIT_OK;

	s->saturated = tune_search_saturation(t);
	for (size_t i = 0; i < s->saturated && code == EXIT_OK; i++) {
		const size_t first = t->n;
		size_t best;

		code = last == SIZE_MAX
			       ? try_rates(t, t->groups[i], &r)
			       : try_around(t, t->groups[i], t->all[last].trial, &r);
		best = tune_best(t, "cold", first, t->n);
		last = best != SIZE_MAX ? best : last;
	}
	s->chosen = tune_best(t, "cold", 0, t->n);
	if (code == EXIT_OK && s->chosen == SIZE_MAX)
		return error("every probe diverged: lower --rates"), EXIT_BAD;
	if (code == EXIT_OK && t->refine)
		code = tune_search_refine(t, s);
	s->probes = t->n;
	return code;
}

/* ---- steady state ---- */

/* Of those near the least loss the one of the highest learning rate, then momentum. */
static size_t tune_search_preferred(const struct tune *t, size_t first)
{
	const size_t least = tune_best(t, "steady", first, t->n);
	size_t best = least;

	for (size_t i = first; i < t->n && least != SIZE_MAX; i++) {
		const struct trial *a = &t->all[i].trial, *b = &t->all[best].trial;

		if (t->all[i].loss <= near * t->all[least].loss &&
		    (a->lr > b->lr || (a->lr >= b->lr && a->momentum > b->momentum)))
			best = i;
	}
	return best;
}

/* Fewer groups as long as no momentum of their own is left to them. SIZE_MAX: all diverged. */
static int steady_probes(struct tune *t, const char *from, struct trial last, size_t groups,
			 size_t *found)
{
	int code;

	for (;; groups--) {
		const size_t first = t->n;
		const double round = (double)t->groups[groups] * t->update_s[groups];
		const struct request r = {
			.phase = "steady", .from = from,
			.seconds = fmax(steady_share * t->budget, steady_rounds * round),
		};

		code = try_around(t, t->groups[groups], last, &r);
		*found = tune_search_preferred(t, first);
		if (code != EXIT_OK || groups == 0 ||
		    (*found != SIZE_MAX && t->all[*found].trial.momentum > 0.0))
			return code;
		last.momentum = again_from;
	}
}

int tune_steady(struct tune *t, struct search *s)
{
	const size_t before = s->steady == SIZE_MAX ? s->tuned : s->steady;
	const char *from = json_string(t->all[before].run, "file");
	const struct trial last = { .momentum = highest_momentum(t),
				    .lr = t->all[before].trial.lr };
	const struct request r = { .phase = "steady-run", .seconds = t->budget, .from = from,
				   .keep = true };
	size_t found;
	int code = steady_probes(t, from, last, s->saturated - 1, &found);
	struct trial chosen;

	if (code != EXIT_OK)
		return code;
	if (found == SIZE_MAX)
		return error("every probe of the steady state diverged"), EXIT_BAD;
	chosen = t->all[found].trial;
	code = tune_try(t, &chosen, &r);
	s->steady = t->n - 1;
	return code;
}
