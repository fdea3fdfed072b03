/* Files that are written as PATH.part and renamed when they are whole. */
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
 * Locks a file that was just made at the path: while it is open, temporary_clean() leaves it there.
 * False: it has gone from the path, and is to be made again.
 */
bool temporary_hold(int fd, const char *path);

/*
 * Removes what killed runs have left in a folder: files that end in .checkpoint.part or .new after
 * .h5 or .h5.part, that are no links, and that no process holds. Silent.
 */
void temporary_clean(const char *folder);

/* Waits until the file is on disk, where the file system can say so. 0, or errno. */
int temporary_sync(int fd);

/* Flushes, waits for the disk, and renames. 0; -1 with errno set. The caller closes. */
int temporary_finish(FILE *f, const char *part, const char *path);

#endif
