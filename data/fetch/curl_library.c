/* Loads libcurl. */
#define CURL_UNCHANGED
#include "data/fetch/curl_library.h"

#ifdef CONVOY_LOADS_CURL

#include "core/base/library.h"

#include <pthread.h>

static struct curl_library library;

static void curl_load(void)
{
	static const char *const names[] = {
#define X(name) #name,
		CURL_FUNCTIONS(X)
#undef X
		NULL
	};

	library_load("libcurl", CONVOY_LOADS_CURL, names, &library, sizeof(library));
}

const struct curl_library *curl_library(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, curl_load);
	return &library;
}

#endif
