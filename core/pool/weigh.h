/* A gradient times what it counts, part by part while the rest is being computed. */
#ifndef CORE_POOL_WEIGH_H
#define CORE_POOL_WEIGH_H

#include "core/grad_hook.h"

struct weigher {
	struct grad_hook hook;  /* first: a problem hands us its address */
	struct grad_hook *next; /* receives parts once they are weighed; may be NULL */
	float *g;               /* the gradient */
	float weight;
};

/*
 * The hook for a problem that computes g, instead of `next`: g <- weight g, and parts are
 * handed on. For a weight of 1 it is `next` itself. *w lives as long as that.
 */
struct grad_hook *weigh(struct weigher *w, struct grad_hook *next, float *g, double weight);

#endif
