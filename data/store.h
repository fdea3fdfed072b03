/* A data set held in memory as bytes: what the file formats share. */
#ifndef DATA_STORE_H
#define DATA_STORE_H

#include "core/samples/dataset.h"

/* A fresh data set with the sizes that the type names and no samples; pad 0, no flip. */
struct dataset *store_new(const struct dataset_type *type);

/*
 * Allocates memory for n more samples of a split and counts them; their pixels and
 * labels are the caller's to write, and valid until the next call.
 */
void store_extend(struct dataset *ds, enum split split, int64_t n, uint8_t **pixels,
		  uint8_t **labels);

/* The members sample, label and close of a struct dataset_type. */
void store_sample(const struct dataset *ds, enum split split, int64_t i, uint8_t *pixels,
		  int32_t *label);
int32_t store_label(const struct dataset *ds, enum split split, int64_t i);
void store_close(struct dataset *ds);

/* Which samples are used. */
struct holdout {
	int64_t n;              /* the last training samples are the test set; 0: none of them */
	int64_t train, test;    /* the first samples of each, then; 0: all */
};

/* Where the files are, and how training images vary. */
#define STORE_DIR_OPT(conf)                                                                        \
	{ "dir", OPT_AT(STRING, conf, dir), NULL, "folder of the files; else $CONVOY_DATA",        \
	  "PATH", 0, 0, NULL, OPT_NOHASH }
#define STORE_AUGMENT_OPTS(conf)                                                                   \
	{ "crop", OPT_AT(BOOL, conf, crop), "true",                                                \
	  "pad with 4 zeros and crop at random", NULL, 0, 0, NULL, 0 },                            \
	{ "flip", OPT_AT(BOOL, conf, flip), "true", "mirror half of the training images", NULL, 0, \
	  0, NULL, 0 }
#define STORE_HOLDOUT_OPT(conf)                                                                    \
	{ "holdout", OPT_AT(INT, conf, holdout), "0",                                              \
	  "the last N training images are the test images, for tuning; 0: the set's own", "N", 0,  \
	  1e9, NULL, OPT_ADDED }

/* n[] <- the samples of each split, of n[SPLIT_TRAIN] training samples. False: they are too few. */
bool holdout_count(const struct holdout *h, int64_t n[2]);

/* Makes the set, of all training samples alone, one of two splits. 0, or error(): too few. */
int store_hold_out(struct dataset *ds, const struct holdout *h);

/* ds->path <- the folder of the first file that this is told of. */
void store_folder(struct dataset *ds, const char *path);

/*
 * Sets the digest from the contents, and the standing. Warns when a whole set, as its publishers
 * made it, was asked for and the contents are another's.
 */
void store_seal(struct dataset *ds, bool whole, uint64_t official);

/* The number that `width` bytes, 8 at most, are, the lowest first. */
uint64_t little_endian(const uint8_t *at, size_t width);

/* A hash of n bytes, going on from h (begin with 0). The same on every machine. */
uint64_t digest_bytes(uint64_t h, const uint8_t *at, size_t n);

#endif
