/* Resampling against weights worked out by hand, and where frames lie. */
#include "core/base/mem.h"
#include "data/photo/photo.h"
#include "tests/support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A picture whose three bytes at (y, x) are v, v + 1, v + 2, where v = value(y, x). */
static struct picture paint(int height, int width, int (*value)(int y, int x))
{
	struct picture p = { height, width, NULL, (size_t)height * (size_t)width * 3 };

	p.rgb = xcalloc(p.capacity, 1);
	for (int y = 0; y < height; y++)
		for (int x = 0; x < width; x++)
			for (int c = 0; c < 3; c++)
				p.rgb[3 * (y * width + x) + c] = (uint8_t)(value(y, x) + c);
	return p;
}

static struct axis whole(int source, int n)
{
	return (struct axis){ .scale = (double)source / n, .n = n, .hi = source };
}

static int steps(int y, int x)
{
	(void)y;
	return 40 * x;
}

/* One row of 4 to 2: scale 2; output 0 at 1.0 has weights 3/4 3/4 1/4 of pixels 0 1 2. */
static void halving(void **state)
{
	struct picture p = paint(1, 4, steps);
	struct frame f = { .y = whole(1, 1), .x = whole(4, 2) };
	uint8_t out[6];

	resize(&p, &f, out);
	assert_int_equal(out[0], 29);   /* (0 * 3 + 40 * 3 + 80) / 7 = 28.6 */
	assert_int_equal(out[3], 91);   /* (40 + 80 * 3 + 120 * 3) / 7 = 91.4 */
	assert_int_equal(out[4], 92);
	f.mirror = true;
	resize(&p, &f, out);
	assert_int_equal(out[0], 91);
	assert_int_equal(out[5], 31);
	picture_release(&p);
}

/* One row of 2 to 4: centres at 1/4, 3/4, 5/4, 7/4, between pixels at 1/2 and 3/2. */
static void doubling(void **state)
{
	struct picture p = paint(1, 2, steps);
	const struct frame f = { .y = whole(1, 1), .x = whole(2, 4) };
	uint8_t out[12];

	resize(&p, &f, out);
	assert_int_equal(out[0], 0);
	assert_int_equal(out[3], 10);
	assert_int_equal(out[6], 30);
	assert_int_equal(out[9], 40);
	picture_release(&p);
}

static int both(int y, int x)
{
	return 10 * y + x;
}

/* At scale 1 pixels are what they were; a crop begins where it says; mirrored or not. */
static void copying(void **state)
{
	struct picture p = paint(9, 11, both);
	struct frame f = { .y = whole(9, 9), .x = whole(11, 11) };
	uint8_t out[9 * 11 * 3];

	resize(&p, &f, out);
	assert_memory_equal(out, p.rgb, sizeof out);
	f.y.first = 2;
	f.x.first = 3;
	f.y.n = f.x.n = 4;
	resize(&p, &f, out);
	assert_int_equal(out[0], 23);
	assert_int_equal(out[3 * (4 * 3 + 3)], 56);
	f.mirror = true;
	resize(&p, &f, out);
	assert_int_equal(out[0], 26);
	assert_int_equal(out[2], 28);
	assert_int_equal(out[3 * (4 * 3 + 3)], 53);
	picture_release(&p);
}

/* Nothing outside of [lo, hi) is looked at. */
static void bounded(void **state)
{
	struct picture p = paint(1, 8, steps);
	struct frame f = { .y = whole(1, 1), .x = { 2.0, 2.0, 0, 2, 2, 6 } };
	uint8_t out[6];

	memset(p.rgb, 255, 6);
	memset(p.rgb + 18, 255, 6);
	resize(&p, &f, out);            /* pixels 80 120 160 200 */
	assert_int_equal(out[0], 109);  /* (80 * 3 + 120 * 3 + 160) / 7 = 108.6 */
	assert_int_equal(out[3], 171);  /* (120 + 160 * 3 + 200 * 3) / 7 = 171.4 */
	picture_release(&p);
}

