/*
 * decay_range.h - the stretches of x that weight decay treats alike.
 *
 *     struct decay_range p = { 0 };
 *
 *     while (decay_range_next(&p, ...))
 *             x[p.from] ... x[p.to - 1] decay, or do not
 *
 * A tensor that the net exempts (blob.decay) does not decay, nor, if the rule says so, does one of
 * fewer than two dimensions. Tensors lie one after the other; floats after the last one decay.
 */
#ifndef ALGOS_OPTIM_DECAY_RANGE_H
#define ALGOS_OPTIM_DECAY_RANGE_H

#include "core/optim.h"
#include "core/problem.h"

struct decay_range {
	size_t from, to;
	bool decays;
	size_t blob;            /* index of the next tensor */
};

static inline bool decay_range_takes(const struct blob *b, struct decay d)
{
	return b->decay && (!d.matrices || b->rank >= 2);
}

static inline bool decay_range_next(struct decay_range *p, struct decay d, size_t nblobs,
				    const struct blob *blobs, size_t n)
{
	p->from = p->to;
	if (p->from >= n)
		return false;
	p->decays = p->blob >= nblobs || decay_range_takes(&blobs[p->blob], d);
	for (; p->blob < nblobs && decay_range_takes(&blobs[p->blob], d) == p->decays; p->blob++)
		p->to = blobs[p->blob].offset + blobs[p->blob].count;
	if (p->to > n || (p->blob >= nblobs && p->decays))
		p->to = n;
	return true;
}

#endif
