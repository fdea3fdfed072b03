/*
 * h5.h - writing HDF5: files, groups, data sets and attributes, without time stamps.
 *
 * Handles are below 0 and calls return -1 when HDF5 fails, without a message: the caller names the
 * file. No file format is defined here: record/ defines that of results, data/pack/ that of packed
 * photographs.
 */
#ifndef CORE_FILE_H5_H
#define CORE_FILE_H5_H

#include "core/file/hdf5_library.h"

#include <stdint.h>

enum { H5_GROW = 64 * 1024 };   /* bytes by which a file in memory grows */

/*
 * Turns off HDF5's own error messages, and links into other files, which convoy's files do not
 * have. Error printing is a property of the calling thread in a thread-safe HDF5, so every open
 * calls this.
 */
void h5_hush(void);

/* A new file, on disk without locks; path NULL: in memory. Closed with H5Fclose(). */
hid_t h5_create(const char *path);

/* A new group; closed with H5Gclose(). */
hid_t h5_group(hid_t parent, const char *name);

/* Attributes of an object. Text longer than an attribute can hold (64 kB) is cut. */
int h5_put_text(hid_t object, const char *name, const char *value);
int h5_put_int(hid_t object, const char *name, int value);      /* of 32 bits */
int h5_put_whole(hid_t object, const char *name, int64_t value);
int h5_put_real(hid_t object, const char *name, double value);

/* A text of any length as a scalar data set. */
int h5_put_long_text(hid_t parent, const char *name, const char *value);

/*
 * Writes a data set of n values (v NULL: allocated, none written) of file type `type` and memory
 * type `mem`. at: NULL; or the data set is contiguous, and *at <- its offset in the file.
 */
int h5_put_array(hid_t parent, const char *name, hid_t type, hid_t mem, size_t n, const void *v,
		 uint64_t *at);

/* h5_put_array() for texts, stored with equal width, NUL padded; *width <- that width. */
int h5_put_texts(hid_t parent, const char *name, size_t n, char *const *v, uint64_t *width,
		 uint64_t *at);

/* A data set of single-precision numbers of up to 4 dimensions. */
int h5_put_floats(hid_t parent, const char *name, int rank, const int *shape, const float *v);

/* An empty data set in chunks, whose first dimension may grow; closed with H5Dclose(). */
hid_t h5_put_chunked(hid_t parent, const char *name, hid_t type, int rank, const hsize_t *shape,
		     const hsize_t *chunk);

#endif
