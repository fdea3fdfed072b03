/*
 * reference.h - plain nets in double precision, each layer as its formula is written.
 *
 * What every backend is held against. Shares with them the graph and the
 * addresses of the dropout draws, and no arithmetic. Only the product of
 * matrices (product.h) is made to be fast.
 */
#ifndef NETS_REFERENCE_REFERENCE_H
#define NETS_REFERENCE_REFERENCE_H

#include "nets/graph/graph.h"

/* As struct carried, in double. */
struct reference_memory {
	const double *in;
	size_t rows;
	double *out;
};

/*
 * As struct backend's functions of the same names, in double. use NULL: no dropout;
 * memory, what the net has and leaves, NULL: nothing; grad NULL: the loss alone.
 */
double reference_grad(const struct graph *g, const double *x, size_t n, const double *images,
		      const int32_t *labels, uint64_t seed, const uint64_t *use,
		      const struct reference_memory *memory, double *grad);
void reference_stats(const struct graph *g, const double *x, size_t n, const double *images,
		     double *stats);
void reference_logits(const struct graph *g, const double *x, const double *stats, size_t n,
		      const double *images, const struct reference_memory *memory,
		      double *logits);

/*
 * A loss whose layers' outputs are kept, so that losses at other parameters cost only the layers
 * that read those. What it was given must outlive it; several threads may use it.
 */
struct reference_kept;
struct reference_kept *reference_keep(const struct graph *g, const double *x, size_t n,
				      const double *images, const int32_t *labels, uint64_t seed,
				      const uint64_t *use, const struct reference_memory *memory);
void reference_kept_free(struct reference_kept *kept);

/*
 * The loss at y, which is the kept x but for the parameters of one blob; NULL: of any. ReLUs are on
 * as at x, and of a window the value counts that was the largest, so that the loss is smooth.
 */
double reference_loss_at(const struct reference_kept *kept, const struct blob *blob,
			 const double *y);

/* The share of a forward pass's multiply-accumulates that reference_loss_at() does. */
double reference_share(const struct graph *g, const struct blob *blob);

/*
 * Multiply-accumulates that all of these have done so far, on all threads: layer by layer, those
 * of a backward pass twice.
 */
int64_t reference_macs(void);

#endif
