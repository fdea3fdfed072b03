/*
 * resize.h - resampling a picture with a triangle filter.
 *
 * Enlarging, this is bilinear interpolation; shrinking, the triangle grows with
 * the scale, so that every pixel of the source counts (no aliasing). Output k of
 * an axis is centred at
 *
 *	begin + (first + k + 1/2) scale
 *
 * of the source, whose pixel j covers [j, j + 1); its weights are
 *
 *	max(0, 1 - |j + 1/2 - centre| / max(scale, 1)),  divided by their sum
 *
 * over the source pixels lo <= j < hi. Each output is computed for itself, so a
 * part of a picture has the same bytes as the same part of the whole.
 */
#ifndef DATA_PHOTO_RESIZE_H
#define DATA_PHOTO_RESIZE_H

#include "data/photo/jpeg.h"

#include <stdbool.h>

struct axis {
	double begin, scale;    /* source pixels */
	int first, n;           /* outputs */
	int lo, hi;             /* source pixels that may be looked at; lo < hi */
};

struct frame {
	struct axis y, x;
	bool mirror;            /* columns from right to left */
};

/* out[y.n][x.n][3] <- the frame's part of the picture; centres lie in [lo, hi]. */
void resize(const struct picture *from, const struct frame *f, uint8_t *out);

#endif
