/* Photographs in the form that nets take: decoding, cropping, resizing, settings. */
#ifndef DATA_PHOTO_PHOTO_H
#define DATA_PHOTO_PHOTO_H

#include "core/math/rng.h"
#include "core/samples/dataset.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * ---- jpeg.c: one JPEG in memory to RGB bytes, by libjpeg-turbo ----
 *
 * Colours are converted to RGB: grey is repeated; CMYK and YCCK are inverted, as Adobe writes them,
 * R = C K / 255. EXIF's orientation is ignored, as Caffe and Torch did.
 */

enum { JPEG_WHY = 256 };        /* bytes of a message */

/* Pixels row by row, three bytes each. {0} is empty; freed with picture_release(). */
struct picture {
	int height, width;
	uint8_t *rgb;           /* [height][width][3], owned */
	size_t capacity;        /* bytes allocated */
};

void picture_release(struct picture *p);

struct jpeg;

/*
 * Reads the header of a JPEG; `at` is borrowed until jpeg_close(). NULL if it is not a JPEG, with
 * the reason in why ("a PNG, not a JPEG").
 */
struct jpeg *jpeg_open(const uint8_t *at, size_t n, int *height, int *width,
		       char why[JPEG_WHY]);

/*
 * Decodes the JPEG; call it once. shrink 1, 2, 4 or 8: the sides become ceil(side / shrink),
 * without the high frequencies. 0; -1 with the reason in why when the data are damaged or
 * incomplete: then *out is undefined, but must still be released.
 */
int jpeg_read(struct jpeg *j, int shrink, struct picture *out, char why[JPEG_WHY]);

/* Frees j, which may be NULL. */
void jpeg_close(struct jpeg *j);

/*
 * ---- resampling a picture with a triangle filter ----
 *
 * Enlarging is bilinear interpolation. For shrinking, the triangle grows with the scale, so that
 * every source pixel counts (no aliasing). Output k of an axis is centred at
 *
 *	begin + (first + k + 1/2) scale
 *
 * of the source, whose pixel j covers [j, j + 1); its weights are
 *
 *	max(0, 1 - |j + 1/2 - centre| / max(scale, 1)),  divided by their sum
 *
 * over the source pixels lo <= j < hi. Outputs are independent of each other, so a part of a
 * picture has the same bytes as that part of the whole.
 */

struct axis {
	double begin, scale;    /* source pixels */
	int first, n;           /* outputs */
	int lo, hi;             /* source pixels that may be used; lo < hi */
};

struct frame {
	struct axis y, x;
	bool mirror;            /* columns from right to left */
};

/* out[y.n][x.n][3] <- the frame's part of the picture; centres lie in [lo, hi]. */
void resize(const struct picture *from, const struct frame *f, uint8_t *out);

/*
 * ---- the part of a photograph that a net is shown, and its size ----
 *
 *	none	shorter side `resize`; the centre
 *	caffe	resize x resize, whatever the aspect; training: anywhere in it,
 *		mirrored or not; else the centre (Krizhevsky et al. 2012, by Caffe)
 *	alexnet	as caffe, but in the middle of a picture whose shorter side is resize, as
 *		the paper says
 *	resnet	training: 8 to 100 % of the area, aspect 3/4 to 4/3, anywhere, mirrored
 *		or not; else as none (Szegedy et al. 2015, by fb.resnet.torch)
 *
 * The net is shown crop x crop pixels.
 */

enum augment_kind { AUGMENT_NONE, AUGMENT_CAFFE, AUGMENT_ALEXNET, AUGMENT_RESNET };

struct augment {
	enum augment_kind kind;
	int crop, resize;       /* pixels; crop <= resize */
};

/* The frame for a photograph of that size; r NULL: as in evaluation. */
struct frame augment_draw(const struct augment *a, int height, int width, struct rng *r);

/*
 * Largest factor (1, 2, 4, 8) by which the source may be shrunk without being smaller than the
 * frame.
 */
int frame_shrink(const struct frame *f);

/* The frame f of a height x width source, for the source shrunk to now_height x now_width. */
struct frame frame_over(struct frame f, int height, int width, int now_height, int now_width);

/* ---- settings, and a photograph as a net sees it ---- */

enum photo_input { PHOTO_AUTO, PHOTO_TORCH, PHOTO_CAFFE };

struct photo_conf {
	int augment;            /* enum augment_kind */
	int input;              /* enum photo_input */
	int64_t crop, resize;   /* pixels; 0: as in the papers */
	int64_t train, test;    /* photographs used of each split; 0: all */
	int64_t ahead;          /* batches */
};

extern const char *const photo_augments[], *const photo_inputs[];

/* Options of a struct CONF that has a member `struct photo_conf photo`. */
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

/* *a <- the augmentation of the settings. 0, or error(), also if crop is larger than resize. */
int photo_augment(const struct photo_conf *conf, const char *set, struct augment *a);

/* mean[3], dev[3] <- mean and deviation of pixel / 255 by which a net's input is normalised. */
void photo_moments(const struct photo_conf *conf, float *mean, float *dev);

/*
 * pixels[crop][crop][3] <- a JPEG in memory, augmented by draws from r (NULL: as in
 * evaluation). 0; or -1 with the reason in why.
 */
int photo_view(const struct augment *a, const uint8_t *at, size_t n, struct rng *r,
	       uint8_t *pixels, char why[JPEG_WHY]);

/*
 * pixels[resize][resize][3] <- the square that contains every frame of evaluation; as photo_view().
 */
int photo_square(const struct augment *a, const uint8_t *at, size_t n, uint8_t *pixels,
		 char why[JPEG_WHY]);

/*
 * *at <- the n bytes of a file; the caller frees in any case. 0; else the reason is in why: 1:
 * larger than any photograph, -1: it cannot be read.
 */
int photo_load(const char *path, uint8_t **at, size_t *n, char why[JPEG_WHY]);

/* The k-th of `keep` evenly spaced indices below n. */
int64_t photo_spread(int64_t k, int64_t keep, int64_t n);

#endif
