/*
 * h5.h - results in HDF5: saved as a whole, opened and read.
 *
 * Files are built in memory by core/file/h5.h and written by ourselves: a full disk is then an
 * ordinary error, and a file on disk is always a whole one.
 */
#ifndef RECORD_H5_H
#define RECORD_H5_H

#include "core/file/h5.h"
#include "record/column.h"

/*
 * Writes the file's bytes to a temporary file, renames it to `path`, and closes the file; a final
 * one waits for the disk. 0 or error().
 */
int h5_save(hid_t file, const char *path, bool final);

/* The bytes of such a file as one in memory, which may be changed; the bytes are copied. */
hid_t h5_from(const void *bytes, size_t n);

/* An existing file with the structure of ours (structure.h), read only and without locks. */
hid_t h5_open(const char *path);

/* A 1-D dataset. */
int h5_put_column(hid_t group, const struct column *c);

/* Reading. Text is owned by the caller, NULL when it is not there or not text. */
char *h5_get_text(hid_t object, const char *name);
int h5_get_real(hid_t object, const char *name, double *value);
int h5_get_whole(hid_t object, const char *name, int64_t *value);

/* Reads the dataset c->name into the empty column c, as doubles. */
int h5_get_column(hid_t group, struct column *c);

#endif
