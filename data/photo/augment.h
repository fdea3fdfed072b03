/*
 * augment.h - which part of a photograph a net is shown, and how large.
 *
 *	none	shorter side `resize`; the centre
 *	caffe	resize x resize, whatever the aspect; training: anywhere in it,
 *		mirrored or not; else the centre (Krizhevsky et al. 2012, by Caffe)
 *	alexnet	as caffe, but in the middle of a picture whose shorter side is resize, as
 *		the paper says
 *	resnet	training: 8 to 100 % of the area, aspect 3/4 to 4/3, anywhere, mirrored
 *		or not; else as none (Szegedy et al. 2015, by fb.resnet.torch)
 *
 * What is shown has crop x crop pixels.
 */
#ifndef DATA_PHOTO_AUGMENT_H
#define DATA_PHOTO_AUGMENT_H

#include "core/math/rng.h"
#include "data/photo/resize.h"

enum augment_kind { AUGMENT_NONE, AUGMENT_CAFFE, AUGMENT_ALEXNET, AUGMENT_RESNET };

struct augment {
	enum augment_kind kind;
	int crop, resize;       /* pixels; crop <= resize */
};

/* The frame for a photograph of that size; r NULL: as in evaluation. */
struct frame augment_draw(const struct augment *a, int height, int width, struct rng *r);

/* The whole resize x resize square that all frames of evaluation and of caffe are parts of. */
struct frame augment_square(const struct augment *a, int height, int width);

/* By how much (1, 2, 4, 8) the source may be shrunk while it is no smaller than the frame. */
int frame_shrink(const struct frame *f);

/* The same frame over a source of height x width that was shrunk to now_height x now_width. */
struct frame frame_over(struct frame f, int height, int width, int now_height, int now_width);

#endif