static int waves(int y, int x)
{
	return (17 * y * y + 29 * x + x * x) % 200;
}

/* A part of a resized picture has the bytes of that part of the whole. */
static void parts_are_of_the_whole(void **state)
{
	struct picture p = paint(50, 70, waves);
	struct frame all = { .y = whole(50, 32), .x = whole(70, 32) }, part = all;
	uint8_t big[32 * 32 * 3], small[20 * 9 * 3];

	part.y.first = 5;
	part.y.n = 20;
	part.x.first = 21;
	part.x.n = 9;
	resize(&p, &all, big);
	resize(&p, &part, small);
	for (int y = 0; y < 20; y++)
		assert_memory_equal(small + y * 9 * 3, big + ((y + 5) * 32 + 21) * 3, 9 * 3);
	picture_release(&p);
}

/* Shrinking by a fraction, checked against the definition in double. */
static void against_the_definition(void **state)
{
	struct picture p = paint(23, 31, waves);
	const struct frame f = { .y = whole(23, 7), .x = { 1.5, 2.3, 1, 9, 2, 29 } };
	uint8_t out[7 * 9 * 3];

	resize(&p, &f, out);
	for (int k = 0; k < 7 * 9; k++) {
		double cy = (k / 9 + 0.5) * 23 / 7, cx = 1.5 + (1 + k % 9 + 0.5) * 2.3;
		double sum = 0, weights = 0;

		for (int y = 0; y < 23; y++)
			for (int x = 2; x < 29; x++) {
				double wy = fmax(0, 1 - fabs(y + 0.5 - cy) / (23.0 / 7));
				double wx = fmax(0, 1 - fabs(x + 0.5 - cx) / 2.3);

				sum += wy * wx * p.rgb[3 * (y * 31 + x)];
				weights += wy * wx;
			}
		assert_near(out[3 * k], sum / weights, 0.501);
	}
	picture_release(&p);
}

static const struct augment none = { AUGMENT_NONE, 224, 256 },
			    caffe = { AUGMENT_CAFFE, 227, 256 },
			    alexnet = { AUGMENT_ALEXNET, 227, 256 },
			    resnet = { AUGMENT_RESNET, 224, 256 };

/* 300 x 500: the shorter side becomes 256, the longer 427; the middle of the middle 256. */
static void centres(void **state)
{
	struct frame f = augment_draw(&none, 300, 500, NULL);
	struct rng r;

	assert_near(f.y.scale, 300.0 / 256, 1e-12);
	assert_near(f.x.scale, 500.0 / 427, 1e-12);
	assert_int_equal(f.y.first, 16);
	assert_int_equal(f.x.first, 85 + 16);
	assert_int_equal(f.y.n, 224);
	assert_false(f.mirror);
	rng_at(&r, 1, RNG_AUGMENT, 0, 1);
	assert_int_equal(augment_draw(&none, 300, 500, &r).x.first, f.x.first);
	assert_int_equal(augment_draw(&resnet, 300, 500, NULL).x.first, f.x.first);
	f = augment_draw(&caffe, 300, 500, NULL);
	assert_near(f.x.scale, 500.0 / 256, 1e-12);
	assert_int_equal(f.x.first, 14);
	f = augment_draw(&alexnet, 300, 500, NULL);
	assert_int_equal(f.x.first, 85 + 14);
}

/* All 30 x 30 positions of a 227 crop in 256, mirrored in half: none is left out, none beyond. */
static void crops_reach_everywhere(void **state)
{
	int y[30] = { 0 }, x[30] = { 0 }, mirrored = 0;

	for (uint64_t use = 0; use < 6000; use++) {
		struct rng r;
		struct frame f;

		rng_at(&r, 3, RNG_AUGMENT, 0, use);
		f = augment_draw(use % 2 ? &caffe : &alexnet, 256, 256, &r);
		assert_within(f.y.first, 0, 29);
		assert_within(f.x.first, 0, 29);
		y[f.y.first]++;
		x[f.x.first]++;
		mirrored += f.mirror;
	}
	for (int k = 0; k < 30; k++) {          /* 200 each, deviation 14 */
		assert_within(y[k], 130, 270);
		assert_within(x[k], 130, 270);
	}
	assert_within(mirrored, 2800, 3200);
}

