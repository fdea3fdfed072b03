/* shapes_draw.c - the pictures of the built-in set: scenes, figures, pixels. */
#include "data/shapes.h"

#include <math.h>
#include <stdbool.h>

struct colour {
	float v[3];             /* red, green, blue in [0, 1] */
};

struct pose {                   /* of a figure, a piece of clutter, or a texture */
	float x, y;             /* centre, pixels, y downwards */
	float size;             /* pixels per unit: of a texture, its period */
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
	bool barred;                    /* a bar is in front of the figure */
	struct clutter bar;
	float haze, noise;              /* loss of contrast; amplitude of the grain */
};

/* ---- random contents of a picture ---- */

/* Uniform in [low, high), by 24 bits. */
static float between(struct rng *r, float low, float high)
{
	float u = (float)(rng_u32(r) >> 8) * 0x1p-24f;
	return low + (high - low) * u;
}

static bool chance(struct rng *r, float p)
{
	return between(r, 0, 1) < p;
}

/* In [0, 1), mostly small: the square of a uniform number. */
static float seldom(struct rng *r)
{
	float u = between(r, 0, 1);
	return u * u;
}

static float clamp01(float x)
{
	return x < 0 ? 0 : x > 1 ? 1 : x;
}

/* Hue, saturation and brightness, all in [0, 1); hue is cyclic. */
static struct colour from_hsv(float h, float s, float v)
{
	struct colour c;

	for (int i = 0; i < 3; i++) {
		float t = h + (float)(3 - i) / 3;
		t -= (float)(int)t;
		float k = clamp01(fabsf(6 * t - 3) - 1);
		c.v[i] = v * (1 - s + s * k);
	}
	return c;
}

static float colour_distance2(struct colour a, struct colour b)
{
	float sum = 0;

	for (int i = 0; i < 3; i++)
		sum += (a.v[i] - b.v[i]) * (a.v[i] - b.v[i]);
	return sum;
}

static struct colour colour_mean(struct colour a, struct colour b)
{
	for (int i = 0; i < 3; i++)
		a.v[i] = (a.v[i] + b.v[i]) / 2;
	return a;
}

static struct colour any_colour(struct rng *r, float dimmest, float brightest)
{
	float h = between(r, 0, 1), s = between(r, 0.05f, 0.85f);
	return from_hsv(h, s, between(r, dimmest, brightest));
}

/* Draws a direction: a point of the unit disc, by rejection, moved to the circle. */
static void any_direction(struct rng *r, struct pose *p)
{
	float x, y, d2;

	do {
		x = between(r, -1, 1);
		y = between(r, -1, 1);
		d2 = x * x + y * y;
	} while (d2 > 1 || d2 < 1e-4f);
	p->ux = x / sqrtf(d2);
	p->uy = y / sqrtf(d2);
}

/* Draws a pose that is nearly upright; a crescent may also be turned round. */
static void draw_pose(struct scene *s, struct rng *r)
{
	float slope = between(r, -0.4f, 0.4f), side = chance(r, 0.5f) ? 1 : -1;
	float norm = sqrtf(1 + slope * slope);

	s->at.size = between(r, 7, 12);
	float reach = 0.6f * (15.5f - s->at.size);
	s->at.x = 15.5f + between(r, -reach, reach);
	s->at.y = 15.5f + between(r, -reach, reach);
	if (s->shape == SHAPE_CRESCENT)
		norm *= side;
	s->at.ux = 1 / norm;
	s->at.uy = slope / norm;
}

static void draw_ground(struct scene *s, struct rng *r, float dimmest, float brightest)
{
	s->ground[0] = any_colour(r, dimmest, brightest);
	s->ground[1] = colour_mean(s->ground[0], any_colour(r, dimmest, brightest));
	any_direction(r, &s->weave);
	s->weave.x = between(r, 0, 8);
	s->weave.y = between(r, 0, 8);
	s->weave.size = between(r, 3, 9);
	s->texture = (enum texture)(rng_u32(r) % 4);
	s->relief = between(r, 0.04f, 0.20f);
	for (int i = 0; i < CLOUD_SIDE * CLOUD_SIDE; i++)
		s->cloud[i] = between(r, -1, 1);
}

