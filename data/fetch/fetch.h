/* One published file over HTTP, by libcurl, with its SHA-256, by libmd. */
#ifndef DATA_FETCH_FETCH_H
#define DATA_FETCH_FETCH_H

#include <stdint.h>

struct fetch {
	const char *url, *path; /* PATH.part holds what has come, until it is whole */
	int64_t bytes;          /* as published, as is */
	const char *sha256;     /* this sum; 64 digits */
	/* Told how far it is, and between; nonzero stops. NULL: none. */
	int (*progress)(void *ctx, int64_t done, int64_t bytes);
	void *ctx;
};

/*
 * Fetches what PATH.part lacks, from its beginning where the server gives no ranges,
 * checks size and sum, and renames. 0; 1 when stopped; -1 after error() naming the
 * address. PATH.part stays, save when it turns out to be another file.
 */
int fetch_file(const struct fetch *f);

/* 0 when the file at `path` has that many bytes and that sum; -1, silently; 1 when stopped. */
int fetch_check(const struct fetch *f, const char *path);

#endif
