/*
 * h5.h - the little of HDF5 that results need, with one-line errors.
 *
 * Files are built in memory and written by ourselves: a full disk is then an
 * ordinary error, and a file on disk is always a whole one. HDF5's own error
 * printing is switched off; calls return -1 (h5 handles: < 0) without a message,
 * and the caller names the file.
 */
#ifndef REPORT_RECORD_H5_H
#define REPORT_RECORD_H5_H

#include "report/record/column.h"

#include <hdf5.h>

/* A new file in memory; closed with H5Fclose() or h5_save(). */
hid_t h5_new(void);

/*
 * Writes the file's bytes to a temporary file, renames it to `path`, and closes the file; a final
 * one waits for the disk. 0 or error().
 */
int h5_save(hid_t file, const char *path, bool final);

/* The bytes of a file as one in memory, which may be changed; the bytes are copied. */
hid_t h5_from(const void *bytes, size_t n);

/* An existing file, read only and without locks. */
hid_t h5_open(const char *path);

/* A new group; closed with H5Gclose(). */
hid_t h5_group(hid_t parent, const char *name);

/* Attributes of an object. Text longer than an attribute can hold (64 kB) is cut. */
int h5_put_text(hid_t object, const char *name, const char *value);
int h5_put_real(hid_t object, const char *name, double value);
int h5_put_whole(hid_t object, const char *name, int64_t value);

/* Another text in the place of the one that is there. */
int h5_change_text(hid_t object, const char *name, const char *value);

/* A text of any length as a scalar dataset. */
int h5_put_long_text(hid_t parent, const char *name, const char *value);

/* A 1-D dataset. */
int h5_put_column(hid_t group, const struct column *c);

/* A dataset of single-precision numbers of up to 4 dimensions. */
int h5_put_floats(hid_t group, const char *name, int rank, const int *shape, const float *v);

/* Reading. Text is owned by the caller, NULL when it is not there or not text. */
char *h5_get_text(hid_t object, const char *name);
int h5_get_real(hid_t object, const char *name, double *value);
int h5_get_whole(hid_t object, const char *name, int64_t *value);

/* Reads the dataset c->name into the empty column c, as doubles. */
int h5_get_column(hid_t group, struct column *c);

#endif
