/* The rate of a large product of matrices through cblas_sgemm. */
#include "nets/openblas.h"

#include "nets/peak.h"

#include <cblas.h>
#include <stdlib.h>

struct product {
	float *a, *b, *c;       /* [PEAK_SIDE][PEAK_SIDE] */
};

static void multiply(void *arg)
{
	const struct product *p = arg;

	cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, PEAK_SIDE, PEAK_SIDE, PEAK_SIDE, 1,
		    p->a, PEAK_SIDE, p->b, PEAK_SIDE, 0, p->c, PEAK_SIDE);
}

double openblas_peak(enum precision precision)
{
	const size_t n = (size_t)PEAK_SIDE * PEAK_SIDE;
	const int threads = openblas_get_num_threads();
	struct product p;
	double rate;

	if (precision != PRECISION_F32)
		return 0;
	p = (struct product){ peak_matrix(n), peak_matrix(n), vec_new(n) };
	openblas_set_num_threads(1);
	rate = peak_measure(multiply, &p);
	openblas_set_num_threads(threads);
	free(p.a);
	free(p.b);
	free(p.c);
	return rate;
}
