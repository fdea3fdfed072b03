/* matrix.c - products of matrices, by OpenBLAS on one thread. */
#include "core/math/matrix.h"

#include "core/base/process.h"

#include <cblas.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static void use_one_thread(void)
{
	openblas_set_num_threads(1);
}

void matrix_one_thread(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, use_one_thread);
}

void matrix_kernels(char **argv)
{
#ifdef __x86_64__
	const bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
			  __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
	const bool fast = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");

	if (!fast || getenv("OPENBLAS_CORETYPE") ||
	    strcmp(openblas_get_corename(), "Prescott") != 0)
		return;
	setenv("OPENBLAS_CORETYPE", wide ? "SkylakeX" : "Haswell", 1);
	process_again(argv);    /* if that fails: slower, but right */
#else
	(void)argv;
#endif
}

void matrix_product(bool ta, bool tb, size_t m, size_t n, size_t k, float alpha, const float *a,
		    size_t lda, const float *b, size_t ldb, float beta, float *c, size_t ldc)
{
	matrix_one_thread();
	cblas_sgemm(CblasRowMajor, ta ? CblasTrans : CblasNoTrans, tb ? CblasTrans : CblasNoTrans,
		    (int)m, (int)n, (int)k, alpha, a, (int)lda, b, (int)ldb, beta, c, (int)ldc);
}
