/*
 * cut.h - a gradient in stages, where the fully connected layers are another's to compute.
 *
 *     forward    up to the cut                          a <- activations there
 *     head       the layers after the cut, both ways   loss, their gradient, da <- that of a
 *     backward   from the cut on, with da               the gradient of the layers before it
 *
 * x[0, at) are the parameters before the cut, x[at, dim) those of the head. A stage is a function
 * of (x, batch, what it is given) alone: the backward pass computes the forward pass again.
 */
#ifndef CORE_CUT_H
#define CORE_CUT_H

#include <stddef.h>

enum grad_stage { STAGE_WHOLE, STAGE_FORWARD, STAGE_HEAD, STAGE_BACKWARD };

struct cut {
	size_t at;              /* floats of x before the head's; 0: it cannot be cut */
	size_t width;           /* floats of a sample's activation at the cut */
	double share;           /* of the multiply-accumulates, the head's */
};

/* What a stage is given and leaves: [samples of the batch x width] each, NULL where it is none. */
struct stage_data {
	enum grad_stage stage;
	const float *in;        /* HEAD: activations; BACKWARD: their gradient */
	float *out;             /* FORWARD: activations; HEAD: their gradient */
};

/* The share of a whole gradient's time: a forward pass takes half as long as a backward pass. */
static inline double cut_share(const struct cut *cut, enum grad_stage stage)
{
	switch (stage) {
	case STAGE_FORWARD:
		return (1.0 - cut->share) / 3.0;
	case STAGE_HEAD:
		return cut->share;
	case STAGE_BACKWARD:
		return 2.0 * (1.0 - cut->share) / 3.0;
	default:
		return 1.0;
	}
}

#endif
