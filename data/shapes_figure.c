/*
 * The ten figures, as unions and intersections of half-planes and discs: the
 * distance to a union is the least, to an intersection the greatest. All are
 * mirror images of themselves in x but the crescent, which opens to the right.
 */
#include "data/shapes.h"

#include <math.h>

static float shapes_figure_least(float a, float b)
{
	return a < b ? a : b;
}

static float shapes_figure_greatest(float a, float b)
{
	return a > b ? a : b;
}

static float shapes_figure_length(float x, float y)
{
	return sqrtf(x * x + y * y);
}

static float shapes_figure_box(float x, float y, float half_width, float half_height)
{
	return shapes_figure_greatest(fabsf(x) - half_width, fabsf(y) - half_height);
}

/* Inradius 1/2, so that the corners lie on the unit circle. */
static float shapes_figure_triangle(float x, float y)
{
	return shapes_figure_greatest(-y - 0.5f, 0.8660254f * fabsf(x) + 0.5f * y - 0.5f);
}

/*
 * Mirrors everything into the tenth of the plane between the spike at 90
 * degrees and the notch at 54, where the star is one half-plane.
 */
static float shapes_figure_star(float x, float y)
{
	const float nx = 0.80901699f, ny = -0.58778525f;

	for (int i = 0; i < 2; i++) {
		x = fabsf(x);
		float d = shapes_figure_greatest(nx * x + ny * y, 0);
		x -= 2 * d * nx;
		y -= 2 * d * ny;
	}
	return 0.9233f * fabsf(x) + 0.3840f * (y - 1);
}

static float shapes_figure_cross(float x, float y)
{
	return shapes_figure_least(shapes_figure_box(x, y, 0.27f, 0.92f),
				   shapes_figure_box(x, y, 0.92f, 0.27f));
}

/* A square on its corner, and a disc on each of its upper sides. */
static float shapes_figure_heart(float x, float y)
{
	x = fabsf(x) / 1.1f;
	y = y / 1.1f + 0.073f;
	float square = 0.70710678f * (x + fabsf(y)) - 0.5f;
	return 1.1f * shapes_figure_least(
			      square, shapes_figure_length(x - 0.3535534f, y - 0.3535534f) - 0.5f);
}

static float shapes_figure_crescent(float x, float y)
{
	return shapes_figure_greatest(shapes_figure_length(x, y) - 0.95f,
				      0.74f - shapes_figure_length(x - 0.45f, y));
}

static float shapes_figure_arrow(float x, float y)
{
	float head = shapes_figure_greatest(-y, 0.7452f * fabsf(x) + 0.6668f * (y - 0.95f));
	return shapes_figure_least(head, shapes_figure_box(x, y + 0.45f, 0.25f, 0.5f));
}

/* A disc, and the cone of its tangents from the tip. */
static float shapes_figure_drop(float x, float y)
{
	float cone = 0.8790f * fabsf(x) + 0.4769f * (y - 1);
	return shapes_figure_least(shapes_figure_length(x, y + 0.3f) - 0.62f,
				   shapes_figure_greatest(cone, -0.0043f - y));
}

float figure_distance(enum shape_class shape, float x, float y)
{
	switch (shape) {
	case SHAPE_DISC:
		return shapes_figure_length(x, y) - 0.85f;
	case SHAPE_RING:
		return fabsf(shapes_figure_length(x, y) - 0.72f) - 0.22f;
	case SHAPE_TRIANGLE:
		return shapes_figure_triangle(x, y);
	case SHAPE_SQUARE:
		return shapes_figure_box(x, y, 0.74f, 0.74f);
	case SHAPE_STAR:
		return shapes_figure_star(x, y);
	case SHAPE_CROSS:
		return shapes_figure_cross(x, y);
	case SHAPE_HEART:
		return shapes_figure_heart(x, y);
	case SHAPE_CRESCENT:
		return shapes_figure_crescent(x, y);
	case SHAPE_ARROW:
		return shapes_figure_arrow(x, y);
	case SHAPE_DROP:
		return shapes_figure_drop(x, y);
	}
	return 1;
}
