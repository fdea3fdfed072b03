/* Loads HDF5. */
#define HDF5_UNCHANGED
#include "core/file/hdf5_library.h"

#ifdef CONVOY_LOADS_HDF5

#include "core/base/library.h"

#include <pthread.h>

static struct hdf5_library library;

static void hdf5_load(void)
{
	static const char *const names[] = {
#define X(name) #name,
		HDF5_FUNCTIONS(X)
		HDF5_DATA(X)
#undef X
		NULL
	};

	library_load("HDF5", CONVOY_LOADS_HDF5, names, &library, sizeof(library));
	/*
	 * Its work at exit crashes if a file could not be closed because the disk was full, and is
	 * not needed, because each file is closed.
	 */
	library.H5dont_atexit_();
}

const struct hdf5_library *hdf5_library(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, hdf5_load);
	return &library;
}

#endif