/* Draws fills that differ from the ground: the first good ones of a few draws, else the best. */
static void draw_fill(struct scene *s, struct rng *r, float dimmest, float brightest)
{
	struct colour ground = colour_mean(s->ground[0], s->ground[1]);
	float best = -1;

	for (int i = 0; i < 6 && best < 0.15f; i++) {
		struct colour c = any_colour(r, dimmest, brightest);
		float d = colour_distance2(c, ground);
		if (d > best) {
			best = d;
			s->fill[0] = c;
		}
	}
	s->fill[1] = colour_mean(s->fill[0], any_colour(r, dimmest, brightest));
	s->rim = chance(r, 0.4f) ? between(r, 0.2f, 0.7f) : 0;
	s->shadow = chance(r, 0.6f) ? between(r, 0.2f, 0.5f) : 0;
}

/* Draws small things: dots and short bars, in random positions. */
static void draw_clutter(struct scene *s, struct rng *r)
{
	s->nclutter = (int)(rng_u32(r) % (CLUTTER_MAX + 1));
	for (int i = 0; i < s->nclutter; i++) {
		struct clutter *c = &s->clutter[i];
		bool bar = chance(r, 0.5f);
		any_direction(r, &c->at);
		c->at.x = between(r, 0, 31);
		c->at.y = between(r, 0, 31);
		c->at.size = bar ? between(r, 3, 7) : between(r, 1.2f, 2.8f);
		c->half_width = bar ? 1 / c->at.size : 0;
		c->colour = any_colour(r, 0.1f, 1);
	}
}

/* Draws a long pole in front of the figure, off its centre. */
static void draw_bar(struct scene *s, struct rng *r)
{
	struct clutter *b = &s->bar;

	s->barred = chance(r, 0.35f);
	any_direction(r, &b->at);
	b->at.x = s->at.x + between(r, -0.7f, 0.7f) * s->at.size;
	b->at.y = s->at.y + between(r, -0.7f, 0.7f) * s->at.size;
	b->at.size = 48;
	b->half_width = between(r, 0.5f, 1.3f) / b->at.size;
	b->colour = any_colour(r, 0.1f, 0.9f);
}

static void scene_draw(struct scene *s, enum shape_class shape, struct rng *r)
{
	bool light =
		chance(r, 0.9f); /* a light figure on dark ground, or the reverse */

	s->shape = shape;
	draw_pose(s, r);
	draw_ground(s, r, light ? 0.05f : 0.55f, light ? 0.55f : 1.0f);
	draw_fill(s, r, light ? 0.55f : 0.05f, light ? 1.0f : 0.55f);
	draw_clutter(s, r);
	draw_bar(s, r);
	s->haze = 0.8f * seldom(r);
	s->noise = 0.02f + 0.25f * seldom(r);
}

/* ---- the ten figures ---- */

static float least(float a, float b)
{
	return a < b ? a : b;
}

static float most(float a, float b)
{
	return a > b ? a : b;
}

static float length(float x, float y)
{
	return sqrtf(x * x + y * y);
}

static float box(float x, float y, float half_width, float half_height)
{
	return most(fabsf(x) - half_width, fabsf(y) - half_height);
}

/*
 * Mirrors the point into the tenth of the plane between the spike at 90 degrees and the notch at
 * 54, where the star is a half-plane.
 */
static float star_distance(float x, float y)
{
	const float nx = 0.80901699f, ny = -0.58778525f;

	for (int i = 0; i < 2; i++) {
		x = fabsf(x);
		float d = most(nx * x + ny * y, 0);
		x -= 2 * d * nx;
		y -= 2 * d * ny;
	}
	return 0.9233f * fabsf(x) + 0.3840f * (y - 1);
}

