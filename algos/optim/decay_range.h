/*
 * decay_range.h - the stretches of x that weight decay treats alike.
 *
 *     struct decay_range p = { 0 };
 *
 *     while (decay_range_next(&p, ...))
 *             x[p.from] ... x[p.to - 1] decay, or do not
 *
 * Layers' tensors lie one after the other. What is after the last one decays.
 */
#ifndef ALGOS_OPTIM_DECAY_RANGE_H
#define ALGOS_OPTIM_DECAY_RANGE_H

#include "core/optim.h"
#include "core/problem.h"

struct decay_range {
	size_t from, to;
	bool decays;
	size_t blob;            /* the next one */
};

static inline bool decay_range_next(struct decay_range *p, struct decay d, size_t nblobs,
				const struct blob *blobs, size_t n)
{
	p->from = p->to;
	if (p->from >= n)
		return false;
	if (d.matrices && p->blob < nblobs) {
		const struct blob *b = &blobs[p->blob++];

		p->to = b->offset + b->count;
		p->decays = b->rank >= 2;
		return true;
	}
	p->to = n;
	p->decays = true;
	return true;
}

#endif
