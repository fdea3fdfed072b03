/*
 * h5.h - the little of HDF5 that packing needs. Errors are values below 0,
 * without a message: the caller names the file.
 */
#ifndef DATA_PACK_H5_H
#define DATA_PACK_H5_H

#include "data/photo/list.h"

#include <hdf5.h>

/* A new file on disk, without time stamps and locks. */
hid_t pack_create(const char *part);

/* Attributes. */
int pack_put_text(hid_t object, const char *name, const char *text);
int pack_put_whole(hid_t object, const char *name, int v);

/* A contiguous array of n; where it lies in the file -> *at. */
int pack_put_array(hid_t parent, const char *name, hid_t type, hid_t mem, size_t n,
		   const void *v, uint64_t *at);

/* The same of texts of equal width, NUL padded. */
int pack_put_texts(hid_t parent, const char *name, const struct names *t, uint64_t *width,
		   uint64_t *at);

#endif
