/* Packs a folder of photographs into one file. */
#ifndef DATA_PACK_PACK_H
#define DATA_PACK_PACK_H

#include "data/photo/photo.h"

#include <stdbool.h>

struct pack_conf {
	const char *dir, *synsets, *labels;     /* options of the data set imagenet */
	const char *out;        /* written as OUT.part, by one process at a time, then renamed */
	bool jpeg;              /* stores JPEG files; else decoded pixels */
	bool squeeze;           /* pixels: resized to a square, whatever the aspect */
	int resize;             /* pixels a side */
	int64_t train, test;    /* photographs of each split, evenly spaced; 0: all */
	int threads;
	/* Called regularly with the number done and the total; false stops. */
	bool (*go_on)(void *ctx, int64_t done, int64_t all);
	void *ctx;
};

struct pack_result {
	int64_t n[2];           /* packed */
	int64_t skipped;        /* photographs that cannot be decoded; a warning names each */
	uint64_t bytes;         /* of the file */
	bool given_up;
};

/*
 * Writes the file, which does not depend on the number of threads. 0; -1 after error() or when
 * stopped.
 */
int pack(const struct pack_conf *conf, struct pack_result *result);

#endif
