/*
 * gradient.h - parts of a gradient: stages, memory carried from batch to batch, and finished
 * pieces.
 *
 * A gradient may be computed in stages, so that another node can compute the fully connected
 * layers:
 *
 *     forward    up to the cut                          a <- activations there
 *     head       the layers after the cut, both ways   loss, their gradient, da <- that of a
 *     backward   from the cut on, with da               the gradient of the layers before it
 *
 * x[0, at) are the parameters before the cut, x[at, dim) those of the head. A stage is a function
 * of (x, batch, its input) alone: the backward pass computes the forward pass again.
 */
#ifndef CORE_GRADIENT_H
#define CORE_GRADIENT_H

#include <stddef.h>

enum grad_stage { STAGE_WHOLE, STAGE_FORWARD, STAGE_HEAD, STAGE_BACKWARD };

struct cut {
	size_t at;              /* floats of x before the head's; 0: it cannot be cut */
	size_t width;           /* floats of a sample's activation at the cut */
	double share;           /* of the multiply-accumulates, the head's */
};

/* Input and output of a stage: [samples of the batch x width] floats each; NULL if it has none. */
struct stage_data {
	enum grad_stage stage;
	const float *in;        /* HEAD: activations; BACKWARD: their gradient */
	float *out;             /* FORWARD: activations; HEAD: their gradient */
};

/*
 * Share of a stage in a gradient's compute time: a forward pass takes half as long as a backward
 * pass.
 */
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

/*
 * Memory that a gradient of a net takes over from the gradient before it.
 *
 * A batch reads streams of text, a piece of each, in order. A net with memory keeps rows of its
 * layers' inputs for each stream; the next batch of the same streams reads them. They are an input
 * of the gradient, like its batch: a gradient is a function of (x, batch, carried).
 */

/* Sizes of the memory that a problem carries. */
struct carry {
	size_t floats;          /* floats for each stream; 0: nothing is carried */
	size_t rows;            /* tokens that are kept at most */
	size_t step;            /* tokens that a batch adds */
};

/* Memory that one gradient reads and writes. */
struct carried {
	const float *in;        /* [streams][floats]; not read if rows is 0 */
	size_t rows;            /* tokens that are kept so far */
	float *out;             /* [streams][floats] <- for the next gradient; NULL: not wanted */
};

/* Tokens that are kept after another batch, when `rows` were kept before. */
static inline size_t carry_rows(const struct carry *c, size_t rows)
{
	return rows + c->step < c->rows ? rows + c->step : c->rows;
}

/* ---- receives a gradient's parts while the rest is still being computed ---- */

struct grad_hook {
	/*
	 * g[from, to) will not change any more. Parts come one at a time, on any thread, in
	 * any order; together they are the gradient, each float in one part.
	 */
	void (*done)(struct grad_hook *h, size_t from, size_t to);
};

/* Calls the hook, unless it is NULL or the part is empty. */
static inline void grad_done(struct grad_hook *h, size_t from, size_t to)
{
	if (h && from < to)
		h->done(h, from, to);
}

#endif
