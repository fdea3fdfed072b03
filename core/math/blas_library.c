/* Loads OpenBLAS at the first call of a function of it: most commands never call one. */
#define BLAS_UNCHANGED
#include "core/math/blas_library.h"

#ifdef CONVOY_LOADS_OPENBLAS

#include "core/base/library.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>

static struct blas_library loaded;
static void *handle;

/*
 * OpenBLAS begins with a thread for each processor. Each would wait for work for 30 ms, without
 * giving up its processor, in commands that compute no matrix product at all.
 */
static void blas_load(void)
{
	static const char *const names[] = { BLAS_FUNCTIONS(LIBRARY_TEXT) NULL };
	const bool given = getenv("OPENBLAS_NUM_THREADS");

	setenv("OPENBLAS_NUM_THREADS", "1", 0);
	handle = library_load("OpenBLAS", CONVOY_LOADS_OPENBLAS, names, &loaded, sizeof(loaded));
	if (!given)
		unsetenv("OPENBLAS_NUM_THREADS");
}

const struct blas_library *blas_library(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, blas_load);
	return &loaded;
}

void blas_load_again(void)
{
	blas_library();
	dlclose(handle);
	blas_load();
}

#endif
