/* The one product that everything becomes. */
#include "nets/openblas/openblas.h"

#include <cblas.h>
#include <pthread.h>

/* Parallelism is across partitions, so each product stays on the thread that asks for it. */
static void use_one_thread(void)
{
	openblas_set_num_threads(1);
}

void ob_init(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, use_one_thread);
}

void ob_gemm(bool ta, bool tb, size_t m, size_t n, size_t k, const float *a, size_t lda,
	     const float *b, size_t ldb, float beta, float *c, size_t ldc)
{
	cblas_sgemm(CblasRowMajor, ta ? CblasTrans : CblasNoTrans, tb ? CblasTrans : CblasNoTrans,
		    (int)m, (int)n, (int)k, 1.0f, a, (int)lda, b, (int)ldb, beta, c, (int)ldc);
}

void ob_multiply(const struct ob *c, const struct ob_part *p, bool ta, bool tb, size_t m, size_t n,
		 size_t k, const float *a, size_t lda, const float *b, size_t ldb, float beta,
		 float *to, size_t ldc)
{
	const struct ob_product product = { ta, tb, m, n, k, a, lda, b, ldb, beta, to, ldc };

	if (c->products)
		c->products->multiply(c->by, p->lane, &product);
	else
		ob_gemm(ta, tb, m, n, k, a, lda, b, ldb, beta, to, ldc);
}

void ob_threads(int threads)
{
	openblas_set_num_threads(threads);
}

const char *ob_kernels(void)
{
	return openblas_get_corename();
}

const char *ob_version(void)
{
	return openblas_get_config();
}
