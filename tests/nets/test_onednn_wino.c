/*
 * Winograd's convolutions against the sum they stand for, in double on the stored values:
 * within 1e-6 of the norm in f32, 1e-2 in bf16, whose transforms are rounded once.
 */
#include "core/base/mem.h"
#include "core/math/rng.h"
#include "nets/onednn/simd/simd.h"
#include "nets/onednn/wino/wino.h"
#include "tests/support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A tensor as it is stored, and in double. */
struct tensor {
	size_t n;
	void *stored;
	double *v;
};

struct trial {
	const struct wino_table *t;
	const struct simd *s;
	struct wino z;
	struct tensor x, dy, y, dx, w;
	double *want_y, *want_dx, *want_w;
	float *bias;
};

static void widen(const struct simd *s, struct tensor *t)
{
	float *f = vec_new(t->n);

	s->widen(t->n, t->stored, f);
	for (size_t i = 0; i < t->n; i++)
		t->v[i] = (double)f[i];
	free(f);
}

static struct tensor random_tensor(const struct simd *s, uint32_t rank, size_t n)
{
	struct tensor t = { n, vec_new(n), xcalloc(n, sizeof(double)) };
	float *f = vec_new(n);
	struct rng r;

	rng_at(&r, 5, RNG_DATA, rank, 0);
	for (size_t i = 0; i < n; i++)
		f[i] = (float)rng_normal(&r);
	s->narrow(n, f, t.stored);
	widen(s, &t);
	free(f);
	return t;
}

/* One product of the sum: output (line, col) of an image, tap (i, j). */
static void add_tap(struct trial *a, size_t image, size_t line, size_t col, size_t tap)
{
	const struct wino *z = &a->z;
	const size_t from = line + tap / 3 - 1, at = col + tap % 3 - 1;

	if (from >= z->h || at >= z->w)
		return;
	for (size_t o = 0; o < z->out; o++)
		for (size_t k = 0; k < z->in; k++) {
			size_t y = ((image * z->h + line) * z->w + col) * z->out + o;
			size_t x = ((image * z->h + from) * z->w + at) * z->in + k;
			size_t w = (o * 9 + tap) * z->in + k;

			a->want_y[y] += a->x.v[x] * a->w.v[w];
			a->want_dx[x] += a->dy.v[y] * a->w.v[w];
			a->want_w[w] += a->dy.v[y] * a->x.v[x];
		}
}

static void trial_open(struct trial *a, const struct wino_table *t, const struct simd *s,
		       size_t n, size_t h, size_t w, size_t in, size_t out)
{
	const size_t pixels = n * h * w;

	*a = (struct trial){ .t = t, .s = s, .z = { n, h, w, in, out, in, out } };
	a->x = random_tensor(s, 1, pixels * in);
	a->dy = random_tensor(s, 2, pixels * out);
	a->y = random_tensor(s, 3, pixels * out);
	a->dx = random_tensor(s, 4, pixels * in);
	a->w = random_tensor(simd_all()[0], 5, 9 * in * out);
	a->want_y = xcalloc(a->y.n, sizeof(double));
	a->want_dx = xcalloc(a->dx.n, sizeof(double));
	a->want_w = xcalloc(a->w.n, sizeof(double));
	a->bias = vec_new(out);
	for (size_t o = 0; o < out; o++)
		a->bias[o] = (float)o / 4 - 2;
	for (size_t i = 0; i < pixels * 9; i++)
		add_tap(a, i / 9 / (h * w), i / 9 / w % h, i / 9 % w, i % 9);
}

static void trial_close(struct trial *a)
{
	struct tensor *all[] = { &a->x, &a->dy, &a->y, &a->dx, &a->w };

	for (int i = 0; i < 5; i++) {
		free(all[i]->stored);
		free(all[i]->v);
	}
	free(a->want_y);
	free(a->want_dx);
	free(a->want_w);
	free(a->bias);
}

