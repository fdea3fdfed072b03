/* Loads libarchive at the first call of a function of it: only `convoy data get` calls one. */
#define ARCHIVE_UNCHANGED
#include "data/fetch/archive_library.h"

#ifdef CONVOY_LOADS_ARCHIVE

#include "core/base/library.h"

LIBRARY(archive, "libarchive", CONVOY_LOADS_ARCHIVE, ARCHIVE_FUNCTIONS)

#endif
