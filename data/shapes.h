/*
 * shapes.h - the pictures of the built-in set: a scene is drawn, then painted.
 *
 * Nothing here calls libm beyond sqrtf and fabsf, which are exact, so that a
 * picture has the same bytes on every machine.
 */
#ifndef DATA_SHAPES_H
#define DATA_SHAPES_H

#include "core/math/rng.h"

#include <stdbool.h>
#include <stdint.h>

enum { SHAPES_SIDE = 32, SHAPES_CLASSES = 10, SHAPES_BYTES = SHAPES_SIDE * SHAPES_SIDE * 3 };

enum shape_class {
	SHAPE_DISC, SHAPE_RING, SHAPE_TRIANGLE, SHAPE_SQUARE, SHAPE_STAR, SHAPE_CROSS,
	SHAPE_HEART, SHAPE_CRESCENT, SHAPE_ARROW, SHAPE_DROP
};

struct colour {
	float v[3];             /* red, green, blue in [0, 1] */
};

struct pose {                   /* where a figure stands, and how it is turned */
	float x, y;             /* centre, pixels, y downwards */
	float size;             /* pixels per unit of the figure */
	float ux, uy;           /* its x axis, a unit vector */
};

struct clutter {
	struct pose at;
	float half_width;       /* 0 for a dot of radius 1, else of a bar of half length 1 */
	struct colour colour;
};

enum texture { TEXTURE_PLAIN, TEXTURE_STRIPES, TEXTURE_CHECKS, TEXTURE_CLOUDS };

enum { CLUTTER_MAX = 4, CLOUD_SIDE = 6 };

struct scene {
	enum shape_class shape;
	struct pose at;
	struct colour fill[2];          /* top, bottom */
	float rim, shadow;              /* darkness of the outline and of the shadow */
	struct colour ground[2];        /* of the gradient in the background */
	enum texture texture;
	struct pose weave;              /* direction and period of gradient, stripes and checks */
	float cloud[CLOUD_SIDE * CLOUD_SIDE], relief;   /* heights in [-1, 1]; strength */
	int nclutter;
	struct clutter clutter[CLUTTER_MAX];
	bool barred;                    /* something passes in front */
	struct clutter bar;
	float haze, noise;              /* loss of contrast; amplitude of the grain */
};

/* Fills in a scene showing that class, by draws from r. */
void scene_draw(struct scene *s, enum shape_class shape, struct rng *r);

/* Paints it: pixels[32][32][3]. The grain of the film comes from r. */
void scene_paint(const struct scene *s, struct rng *r, uint8_t *pixels);

/*
 * How far (x, y), y upwards, is from the figure of a class, which fits in the unit
 * circle: negative inside. Exact near the edges, which is where it matters.
 */
float figure_distance(enum shape_class shape, float x, float y);

#endif
