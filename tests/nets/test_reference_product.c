/* The reference's products against loops over every index, and the losses that it starts midway. */
#include "core/base/mem.h"
#include "core/math/rng.h"
#include "nets/reference/layers.h"
#include "tests/support/check.h"
#include "tests/support/gradient_check.h"

#include <stdlib.h>
#include <string.h>

static double *draw(size_t n, uint64_t index)
{
	double *v = xcalloc(n, sizeof(*v));
	struct rng r;

	rng_at(&r, 5, RNG_NOISE, 0, index);
	for (size_t k = 0; k < n; k++)
		v[k] = rng_normal(&r);
	return v;
}

static void near_all(size_t n, const double *got, const double *want)
{
	for (size_t k = 0; k < n; k++)
		assert_near(got[k], want[k], 1e-12);
}

/* c has a column more than the product, which stays as it is. */
static void product_of(size_t rows, size_t columns, size_t depth, bool transposed)
{
	const size_t width = columns + 1;
	double *a = draw(rows * depth, 1), *b = draw(depth * columns, 2);
	double *c = draw(rows * width, 3), *want = draw(rows * width, 3);
	const struct matrix left = { a, transposed ? 1 : depth, transposed ? rows : 1 };
	const struct matrix right = { b, transposed ? 1 : columns, transposed ? depth : 1 };

	for (size_t i = 0; i < rows; i++)
		for (size_t j = 0; j < columns; j++)
			for (size_t k = 0; k < depth; k++)
				want[i * width + j] += left.v[i * left.row + k * left.column] *
						       right.v[k * right.row + j * right.column];
	reference_product(rows, columns, depth, left, right, c, width);
	near_all(rows * width, c, want);
	free(a);
	free(b);
	free(c);
	free(want);
}

/* Below, at and above what a tile, a panel and a part of the depth hold. */
static void product_is_three_loops(void **state)
{
	static const size_t sizes[][3] = {
		{ 1, 1, 1 }, { 5, 7, 3 }, { 6, 8, 256 }, { 7, 9, 257 }, { 253, 3, 20 },
		{ 13, 17, 600 },
	};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		for (int transposed = 0; transposed < 2; transposed++)
			product_of(sizes[i][0], sizes[i][1], sizes[i][2], transposed);
}

/* ---- a convolution, index by index ---- */

struct conv_case {
	const struct layer *l;
	int n;
	const double *w, *bias, *x, *dy;
	double *y, *dw, *dbias, *dx;
};

/* What input channel c at ky, kx has to do with output channel o of a pixel. */
static void conv_term(const struct conv_case *a, int n, int h, int w, int o, const int at[3])
{
	const struct layer *l = a->l;
	const int per = l->is.c / l->groups, group = o / (l->os.c / l->groups);
	const int from_h = h * l->stride + at[0] - l->pad, from_w = w * l->stride + at[1] - l->pad;
	const int y = ((n * l->os.h + h) * l->os.w + w) * l->os.c + o;
	const int k = ((o * l->kernel + at[0]) * l->kernel + at[1]) * per + at[2];
	const int x = ((n * l->is.h + from_h) * l->is.w + from_w) * l->is.c + group * per + at[2];

	if (from_h < 0 || from_h >= l->is.h || from_w < 0 || from_w >= l->is.w)
		return;
	a->y[y] += a->w[k] * a->x[x];
	a->dw[k] += a->dy[y] * a->x[x];
	a->dx[x] += a->dy[y] * a->w[k];
}

static void conv_by_loops(const struct conv_case *a)
{
	const struct layer *l = a->l;
	const int pixels = a->n * l->os.h * l->os.w, per = l->is.c / l->groups;
	int at[3];

	for (int p = 0; p < pixels; p++)
		for (int o = 0; o < l->os.c; o++) {
			a->y[p * l->os.c + o] += a->bias[o];
			a->dbias[o] += a->dy[p * l->os.c + o];
			for (at[0] = 0; at[0] < l->kernel; at[0]++)
				for (at[1] = 0; at[1] < l->kernel; at[1]++)
					for (at[2] = 0; at[2] < per; at[2]++)
						conv_term(a, p / l->os.w / l->os.h,
							  p / l->os.w % l->os.h, p % l->os.w, o,
							  at);
		}
}

