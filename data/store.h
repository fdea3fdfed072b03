/* Data sets held in memory as bytes, and helpers for file formats. */
#ifndef DATA_STORE_H
#define DATA_STORE_H

#include "core/samples/dataset.h"

/* A new data set without samples, with the image size of its type; pad 0, no flip. */
struct dataset *store_new(const struct dataset_type *type);

/*
 * Allocates memory for n more samples of a split and counts them; the caller writes their pixels
 * and labels, through pointers that are valid until the next call.
 */
void store_extend(struct dataset *ds, enum split split, int64_t n, uint8_t **pixels,
		  uint8_t **labels);

/* Members sample, label and close of a struct dataset_type. */
void store_sample(const struct dataset *ds, enum split split, int64_t i, uint8_t *pixels,
		  int32_t *label);
int32_t store_label(const struct dataset *ds, enum split split, int64_t i);
void store_close(struct dataset *ds);

/* Selection of samples; a test set may be held out of the training set. */
struct holdout {
	int64_t n;              /* the last n training samples become the test set; 0: not */
	int64_t train, test;    /* then only the first samples of each split are used; 0: all */
};

/* Options: folder of the files, random crop and flip of training images, held-out test images. */
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

/* n[] <- samples of each split after holding out, from n[SPLIT_TRAIN]. False: there are too few. */
bool holdout_count(const struct holdout *h, int64_t n[2]);

/* Makes a test set from the end of the training set. 0, or error(): there are too few samples. */
int store_hold_out(struct dataset *ds, const struct holdout *h);

/* ds->path <- folder of `path`, at the first call. */
void store_folder(struct dataset *ds, const char *path);

/*
 * Sets the digest from the contents, and the standing. Warns when the whole published set was asked
 * for, and the contents differ from it.
 */
void store_seal(struct dataset *ds, bool whole, uint64_t official);

/* The number in `width` bytes, at most 8, lowest byte first. */
uint64_t little_endian(const uint8_t *at, size_t width);

/* The same, highest byte first. */
uint64_t big_endian(const uint8_t *at, size_t width);

/* Continues the hash h (0 at first) by n bytes. The same on every machine. */
uint64_t digest_bytes(uint64_t h, const uint8_t *at, size_t n);

#endif
