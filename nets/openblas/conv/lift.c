/*
 * lift.c - after the product: the terms of each output pixel are added up.
 *
 *     type 2   y[i][oy][ox][o] += lifted[(i, oy s + ky - p, ox)][ky][o]
 *     type 3   y[i][oy][ox][o] += lifted[(i, oy s + ky - p, ox s + kx - p)][ky][kx][o]
 */
#include "core/math/wide.h"
#include "nets/openblas/openblas.h"

#include <string.h>

/* A tap's rows of one line of lifted, and the pixels of one line of y that they belong to. */
struct run {
	size_t n;                       /* of them */
	ptrdiff_t row, pixel;           /* the first */
	size_t row_step;                /* rows from one to the next; pixels are neighbours */
};

/* Output pixel whose tap k reads input at along one side; -1: none. */
static ptrdiff_t output_of(const struct layer *l, ptrdiff_t at, ptrdiff_t k, ptrdiff_t side)
{
	const ptrdiff_t t = at + l->pad - k;

	return t < 0 || t % l->stride || t / l->stride >= side ? -1 : t / l->stride;
}

/* Type 2: row ox is pixel ox. Type 3: row ix = ox s + kx - p, as far as that exists. */
static struct run openblas_lift_run_of(const struct layer *l, const struct ob_way *w, ptrdiff_t kx)
{
	ptrdiff_t from = 0, to = l->os.w;

	if (w->type == LOWERING_2)
		return (struct run){ (size_t)to, 0, 0, 1 };
	while (from < to && from * l->stride + kx < l->pad)
		from++;
	while (to > from && (to - 1) * l->stride + kx - l->pad >= l->is.w)
		to--;
	return (struct run){ (size_t)(to - from), from * l->stride + kx - l->pad, from,
			     (size_t)l->stride };
}

/* y[rows][count] += x[rows][count], rows some floats apart. */
WIDE static void add_rows(size_t rows, size_t count, const float *restrict x, size_t x_step,
			  float *restrict y, size_t y_step)
{
	for (size_t r = 0; r < rows; r++, x += x_step, y += y_step)
		for (size_t k = 0; k < count; k++)
			y[k] += x[k];
}

static void copy_rows(size_t rows, size_t count, const float *x, size_t x_step, float *y,
		      size_t y_step)
{
	for (size_t r = 0; r < rows; r++)
		memcpy(y + r * y_step, x + r * x_step, count * sizeof(*y));
}

/* A position in the lines where a tap's terms meet: offsets of lifted and of y. */
struct meeting {
	size_t lifted, y, n, lifted_step;
};

/* Where tap `tap` of a line of lifted goes; n is 0 when it goes nowhere. */
static struct meeting openblas_lift_meet(const struct layer *l, const struct ob_way *w,
					 struct ob_lines s, size_t line, size_t tap)
{
	const size_t across = w->type == LOWERING_3 ? (size_t)l->kernel : 1;
	const ptrdiff_t image = (ptrdiff_t)(line / w->lines), iy = (ptrdiff_t)(line % w->lines);
	const ptrdiff_t oy = output_of(l, iy, (ptrdiff_t)(tap / across), l->os.h);
	const struct run r = openblas_lift_run_of(l, w, (ptrdiff_t)(tap % across));
	const size_t step = w->outer * s.count;

	if (oy < 0 || !r.n)
		return (struct meeting){ 0 };
	return (struct meeting){
		.lifted = (size_t)r.row * step + tap * s.count,
		.y = (size_t)((image * l->os.h + oy) * l->os.w + r.pixel) * (size_t)l->os.c
			+ s.from,
		.n = r.n, .lifted_step = r.row_step * step,
	};
}

void ob_lift(const struct layer *l, const struct ob_way *w, struct ob_lines s,
	     const float *lifted, float *y)
{
	const size_t line = w->rows * w->outer * s.count;

	for (size_t at = s.first; at < s.first + s.n; at++, lifted += line)
		for (size_t tap = 0; tap < w->outer; tap++) {
			const struct meeting m = openblas_lift_meet(l, w, s, at, tap);

			add_rows(m.n, s.count, lifted + m.lifted, m.lifted_step, y + m.y,
				 (size_t)l->os.c);
		}
}

void ob_lift_back(const struct layer *l, const struct ob_way *w, struct ob_lines s,
		  const float *dy, float *lifted)
{
	const size_t line = w->rows * w->outer * s.count;

	for (size_t at = s.first; at < s.first + s.n; at++, lifted += line) {
		memset(lifted, 0, line * sizeof(*lifted));
		for (size_t tap = 0; tap < w->outer; tap++) {
			const struct meeting m = openblas_lift_meet(l, w, s, at, tap);

			copy_rows(m.n, s.count, dy + m.y, (size_t)l->os.c, lifted + m.lifted,
				  m.lifted_step);
		}
	}
}
