/* own.h - algorithms in files of users: found, compiled, loaded, checked and described. */
#ifndef ALGOS_OWN_OWN_H
#define ALGOS_OWN_OWN_H

#include "core/file/code.h"
#include "core/node.h"

/* Makes files of users algorithms of algo_table. */
void own_algorithms(void);

/* compile.c: adds the words of the C compiler, $CC or cc. */
void own_compiler(struct texts *words);

/* A compiler is ended soon after stop() returns true. */
void own_stop_when(bool (*stop)(void));

/*
 * compile.c: the path of the shared library of a file in C, compiled unless the cache has it; the
 * caller frees. NULL after error(), which `what` begins.
 */
char *own_compile(const char *what, const char *path, const char *digest);

/*
 * The folder of the headers: of the sources, by the link in a build folder, or of an installed
 * program, PREFIX/include/convoy. NULL: they are not installed. The caller frees.
 */
char *own_headers(void);

/* Flags by which a compiler finds the headers in that folder, for a shell; the caller frees. */
char *own_headers_flags(const char *headers);

/* load.c: loads a library and checks its table. NULL after error(), which `what` begins. */
const struct algo *own_load(const char *what, const char *path);

/*
 * 0, or error() for options that would be written beyond the struct that they fill, that have a
 * default which they refuse, or that cannot be named.
 */
int own_check_options(const char *what, const struct plugin *p);

/* describe.c: writes what own_described() reads, to the cache. Does nothing if it cannot. */
void own_describe(const struct algo *algo, const char *digest);

/* The algorithm as it was described; kept until the process ends. NULL: it never was. */
struct algo *own_described(const char *digest);

/*
 * crash.c: from now on a signal of the processor, such as SIGSEGV, is reported with this file, and
 * those named before, as the likely cause. Then it does what it did before.
 */
void own_crash_expect(const char *path);

/* These files, "./a.c or ./b.c", kept here; NULL: none was loaded. */
const char *own_crash_suspects(void);

/* A path in convoy's cache, "code/NAME"; the caller frees. NULL: there is no cache. */
char *own_cache(const char *name);

#endif
