/*
 * reference.h - nets in double precision, each layer computed as its formula is written.
 *
 * Backends are compared with this reference in tests. It shares with them the graph and the
 * addresses of dropout draws, but no arithmetic. Only the product of matrices (product.c) is
 * optimised.
 */
#ifndef NETS_REFERENCE_REFERENCE_H
#define NETS_REFERENCE_REFERENCE_H

#include "nets/graph/graph.h"

/* struct carried in double. */
struct reference_memory {
	const double *in;
	size_t rows;
	double *out;
};

/*
 * Functions of struct backend with the same names, in double. use NULL: no dropout; memory: what
 * the net reads and writes, NULL: none; grad NULL: only the loss.
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
 * A loss with the outputs of all layers, so that the loss at other parameters needs only the layers
 * that depend on these. All arguments must outlive it; several threads may use it.
 */
struct reference_kept;
struct reference_kept *reference_keep(const struct graph *g, const double *x, size_t n,
				      const double *images, const int32_t *labels, uint64_t seed,
				      const uint64_t *use, const struct reference_memory *memory);
void reference_kept_free(struct reference_kept *kept);

/*
 * Loss at y, which equals the kept x except for the parameters of one blob; NULL: of any. ReLUs are
 * on as at x, and a pooling window takes the value that was largest at x, so that the loss is
 * smooth in y.
 */
double reference_loss_at(const struct reference_kept *kept, const struct blob *blob,
			 const double *y);

/* Share of a forward pass's multiply-accumulates that reference_loss_at() needs. */
double reference_share(const struct graph *g, const struct blob *blob);

/*
 * Multiply-accumulates of all functions above so far, on all threads: layer by layer, with those of
 * a backward pass counted twice.
 */
int64_t reference_macs(void);

#endif
