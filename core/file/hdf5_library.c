/* Loads HDF5 at the first call of a function of it: most commands never call one. */
#define HDF5_UNCHANGED
#include "core/file/hdf5_library.h"

#ifdef CONVOY_LOADS_HDF5

#include "core/base/library.h"

#define HDF5_NAMES(X) HDF5_FUNCTIONS(X) HDF5_DATA(X)

/*
 * Its work at exit crashes if a file could not be closed because the disk was full, and is not
 * needed, because each file is closed.
 */
static void hdf5_begun(const struct hdf5_library *h)
{
	h->H5dont_atexit_();
}

LIBRARY_WITH(hdf5, "HDF5", CONVOY_LOADS_HDF5, HDF5_NAMES, hdf5_begun)

#endif
