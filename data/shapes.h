/*
 * shapes.h - pictures of the built-in set: a scene is drawn, then painted.
 *
 * Of libm only sqrtf and fabsf are called, which are exact, so that a picture has the same bytes on
 * every machine.
 */
#ifndef DATA_SHAPES_H
#define DATA_SHAPES_H

#include "core/math/rng.h"

#include <stdint.h>

enum { SHAPES_SIDE = 32, SHAPES_CLASSES = 10, SHAPES_BYTES = SHAPES_SIDE * SHAPES_SIDE * 3 };

enum shape_class {
	SHAPE_DISC, SHAPE_RING, SHAPE_TRIANGLE, SHAPE_SQUARE, SHAPE_STAR, SHAPE_CROSS,
	SHAPE_HEART, SHAPE_CRESCENT, SHAPE_ARROW, SHAPE_DROP
};

/* Draws a scene that shows a class, by draws from r, and paints it: pixels[32][32][3]. */
void shape_paint(enum shape_class shape, struct rng *r, uint8_t *pixels);

/*
 * Distance of (x, y), y upwards, from the outline of a class's figure, which fits in the unit
 * circle; negative inside. Exact near the outline, where it decides about a pixel.
 */
float figure_distance(enum shape_class shape, float x, float y);

#endif