static void conv_like_loops(const char *keys)
{
	char text[512];
	const int n = 3;
	struct graph *g;
	struct state s = { 0 };
	struct conv_case a = { .n = n };
	size_t ins, outs;

	snprintf(text, sizeof(text), "{\"input\": [11, 9, 6], \"classes\": 3, \"layers\": ["
		 "{\"layer\": \"conv\", \"out\": 4, \"bias\": true, %s}, {\"layer\": \"dense\", "
		 "\"out\": \"$classes\"}]}", keys);
	g = graph_parse(text, "conv", (struct shape){ 0 }, 0);
	assert_non_null(g);
	a.l = &g->layers[1];
	s = (struct state){ .g = g, .x = draw(g->dim, 1), .grad = xcalloc(g->dim, sizeof(double)) };
	a.x = draw((size_t)(n * 11 * 9 * 6), 2);
	state_open(&s, (size_t)n, a.x);
	ins = tensor_count(&s.y[0]);
	outs = tensor_count(&s.y[1]);
	a.dy = draw(outs, 3);
	memcpy(s.dy[1].v, a.dy, outs * sizeof(double));
	a.w = s.x + a.l->weight;
	a.bias = s.x + a.l->beta;
	a.y = xcalloc(outs, sizeof(double));
	a.dx = xcalloc(ins, sizeof(double));
	a.dw = xcalloc(g->dim, sizeof(double));
	a.dbias = a.dw + a.l->beta;
	assert_int_equal(a.l->weight, 0);
	conv_by_loops(&a);
	state_run(&s, 1, true);
	near_all(outs, s.y[1].v, a.y);
	near_all(ins, s.dy[0].v, a.dx);
	near_all(g->dim, s.grad, a.dw);
	state_close(&s);
	free((double *)(uintptr_t)s.x);
	free((double *)(uintptr_t)a.x);
	free((double *)(uintptr_t)a.dy);
	free(s.grad);
	free(a.y);
	free(a.dx);
	free(a.dw);
	graph_free(g);
}

/* 297 pixels of the batch: more than the windows that are made at a time. */
static void conv_is_its_loops(void **state)
{
	conv_like_loops("\"kernel\": 3, \"pad\": 1");
	conv_like_loops("\"kernel\": 5, \"pad\": 2, \"stride\": 2");
	conv_like_loops("\"kernel\": 3, \"stride\": 3, \"groups\": 2");
	conv_like_loops("\"kernel\": 1, \"stride\": 2");
}

/* ---- losses from the first layer that reads a blob ---- */

/* A move so small that no ReLU and no maximum changes sides. */
static void midway_is_whole(void **state)
{
	const struct netcase *c = *state;
	struct trial t;
	struct reference_kept *kept;
	double *y;

	trial_open(&t, c);
	y = xcalloc(t.g->dim, sizeof(*y));
	memcpy(y, t.xd, t.g->dim * sizeof(*y));
	kept = reference_keep(t.g, t.xd, t.n, t.imagesd, t.labels, 3, t.use, NULL);
	for (const struct blob *b = t.g->blobs; b < t.g->blobs + t.g->nblobs; b++) {
		const double before = y[b->offset];
		double whole;

		y[b->offset] += 1e-9;
		whole = reference_grad(t.g, y, t.n, t.imagesd, t.labels, 3, t.use, NULL, NULL);
		assert_true(reference_loss_at(kept, b, y) == whole);
		assert_true(reference_loss_at(kept, NULL, y) == whole);
		y[b->offset] = before;
	}
	assert_true(reference_share(t.g, &t.g->blobs[t.g->nblobs - 1]) <
		    reference_share(t.g, NULL) || t.g->nblobs < 3);
	reference_kept_free(kept);
	free(y);
	trial_close(&t);
}

int main(void)
{
	struct CMUnitTest tests[64] = {
		cmocka_unit_test(product_is_three_loops), cmocka_unit_test(conv_is_its_loops),
	};
	size_t n = 2;

	for (const struct netcase *c = netcases; c->name && n < 64; c++)
		if (c->json)
			tests[n++] = (struct CMUnitTest){ c->name, midway_is_whole, NULL, NULL,
							  (void *)(uintptr_t)c };
	return _cmocka_run_group_tests("reference_product", tests, n, NULL, NULL);
}