static void check(const struct trial *a, size_t n, const double *got, const double *want)
{
	const double tolerance = a->s->size == 2 ? 1e-2 : 1e-6;
	double off = 0, norm = 0;

	for (size_t i = 0; i < n; i++) {
		off += (got[i] - want[i]) * (got[i] - want[i]);
		norm += want[i] * want[i];
	}
	if (!(sqrt(off) <= tolerance * sqrt(norm)))
		fail_msg("%zux%zu, %zu to %zu channels: off by %.3g of %.3g", a->z.h, a->z.w,
			 a->z.in, a->z.out, sqrt(off), sqrt(norm));
}

/* With bias and ReLU; what was in y goes. */
static void check_forward(struct trial *a, void *work)
{
	void *u = vec_new(WINO_AT * a->z.in * a->z.out);

	a->t->weights(a->z.in, a->z.out, a->w.stored, u);
	a->t->convolve(&a->z, a->x.stored, u, a->bias, false, true, work, a->y.stored);
	widen(a->s, &a->y);
	for (size_t i = 0; i < a->y.n; i++) {
		a->want_y[i] += (double)a->bias[i % a->z.out];
		a->want_y[i] = a->want_y[i] > 0 ? a->want_y[i] : 0;
	}
	check(a, a->y.n, a->y.v, a->want_y);
	free(u);
}

/* Added to what is there. */
static void check_data(struct trial *a, void *work)
{
	const struct wino back = { a->z.n, a->z.h, a->z.w, a->z.out, a->z.in, a->z.out, a->z.in };
	void *u = vec_new(WINO_AT * a->z.in * a->z.out);

	for (size_t i = 0; i < a->dx.n; i++)
		a->want_dx[i] += a->dx.v[i];
	a->t->weights_back(a->z.in, a->z.out, a->w.stored, u);
	a->t->convolve(&back, a->dy.stored, u, NULL, true, false, work, a->dx.stored);
	widen(a->s, &a->dx);
	check(a, a->dx.n, a->dx.v, a->want_dx);
	free(u);
}

static void check_weights(struct trial *a, void *work)
{
	float *dw = vec_new(a->w.n);

	a->t->gradient(&a->z, a->x.stored, a->dy.stored, work, dw);
	for (size_t i = 0; i < a->w.n; i++)
		a->w.v[i] = (double)dw[i];
	check(a, a->w.n, a->w.v, a->want_w);
	free(dw);
}

/* Working memory full of NaN: nothing of it shows. */
static void *dirty(size_t bytes)
{
	void *work = vec_new(bytes / sizeof(float) + 1);

	return memset(work, 0xff, bytes);
}

static void check_all(const struct wino_table *t, const struct simd *s)
{
	static const size_t shapes[][5] = {
		{ 1, 1, 1, 16, 16 }, { 1, 2, 3, 16, 32 }, { 2, 5, 4, 32, 16 }, { 3, 7, 7, 48, 16 },
		{ 1, 4, 4, 80, 112 }, { 9, 6, 6, 32, 64 }, { 2, 13, 11, 64, 48 },
	};

	for (int i = 0; t && i < 7; i++) {
		const size_t *p = shapes[i];
		size_t bytes, more;
		struct wino back;
		struct trial a;
		void *work;

		trial_open(&a, t, s, p[0], p[1], p[2], p[3], p[4]);
		back = (struct wino){ p[0], p[1], p[2], p[4], p[3], p[4], p[3] };
		bytes = wino_work(&a.z, s->size);
		more = wino_work(&back, s->size);
		work = dirty(bytes > more ? bytes : more);
		check_forward(&a, work);
		check_data(&a, work);
		free(work);
		work = dirty(wino_gradient_work(&a.z, s->size));
		check_weights(&a, work);
		free(work);
		trial_close(&a);
	}
}

static void in_f32(void **state)
{
	check_all(wino_f32(), simd_all()[0]);
}

/* Where a processor has AVX-512, too. */
static void in_avx2(void **state)
{
	check_all(wino_avx2(), simd_all()[0]);
}

static void in_bf16(void **state)
{
	check_all(wino_bf16(), simd_all_bf16()[0]);
}

RUN_ALL(in_f32, in_avx2, in_bf16)
