/*
 * curl_library.h - libcurl's functions, by their names; the first call loads it.
 */
#ifndef DATA_FETCH_CURL_LIBRARY_H
#define DATA_FETCH_CURL_LIBRARY_H

#include <curl/curl.h>

#ifdef CONVOY_LOADS_CURL

#define CURL_FUNCTIONS(X) \
	X(curl_easy_cleanup) X(curl_easy_getinfo) X(curl_easy_init) \
	X(curl_easy_perform) X(curl_easy_setopt) X(curl_easy_strerror)

struct curl_library {
#define X(name) __typeof__(name) *name##_;
	CURL_FUNCTIONS(X)
#undef X
};

/* The loaded library; if it cannot be loaded, the program ends with a message. */
const struct curl_library *curl_library(void);

#ifndef CURL_UNCHANGED
/* curl.h checks the types of arguments by macros of these names */
#undef curl_easy_setopt
#undef curl_easy_getinfo
#define curl_easy_cleanup (curl_library()->curl_easy_cleanup_)
#define curl_easy_getinfo (curl_library()->curl_easy_getinfo_)
#define curl_easy_init (curl_library()->curl_easy_init_)
#define curl_easy_perform (curl_library()->curl_easy_perform_)
#define curl_easy_setopt (curl_library()->curl_easy_setopt_)
#define curl_easy_strerror (curl_library()->curl_easy_strerror_)
#endif

#endif

#endif
