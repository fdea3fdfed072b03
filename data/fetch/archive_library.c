/* Loads libarchive. */
#define ARCHIVE_UNCHANGED
#include "data/fetch/archive_library.h"

#ifdef CONVOY_LOADS_ARCHIVE

#include "core/base/library.h"

#include <pthread.h>

static struct archive_library library;

static void archive_load(void)
{
	static const char *const names[] = {
#define X(name) #name,
		ARCHIVE_FUNCTIONS(X)
#undef X
		NULL
	};

	library_load("libarchive", CONVOY_LOADS_ARCHIVE, names, &library, sizeof(library));
}

const struct archive_library *archive_library(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, archive_load);
	return &library;
}

#endif
