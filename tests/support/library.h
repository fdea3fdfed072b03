/* Reads files of convoy with HDF5's library, as another program does. */
#ifndef TESTS_SUPPORT_LIBRARY_H
#define TESTS_SUPPORT_LIBRARY_H

#include "record/layout.h"

#include <hdf5.h>

hid_t h5_open(const char *path);

/* Text is owned by the caller, NULL when it is not there or not text. Numbers: 0 or -1. */
char *h5_get_text(hid_t object, const char *name);
int h5_get_real(hid_t object, const char *name, double *value);
int h5_get_whole(hid_t object, const char *name, int64_t *value);

/* Reads the dataset c->name into the empty column c, as doubles. */
int h5_get_column(hid_t group, struct column *c);

#endif
