/* A gradient and all that it was made from, for another framework to check. */
#ifndef RECORD_GRADIENT_FILE_H
#define RECORD_GRADIENT_FILE_H

#include "core/problem.h"

struct export {                         /* everything is borrowed */
	const char *net, *backend, *precision;
	uint64_t seed;
	double lr;                      /* of the steps; plain SGD, each on the same batch */
	const struct blob *blobs;       /* [nblobs] */
	size_t nblobs;
	const float *params, *grads;    /* [dim] */
	size_t n;                       /* samples */
	int height, width, channels, classes;
	int targets;                    /* labels of a sample */
	enum loss loss_is;
	bool tokens;                    /* samples are windows of height tokens */
	const float *images;            /* [n][height][width][channels] */
	/* [n][targets]; of losses other than cross-entropy: bits of floats, [n][classes] */
	const int32_t *labels;
	const float *memory;            /* [n][memory_floats] of a net that has one ... */
	size_t memory_floats;           /* ... 0: it has none */
	const float *logits;            /* [n][targets][classes] in training mode */
	double loss;
	const double *losses;           /* [steps] before each step; NULL: none were taken */
	size_t steps;
};

/*
 * Writes PATH as HDF5, to a temporary file, renamed: groups params and grads, a dataset per blob
 * of its name and shape; batch/images (n x channels x height x width) or batch/tokens
 * (n x height), batch/labels or batch/targets (n x classes), and batch/memory of a net that has
 * one; logits, loss and losses; what it is, and the layouts in words, as attributes. 0 or error().
 */
int export_write(const struct export *e, const char *path);

#endif
