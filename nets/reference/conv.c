/*
 * conv.c - the reference's convolution: the product of its windows with its weights.
 *
 * A window is what an output's pixel sees of the group's channels, [ky][kx][c], with zeros beyond
 * the edges. So a batch's windows are the rows of a matrix, some of which are made at a time.
 */
#include "core/base/mem.h"
#include "nets/reference/layers.h"
#include "nets/reference/product.h"

#include <stdlib.h>
#include <string.h>

enum { WINDOWS = 252 };

struct conv {
	struct view v;
	int group, per;                 /* which group; its input channels */
	size_t size;                    /* of a window */
};

/* Where t (x or dx) has what output pixel p sees at ky, kx; NULL: beyond the edge. */
static double *conv_seen(const struct conv *a, const struct tensor *t, size_t p, int ky, int kx)
{
	const struct layer *l = a->v.l;
	const int across = (int)(p % (size_t)l->os.w), rest = (int)(p / (size_t)l->os.w);
	const int h = rest % l->os.h * l->stride + ky - l->pad;
	const int w = across * l->stride + kx - l->pad;

	if (h < 0 || h >= t->h || w < 0 || w >= t->w)
		return NULL;
	return pixel(t, ((size_t)(rest / l->os.h) * (size_t)t->h + (size_t)h) * (size_t)t->w +
			(size_t)w) + a->group * a->per;
}

static void conv_gather(const struct conv *a, size_t p, double *window)
{
	for (int ky = 0; ky < a->v.l->kernel; ky++)
		for (int kx = 0; kx < a->v.l->kernel; kx++) {
			const double *from = conv_seen(a, a->v.x, p, ky, kx);

			if (from)
				memcpy(window, from, (size_t)a->per * sizeof(*window));
			else
				memset(window, 0, (size_t)a->per * sizeof(*window));
			window += a->per;
		}
}

/* dx <- dx + the gradient of a window. */
static void conv_scatter(const struct conv *a, size_t p, const double *window)
{
	for (int ky = 0; ky < a->v.l->kernel; ky++)
		for (int kx = 0; kx < a->v.l->kernel; kx++) {
			double *to = conv_seen(a, a->v.dx, p, ky, kx);

			for (int c = 0; to && c < a->per; c++)
				to[c] += window[c];
			window += a->per;
		}
}

/* n output pixels of the group from the first one; windows and their gradients are scratch. */
static void conv_pixels(struct state *s, const struct conv *a, size_t first, size_t n, bool back,
			double *windows, double *dwindows)
{
	const struct layer *l = a->v.l;
	const size_t out = (size_t)(l->os.c / l->groups), channel = (size_t)a->group * out;
	const size_t weight = l->weight + channel * a->size;
	struct linear product = { .rows = n, .in = a->size, .out = out, .w = s->x + weight,
				  .x = windows, .dx = dwindows, .y_row = (size_t)l->os.c };

	for (size_t p = 0; p < n; p++)
		conv_gather(a, first + p, windows + p * a->size);
	if (!back) {
		product.y = pixel(a->v.y, first) + channel;
		reference_linear_forward(&product);
		return;
	}
	product.dy = pixel(a->v.dy, first) + channel;
	product.dw = s->grad + weight;
	memset(dwindows, 0, n * a->size * sizeof(*dwindows));
	reference_linear_backward(&product);
	for (size_t p = 0; p < n; p++)
		conv_scatter(a, first + p, dwindows + p * a->size);
}

void reference_conv(struct state *s, int i, bool back)
{
	const struct view v = view_of(s, i);
	const size_t pixels = tensor_count(v.y) / (size_t)v.y->c;
	struct conv a = { .v = v, .per = v.l->is.c / v.l->groups };
	double *windows;

	a.size = (size_t)v.l->kernel * (size_t)v.l->kernel * (size_t)a.per;
	windows = xcalloc(2 * WINDOWS * a.size, sizeof(*windows));
	for (; a.group < v.l->groups; a.group++)
		for (size_t p = 0; p < pixels; p += WINDOWS)
			conv_pixels(s, &a, p, pixels - p < WINDOWS ? pixels - p : WINDOWS, back,
				    windows, windows + WINDOWS * a.size);
	if (v.l->bias)
		reference_bias(s, i, back);
	free(windows);
}
