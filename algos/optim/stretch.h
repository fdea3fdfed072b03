/*
 * stretch.h - the stretches of x that weight decay treats alike.
 *
 *     struct stretch p = { 0 };
 *
 *     while (stretch_next(&p, ...))
 *             x[p.from] ... x[p.to - 1] decay, or do not
 *
 * Layers' tensors lie one after the other. What is after the last one decays.
 */
#ifndef ALGOS_OPTIM_STRETCH_H
#define ALGOS_OPTIM_STRETCH_H

#include "core/optim.h"
#include "core/problem.h"

struct stretch {
	size_t from, to;
	bool decays;
	size_t blob;            /* the next one */
};

static inline bool stretch_next(struct stretch *p, struct decay d, size_t nblobs,
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
