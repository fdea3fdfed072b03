/* A worker's compute-time factors by its clauses of the delay setting, and their mean. */
#include "delays/delay.h"

#include "core/base/apart.h"
#include "core/base/mem.h"

#include <math.h>
#include <string.h>

/* An index has the stream and the part of the product in its high bits. */
enum { STREAM_SHIFT = 48, PART_SHIFT = 56 };

static uint64_t delay_address(const struct delay_at *at, enum delay_stream stream, int64_t index)
{
	return (uint64_t)index | (uint64_t)stream << STREAM_SHIFT |
	       (uint64_t)at->part << PART_SHIFT;
}

void delay_rng(struct rng *r, const struct delay_at *at, enum delay_stream stream, int rank,
	       int64_t index)
{
	rng_at(r, at->seed, RNG_DELAY, (uint32_t)rank, delay_address(at, stream, index));
}

static bool delays_is_for(const struct delay_clause *c, int rank)
{
	return c->who.n == 0 || ranks_has(&c->who, rank);
}

/* The last clause that replaces all models of a rank; 0 if none does. */
static size_t first_clause(const struct delays *d, int rank)
{
	size_t i = d->n - 1;

	while (i > 0 && (d->clause[i].onto || !delays_is_for(&d->clause[i], rank)))
		i--;
	return i;
}

size_t delays_models(const struct delays *d, int rank, const struct choice **model)
{
	size_t n = 0;

	for (size_t i = first_clause(d, rank); i < d->n; i++) {
		const struct delay_clause *c = &d->clause[i];

		if (!delays_is_for(c, rank))
			continue;
		for (size_t k = 0; model && k < c->nmodels; k++)
			model[n + k] = &c->model[k];
		n += c->nmodels;
	}
	return n;
}

double delay_draw(const struct choice *model, struct rng *r)
{
	const struct delay *delay = (const struct delay *)model->plugin;

	return delay->draw ? delay->draw(model->conf, r)
			   : delay->quantile(model->conf, rng_uniform(r));
}

static double model_factor(const struct choice *model, const struct delay_at *at)
{
	const struct delay *delay = (const struct delay *)model->plugin;
	struct rng r;

	if (delay->at)
		return delay->at(model->conf, at);
	delay_rng(&r, at, DELAY_GRADIENT, at->rank, at->index);
	return delay_draw(model, &r);
}

static double model_mean(const struct choice *model, const struct delay_at *at)
{
	const struct delay *delay = (const struct delay *)model->plugin;

	return delay->mean ? delay->mean(model->conf, at) : delay->moments(model->conf).mean;
}

double delays_mean(const struct delays *d, uint64_t seed, int rank)
{
	struct delay_at at = { .seed = seed, .rank = rank };
	double mean = 1.0;

	for (size_t i = first_clause(d, rank); i < d->n; i++) {
		const struct delay_clause *c = &d->clause[i];

		for (size_t k = 0; k < c->nmodels && delays_is_for(c, rank); k++, at.part++)
			mean *= model_mean(&c->model[k], &at);
	}
	return mean;
}

bool delays_differ(const struct delays *d)
{
	bool differ = d->n > 1 || d->clause[0].who.n;

	for (size_t i = 0; i < d->n; i++)
		for (size_t k = 0; k < d->clause[i].nmodels; k++) {
			const struct choice *model = &d->clause[i].model[k];

			differ |= ((const struct delay *)model->plugin)->mean != NULL;
		}
	return differ;
}

/* Longest cycle of a worker's models, in seconds. */
static double worker_cycle_s(const struct delays *d, int rank)
{
	double longest = 0.0;

	for (size_t i = first_clause(d, rank); i < d->n; i++) {
		const struct delay_clause *c = &d->clause[i];

		for (size_t k = 0; k < c->nmodels && delays_is_for(c, rank); k++) {
			const struct delay *delay = (const struct delay *)c->model[k].plugin;

			if (delay->cycle_s)
				longest = fmax(longest, delay->cycle_s(c->model[k].conf));
		}
	}
	return longest;
}

double delays_slow_periods(const struct delays *d)
{
	double all = 0.0;

	for (int rank = 0; rank < d->workers; rank++) {
		const double cycle_s = worker_cycle_s(d, rank);

		all += cycle_s > 0.0 ? 1.0 / cycle_s : 0.0;
	}
	return all;
}

bool delays_follow_clock(const struct delays *d)
{
	for (size_t i = 0; i < d->n; i++)
		for (size_t k = 0; k < d->clause[i].nmodels; k++)
			if (((const struct delay *)d->clause[i].model[k].plugin)->at)
				return true;
	return false;
}

