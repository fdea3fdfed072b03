/* Shared libraries that are loaded when one of their functions is called for the first time. */
#ifndef CORE_BASE_LIBRARY_H
#define CORE_BASE_LIBRARY_H

#include <pthread.h>
#include <stddef.h>

/*
 * pointers[] <- the addresses of the library's functions and data of these names, which end with
 * NULL; `pointers` is a struct of as many pointers, of `bytes`. file: "libhdf5.so.103", which the
 * system finds as it does linked libraries; it is not loaded where the program is linked with it.
 * Returns its handle. Ends the program with an error if it cannot be loaded, or lacks a name.
 */
void *library_load(const char *what, const char *file, const char *const *names, void *pointers,
		   size_t bytes);

/* An element of the lists below: the text of a name. */
#define LIBRARY_TEXT(name) #name,

/*
 * Defines NAME_library(), which loads `file` at its first call, as header files named after
 * libraries declare it. LIST(X): X(name) for each member of struct NAME_library, in order.
 * begun(): is called with the loaded library.
 */
#define LIBRARY_WITH(NAME, what, file, LIST, begun) \
	static struct NAME##_library NAME##_loaded; \
	static void NAME##_load(void) \
	{ \
		static const char *const names[] = { LIST(LIBRARY_TEXT) NULL }; \
		library_load(what, file, names, &NAME##_loaded, sizeof(NAME##_loaded)); \
		begun(&NAME##_loaded); \
	} \
	const struct NAME##_library *NAME##_library(void) \
	{ \
		static pthread_once_t once = PTHREAD_ONCE_INIT; \
		pthread_once(&once, NAME##_load); \
		return &NAME##_loaded; \
	}

#define LIBRARY_NOTHING(loaded) ((void)(loaded))
#define LIBRARY(NAME, what, file, LIST) LIBRARY_WITH(NAME, what, file, LIST, LIBRARY_NOTHING)

#endif
