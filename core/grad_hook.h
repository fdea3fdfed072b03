/* Receives a gradient's parts while the rest is still being computed. */
#ifndef CORE_GRAD_HOOK_H
#define CORE_GRAD_HOOK_H

#include <stddef.h>

struct grad_hook {
	/*
	 * g[from, to) will not change any more. Parts come one at a time, on any thread, in
	 * any order; together they are the gradient, each float in one part.
	 */
	void (*done)(struct grad_hook *h, size_t from, size_t to);
};

/* Tells the hook, unless that is NULL or the part is empty. */
static inline void grad_done(struct grad_hook *h, size_t from, size_t to)
{
	if (h && from < to)
		h->done(h, from, to);
}

#endif
