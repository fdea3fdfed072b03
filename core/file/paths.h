/*
 * paths.h - finds the files of specs, nets and clusters that come with the program.
 *
 * Searched in this order: $CONVOY_HOME; share/convoy of an installed program, or the link
 * convoy-share from a build folder to the sources, both relative to the program; share/convoy of
 * the prefix that the build was configured for. Each has experiments/, nets/zoo/, sim/clusters/.
 */
#ifndef CORE_FILE_PATHS_H
#define CORE_FILE_PATHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * Path of a shared file. `kind` is "experiments", "nets/zoo" or "sim/clusters". `name` may end in
 * ".json" or not; if it is itself a path (has a '/' and exists, or ends in .json), that file is
 * taken. An experiment may be named without its paper: "slow-worker" finds "zhang2017/slow-worker"
 * if only one paper has it. The caller frees; NULL after error() that names similar files, or the
 * file that cannot be read if `name` can only be a path.
 */
char *path_find(const char *kind, const char *name);

/* path_find(), where a message may suggest these names too, which are no files; NULL-ended. */
char *path_find_or(const char *kind, const char *name, const char *const *others);

/*
 * Path of a file that comes with the program, such as "python/convoy/serve.py", in the first of
 * these folders that has it; NULL: none has. The caller frees.
 */
char *path_shipped(const char *file);

/* The text of such a file, which `what` needs; NULL after error(). The caller frees. */
char *path_shipped_text(const char *file, const char *what);

/* True for the path of an experiment that comes with the program, as path_find() gives it. */
bool path_is_shipped(const char *path);

/* Sorted names (without .json) of a kind, NULL-ended; the caller frees with path_list_free(). */
char **path_list(const char *kind);
void path_list_free(char **names);

/* path_list_free() at the end of the block: scoped_paths char **names = path_list("nets"). */
#define scoped_paths scoped_by(path_list_scoped)
void path_list_scoped(char ***names);

/* Last component of a name: "slow-worker" of "zhang2017/slow-worker"; not a copy. */
const char *path_base(const char *name);

/* The folder of "x/y": "x"; "/" of "/y", "." of "y". The caller frees. */
char *path_folder(const char *path);

/*
 * Path of a file in the user's cache, $XDG_CACHE_HOME/convoy or ~/.cache/convoy, which may not be
 * there yet; NULL: neither variable gives a folder. The caller frees.
 */
char *path_cached(const char *file);

/* A copy without ".json" at its end; folders stay. The caller frees. */
char *path_bare(const char *path);

/*
 * "; ',' and ':' end a name here: rename 'my,net.py', or ..." if the file is not there, and one is
 * whose name goes on after such a character; else "". The caller frees.
 */
char *path_cut_advice(const char *path);

/* Copy of the last component without ".json": "net" of "a/net.json". The caller frees. */
char *path_stem(const char *path);

/*
 * Sorted paths of the files in a folder whose names end in `end`, without hidden ones; NULL-ended.
 * The caller frees with path_list_free(). NULL, with errno set, if the folder cannot be read.
 */
char **dir_list(const char *dir, const char *end);

/*
 * Opens a regular file for reading, and nothing else: a FIFO or a device in a folder of results or
 * photographs would block for ever. -1 or NULL, with errno set; file_why() then gives the reason:
 * "No such file or directory", "not a regular file".
 */
int file_open_fd(const char *path);
FILE *file_open(const char *path);
const char *file_why(void);

/* Whether errno then says that there may be such a file, which could not be opened for now. */
bool file_is_unread(void);

/* file_open_fd() for an input named by the user, which may also be a device such as /dev/stdin. */
int file_open_input(const char *path);

/*
 * Content of a file or input, followed by a NUL; size may be NULL. NULL after error(). The caller
 * frees.
 */
char *file_read(const char *path, size_t *size);

/* file_read(), but a file of more than `most` bytes is an error. */
char *file_read_most(const char *path, size_t most, size_t *size);

/* True for a regular file, or a link to one. */
bool file_is_regular(const char *path);

/* True for a folder, or a link to one. */
bool dir_exists(const char *path);

/* mkdir -p; 0 or error() naming the path and why. */
int dir_make(const char *path);

/* dir_make() whose error() ends with what to do: ". Name another one". */
int dir_make_or(const char *path, const char *advice);

#endif
