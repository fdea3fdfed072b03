/* The factor of a worker's gradient at a time: its delay models times its slowness. */
#include "delays/pace.h"

#include "core/base/error.h"

#include <math.h>

static double pace_slowness(const struct pace *p, int rank, double t)
{
	double f = 1.0;

	for (size_t i = 0; i < p->nslow; i++) {
		const struct slow *s = &p->slow[i];

		if (s->rank == rank && t >= s->from && (s->to == 0.0 || t < s->to))
			f *= s->factor;
	}
	return f;
}

static double pace_own(const struct pace *p, int rank)
{
	return p->own ? p->own[rank] : 1.0;
}

double pace_factor(const struct pace *p, uint64_t seed, int rank, int64_t index, double t)
{
	const double slow = pace_slowness(p, rank, t) * pace_own(p, rank);

	return p->delays ? slow * delays_factor(p->delays, seed, rank, index, t) : slow;
}

/* Mean factor of a worker's machine and its delays. */
static double pace_machine(const struct pace *p, uint64_t seed, int rank)
{
	return (p->delays ? delays_mean(p->delays, seed, rank) : 1.0) * pace_own(p, rank);
}

double pace_lasting(const struct pace *p, uint64_t seed, int rank)
{
	return pace_machine(p, seed, rank) * pace_slowness(p, rank, HUGE_VAL);
}

double pace_mean(const struct pace *p, uint64_t seed, int rank)
{
	double mean = pace_machine(p, seed, rank);

	for (size_t i = 0; i < p->nslow; i++)
		if (p->slow[i].rank == rank && p->slow[i].from <= 0.0 && p->slow[i].to <= 0.0)
			mean *= p->slow[i].factor;
	return mean;
}

bool pace_follows_clock(const struct pace *p)
{
	for (size_t i = 0; i < p->nslow; i++)
		if (p->slow[i].from > 0.0 || p->slow[i].to > 0.0)
			return true;
	return p->delays && delays_follow_clock(p->delays);
}

int pace_check(const struct pace *p, int workers)
{
	for (size_t i = 0; i < p->nslow; i++)
		if (p->slow[i].rank < 0 || p->slow[i].rank >= workers)
			return error("slow = %d:%g: there is no worker %d, only 0 to %d",
				     p->slow[i].rank, p->slow[i].factor, p->slow[i].rank,
				     workers - 1);
	return 0;
}
