/*
 * Compares a backend's results with the reference's, and the reference's with finite differences.
 */
#ifndef TESTS_SUPPORT_GRADIENT_CHECK_H
#define TESTS_SUPPORT_GRADIENT_CHECK_H

#include "nets/reference/reference.h"
#include "tests/support/netcase.h"

/* Norm of got - want; if one is NULL, norm of the other. */
double distance(size_t n, const float *got, const double *want);

/*
 * The functions below fail, with the case's name and `where`, for a difference larger than 2e-5 of
 * the norms of the vector and of `more`. For a blob's gradient, `more` is 1e-2 of the whole
 * gradient's norm: a gradient that is 0 in theory, such as that of a bias before a batch
 * normalisation, is rounding error.
 */
struct grad_check {
	const struct trial *t;
	const struct backend *b;
	const char *where;
	const struct reference_memory *memory;  /* that the context was given; NULL: none */
};
void grad_check_vector(const struct grad_check *on, const char *what, size_t n, const float *got,
		const double *want, double more);
/*
 * Checks every blob of a gradient. If a blob's terms cancel, it may be off by rounding errors of
 * the whole.
 */
void grad_check_blobs(const struct grad_check *on, const float *got, const double *want);

/* Checks loss and gradient of the trial's batch; the gradient is left in got. */
void grad_check_backend(const struct grad_check *on, void *ctx, const uint64_t *use, float *got);
void grad_check_logits(const struct grad_check *on, void *ctx, const float *stats);

/*
 * Compares the reference's gradient, along a random direction of each of n blobs, with differences.
 */
void grad_check_slopes(const struct grad_check *on, const struct blob *blob, size_t n);

#endif
