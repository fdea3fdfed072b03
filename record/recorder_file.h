/* Parts of a run's file that the recorder leaves to others. */
#ifndef RECORD_RECORDER_FILE_H
#define RECORD_RECORDER_FILE_H

#include "record/recorder.h"
#include "record/tree.h"

/* ---- learnt_file.c ---- */

/* Writes what was learnt to the file, and by what it is found; nothing where it is not kept. */
void learnt_put(const struct recorder *r, struct tree *file, const struct run_result *result);

/* ---- correct_file.c ---- */

/* Writes which test samples the final model classifies correctly; nothing if that is not known. */
void correct_put(const struct correct *c, struct tree *file);

/* Reads them; n is 0 if the file has none. 0 or error(); the caller releases. */
int correct_get(struct correct *c, const struct tree *file, const char *path);

#endif
