/* Makes a packed set of photographs from a folder of them. */
#ifndef DATA_PACK_PACK_H
#define DATA_PACK_PACK_H

#include "data/photo/photo.h"

#include <stdbool.h>

struct pack_conf {
	const char *dir, *synsets, *labels;     /* as the data set imagenet takes them */
	const char *out;        /* written as OUT.part, by one process at a time, and renamed */
	bool jpeg;              /* the files' bytes; else pixels */
	bool squeeze;           /* pixels: resize x resize without regard to the aspect */
	int resize;             /* pixels a side */
	int64_t train, test;    /* photographs of each split, spread over all; 0: all */
	int threads;
	/* Called now and then with how many of all are done; false: give up. */
	bool (*go_on)(void *ctx, int64_t done, int64_t all);
	void *ctx;
};

struct pack_result {
	int64_t n[2];           /* packed */
	int64_t skipped;        /* named in warnings: they cannot be decoded */
	uint64_t bytes;         /* of the file */
	bool given_up;
};

/* The file is the same whatever the number of threads. 0; -1 after error() or when given up. */
int pack(const struct pack_conf *conf, struct pack_result *result);

#endif
