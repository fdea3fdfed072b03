/*
 * From a scene to pixels: ground, clutter, shadow, figure, bar, haze, grain; each
 * painted over the one before with the share of the pixel that it covers.
 */
#include "data/shapes.h"

#include <math.h>

static float shapes_paint_clamp01(float x)
{
	return x < 0 ? 0 : x > 1 ? 1 : x;
}

static float shapes_paint_between(float a, float b, float share)
{
	return a + (b - a) * share;
}

/* Channel by channel in plain sight: as a loop it is twice as slow under gcc -O2. */
static struct colour shapes_paint_blend(struct colour a, struct colour b, float share)
{
	return (struct colour){ { shapes_paint_between(a.v[0], b.v[0], share),
				  shapes_paint_between(a.v[1], b.v[1], share),
				  shapes_paint_between(a.v[2], b.v[2], share) } };
}

static struct colour shapes_paint_lighten(struct colour c, float by)
{
	return (struct colour){ { c.v[0] + by, c.v[1] + by, c.v[2] + by } };
}

/* A pixel in the figure's own frame, whose y points up. */
static void to_frame(const struct pose *p, float px, float py, float *x, float *y)
{
	float dx = (px - p->x) / p->size, dy = (py - p->y) / p->size;
	*x = dx * p->ux + dy * p->uy;
	*y = dx * p->uy - dy * p->ux;
}

/* Triangle wave of period 1 between -1 and 1. */
static float shapes_paint_wave(float t)
{
	t -= (float)(int)t;
	return 4 * fabsf(t - 0.5f) - 1;
}

static float shapes_paint_smooth(float t)
{
	return t * t * (3 - 2 * t);
}

/* Heights of the lattice, CLOUD_SIDE points a side, smoothly joined. */
static float shapes_paint_cloud(const struct scene *s, int px, int py)
{
	float step = (float)(CLOUD_SIDE - 1) / SHAPES_SIDE;
	float gx = (float)px * step, gy = (float)py * step;
	int ix = (int)gx, iy = (int)gy;
	const float *h = s->cloud + iy * CLOUD_SIDE + ix;
	float tx = shapes_paint_smooth(gx - (float)ix), ty = shapes_paint_smooth(gy - (float)iy);
	float top = h[0] + (h[1] - h[0]) * tx;
	float bottom = h[CLOUD_SIDE] + (h[CLOUD_SIDE + 1] - h[CLOUD_SIDE]) * tx;
	return top + (bottom - top) * ty;
}

/* Relief of the ground in [-1, 1]. along and across are in periods, and positive. */
static float shapes_paint_weave(const struct scene *s, int px, int py, float along, float across)
{
	switch (s->texture) {
	case TEXTURE_STRIPES:
		return shapes_paint_wave(along);
	case TEXTURE_CHECKS:
		return shapes_paint_wave(along) * shapes_paint_wave(across);
	case TEXTURE_CLOUDS:
		return 1.5f * shapes_paint_cloud(s, px, py);
	case TEXTURE_PLAIN: break;
	}
	return 0;
}

static struct colour shapes_paint_ground(const struct scene *s, int px, int py)
{
	const struct pose *w = &s->weave;
	float x = (float)px, y = (float)py;
	float along = x * w->ux + y * w->uy, across = y * w->ux - x * w->uy;
	float t = shapes_paint_clamp01(0.5f + ((x - 15.5f) * w->ux + (y - 15.5f) * w->uy) / 40);
	float h = shapes_paint_weave(s, px, py, (along + w->x) / w->size + 16,
				     (across + w->y) / w->size + 16);
	return shapes_paint_lighten(shapes_paint_blend(s->ground[0], s->ground[1], t),
				    s->relief * h);
}

static float clutter_cover(const struct clutter *c, float px, float py)
{
	float x, y;

	to_frame(&c->at, px, py, &x, &y);
	if (c->half_width == 0)
		return shapes_paint_clamp01(0.5f - (sqrtf(x * x + y * y) - 1) * c->at.size);
	float beyond = fabsf(x) - 1, across = fabsf(y) - c->half_width;
	return shapes_paint_clamp01(0.5f - (beyond > across ? beyond : across) * c->at.size);
}

/* Pixels from the figure's edge, negative inside. */
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
		c = shapes_paint_blend(c, (struct colour){ { 0 } },
				       s->shadow * shapes_paint_clamp01(0.5f - 0.4f * d));
	}
	float d = figure_at(s, px, py, &y);
	struct colour own =
		shapes_paint_blend(s->fill[1], s->fill[0], shapes_paint_clamp01(0.5f + 0.5f * y));
	own = shapes_paint_blend(own, (struct colour){ { 0 } },
				 s->rim * shapes_paint_clamp01(d + 1.7f));
	return shapes_paint_blend(c, own, shapes_paint_clamp01(0.5f - d));
}

static struct colour paint(const struct scene *s, int px, int py)
{
	const struct colour grey = { { 0.5f, 0.5f, 0.5f } };
	struct colour c = shapes_paint_ground(s, px, py);
	float x = (float)px, y = (float)py;

	for (int i = 0; i < s->nclutter; i++)
		c = shapes_paint_blend(c, s->clutter[i].colour,
				       clutter_cover(&s->clutter[i], x, y));
	c = lay_figure(s, x, y, c);
	if (s->barred)
		c = shapes_paint_blend(c, s->bar.colour, clutter_cover(&s->bar, x, y));
	return shapes_paint_blend(c, grey, s->haze);
}

/* One draw a pixel: a byte for each channel, and one that all share. */
static void shapes_paint_develop(struct colour c, float noise, uint32_t grain, uint8_t *out)
{
	int shared = (int)(grain >> 24);

	for (int i = 0; i < 3; i++) {
		int g = (int)(grain >> 8 * i & 255) + shared - 255;
		out[i] = (uint8_t)(255 * shapes_paint_clamp01(c.v[i] + noise * (float)g / 255) +
				   0.5f);
	}
}

void scene_paint(const struct scene *s, struct rng *r, uint8_t *pixels)
{
	for (int y = 0; y < SHAPES_SIDE; y++)
		for (int x = 0; x < SHAPES_SIDE; x++, pixels += 3)
			shapes_paint_develop(paint(s, x, y), s->noise, rng_u32(r), pixels);
}
