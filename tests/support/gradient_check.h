/* A backend's results against the reference's, and the reference's against differences. */
#ifndef TESTS_SUPPORT_GRADIENT_CHECK_H
#define TESTS_SUPPORT_GRADIENT_CHECK_H

#include "nets/reference/reference.h"
#include "tests/support/netcase.h"

/* The norm of got - want; either may be NULL: that of the other. */
double distance(size_t n, const float *got, const double *want);

/*
 * Each fails, with the case's name and `where`, what is off by more than 2e-5 of its norm and of
 * `more`; of a blob's gradient `more` is 1e-2 of the whole gradient's norm: what is 0 in theory, as
 * a bias before a batch normalisation, is rounding.
 */
struct grad_check {
	const struct trial *t;
	const struct backend *b;
	const char *where;
	const struct reference_memory *memory;  /* that the context was given; NULL: none */
};
void grad_check_vector(const struct grad_check *on, const char *what, size_t n, const float *got,
		const double *want, double more);
/* Every blob of a gradient; one whose terms cancel may be off by some roundings of the whole. */
void grad_check_blobs(const struct grad_check *on, const float *got, const double *want);

/* Loss and gradient of the trial's batch; the gradient is left in got. */
void grad_check_backend(const struct grad_check *on, void *ctx, const uint64_t *use, float *got);
void grad_check_logits(const struct grad_check *on, void *ctx, const float *stats);

/* The reference's gradient along a random direction of each of n blobs, against differences. */
void grad_check_slopes(const struct grad_check *on, const struct blob *blob, size_t n);

#endif
