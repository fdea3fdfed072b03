/*
 * seal.h - the last bytes of a result file: a checksum of all before.
 *
 * HDF5 passes over bytes after its own end, and drops them when another
 * program changes the file. It may crash or hang on a file with a few bytes
 * wrong, so nothing is given to it that has not been checked: against accidents
 * by the seal, against intent by structure.h.
 */
#ifndef RECORD_SEAL_H
#define RECORD_SEAL_H

#include <hdf5.h>
#include <stddef.h>

enum { SEAL_BYTES = 32 };

/* Writes the seal of n bytes to out. */
void seal_write(const void *bytes, size_t n, char out[SEAL_BYTES]);

/* NULL for a file whose seal is right, else what is wrong with it: "... is damaged". */
const char *seal_fault(const char *path);

/* ---- change.c: a result file that is there already, changed ---- */

/*
 * Has `change` look at the file, in memory; where it says 1, the file is replaced by what it made
 * of it, sealed again (final: after that has reached the disk); at 0 nothing is written, and -1 is
 * a file that is none of ours. As `change` says, or error().
 */
int result_change(const char *path, bool final, int (*change)(hid_t file, const void *ctx),
		  const void *ctx);

#endif
