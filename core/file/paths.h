/*
 * paths.h - where specs, nets and clusters live.
 *
 * Looked for, in this order: $CONVOY_HOME; share/convoy of an installed program,
 * or the link convoy-share that a build leaves to its sources, both found from
 * where the program lies; share/convoy of the prefix that the build was configured
 * for. In each: experiments/, nets/zoo/, sim/clusters/.
 */
#ifndef CORE_FILE_PATHS_H
#define CORE_FILE_PATHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * The path of a shared file: kind is "experiments", "nets/zoo" or
 * "sim/clusters"; name is with or without ".json", and may itself be a path
 * (it has a '/' that exists, or ends in .json), which then wins. For
 * experiments, a bare "slow-worker" finds "zhang2017/slow-worker" when one paper
 * only has it. The caller frees; NULL after error() naming the nearest ones, or the
 * file that cannot be read where the name can only be a path.
 */
char *path_find(const char *kind, const char *name);

/* Sorted names (without .json) of a kind, NULL-ended; the caller frees with path_list_free(). */
char **path_list(const char *kind);
void path_list_free(char **names);

/* "slow-worker" of "zhang2017/slow-worker": a part of the name. */
const char *path_base(const char *name);

/* A copy without ".json" at its end; folders stay. The caller frees. */
char *path_bare(const char *path);

/* The same of the last component alone: "net" of "a/net.json". The caller frees. */
char *path_stem(const char *path);

/*
 * Paths of what a folder holds whose names end so, sorted, hidden ones left out; NULL-ended. The
 * caller frees with path_list_free(). NULL, with errno set, where it cannot be read.
 */
char **dir_list(const char *dir, const char *end);

/*
 * Opens a regular file for reading, and nothing else: a FIFO or a device in a folder of results or
 * photographs would block for ever. -1 or NULL, with errno set; why that is,
 * file_why() says: "No such file or directory", "not a regular file".
 */
int file_open_fd(const char *path);
FILE *file_open(const char *path);
const char *file_why(void);

/* The same of an input that the user names: it may also be something in /dev, such as stdin. */
int file_open_input(const char *path);

/*
 * A whole file, or input, with a NUL after; size may be NULL. NULL after error(). The caller frees.
 */
char *file_read(const char *path, size_t *size);

/* The same of a file of so many bytes at most; a larger one is an error. */
char *file_read_most(const char *path, size_t most, size_t *size);

/* True of a regular file, or of a link to one. */
bool file_is_regular(const char *path);

/* True of a folder, or of a link to one. */
bool dir_exists(const char *path);

/* mkdir -p; 0 or error() naming the path and why. */
int dir_make(const char *path);

#endif
