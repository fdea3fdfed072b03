/* A gradient hook that multiplies each piece by a weight as soon as it is computed. */
#include "core/pool/weigh.h"

#include "core/math/vec.h"

static void weigh_part(struct grad_hook *h, size_t from, size_t to)
{
	struct weigher *w = (struct weigher *)h;

	vec_scale(to - from, w->weight, w->g + from);
	grad_done(w->next, from, to);
}

struct grad_hook *weigh(struct weigher *w, struct grad_hook *next, float *g, double weight)
{
	if (weight >= 1.0 && weight <= 1.0)
		return next;
	*w = (struct weigher){ { weigh_part }, next, g, (float)weight };
	return &w->hook;
}
