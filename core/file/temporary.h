/* Files that are written under another name and renamed when they are whole. */
#ifndef CORE_FILE_TEMPORARY_H
#define CORE_FILE_TEMPORARY_H

#include <stdbool.h>
#include <stdio.h>

/*
 * Opens `part` to read and write, made where it is missing, with what is in it. No other
 * process gets it before it is closed. NULL after error(): it cannot be written, or another
 * process is at it.
 */
FILE *temporary_open(const char *part);

/*
 * Makes a file that no other process has: PATH and the ending, such as ".new", or PATH.1 and the
 * ending where another process is at that one, and so on. What killed processes have left there is
 * removed. Open to read and write, and locked until it is closed: temporary_clean() leaves it
 * there. *name is the caller's to free. -1 with errno set, and *name is NULL.
 */
int temporary_create(const char *path, const char *ending, char **name);

/*
 * Removes what killed runs have left in a folder: temporary files of results (.h5.new and
 * .h5.part.new) and of checkpoints (.h5.checkpoint.part, .h5.checkpoint.200.3.part), also those
 * with a number before their last ending, that are no links, and that no process holds. Silent.
 */
void temporary_clean(const char *folder);

/*
 * error("cannot write 'PATH': ...") of a file that could not be written, by errno, or 0
 * where HDF5 failed without one; always -1.
 */
int temporary_failed(const char *path, int why);

/* True when one of them had this reason: a full disk, a quota, or a limit of the size of files. */
bool temporary_was_full(void);

/* Waits until the file is on disk, where the file system can say so. 0, or errno. */
int temporary_sync(int fd);

/* Flushes, waits for the disk, and renames. 0; -1 with errno set. The caller closes. */
int temporary_finish(FILE *f, const char *part, const char *path);

#endif