struct delay_span delays_span(const struct delays *d)
{
	struct delay_span all = { HUGE_VAL, -HUGE_VAL };

	for (size_t i = 0; i < d->n; i++)
		for (size_t k = 0; k < d->clause[i].nmodels; k++) {
			const struct choice *model = &d->clause[i].model[k];
			const struct delay *delay = (const struct delay *)model->plugin;

			if (delay->span) {
				const struct delay_span own = delay->span(model->conf);

				all.from = fmin(all.from, own.from);
				all.until = fmax(all.until, own.until);
			}
		}
	return all;
}

/* Discards values cached for another seed. */
RARE static void delays_begin(struct delays *d, uint64_t seed)
{
	const size_t workers = (size_t)d->workers, memos = workers * (size_t)d->parts;

	if (d->caches && !d->memo)
		d->memo = xcalloc(memos, sizeof(*d->memo));
	else if (d->caches)
		memset(d->memo, 0, memos * sizeof(*d->memo));
	if (d->ahead_of_time && !d->ahead)
		d->ahead = xlines(workers, sizeof(*d->ahead));
	for (size_t i = 0; d->ahead_of_time && i < workers; i++)
		d->ahead[i].from = -1;
	d->begun = true;
	d->seed = seed;
}

/* Number of factors to draw at once. Few at first: a short run would not use more. */
static int64_t draws_together(int64_t from)
{
	return from < 1 ? 1 : from < DELAY_AHEAD ? from : DELAY_AHEAD;
}

/* Multiplies factor[n] by the draws of one model, for n gradients from at->index on. */
static void multiply_draws(const struct choice *model, const struct delay_at *at, size_t n,
			   double *factor)
{
	struct rng r[RNG_EACH];

	if (n == 1)             /* vectorised, one takes as long as sixteen */
		delay_rng(&r[0], at, DELAY_GRADIENT, at->rank, at->index);
	else
		rng_at_each(r, n, at->seed, RNG_DELAY, (uint32_t)at->rank,
			    delay_address(at, DELAY_GRADIENT, at->index));
	for (size_t i = 0; i < n; i++)
		factor[i] *= delay_draw(model, &r[i]);
}

APART static void draw_ahead(const struct delays *d, const struct delay_at *first, double *factor)
{
	const size_t n = (size_t)draws_together(first->index);
	struct delay_at at = *first;

	for (size_t i = 0; i < n; i++)
		factor[i] = 1.0;
	for (size_t i = first_clause(d, at.rank); i < d->n; i++) {
		const struct delay_clause *c = &d->clause[i];

		for (size_t k = 0; k < c->nmodels && delays_is_for(c, at.rank); k++, at.part++)
			multiply_draws(&c->model[k], &at, n, factor);
	}
}

/* Factor of models that draw one for each gradient, independent of when it begins. */
static double drawn_factor(struct delays *d, uint64_t seed, int rank, int64_t index)
{
	struct delay_ahead *ahead = &d->ahead[rank];

	/* Unsigned: an earlier index is far away. */
	if ((uint64_t)(index - ahead->from) >= (uint64_t)draws_together(ahead->from)) {
		draw_ahead(d, &(struct delay_at){ .seed = seed, .rank = rank, .index = index },
			   ahead->factor);
		ahead->from = index;
	}
	return ahead->factor[index - ahead->from];
}

APART static double timed_factor(const struct delays *d, struct delay_at at)
{
	struct delay_memo *memos = NULL;
	double factor = 1.0;

	if (d->caches && at.rank < d->workers)
		memos = d->memo + (size_t)at.rank * (size_t)d->parts;
	for (size_t i = first_clause(d, at.rank); i < d->n; i++) {
		const struct delay_clause *c = &d->clause[i];

		if (!delays_is_for(c, at.rank))
			continue;
		for (size_t k = 0; k < c->nmodels; k++) {
			at.memo = memos ? memos + at.part : NULL;
			factor *= model_factor(&c->model[k], &at);
			at.part++;
		}
	}
	return factor;
}

double delays_factor(struct delays *d, uint64_t seed, int rank, int64_t index, double time)
{
	if (!d->begun || seed != d->seed)
		delays_begin(d, seed);
	if (d->ahead_of_time && rank < d->workers)
		return drawn_factor(d, seed, rank, index);
	return timed_factor(d, (struct delay_at){ .seed = seed, .rank = rank, .index = index,
						  .time = time });
}
