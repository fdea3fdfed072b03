/* Shared libraries that are loaded when one of their functions is called for the first time. */
#ifndef CORE_BASE_LIBRARY_H
#define CORE_BASE_LIBRARY_H

#include <stddef.h>

/*
 * pointers[] <- the addresses of the library's functions and data of these names, which end with
 * NULL; `pointers` is a struct of as many pointers, of `bytes`. file: "libhdf5.so.103", which the
 * system finds as it does linked libraries; it is not loaded where the program is linked with it.
 * Ends the program with an error if it cannot be loaded, or lacks a name.
 */
void library_load(const char *what, const char *file, const char *const *names, void *pointers,
		  size_t bytes);

#endif
