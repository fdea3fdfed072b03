/*
 * The ten figures, as unions and intersections of half-planes and discs: the
 * distance to a union is the least, to an intersection the greatest. All are
 * mirror images of themselves in x but the crescent, which opens to the right.
 */
#include "data/shapes.h"

#include <math.h>

static float least(float a, float b)
{
	return a < b ? a : b;
}

static float greatest(float a, float b)
{
	return a > b ? a : b;
}

static float length(float x, float y)
{
	return sqrtf(x * x + y * y);
}

static float box(float x, float y, float half_width, float half_height)
{
	return greatest(fabsf(x) - half_width, fabsf(y) - half_height);
}

/* Inradius 1/2, so that the corners lie on the unit circle. */
static float triangle(float x, float y)
{
	return greatest(-y - 0.5f, 0.8660254f * fabsf(x) + 0.5f * y - 0.5f);
}

/*
 * Mirrors everything into the tenth of the plane between the spike at 90
 * degrees and the notch at 54, where the star is one half-plane.
 */
static float star(float x, float y)
{
	const float nx = 0.80901699f, ny = -0.58778525f;

	for (int i = 0; i < 2; i++) {
		x = fabsf(x);
		float d = greatest(nx * x + ny * y, 0);
		x -= 2 * d * nx;
		y -= 2 * d * ny;
	}
	return 0.9233f * fabsf(x) + 0.3840f * (y - 1);
}

static float cross(float x, float y)
{
	return least(box(x, y, 0.27f, 0.92f), box(x, y, 0.92f, 0.27f));
}

/* A square on its corner, and a disc on each of its upper sides. */
static float heart(float x, float y)
{
	x = fabsf(x) / 1.1f;
	y = y / 1.1f + 0.073f;
	float square = 0.70710678f * (x + fabsf(y)) - 0.5f;
	return 1.1f * least(square, length(x - 0.3535534f, y - 0.3535534f) - 0.5f);
}

static float crescent(float x, float y)
{
	return greatest(length(x, y) - 0.95f, 0.74f - length(x - 0.45f, y));
}

static float arrow(float x, float y)
{
	float head = greatest(-y, 0.7452f * fabsf(x) + 0.6668f * (y - 0.95f));
	return least(head, box(x, y + 0.45f, 0.25f, 0.5f));
}

/* A disc, and the cone of its tangents from the tip. */
static float drop(float x, float y)
{
	float cone = 0.8790f * fabsf(x) + 0.4769f * (y - 1);
	return least(length(x, y + 0.3f) - 0.62f, greatest(cone, -0.0043f - y));
}

float figure_distance(enum shape_class shape, float x, float y)
{
	switch (shape) {
	case SHAPE_DISC: return length(x, y) - 0.85f;
	case SHAPE_RING: return fabsf(length(x, y) - 0.72f) - 0.22f;
	case SHAPE_TRIANGLE: return triangle(x, y);
	case SHAPE_SQUARE: return box(x, y, 0.74f, 0.74f);
	case SHAPE_STAR: return star(x, y);
	case SHAPE_CROSS: return cross(x, y);
	case SHAPE_HEART: return heart(x, y);
	case SHAPE_CRESCENT: return crescent(x, y);
	case SHAPE_ARROW: return arrow(x, y);
	case SHAPE_DROP: return drop(x, y);
	}
	return 1;
}