/* A square on its corner, with a disc on each of its upper sides. */
static float heart_distance(float x, float y)
{
	x = fabsf(x) / 1.1f;
	y = y / 1.1f + 0.073f;
	float square = 0.70710678f * (x + fabsf(y)) - 0.5f;
	return 1.1f * least(square, length(x - 0.3535534f, y - 0.3535534f) - 0.5f);
}

static float arrow_distance(float x, float y)
{
	float head = most(-y, 0.7452f * fabsf(x) + 0.6668f * (y - 0.95f));
	return least(head, box(x, y + 0.45f, 0.25f, 0.5f));
}

/* A disc, with the cone of its tangents from the tip. */
static float drop_distance(float x, float y)
{
	float cone = 0.8790f * fabsf(x) + 0.4769f * (y - 1);
	return least(length(x, y + 0.3f) - 0.62f, most(cone, -0.0043f - y));
}

float figure_distance(enum shape_class shape, float x, float y)
{
	switch (shape) {
	case SHAPE_DISC:
		return length(x, y) - 0.85f;
	case SHAPE_RING:
		return fabsf(length(x, y) - 0.72f) - 0.22f;
	case SHAPE_TRIANGLE:    /* inradius 1/2, so that the corners lie on the unit circle */
		return most(-y - 0.5f, 0.8660254f * fabsf(x) + 0.5f * y - 0.5f);
	case SHAPE_SQUARE:
		return box(x, y, 0.74f, 0.74f);
	case SHAPE_STAR:
		return star_distance(x, y);
	case SHAPE_CROSS:
		return least(box(x, y, 0.27f, 0.92f), box(x, y, 0.92f, 0.27f));
	case SHAPE_HEART:
		return heart_distance(x, y);
	case SHAPE_CRESCENT:
		return most(length(x, y) - 0.95f, 0.74f - length(x - 0.45f, y));
	case SHAPE_ARROW:
		return arrow_distance(x, y);
	case SHAPE_DROP:
		return drop_distance(x, y);
	}
	return 1;
}

/* ---- painting ---- */

static float mix(float a, float b, float share)
{
	return a + (b - a) * share;
}

/* Written out for each channel: a loop is twice as slow with gcc -O2. */
static struct colour blend(struct colour a, struct colour b, float share)
{
	return (struct colour){ { mix(a.v[0], b.v[0], share),
				  mix(a.v[1], b.v[1], share),
				  mix(a.v[2], b.v[2], share) } };
}

static struct colour lighten(struct colour c, float by)
{
	return (struct colour){ { c.v[0] + by, c.v[1] + by, c.v[2] + by } };
}

/* Converts a pixel to the figure's own coordinates, whose y points up. */
static void to_frame(const struct pose *p, float px, float py, float *x, float *y)
{
	float dx = (px - p->x) / p->size, dy = (py - p->y) / p->size;
	*x = dx * p->ux + dy * p->uy;
	*y = dx * p->uy - dy * p->ux;
}

/* Triangle wave of period 1 between -1 and 1. */
static float wave(float t)
{
	t -= (float)(int)t;
	return 4 * fabsf(t - 0.5f) - 1;
}

static float smooth(float t)
{
	return t * t * (3 - 2 * t);
}

/* Height of the ground at a pixel, interpolated from a lattice of CLOUD_SIDE points a side. */
static float cloud(const struct scene *s, int px, int py)
{
	float step = (float)(CLOUD_SIDE - 1) / SHAPES_SIDE;
	float gx = (float)px * step, gy = (float)py * step;
	int ix = (int)gx, iy = (int)gy;
	const float *h = s->cloud + iy * CLOUD_SIDE + ix;
	float tx = smooth(gx - (float)ix), ty = smooth(gy - (float)iy);
	float top = h[0] + (h[1] - h[0]) * tx;
	float bottom = h[CLOUD_SIDE] + (h[CLOUD_SIDE + 1] - h[CLOUD_SIDE]) * tx;
	return top + (bottom - top) * ty;
}

