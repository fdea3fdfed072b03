/*
 * openblas_lower.c - lowering of type 1: a row of cols is all that one output pixel sees.
 *
 *     cols[(i, oy, ox)][ky][kx][c] = x[i][oy s + ky - p][ox s + kx - p][c], 0 outside
 */
#include "nets/openblas.h"

#include <string.h>

/* Kernel columns [begin, end) that fall inside the image for a window at column x0. */
static void clip(int x0, int kernel, int side, int *begin, int *end)
{
	*begin = x0 < 0 ? -x0 : 0;
	*end = side - x0 < kernel ? side - x0 : kernel;
	if (*begin > kernel)
		*begin = kernel;
	if (*end < *begin)
		*end = *begin;
}

/* One kernel row of one window: row[kernel][count] <- in[w][c] from column x0 on. */
static void lower_row(const struct layer *l, int x0, int count, const float *in, float *row)
{
	size_t n = (size_t)count, c = (size_t)l->is.c;
	int begin, end;

	clip(x0, l->kernel, l->is.w, &begin, &end);
	memset(row, 0, (size_t)begin * n * sizeof(*row));
	if (n == c)
		memcpy(row + (size_t)begin * n, in + (size_t)(x0 + begin) * c,
		       (size_t)(end - begin) * n * sizeof(*row));
	else
		for (int k = begin; k < end; k++)
			memcpy(row + (size_t)k * n, in + (size_t)(x0 + k) * c,
			       n * sizeof(*row));
	memset(row + (size_t)end * n, 0, (size_t)(l->kernel - end) * n * sizeof(*row));
}

static void lift_row(const struct layer *l, int x0, int count, const float *row, float *in)
{
	size_t n = (size_t)count, c = (size_t)l->is.c;
	int begin, end;

	clip(x0, l->kernel, l->is.w, &begin, &end);
	for (int k = begin; k < end; k++) {
		const float *from = row + (size_t)k * n;
		float *to = in + (size_t)(x0 + k) * c;

		for (size_t j = 0; j < n; j++)
			to[j] += from[j];
	}
}

/* The input row that kernel row ky of output line `line` reads, or NULL when it is padding. */
static size_t input_row(const struct layer *l, size_t line, int ky, bool *inside)
{
	size_t image = line / (size_t)l->os.h, oy = line % (size_t)l->os.h;
	int iy = (int)oy * l->stride + ky - l->pad;

	*inside = iy >= 0 && iy < l->is.h;
	return *inside ? (image * (size_t)l->is.h + (size_t)iy) * (size_t)(l->is.w * l->is.c) : 0;
}

void ob_lower(const struct layer *l, size_t first, size_t lines, int from, int count,
	      const float *x, float *cols)
{
	const size_t row = (size_t)(l->kernel * count), window = row * (size_t)l->kernel;

	for (size_t at = first; at < first + lines; at++, cols += window * (size_t)l->os.w)
		for (int ky = 0; ky < l->kernel; ky++) {
			bool inside;
			size_t in = input_row(l, at, ky, &inside);
			float *to = cols + (size_t)ky * row;

			for (int ox = 0; ox < l->os.w; ox++, to += window) {
				if (inside)
					lower_row(l, ox * l->stride - l->pad, count,
						  x + in + from, to);
				else
					memset(to, 0, row * sizeof(*to));
			}
		}
}

void ob_lift(const struct layer *l, size_t first, size_t lines, int from, int count,
	     const float *cols, float *dx)
{
	const size_t row = (size_t)(l->kernel * count), window = row * (size_t)l->kernel;

	for (size_t at = first; at < first + lines; at++, cols += window * (size_t)l->os.w)
		for (int ky = 0; ky < l->kernel; ky++) {
			bool inside;
			size_t in = input_row(l, at, ky, &inside);
			const float *src = cols + (size_t)ky * row;

			for (int ox = 0; inside && ox < l->os.w; ox++, src += window)
				lift_row(l, ox * l->stride - l->pad, count, src, dx + in + from);
		}
}