/* Areas are uniform in 8 to 100 %, aspects within 3/4 to 4/3, parts within the picture. */
static void random_parts(void **state)
{
	double sum = 0;
	int n = 0;

	for (uint64_t use = 0; use < 3000; use++) {
		struct rng r;
		struct frame f;
		double h, w;

		rng_at(&r, 3, RNG_AUGMENT, 0, use);
		f = augment_draw(&resnet, 400, 500, &r);
		h = f.y.hi - f.y.lo;
		w = f.x.hi - f.x.lo;
		assert_true(f.y.lo >= 0 && f.y.hi <= 400 && f.x.lo >= 0 && f.x.hi <= 500);
		assert_near(f.y.scale * 224, h, 1e-9);
		assert_near(f.y.begin, f.y.lo, 0);
		assert_within(f.x.n, 224, 224);
		if (h == 400 && w == 500)
			continue;       /* after ten tries that did not fit: the centre */
		assert_true(h * w / 200000 > 0.079 && h * w / 200000 < 1.001);
		assert_true(w / h > 0.74 && w / h < 1.35);
		sum += h * w / 200000;
		n++;
	}
	assert_true(n > 2900);
	assert_near(sum / n, 0.5, 0.06);        /* less than 0.54: large ones do not fit */
}

/* No picture is too small or too long, and what is shrunk stays large enough. */
static void odd_sizes(void **state)
{
	static const int sizes[][2] = { { 1, 1 }, { 1, 3000 }, { 3000, 1 }, { 2, 7 },
					{ 2049, 2048 }, { 5000, 300 } };

	for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
		for (uint64_t use = 0; use < 100; use++) {
			const int h = sizes[k][0], w = sizes[k][1];
			struct rng r;
			struct frame f;
			int s;

			rng_at(&r, 3, RNG_AUGMENT, 0, use);
			f = augment_draw(use % 2 ? &caffe : &resnet, h, w, &r);
			s = frame_shrink(&f);
			f = frame_over(f, h, w, (h + s - 1) / s, (w + s - 1) / s);
			assert_true(f.y.lo >= 0 && f.y.lo < f.y.hi && f.y.hi <= (h + s - 1) / s);
			assert_true(f.x.lo >= 0 && f.x.lo < f.x.hi && f.x.hi <= (w + s - 1) / s);
			assert_true(s == 1 || (f.y.scale >= 1 && f.x.scale >= 1));
		}
}

/* Of 400 x 400, rows 100 to 300 and columns 200 to 400, decoded at a quarter. */
static void over_a_shrunk_source(void **state)
{
	struct frame f = { .y = { 100, 200.0 / 50, 0, 50, 100, 300 },
			   .x = { 200, 200.0 / 50, 3, 50, 200, 400 } };

	assert_int_equal(frame_shrink(&f), 4);
	f = frame_over(f, 400, 400, 100, 100);
	assert_near(f.y.begin, 25, 1e-12);
	assert_near(f.y.scale, 1, 1e-12);
	assert_int_equal(f.y.lo, 25);
	assert_int_equal(f.y.hi, 75);
	assert_int_equal(f.x.hi, 100);
	assert_int_equal(f.x.first, 3);
	f.y.scale = f.x.scale = 100;
	assert_int_equal(frame_shrink(&f), 8);
	f.x.scale = 3.9;
	assert_int_equal(frame_shrink(&f), 2);
}

RUN_ALL(halving, doubling, copying, bounded, parts_are_of_the_whole, against_the_definition,
	centres, crops_reach_everywhere, random_parts, odd_sizes, over_a_shrunk_source)
