/*
 * openblas.h - between the parts of the openblas backend.
 *
 * Every layer keeps its output y[n][h][w][c]; a layer that may overwrite what it
 * reads shares its buffer (relu, dropout, add over an input that nobody else
 * reads). Gradients dy live from their first writer to their own layer's
 * backward, in slots that are used again.
 */
#ifndef NETS_OPENBLAS_H
#define NETS_OPENBLAS_H

#include "core/mem.h"
#include "nets/backend.h"

enum pass {
	PASS_TRAIN,             /* batch statistics, dropout if use is set */
	PASS_STATS,             /* batch statistics, handed out; no dropout */
	PASS_EVAL               /* given statistics, no dropout */
};

struct ob {
	const struct graph *g;  /* borrowed */
	struct arena arena;     /* owns every buffer */
	float **y, **dy;        /* [g->n] per layer; dy[0] is NULL: nobody asks */
	void **save;            /* [g->n] what forward keeps for backward, or NULL */
	bool *filled;           /* [g->n] dy has its first term */
	float *cols, *dcols;    /* lowered images and their gradient, cols_size each */
	double *sums;           /* [2][widest c] */

	/* the call under way */
	enum pass pass;
	const float *x;
	size_t n;               /* samples */
	uint64_t seed;
	const uint64_t *use;    /* NULL: no dropout */
	const float *stats_in;  /* EVAL */
	float *stats_out;       /* STATS */
	float *grad;            /* [dim] */
};

struct ob_op {
	/* Floats that forward keeps for a batch of n, and floats of cols; NULL: none. */
	size_t (*save)(const struct layer *l, size_t n);
	size_t (*cols)(const struct layer *l);
	/* y[i] <- f(y[in]) */
	void (*forward)(struct ob *c, int i);
	/* grad at l's offsets, and the dy of its inputs, from dy[i] */
	void (*backward)(struct ob *c, int i);
	bool inplace;           /* y may lie over y[in[0]] ... */
	bool keeps_sign;        /* ... and then is > 0 only where that was, or has no gradient */
	bool reads_sign;        /* backward reads where y > 0 */
};

extern const struct ob_op ob_conv, ob_dense, ob_bn, ob_relu, ob_maxpool, ob_avgpool,
	ob_globalpool, ob_dropout, ob_add, ob_shortcut, ob_lrn, ob_concat;
extern const struct ob_op *const ob_ops[];      /* by enum layer_kind */

/* ---- openblas_plan.c: gives every layer its buffers ---- */
void ob_plan(struct ob *c, size_t max_batch);

/*
 * Where layer i adds the gradient of its k-th input; *add: to what is there
 * already. NULL when nobody asks for it.
 */
float *ob_dx(struct ob *c, int i, int k, bool *add);

/* ---- openblas_lower.c: lowering of type 1 ---- */

/*
 * Lines (rows of output pixels) [first, first + lines) of a batch x[n][h][w][c],
 * channels [from, from + count) -> cols[lines * ow][kernel][kernel][count].
 */
void ob_lower(const struct layer *l, size_t first, size_t lines, int from, int count,
	      const float *x, float *cols);
/* The transpose: dx += what the windows of cols hold. */
void ob_lift(const struct layer *l, size_t first, size_t lines, int from, int count,
	     const float *cols, float *dx);

/* ---- openblas_rows.c: sums over rows of channels ---- */

/* sum[c] <- sum over rows of x[rows][c]; in float by short blocks, then in double. */
void ob_sum(size_t rows, size_t c, const float *x, double *sum);
/* sum[c] <- sum of (x - mean)^2 */
void ob_square(size_t rows, size_t c, const float *x, const float *mean, double *sum);
/* sum[c] <- sum of dy; dot[c] <- sum of dy (x - mean) */
void ob_dot(size_t rows, size_t c, const float *x, const float *mean, const float *dy,
	    double *sum, double *dot);

#endif
