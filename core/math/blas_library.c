/* Loads OpenBLAS. */
#define BLAS_UNCHANGED
#include "core/math/blas_library.h"

#ifdef CONVOY_LOADS_OPENBLAS

#include "core/base/library.h"

#include <pthread.h>

static struct blas_library library;

static void blas_load(void)
{
	static const char *const names[] = {
#define X(name) #name,
		BLAS_FUNCTIONS(X)
#undef X
		NULL
	};

	library_load("OpenBLAS", CONVOY_LOADS_OPENBLAS, names, &library, sizeof(library));
}

const struct blas_library *blas_library(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, blas_load);
	return &library;
}

#endif