/* Relief of the ground in [-1, 1]; along and across are in periods, and positive. */
static float weave(const struct scene *s, int px, int py, float along, float across)
{
	switch (s->texture) {
	case TEXTURE_STRIPES:
		return wave(along);
	case TEXTURE_CHECKS:
		return wave(along) * wave(across);
	case TEXTURE_CLOUDS:
		return 1.5f * cloud(s, px, py);
	case TEXTURE_PLAIN: break;
	}
	return 0;
}

static struct colour ground(const struct scene *s, int px, int py)
{
	const struct pose *w = &s->weave;
	float x = (float)px, y = (float)py;
	float along = x * w->ux + y * w->uy, across = y * w->ux - x * w->uy;
	float t = clamp01(0.5f + ((x - 15.5f) * w->ux + (y - 15.5f) * w->uy) / 40);
	float h = weave(s, px, py, (along + w->x) / w->size + 16, (across + w->y) / w->size + 16);
	return lighten(blend(s->ground[0], s->ground[1], t), s->relief * h);
}

static float clutter_cover(const struct clutter *c, float px, float py)
{
	float x, y;

	to_frame(&c->at, px, py, &x, &y);
	if (c->half_width == 0)
		return clamp01(0.5f - (sqrtf(x * x + y * y) - 1) * c->at.size);
	float beyond = fabsf(x) - 1, across = fabsf(y) - c->half_width;
	return clamp01(0.5f - (beyond > across ? beyond : across) * c->at.size);
}

/* Distance of a pixel from the figure's edge, in pixels, negative inside. */
static float figure_at(const struct scene *s, float px, float py, float *height)
{
	float x;

	to_frame(&s->at, px, py, &x, height);
	return s->at.size * figure_distance(s->shape, x, *height);
}

static struct colour lay_figure(const struct scene *s, float px, float py, struct colour c)
{
	const float reach = s->at.size + 5;     /* of the figure and its shadow */
	float y;

	if (fabsf(px - s->at.x) > reach || fabsf(py - s->at.y) > reach)
		return c;
	if (s->shadow > 0) {
		float d = figure_at(s, px - 1.5f, py - 2, &y);
		c = blend(c, (struct colour){ { 0 } }, s->shadow * clamp01(0.5f - 0.4f * d));
	}
	float d = figure_at(s, px, py, &y);
	struct colour own = blend(s->fill[1], s->fill[0], clamp01(0.5f + 0.5f * y));
	own = blend(own, (struct colour){ { 0 } }, s->rim * clamp01(d + 1.7f));
	return blend(c, own, clamp01(0.5f - d));
}

static struct colour paint(const struct scene *s, int px, int py)
{
	const struct colour grey = { { 0.5f, 0.5f, 0.5f } };
	struct colour c = ground(s, px, py);
	float x = (float)px, y = (float)py;

	for (int i = 0; i < s->nclutter; i++)
		c = blend(c, s->clutter[i].colour, clutter_cover(&s->clutter[i], x, y));
	c = lay_figure(s, x, y, c);
	if (s->barred)
		c = blend(c, s->bar.colour, clutter_cover(&s->bar, x, y));
	return blend(c, grey, s->haze);
}

/*
 * Writes one pixel with noise from one draw: a byte for each channel, and one that all channels
 * share.
 */
static void develop(struct colour c, float noise, uint32_t grain, uint8_t *out)
{
	int shared = (int)(grain >> 24);

	for (int i = 0; i < 3; i++) {
		int g = (int)(grain >> 8 * i & 255) + shared - 255;
		out[i] = (uint8_t)(255 * clamp01(c.v[i] + noise * (float)g / 255) + 0.5f);
	}
}

void shape_paint(enum shape_class shape, struct rng *r, uint8_t *pixels)
{
	struct scene s;

	scene_draw(&s, shape, r);
	for (int y = 0; y < SHAPES_SIDE; y++)
		for (int x = 0; x < SHAPES_SIDE; x++, pixels += 3)
			develop(paint(&s, x, y), s.noise, rng_u32(r), pixels);
}
