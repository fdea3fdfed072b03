/* Muon against singular values worked out apart, a reference in double, and its limits. */
#include "algos/algos.h"
#include "core/base/mem.h"
#include "core/problem.h"
#include "core/run.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 40 };

/* x after `times` steps of lr 1 by the gradient g, of a matrix and the floats after it. */
static void step(const char *text, int rows, int columns, int after, int times, const float *g,
		 float *x)
{
	const struct blob blobs[] = {
		{ .name = "w", .count = (size_t)(rows * columns), .decay = true,
		  .shape = { rows, columns }, .rank = 2, .hidden = true },
		{ .name = "b", .offset = (size_t)(rows * columns), .count = (size_t)after,
		  .shape = { after }, .rank = 1 },
	};
	const size_t n = (size_t)(rows * columns + after);
	const struct optim *o;
	struct choice c = { 0 };
	float *state;

	assert_int_equal(choice_parse(&c, optim_table, "optimiser", text), 0);
	o = (const struct optim *)c.plugin;
	state = vec_new(optim_floats(o, n));
	for (int t = 0; t < times; t++)
		o->step(c.conf, &(struct stepping){ .lr = 1.0f, .w = 1.0f, .step = t, .workers = 1,
						    .nblobs = after ? 2 : 1, .blobs = blobs },
			n, g, x, state);
	free(state);
	choice_release(&c);
}

