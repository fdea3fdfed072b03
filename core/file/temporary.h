/*
 * Files that are written under a temporary name, and renamed when they are complete.
 *
 * A path that is a symbolic link of this account, or of root, stands for the file that it leads to,
 * also if that is missing: the temporary file is next to that one, and replaces it. A link of
 * another account, or with the name of an unfinished file (.part), is replaced itself.
 */
#ifndef CORE_FILE_TEMPORARY_H
#define CORE_FILE_TEMPORARY_H

#include <stdbool.h>
#include <stdio.h>

/* Path of a temporary file of PATH, with that ending. The caller frees. */
char *temporary_name(const char *path, const char *ending);

/*
 * Opens `part` for reading and writing, with its content; makes it if it is missing. It is locked
 * against other processes until it is closed. NULL after error(): it cannot be written, or another
 * process has locked it.
 */
FILE *temporary_open(const char *part);

/*
 * Makes a file that no other process uses: PATH with the ending, such as ".new", or PATH.1 with the
 * ending if another process holds that one, and so on. Removes such files of killed processes. The
 * file is open for reading and writing, and locked until it is closed, so that temporary_clean()
 * leaves it alone. The caller frees *name. -1 with errno set, and *name is NULL.
 */
int temporary_create(const char *path, const char *ending, char **name);

/*
 * Removes temporary files of killed runs from a folder: of results (.h5.new, .h5.part.new) and of
 * checkpoints (.h5.checkpoint.part, .h5.checkpoint.200.3.part), also with a number before the last
 * ending. Links, and files that a process has locked, stay. Prints nothing.
 */
void temporary_clean(const char *folder);

/* Removes such files of PATH, also those that a process has locked: it may write PATH no more. */
void temporary_remove(const char *path);

/* `call` is called before each temporary file is renamed; it may end the process. */
void temporary_before_rename(void (*call)(void));

/*
 * Renames a temporary file to PATH, after that call. 0; -1 with errno, EEXIST for what is neither
 * missing nor a file.
 */
int temporary_rename(const char *part, const char *path);

/*
 * error("cannot write 'PATH': ...") with the reason: an errno, or 0 if HDF5 failed without one.
 * Always -1.
 */
int temporary_failed(const char *path, int why);

/*
 * True when temporary_failed() was ever called for a full disk, a quota or a limit on file sizes.
 */
bool temporary_was_full(void);

/* Waits until the file is on the disk, if the file system supports that. 0, or errno. */
int temporary_sync(int fd);

/*
 * Flushes, waits for the disk, and renames `part` to `path`. 0; -1 with errno set. The caller
 * closes.
 */
int temporary_finish(FILE *f, const char *part, const char *path);

#endif
