/*
 * blas_library.h - OpenBLAS's functions, by their names; the first call loads the library, which
 * takes 2 ms.
 */
#ifndef CORE_MATH_BLAS_LIBRARY_H
#define CORE_MATH_BLAS_LIBRARY_H

#ifndef __wasi__                /* the page has no matrix products */
#include <cblas.h>
#endif

/* LAPACK's functions, in OpenBLAS: Fortran, so all arguments by reference, matrices by columns. */
void dsyev_(const char *job, const char *uplo, const int *n, double *a, const int *lda,
	    double *w, double *work, const int *lwork, int *info);
void dgeev_(const char *left, const char *right, const int *n, double *a, const int *lda,
	    double *re, double *im, double *vl, const int *ldvl, double *vr, const int *ldvr,
	    double *work, const int *lwork, int *info);

#ifdef CONVOY_LOADS_OPENBLAS

#define BLAS_FUNCTIONS(X) \
	X(cblas_sgemm) X(dgeev_) X(dsyev_) X(openblas_get_config) \
	X(openblas_get_corename) X(openblas_set_num_threads)

struct blas_library {
#define X(name) __typeof__(name) *name##_;
	BLAS_FUNCTIONS(X)
#undef X
};

/* The loaded library; if it cannot be loaded, the program ends with a message. */
const struct blas_library *blas_library(void);

/*
 * Loads it once more, so that it reads the environment again. No other thread may use it, and none
 * of its functions have computed anything.
 */
void blas_load_again(void);

#ifndef BLAS_UNCHANGED
#define cblas_sgemm (blas_library()->cblas_sgemm_)
#define dgeev_ (blas_library()->dgeev__)
#define dsyev_ (blas_library()->dsyev__)
#define openblas_get_config (blas_library()->openblas_get_config_)
#define openblas_get_corename (blas_library()->openblas_get_corename_)
#define openblas_set_num_threads (blas_library()->openblas_set_num_threads_)
#endif

#endif

#endif
