/* arrays.h - the arrays x_train, y_train, x_test, y_test of a file of numpy.savez(). */
#ifndef DATA_NPZ_ARRAYS_H
#define DATA_NPZ_ARRAYS_H

#include "data/samples.h"

/* Dimensions of images: n x height x width x channels, or n x channels x height x width. */
enum npz_channels { NPZ_CHANNELS_LAST, NPZ_CHANNELS_FIRST };

/*
 * Reads all arrays from an open file; without `test` only those of training. 0, or error() naming
 * file, array and what to do. Either way the caller calls samples_release(). `path` is for
 * messages.
 */
int arrays_read(const char *path, int fd, bool test, enum npz_channels channels,
		struct samples_raw *raw);

#endif