/* Singular values after five steps, and after one. */
static void singular_values_take_their_path(void **state)
{
	static const struct {
		const char *text;
		float g[4];
		double first, last;     /* of -x */
	} cases[] = {
		{ "muon:momentum=0", { 3, 0, 0, 4 }, .722876, 1.119204 },
		{ "muon:momentum=0,triples=muloco", { 3, 0, 0, 4 }, 1.018629, 1.005632 },
		{ "muon:momentum=0", { 0.36f, 0.48f, 0.48f, 0.64f }, .36 * .696436, .64 * .696436 },
		{ "muon:momentum=0,triples=muloco", { 0.36f, 0.48f, 0.48f, 0.64f },
		  .36 * .978346, .64 * .978346 },
		{ "muon:momentum=0", { 7, 0, 0, 7 }, 1.108111, 1.108111 },
		{ "muon:momentum=0,triples=muloco", { 7, 0, 0, 7 }, 1.025612, 1.025612 },
		{ "muon:momentum=0,steps=1", { 0.36f, 0.48f, 0.48f, 0.64f }, .36 * .701,
		  .64 * .701 },
		{ "muon:momentum=0,steps=1", { 3, 0, 0, 4 }, 1.193269,
		  .8 * 3.4445 - .512 * 4.775 + .32768 * 2.0315 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		float x[4] = { 0 };

		step(cases[i].text, 2, 2, 0, 1, cases[i].g, x);
		assert_near(-(double)x[0], cases[i].first, 2e-5);
		assert_near(-(double)x[3], cases[i].last, 2e-5);
	}
}

/* Of a matrix of length 1, singular values from 0.01 on end near 1, and one of 0.001 does not. */
static void small_values_end_near_1(void **state)
{
	static const struct {
		const char *text;
		double least, most;
	} ranges[] = { { "muon:momentum=0", .6818, 1.1344 },
		       { "muon:momentum=0,triples=muloco", .9778, 1.0318 } };

	for (int i = 0; i < 2; i++) {
		double least = 2.0, most = 0.0;
		float x[4] = { 0 };

		for (double s = 0.01; s < 0.7072; s *= 1.01) {
			const float g[4] = { (float)s, 0, 0, (float)sqrt(1.0 - s * s) };

			memset(x, 0, sizeof(x));
			step(ranges[i].text, 2, 2, 0, 1, g, x);
			for (int k = 0; k < 4; k += 3) {
				least = fmin(least, -(double)x[k]);
				most = fmax(most, -(double)x[k]);
			}
		}
		assert_near(least, ranges[i].least, 1e-3);
		assert_near(most, ranges[i].most, 1e-3);
		memset(x, 0, sizeof(x));
		step(ranges[i].text, 2, 2, 0, 1, (const float[]){ 0.001f, 0, 0, 1 }, x);
		assert_true(-(double)x[0] < ranges[i].least - 0.1);
	}
}

/* C [m][n] of A [m][k] and B [k][n], element (i, j) at i * s + j * t. */
static void multiply(int m, int n, int k, const double *a, int as, int at, const double *b, int bs,
		     int bt, double *c)
{
	for (int i = 0; i < m; i++)
		for (int j = 0; j < n; j++) {
			c[i * n + j] = 0;
			for (int l = 0; l < k; l++)
				c[i * n + j] += a[i * as + l * at] * b[l * bs + j * bt];
		}
}

/* x [r][c] <- x after five of Jordan's steps, all of them from the left. */
static void reference(int r, int c, double *x)
{
	double a[MOST * MOST], aa[MOST * MOST], ax[MOST * MOST], aax[MOST * MOST], norm = 0;

	for (int i = 0; i < r * c; i++)
		norm += x[i] * x[i];
	for (int i = 0; i < r * c; i++)
		x[i] /= sqrt(norm) + 1e-7;
	for (int t = 0; t < 5; t++) {
		multiply(r, r, c, x, c, 1, x, 1, c, a);
		multiply(r, r, r, a, r, 1, a, r, 1, aa);
		multiply(r, c, r, a, r, 1, x, c, 1, ax);
		multiply(r, c, r, aa, r, 1, x, c, 1, aax);
		for (int i = 0; i < r * c; i++)
			x[i] = 3.4445 * x[i] - 4.775 * ax[i] + 2.0315 * aax[i];
	}
}

static void wave(int n, float *g)
{
	for (int i = 0; i < n; i++)
		g[i] = (float)sin(1.0 + 2.5 * i + 0.3 * i * i);
}

/* Wide, tall and square matrices; two steps, so with momentum; the factor by their shape. */
static void matrices_of_all_shapes(void **state)
{
	static const int shapes[][2] = { { 3, 7 }, { 7, 3 }, { 20, 33 }, { 33, 20 }, { 5, 5 },
					 { 1, 4 }, { 4, 1 } };

	for (size_t k = 0; k < sizeof(shapes) / sizeof(shapes[0]); k++) {
		const int r = shapes[k][0], c = shapes[k][1];
		const double scale = r > c ? sqrt((double)r / c) : 1.0;
		float g[MOST * MOST], x[MOST * MOST] = { 0 }, none[MOST * MOST] = { 0 };
		double want[MOST * MOST];

		wave(r * c, g);
		for (int i = 0; i < r * c; i++)
			want[i] = (double)g[i];
		reference(r, c, want);
		step("muon:momentum=0.5,nesterov=false", r, c, 0, 2, g, x);
		step("muon:momentum=0.5,scale=none", r, c, 0, 1, g, none);
		for (int i = 0; i < r * c; i++) {
			assert_near((double)x[i], -2.0 * scale * want[i], 2e-4);
			assert_near((double)none[i], -want[i], 1e-4);
		}
	}
}

/* g + mu m, where m = mu g0 + g1; the sizes of both together do not matter. */
static void nesterov_looks_ahead(void **state)
{
	const float both[2][2] = { { 1, 0 }, { 0, 1 } };
	const struct blob blob = { .name = "w", .count = 2, .shape = { 1, 2 }, .rank = 2,
				   .hidden = true };
	const struct optim *o;
	float x[2] = { 0 }, *memory;
	struct choice c = { 0 };

	assert_int_equal(choice_parse(&c, optim_table, "optimiser", "muon:momentum=0.5"), 0);
	o = (const struct optim *)c.plugin;
	memory = vec_new(optim_floats(o, 2));
	for (int t = 0; t < 2; t++) {
		x[0] = x[1] = 0;
		o->step(c.conf, &(struct stepping){ .lr = 1.0f, .w = 4.0f, .nblobs = 1,
						    .blobs = &blob }, 2, both[t], x, memory);
	}
	/* m = (1/2, 1), u = (0, 1) + 1/2 m = (1/4, 3/2). */
	assert_near((double)(x[0] / x[1]), 1.0 / 6, 1e-6);
	assert_near(hypot((double)x[0], (double)x[1]), .696436, 1e-4);
	free(memory);
	choice_release(&c);
}

/* The floats after the matrix: AdamW's first step is its learning rate, by the gradient's sign. */
static void the_rest_is_adamw(void **state)
{
	const float g[6] = { 3, 0, 0, 4, 0.5f, -8.0f };
	float x[6] = { 0 };

	step("muon:rest=0.25", 2, 2, 2, 1, g, x);
	assert_near((double)x[4], -0.25, 1e-6);
	assert_near((double)x[5], 0.25, 1e-6);
}

/* Decay is x alone, of what decays: the matrix loses half of itself, the bias nothing. */
static void decay_is_apart(void **state)
{
	const float g[6] = { 0 };
	float x[6] = { 1, 1, 1, 1, 1, 1 };

	step("muon:weight_decay=0.5", 2, 2, 2, 1, g, x);
	for (int i = 0; i < 6; i++)
		assert_near((double)x[i], i < 4 ? 0.5 : 1.0, 1e-7);
}

static void nan_is_not_hidden(void **state)
{
	const float g[6] = { NAN, 0, 0, 4, 1, 1 };
	float x[6] = { 0 };

	step("muon", 2, 2, 2, 1, g, x);
	assert_true(isnan(x[0]));
	assert_true(isfinite(x[4]));
}

static void nets_without_matrices_are_refused(void **state)
{
	struct blob blobs[] = { { .name = "in.weight", .count = 4, .shape = { 2, 2 }, .rank = 2 },
				{ .name = "b", .offset = 4, .count = 2, .shape = { 2 },
				  .rank = 1 } };
	struct run run = { .workers = 1, .nlayers = 2, .layers = blobs };
	const struct optim *o;
	struct choice c = { 0 };

	assert_int_equal(choice_parse(&c, optim_table, "optimiser", "muon"), 0);
	o = (const struct optim *)c.plugin;
	capture_start();
	assert_int_equal(o->check(c.conf, &run), -1);
	assert_said("tensors=matrices");
	run.layers = blobs + 1;
	run.nlayers = 1;
	assert_int_equal(o->check(c.conf, &run), -1);
	assert_said("no matrices");
	capture_stop();
	blobs[0].hidden = true;
	run = (struct run){ .workers = 1, .nlayers = 2, .layers = blobs };
	assert_int_equal(o->check(c.conf, &run), 0);
	choice_release(&c);
}

RUN_ALL(singular_values_take_their_path, small_values_end_near_1, matrices_of_all_shapes,
	nesterov_looks_ahead, the_rest_is_adamw, decay_is_apart, nan_is_not_hidden,
	nets_without_matrices_are_refused)
