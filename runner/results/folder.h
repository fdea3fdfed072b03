/* The folders that results are written into. */
#ifndef RUNNER_RESULTS_FOLDER_H
#define RUNNER_RESULTS_FOLDER_H

/* The folder that was asked for, else $CONVOY_RESULTS, else "results". */
const char *results_folder(const char *out);

/*
 * Makes the folder, and removes what killed runs have left in it: temporary_clean(). 0, or error()
 * when nothing can be written there.
 */
int folder_prepare(const char *dir);

/* All that was written to the file system of the folder reaches the disk. */
void folder_sync(const char *dir);

/* 0 when the folder is there and can be written into, else error(). */
int folder_writable(const char *dir);

#endif
