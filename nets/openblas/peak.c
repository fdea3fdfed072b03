/* The rate of a large product of matrices. */
#include "nets/openblas/openblas.h"

#include "nets/peak.h"

#include <stdlib.h>

struct product {
	float *a, *b, *c;       /* [PEAK_SIDE][PEAK_SIDE] */
};

static void openblas_peak_multiply(void *arg)
{
	const struct product *p = arg;

	ob_gemm(false, false, PEAK_SIDE, PEAK_SIDE, PEAK_SIDE, p->a, PEAK_SIDE, p->b, PEAK_SIDE,
		0, p->c, PEAK_SIDE);
}

double openblas_peak(enum precision precision)
{
	const size_t n = (size_t)PEAK_SIDE * PEAK_SIDE;
	struct product p;
	double rate;

	if (precision != PRECISION_F32)
		return 0;
	ob_init();
	p = (struct product){ peak_matrix(n), peak_matrix(n), vec_new(n) };
	rate = peak_measure(openblas_peak_multiply, &p);
	free(p.a);
	free(p.b);
	free(p.c);
	return rate;
}
