/* Loads libcurl at the first call of a function of it: only `convoy data get` calls one. */
#define CURL_UNCHANGED
#include "data/fetch/curl_library.h"

#ifdef CONVOY_LOADS_CURL

#include "core/base/library.h"

LIBRARY(curl, "libcurl", CONVOY_LOADS_CURL, CURL_FUNCTIONS)

#endif
