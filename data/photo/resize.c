/* Computes the taps of a triangle filter, and applies it to rows, then columns. */
#include "data/photo/resize.h"

#include "core/base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct tap {                    /* of one output */
	int first, n;           /* source pixels */
	const float *weight;    /* [n], sum 1 */
};

struct taps {
	struct tap *at;         /* [axis.n] */
	float *weights;
	int lo, hi;             /* source pixels that any output looks at */
};

static double resize_triangle(double distance, double width)
{
	return fmax(0.0, 1.0 - fabs(distance) / width);
}

/* Weights of one output, which begin at *weight; moves it after them. */
static struct tap make_tap(const struct axis *a, int k, float **weight)
{
	const double width = fmax(a->scale, 1.0);
	const double centre = a->begin + (a->first + k + 0.5) * a->scale;
	int first = (int)fmax(floor(centre - width), a->lo);
	int end = (int)fmin(ceil(centre + width), a->hi);
	struct tap t;
	double sum = 0.0;

	while (first + 1 < end && resize_triangle(first + 0.5 - centre, width) <= 0.0)
		first++;
	while (end - 1 > first && resize_triangle(end - 0.5 - centre, width) <= 0.0)
		end--;
	t = (struct tap){ first, end - first, *weight };
	for (int j = first; j < end; j++)
		sum += resize_triangle(j + 0.5 - centre, width);
	for (int j = first; j < end; j++)
		*(*weight)++ = (float)(resize_triangle(j + 0.5 - centre, width) / sum);
	return t;
}

static struct taps make_taps(const struct axis *a)
{
	const size_t most = (size_t)(2.0 * fmax(a->scale, 1.0)) + 3;
	struct taps t = { .lo = a->hi, .hi = a->lo };
	float *weight;

	t.at = xcalloc((size_t)a->n, sizeof *t.at);
	t.weights = weight = vec_new((size_t)a->n * most);
	for (int k = 0; k < a->n; k++) {
		t.at[k] = make_tap(a, k, &weight);
		t.lo = t.at[k].first < t.lo ? t.at[k].first : t.lo;
		t.hi = t.at[k].first + t.at[k].n > t.hi ? t.at[k].first + t.at[k].n : t.hi;
	}
	return t;
}

static void free_taps(struct taps *t)
{
	free(t->at);
	free(t->weights);
}

/* mean[n] <- weighted mean of rows `stride` bytes apart. */
static void mix_rows(size_t n, size_t stride, const struct tap *t, const uint8_t *row,
		     float *mean)
{
	memset(mean, 0, n * sizeof *mean);
	for (int k = 0; k < t->n; k++, row += stride) {
		const float w = t->weight[k];

		for (size_t i = 0; i < n; i++)
			mean[i] += w * (float)row[i];
	}
}

/* from: three floats a pixel. */
static void mix_pixels(const struct tap *t, const float *from, uint8_t *out)
{
	float r = 0.5f, g = 0.5f, b = 0.5f;

	for (int k = 0; k < t->n; k++, from += 3) {
		r += t->weight[k] * from[0];
		g += t->weight[k] * from[1];
		b += t->weight[k] * from[2];
	}
	out[0] = (uint8_t)r;
	out[1] = (uint8_t)g;
	out[2] = (uint8_t)b;
}

static bool resize_is_plain(const struct axis *a)
{
	return a->scale == 1.0 && a->begin == 0.0;
}

/* Pixels as they are: what the weights 0, 1, 0 would give. */
static void copy_pixels(const struct picture *from, const struct frame *f, uint8_t *out)
{
	const size_t row = 3 * (size_t)f->x.n;

	for (int i = 0; i < f->y.n; i++, out += row) {
		const uint8_t *at = from->rgb + 3 * ((size_t)(f->y.first + i) *
						     (size_t)from->width + (size_t)f->x.first);

		if (!f->mirror)
			memcpy(out, at, row);
		for (int k = 0; f->mirror && k < f->x.n; k++)
			for (int c = 0; c < 3; c++)
				out[row - 3 - 3 * (size_t)k + (size_t)c] = at[3 * k + c];
	}
}

static void mix_picture(const struct picture *from, const struct frame *f, uint8_t *out)
{
	struct taps y = make_taps(&f->y), x = make_taps(&f->x);
	const size_t stride = (size_t)from->width * 3, n = (size_t)(x.hi - x.lo) * 3;
	float *mean = vec_new(n);

	for (int i = 0; i < f->y.n; i++, out += 3 * f->x.n) {
		mix_rows(n, stride, &y.at[i],
			 from->rgb + (size_t)y.at[i].first * stride + 3 * (size_t)x.lo, mean);
		for (int k = 0; k < f->x.n; k++)
			mix_pixels(&x.at[k], mean + 3 * (x.at[k].first - x.lo),
				   out + 3 * (f->mirror ? f->x.n - 1 - k : k));
	}
	free(mean);
	free_taps(&x);
	free_taps(&y);
}

void resize(const struct picture *from, const struct frame *f, uint8_t *out)
{
	if (resize_is_plain(&f->y) && resize_is_plain(&f->x))
		copy_pixels(from, f, out);
	else
		mix_picture(from, f, out);
}
