/* Draws the square of a photograph that a net is shown, by the augmentation's rule. */
#include "data/photo/augment.h"

#include <math.h>

enum { TRIES = 10 };            /* at a random part that fits, as in fb.resnet.torch */

static int round_side(double v)
{
	return v < 1.0 ? 1 : (int)floor(v + 0.5);
}

/* The middle `n` of `side` outputs over all of a source's side. */
static struct axis augment_middle(int source, int side, int n)
{
	return (struct axis){ .scale = (double)source / side, .first = (side - n) / 2, .n = n,
			      .hi = source };
}

/* resize x resize: squeezed, or from the middle of a picture whose shorter side is resize. */
struct frame augment_square(const struct augment *a, int height, int width)
{
	const int shorter = height < width ? height : width;
	int h = a->resize, w = a->resize;

	if (a->kind != AUGMENT_CAFFE) {
		h = round_side((double)height * a->resize / shorter);
		w = round_side((double)width * a->resize / shorter);
	}
	return (struct frame){ .y = augment_middle(height, h, a->resize),
			       .x = augment_middle(width, w, a->resize) };
}

static void augment_cut(struct axis *a, int crop, struct rng *r)
{
	const int spare = a->n - crop;

	a->first += r ? (int)rng_below(r, (uint64_t)spare + 1) : spare / 2;
	a->n = crop;
}

static struct frame cut_square(const struct augment *a, int height, int width, struct rng *r)
{
	struct frame f = augment_square(a, height, width);

	augment_cut(&f.y, a->crop, r);
	augment_cut(&f.x, a->crop, r);
	return f;
}

/* n outputs over `size` source pixels, at a random offset in `side`. */
static struct axis augment_axis(int side, int size, int n, struct rng *r)
{
	const int lo = (int)rng_below(r, (uint64_t)(side - size) + 1);

	return (struct axis){ .begin = lo, .scale = (double)size / n, .n = n, .lo = lo,
			      .hi = lo + size };
}

/* w h = 8 to 100 % of the area, w / h = 3/4 to 4/3, or the other way round. */
static struct frame random_part(const struct augment *a, int height, int width, struct rng *r)
{
	for (int i = 0; i < TRIES; i++) {
		double area = (0.08 + 0.92 * rng_uniform(r)) * height * width;
		double aspect = 3.0 / 4.0 + (4.0 / 3.0 - 3.0 / 4.0) * rng_uniform(r);
		int w = round_side(sqrt(area * aspect)), h = round_side(sqrt(area / aspect));

		if (rng_u32(r) & 1) {
			int swap = w;
			w = h;
			h = swap;
		}
		if (h <= height && w <= width) {
			struct axis y = augment_axis(height, h, a->crop, r);
			struct axis x = augment_axis(width, w, a->crop, r);

			return (struct frame){ .y = y, .x = x };
		}
	}
	return cut_square(&(struct augment){ a->kind, a->crop, a->crop }, height, width, NULL);
}

struct frame augment_draw(const struct augment *a, int height, int width, struct rng *r)
{
	struct frame f;
	bool mirror;

	if (!r || a->kind == AUGMENT_NONE)
		return cut_square(a, height, width, NULL);
	mirror = rng_u32(r) & 1;
	f = a->kind == AUGMENT_RESNET ? random_part(a, height, width, r) :
					cut_square(a, height, width, r);
	f.mirror = mirror;
	return f;
}

int frame_shrink(const struct frame *f)
{
	const double scale = fmin(f->y.scale, f->x.scale);
	int shrink = 1;

	while (shrink < 8 && scale >= 2 * shrink)
		shrink *= 2;
	return shrink;
}

static struct axis axis_over(struct axis a, int side, int now)
{
	const double ratio = (double)now / side;

	a.begin *= ratio;
	a.scale *= ratio;
	a.lo = (int)floor(a.lo * ratio);
	a.hi = (int)fmin(ceil(a.hi * ratio), now);
	return a;
}

struct frame frame_over(struct frame f, int height, int width, int now_height, int now_width)
{
	f.y = axis_over(f.y, height, now_height);
	f.x = axis_over(f.x, width, now_width);
	return f;
}
