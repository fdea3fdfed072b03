/* matrix.c - products of matrices, by OpenBLAS on one thread. */
#include "core/math/matrix.h"

#include <cblas.h>
#include <pthread.h>

static void use_one_thread(void)
{
	openblas_set_num_threads(1);
}

void matrix_one_thread(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, use_one_thread);
}

void matrix_product(bool ta, bool tb, size_t m, size_t n, size_t k, float alpha, const float *a,
		    size_t lda, const float *b, size_t ldb, float beta, float *c, size_t ldc)
{
	matrix_one_thread();
	cblas_sgemm(CblasRowMajor, ta ? CblasTrans : CblasNoTrans, tb ? CblasTrans : CblasNoTrans,
		    (int)m, (int)n, (int)k, alpha, a, (int)lda, b, (int)ldb, beta, c, (int)ldc);
}
