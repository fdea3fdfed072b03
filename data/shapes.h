/*
 * shapes.h - the pictures of the built-in set: a scene is drawn, then painted.
 *
 * Nothing here calls libm beyond sqrtf and fabsf, which are exact, so that a
 * picture has the same bytes on every machine.
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
 * How far (x, y), y upwards, is from the figure of a class, which fits in the unit
 * circle: negative inside. Exact near the edges, which is where it matters.
 */
float figure_distance(enum shape_class shape, float x, float y);

#endif
