/* Loads libarchive at the first call of a function of it, to read .npz or for `convoy data get`. */
#define ARCHIVE_UNCHANGED
#include "data/archive_library.h"

#ifdef CONVOY_LOADS_ARCHIVE

#include "core/base/library.h"

LIBRARY(archive, "libarchive", CONVOY_LOADS_ARCHIVE, ARCHIVE_FUNCTIONS)

#endif
