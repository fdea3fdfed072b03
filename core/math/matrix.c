/* matrix.c - products of matrices, by OpenBLAS on one thread. */
#include "core/math/matrix.h"

#include "core/base/process.h"
#include "core/math/blas_library.h"
#include "core/math/wide.h"

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
#ifdef CONVOY_LOADS_OPENBLAS
	blas_load_again();
#else
	process_again(argv);    /* if that fails: slower, but right */
#endif
#endif
	(void)argv;
}

/* In squares that fit registers and cache lines. */
WIDE void matrix_transpose(size_t rows, size_t columns, const float *restrict from,
			   float *restrict to)
{
	enum { SIDE = 16 };

	for (size_t r0 = 0; r0 < rows; r0 += SIDE)
		for (size_t c0 = 0; c0 < columns; c0 += SIDE)
			for (size_t c = c0; c < columns && c < c0 + SIDE; c++)
				for (size_t r = r0; r < rows && r < r0 + SIDE; r++)
					to[c * rows + r] = from[r * columns + c];
}

void matrix_product(bool ta, bool tb, size_t m, size_t n, size_t k, float alpha, const float *a,
		    size_t lda, const float *b, size_t ldb, float beta, float *c, size_t ldc)
{
	matrix_one_thread();
	cblas_sgemm(CblasRowMajor, ta ? CblasTrans : CblasNoTrans, tb ? CblasTrans : CblasNoTrans,
		    (int)m, (int)n, (int)k, alpha, a, (int)lda, b, (int)ldb, beta, c, (int)ldc);
}
