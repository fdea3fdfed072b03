/* The reference's layers that look along the channels of a pixel. */
#include "nets/reference/layers.h"

#include <math.h>

static size_t channels_pixels(const struct tensor *t)
{
	return (size_t)t->n * (size_t)t->h * (size_t)t->w;
}

/* The window around channel c: from the first channel to before the end. */
static int lrn_first(const struct layer *l, int c)
{
	return c > l->kernel / 2 ? c - l->kernel / 2 : 0;
}

static int lrn_end(const struct layer *l, int c)
{
	return c + l->kernel / 2 < l->is.c ? c + l->kernel / 2 + 1 : l->is.c;
}

/* s_c = k + alpha / size sum over the window of x_j^2 */
static double lrn_scale(const struct layer *l, const double *x, int c)
{
	double sum = 0;

	for (int j = lrn_first(l, c); j < lrn_end(l, c); j++)
		sum += x[j] * x[j];
	return l->k + l->alpha / l->kernel * sum;
}

/*
 * y_j = x_j s_j^-power, so that over the window
 * dy_j / dx_c = [j = c] s_j^-power - 2 power alpha / size x_j x_c s_j^(-power - 1).
 */
static void lrn_pixel_back(struct view v, size_t r)
{
	const double *x = pixel(v.x, r), *dy = pixel(v.dy, r);
	const struct layer *l = v.l;

	for (int j = 0; j < l->is.c; j++) {
		const double s = lrn_scale(l, x, j), share = pow(s, -l->power);

		pixel(v.dx, r)[j] += dy[j] * share;
		for (int c = lrn_first(l, j); c < lrn_end(l, j); c++)
			pixel(v.dx, r)[c] -= dy[j] * 2 * l->power * l->alpha / l->kernel * x[j]
					     * x[c] * share / s;
	}
}

void reference_lrn(struct state *s, int i, bool back)
{
	struct view v = view_of(s, i);

	for (size_t r = 0; r < channels_pixels(v.x); r++) {
		const double *x = pixel(v.x, r);

		if (back)
			lrn_pixel_back(v, r);
		else
			for (int c = 0; c < v.x->c; c++)
				pixel(v.y, r)[c] = x[c] * pow(lrn_scale(v.l, x, c), -v.l->power);
	}
}

void reference_concat(struct state *s, int i, bool back)
{
	struct view v = view_of(s, i);
	int first = 0;

	for (int k = 0; k < 2; k++) {
		struct tensor *x = &s->y[v.l->in[k]], *dx = &s->dy[v.l->in[k]];

		for (size_t r = 0; r < channels_pixels(v.y); r++)
			for (int c = 0; c < x->c; c++)
				if (back)
					pixel(dx, r)[c] += pixel(v.dy, r)[first + c];
				else
					pixel(v.y, r)[first + c] = pixel(x, r)[c];
		first += x->c;
	}
}
