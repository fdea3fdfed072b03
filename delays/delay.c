/* A worker's compute-time factors by its clauses of the delay setting, and their mean. */
#include "delays/delay.h"

#include "core/base/mem.h"

#include <stdlib.h>
#include <string.h>

/* An index has the stream and the part in its high bits. */
enum { STREAM_SHIFT = 48, PART_SHIFT = 56 };

void delay_rng(struct rng *r, const struct delay_at *at, enum delay_stream stream, int rank,
	       int64_t index)
{
	rng_at(r, at->seed, RNG_DELAY, (uint32_t)rank,
	       (uint64_t)index | (uint64_t)stream << STREAM_SHIFT |
	       (uint64_t)at->part << PART_SHIFT);
}

static bool delays_is_for(const struct delay_clause *c, int rank)
{
	return c->who.n == 0 || ranks_has(&c->who, rank);
}

/* The last clause that says all of a rank; 0 where none does. */
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

static double model_factor(const struct choice *model, const struct delay_at *at)
{
	const struct delay *delay = (const struct delay *)model->plugin;
	struct rng r;

	if (delay->at)
		return delay->at(model->conf, at);
	delay_rng(&r, at, DELAY_GRADIENT, at->rank, at->index);
	return delay->draw(model->conf, &r);
}

static double model_mean(const struct choice *model, const struct delay_at *at)
{
	const struct delay *delay = (const struct delay *)model->plugin;

	return delay->mean ? delay->mean(model->conf, at) : delay->moments(model->conf).mean;
}

double delays_mean(const struct delays *d, uint64_t seed, int rank)
{
	const size_t n = delays_models(d, rank, NULL);
	const struct choice **model = xcalloc(n, sizeof(*model));
	struct delay_at at = { .seed = seed, .rank = rank };
	double mean = 1.0;

	delays_models(d, rank, model);
	for (; (size_t)at.part < n; at.part++)
		mean *= model_mean(model[at.part], &at);
	free(model);
	return mean;
}

/* Where the memos of a rank begin. Those of another seed's run are forgotten. */
static struct delay_memo *memos_of(struct delays *d, uint64_t seed, int rank)
{
	const size_t all = (size_t)d->workers * (size_t)d->parts;

	if (!d->caches || rank >= d->workers)
		return NULL;
	if (!d->memo)
		d->memo = xcalloc(all, sizeof(*d->memo));
	else if (seed != d->memo_seed)
		memset(d->memo, 0, all * sizeof(*d->memo));
	d->memo_seed = seed;
	return d->memo + (size_t)rank * (size_t)d->parts;
}

double delays_factor(struct delays *d, uint64_t seed, int rank, int64_t index, double time)
{
	struct delay_at at = { .seed = seed, .rank = rank, .index = index, .time = time };
	struct delay_memo *memos = memos_of(d, seed, rank);
	double factor = 1.0;

	for (size_t i = first_clause(d, rank); i < d->n; i++) {
		const struct delay_clause *c = &d->clause[i];

		if (!delays_is_for(c, rank))
			continue;
		for (size_t k = 0; k < c->nmodels; k++) {
			at.memo = memos ? memos + at.part : NULL;
			factor *= model_factor(&c->model[k], &at);
			at.part++;
		}
	}
	return factor;
}
