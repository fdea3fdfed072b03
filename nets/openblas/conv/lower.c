/*
 * lower.c - before the product: what each of its rows sees of the image.
 *
 *     type 1   cols[(i, oy, ox)][ky][kx][c] = x[i][oy s + ky - p][ox s + kx - p][c]
 *     type 2   cols[(i, iy, ox)][kx][c]     = x[i][iy][ox s + kx - p][c]
 *     type 3   cols[(i, iy, ix)][c]         = x[i][iy][ix][c]: the image itself
 *
 * and 0 outside of the image.
 */
#include "core/math/wide.h"
#include "nets/openblas/openblas.h"

#include <string.h>

/* Windows [begin, end) of a line that lie in the image with all their columns. */
static void inner_windows(const struct layer *l, int *begin, int *end)
{
	const int slack = l->is.w + l->pad - l->kernel;

	*begin = (l->pad + l->stride - 1) / l->stride;
	*end = slack < 0 ? 0 : slack / l->stride + 1;
	if (*end > l->os.w)
		*end = l->os.w;
	if (*begin > *end)
		*begin = *end;
}

/* Columns [begin, end) of the kernel that fall into the image at window ox. */
static void openblas_lower_clip(const struct layer *l, int ox, int *begin, int *end)
{
	const int x0 = ox * l->stride - l->pad;

	*begin = x0 < 0 ? -x0 : 0;
	*end = l->is.w - x0 < l->kernel ? l->is.w - x0 : l->kernel;
	if (*begin > l->kernel)
		*begin = l->kernel;
	if (*end < *begin)
		*end = *begin;
}

/* taps pixels of a line, count channels of each. */
static void copy_taps(size_t taps, size_t count, size_t c, const float *in, float *row)
{
	if (count == c)
		memcpy(row, in, taps * c * sizeof(*row));
	else
		for (size_t k = 0; k < taps; k++)
			memcpy(row + k * count, in + k * c, count * sizeof(*row));
}

WIDE static void add_taps(size_t taps, size_t count, size_t c, const float *restrict row,
			  float *restrict in)
{
	for (size_t k = 0; k < taps; k++, row += count, in += c)
		for (size_t j = 0; j < count; j++)
			in[j] += row[j];
}

/* One kernel row of all windows of a line: row[ox][kernel][count], `step` floats apart. */
static void lower_line(const struct layer *l, size_t count, const float *in, float *row,
		       size_t step)
{
	const size_t c = (size_t)l->is.c, taps = (size_t)l->kernel;
	int begin, end;

	inner_windows(l, &begin, &end);
	for (int ox = 0; ox < l->os.w; ox++, row += step) {
		const ptrdiff_t x0 = ox * l->stride - l->pad;
		int from = 0, to = l->kernel;

		if (ox >= begin && ox < end) {
			copy_taps(taps, count, c, in + x0 * (ptrdiff_t)c, row);
			continue;
		}
		openblas_lower_clip(l, ox, &from, &to);
		memset(row, 0, taps * count * sizeof(*row));
		copy_taps((size_t)(to - from), count, c, in + (x0 + from) * (ptrdiff_t)c,
			  row + (size_t)from * count);
	}
}

static void raise_line(const struct layer *l, size_t count, const float *row, size_t step,
		       float *in)
{
	const size_t c = (size_t)l->is.c;

	for (int ox = 0; ox < l->os.w; ox++, row += step) {
		const ptrdiff_t x0 = ox * l->stride - l->pad;
		int from, to;

		openblas_lower_clip(l, ox, &from, &to);
		add_taps((size_t)(to - from), count, c, row + (size_t)from * count,
			 in + (x0 + from) * (ptrdiff_t)c);
	}
}

static void clear_line(const struct layer *l, size_t floats, float *row, size_t step)
{
	for (int ox = 0; ox < l->os.w; ox++, row += step)
		memset(row, 0, floats * sizeof(*row));
}

/* The image's line that kernel row ky of the way's line reads, from its first channel; -1: none. */
static ptrdiff_t input_line(const struct layer *l, const struct ob_way *w, size_t line, size_t ky)
{
	const ptrdiff_t image = (ptrdiff_t)(line / w->lines), at = (ptrdiff_t)(line % w->lines);
	const ptrdiff_t iy = w->type == LOWERING_1
		? at * l->stride + (ptrdiff_t)ky - l->pad : at;

	if (iy < 0 || iy >= l->is.h)
		return -1;
	return (image * l->is.h + iy) * l->is.w * l->is.c;
}

/* Kernel rows before the product. */
static size_t inner_rows(const struct layer *l, const struct ob_way *w)
{
	return w->type == LOWERING_1 ? (size_t)l->kernel : 1;
}

void ob_lower(const struct layer *l, const struct ob_way *w, struct ob_lines s, const float *x,
	      float *cols)
{
	const size_t step = w->inner * s.count, ky_step = (size_t)l->kernel * s.count;

	for (size_t at = s.first; at < s.first + s.n; at++, cols += w->rows * step)
		for (size_t ky = 0; ky < inner_rows(l, w); ky++) {
			const ptrdiff_t in = input_line(l, w, at, ky);

			if (in < 0)
				clear_line(l, ky_step, cols + ky * ky_step, step);
			else
				lower_line(l, s.count, x + in + s.from, cols + ky * ky_step,
					   step);
		}
}

void ob_lower_back(const struct layer *l, const struct ob_way *w, struct ob_lines s,
		   const float *cols, float *dx)
{
	const size_t step = w->inner * s.count, ky_step = (size_t)l->kernel * s.count;

	for (size_t at = s.first; at < s.first + s.n; at++, cols += w->rows * step)
		for (size_t ky = 0; ky < inner_rows(l, w); ky++) {
			const ptrdiff_t in = input_line(l, w, at, ky);

			if (in >= 0)
				raise_line(l, s.count, cols + ky * ky_step, step,
					   dx + in + s.from);
		}
}
