/*
 * h5.h - results in HDF5: saved as a whole, and checked before they are read.
 *
 * Files are built in memory by core/file/h5.h and written by ourselves: a full disk is then an
 * ordinary error, and a file on disk is always a whole one.
 */
#ifndef RECORD_H5_H
#define RECORD_H5_H

#include "core/file/h5.h"
#include "record/layout.h"

/*
 * Writes the file's bytes to a temporary file, renames it to `path`, and closes the file; a final
 * one waits for the disk. 0 or error().
 */
int h5_save(hid_t file, const char *path, bool final);

/* A 1-D dataset. */
int h5_put_column(hid_t group, const struct column *c);

/*
 * ---- the last bytes of a result file: a checksum of all before ----
 *
 * HDF5 passes over bytes after its own end, and drops them when another
 * program changes the file. It may crash or hang on a file with a few bytes
 * wrong, so nothing is given to it that has not been checked: against accidents
 * by the seal, against intent by structure.c.
 */

enum { SEAL_BYTES = 32 };

/* Writes the seal of n bytes to out. */
void seal_write(const void *bytes, size_t n, char out[SEAL_BYTES]);

/* Writes the seal of bytes of this hash, fnv() from FNV_START on, to out. */
void seal_put(uint64_t hash, char out[SEAL_BYTES]);

/* NULL for a file whose seal is right, else what is wrong with it: "... is damaged". */
const char *seal_fault(const char *path);

/* Whether that says that the file could not be read, as without permission, and may be whole. */
bool seal_is_unread(const char *fault);

/* Whether the file ends with a seal, be it right or not. */
bool seal_ends(const char *path);

struct tree_source;

/* Opens the file, and reads it where it is not large. NULL, or as seal_fault(). */
const char *seal_read(const char *path, struct tree_source *source);

/* ---- structure.c: has a file the structure that HDF5 gives ours, before it reads it? ---- */

struct tree;

/* Fills the root of a file whose source is set. False: the file is none of ours. */
bool structure_read(struct tree *root);

/* Fills the root with all but the values of the data sets of n bytes, which stay the caller's. */
bool structure_of_image(struct tree *root, const unsigned char *bytes, size_t n);

#endif
