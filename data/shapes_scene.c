/*
 * What is in a picture, decided by chance. The order of the draws is part of the
 * data set: to change it is to change every picture (and RECIPE in shapes.c).
 */
#include "data/shapes.h"

#include <math.h>

/* Uniform in [low, high), by 24 bits. */
static float shapes_scene_between(struct rng *r, float low, float high)
{
	float u = (float)(rng_u32(r) >> 8) * 0x1p-24f;
	return low + (high - low) * u;
}

static bool shapes_scene_chance(struct rng *r, float p)
{
	return shapes_scene_between(r, 0, 1) < p;
}

/* In [0, 1), mostly small: the square of a uniform. */
static float shapes_scene_seldom(struct rng *r)
{
	float u = shapes_scene_between(r, 0, 1);
	return u * u;
}

static float shapes_scene_clamp01(float x)
{
	return x < 0 ? 0 : x > 1 ? 1 : x;
}

/* Hue, saturation and brightness, all in [0, 1), the hue going round the wheel. */
static struct colour from_hsv(float h, float s, float v)
{
	struct colour c;

	for (int i = 0; i < 3; i++) {
		float t = h + (float)(3 - i) / 3;
		t -= (float)(int)t;
		float k = shapes_scene_clamp01(fabsf(6 * t - 3) - 1);
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
	float h = shapes_scene_between(r, 0, 1), s = shapes_scene_between(r, 0.05f, 0.85f);
	return from_hsv(h, s, shapes_scene_between(r, dimmest, brightest));
}

/* Any direction: a point of the unit disc, by rejection, pushed to its rim. */
static void any_direction(struct rng *r, struct pose *p)
{
	float x, y, d2;

	do {
		x = shapes_scene_between(r, -1, 1);
		y = shapes_scene_between(r, -1, 1);
		d2 = x * x + y * y;
	} while (d2 > 1 || d2 < 1e-4f);
	p->ux = x / sqrtf(d2);
	p->uy = y / sqrtf(d2);
}

/* Upright, more or less; but a moon may also be the other way round. */
static void draw_pose(struct scene *s, struct rng *r)
{
	float slope = shapes_scene_between(r, -0.4f, 0.4f),
	      side = shapes_scene_chance(r, 0.5f) ? 1 : -1;
	float norm = sqrtf(1 + slope * slope);

	s->at.size = shapes_scene_between(r, 7, 12);
	float reach = 0.6f * (15.5f - s->at.size);
	s->at.x = 15.5f + shapes_scene_between(r, -reach, reach);
	s->at.y = 15.5f + shapes_scene_between(r, -reach, reach);
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
	s->weave.x = shapes_scene_between(r, 0, 8);
	s->weave.y = shapes_scene_between(r, 0, 8);
	s->weave.size = shapes_scene_between(r, 3, 9);
	s->texture = (enum texture)(rng_u32(r) % 4);
	s->relief = shapes_scene_between(r, 0.04f, 0.20f);
	for (int i = 0; i < CLOUD_SIDE * CLOUD_SIDE; i++)
		s->cloud[i] = shapes_scene_between(r, -1, 1);
}

/* Fills that can be told from the ground: the best of a few draws, the first good one. */
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
	s->rim = shapes_scene_chance(r, 0.4f) ? shapes_scene_between(r, 0.2f, 0.7f) : 0;
	s->shadow = shapes_scene_chance(r, 0.6f) ? shapes_scene_between(r, 0.2f, 0.5f) : 0;
}

/* Small things: dots and short bars, all about. */
static void draw_clutter(struct scene *s, struct rng *r)
{
	s->nclutter = (int)(rng_u32(r) % (CLUTTER_MAX + 1));
	for (int i = 0; i < s->nclutter; i++) {
		struct clutter *c = &s->clutter[i];
		bool bar = shapes_scene_chance(r, 0.5f);
		any_direction(r, &c->at);
		c->at.x = shapes_scene_between(r, 0, 31);
		c->at.y = shapes_scene_between(r, 0, 31);
		c->at.size =
			bar ? shapes_scene_between(r, 3, 7) : shapes_scene_between(r, 1.2f, 2.8f);
		c->half_width = bar ? 1 / c->at.size : 0;
		c->colour = any_colour(r, 0.1f, 1);
	}
}

/* A long pole in front of the figure, off its centre. */
static void draw_bar(struct scene *s, struct rng *r)
{
	struct clutter *b = &s->bar;

	s->barred = shapes_scene_chance(r, 0.35f);
	any_direction(r, &b->at);
	b->at.x = s->at.x + shapes_scene_between(r, -0.7f, 0.7f) * s->at.size;
	b->at.y = s->at.y + shapes_scene_between(r, -0.7f, 0.7f) * s->at.size;
	b->at.size = 48;
	b->half_width = shapes_scene_between(r, 0.5f, 1.3f) / b->at.size;
	b->colour = any_colour(r, 0.1f, 0.9f);
}

void scene_draw(struct scene *s, enum shape_class shape, struct rng *r)
{
	bool light =
		shapes_scene_chance(r, 0.9f); /* a light figure on dark ground, or the reverse */

	s->shape = shape;
	draw_pose(s, r);
	draw_ground(s, r, light ? 0.05f : 0.55f, light ? 0.55f : 1.0f);
	draw_fill(s, r, light ? 0.55f : 0.05f, light ? 1.0f : 0.55f);
	draw_clutter(s, r);
	draw_bar(s, r);
	s->haze = 0.8f * shapes_scene_seldom(r);
	s->noise = 0.02f + 0.25f * shapes_scene_seldom(r);
}
