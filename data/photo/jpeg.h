/*
 * jpeg.h - one JPEG in memory to RGB bytes, by libjpeg-turbo.
 *
 * Whatever the file's colours: grey is repeated, CMYK and YCCK are taken as
 * Adobe writes them (inverted), R = C K / 255. EXIF's orientation is passed over,
 * as Caffe and Torch did.
 */
#ifndef DATA_PHOTO_JPEG_H
#define DATA_PHOTO_JPEG_H

#include <stddef.h>
#include <stdint.h>

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
 * Reads the head of a JPEG; `at` is borrowed until jpeg_close(). NULL when it is
 * none, with the reason in why ("a PNG, not a JPEG").
 */
struct jpeg *jpeg_open(const uint8_t *at, size_t n, int *height, int *width,
		       char why[JPEG_WHY]);

/*
 * Decodes it, once. shrink 1, 2, 4 or 8: the sides become ceil(side / shrink), by
 * leaving out high frequencies. 0; -1 with the reason in why when the data are
 * damaged or cut short: *out is then undefined, but still to be released.
 */
int jpeg_read(struct jpeg *j, int shrink, struct picture *out, char why[JPEG_WHY]);

/* NULL is fine. */
void jpeg_close(struct jpeg *j);

#endif
