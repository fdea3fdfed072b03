/* Photographs as a net sees them: what folders and packed files share. */
#ifndef DATA_PHOTO_PHOTO_H
#define DATA_PHOTO_PHOTO_H

#include "core/samples/dataset.h"
#include "data/photo/augment.h"

#include <stdatomic.h>

enum photo_input { PHOTO_AUTO, PHOTO_TORCH, PHOTO_CAFFE };

struct photo_conf {
	int augment;            /* enum augment_kind */
	int input;              /* enum photo_input */
	int64_t crop, resize;   /* pixels; 0: the papers' */
	int64_t train, test;    /* photographs used of each split; 0: all */
	int64_t ahead;          /* batches */
};

extern const char *const photo_augments[], *const photo_inputs[];

/* The options of a struct CONF with the member struct photo_conf photo. */
#define PHOTO_OPTS(CONF) \
	{ "augment", OPT_AT(ENUM, CONF, photo.augment), "resnet", \
	  "what part of a photograph is shown, and how large", NULL, 0, 0, photo_augments, 0 }, \
	{ "crop", OPT_AT(INT, CONF, photo.crop), "0", \
	  "side of what is shown, pixels; 0: 227 for caffe and alexnet, else 224", "N", 0, 1024, \
	  NULL, 0 }, \
	{ "resize", OPT_AT(INT, CONF, photo.resize), "0", \
	  "side before a crop, pixels: the shorter one; caffe: both; 0: 256", "N", 0, 1024, \
	  NULL, 0 }, \
	{ "input", OPT_AT(ENUM, CONF, photo.input), "auto", \
	  "what is subtracted and divided by; auto: torch's for none and resnet", NULL, 0, 0, \
	  photo_inputs, 0 }, \
	{ "train", OPT_AT(INT, CONF, photo.train), "0", \
	  "use N training images, spread over all; 0: all", "N", 0, 1e9, NULL, 0 }, \
	{ "test", OPT_AT(INT, CONF, photo.test), "0", \
	  "use N test images, spread over all; 0: all", "N", 0, 1e9, NULL, 0 }, \
	{ "ahead", OPT_AT(INT, CONF, photo.ahead), "1", \
	  "batches read ahead for each compute thread; 0: none", "N", 0, 64, NULL, OPT_NOHASH }

/* What the settings ask for; checks that crop is no more than resize. 0 or error(). */
int photo_augment(const struct photo_conf *conf, const char *set, struct augment *a);

/* [3] each, of pixel / 255. */
void photo_moments(const struct photo_conf *conf, float *mean, float *dev);

/*
 * pixels[crop][crop][3] <- a JPEG in memory, augmented by draws from r (NULL: as in
 * evaluation). 0; or -1 with the reason in why.
 */
int photo_view(const struct augment *a, const uint8_t *at, size_t n, struct rng *r,
	       uint8_t *pixels, char why[JPEG_WHY]);

/* pixels[resize][resize][3] <- the square that frames of evaluation are parts of. As above. */
int photo_square(const struct augment *a, const uint8_t *at, size_t n, uint8_t *pixels,
		 char why[JPEG_WHY]);

/*
 * The n bytes of a file -> *at, which the caller frees in any case. 0; with the reason in
 * why 1 when no photograph is as large, and -1 when the file cannot be read.
 */
int photo_load(const char *path, uint8_t **at, size_t *n, char why[JPEG_WHY]);

/* The k-th of `keep` indices spread evenly over n. */
int64_t photo_spread(int64_t k, int64_t keep, int64_t n);

#endif
