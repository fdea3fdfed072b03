/* Whether a file has the structure that HDF5 gives ours, before HDF5 reads it. */
#ifndef RECORD_STRUCTURE_H
#define RECORD_STRUCTURE_H

#include <stdbool.h>
#include <stddef.h>

/* False of anything else, which must not be given to HDF5: of n bytes, of an open file. */
bool structure_of_bytes(const void *bytes, size_t n);
bool structure_of_file(int fd);

#endif
