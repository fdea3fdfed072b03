/* Samples are normalised; every crop and flip is drawn equally often; one may be unreadable. */
#include "core/base/mem.h"
#include "core/samples/dataset.h"
#include "core/samples/loader.h"
#include "tests/support/check.h"

#include <math.h>
#include <string.h>

/*
 * A set whose sample i is the 3 x 4 picture of two channels
 *     pixel (y, x), channel c  =  10 i + 1 + 4 y + x + 100 c
 * so that what became of each pixel can be told from its value.
 */
enum { H = 3, W = 4, C = 2, SIZE = H * W * C };

static void toy_sample(const struct dataset *ds, enum split split, int64_t i, uint8_t *pixels,
		       int32_t *label)
{
	(void)ds;
	for (int p = 0; p < H * W; p++)
		for (int c = 0; c < C; c++)
			pixels[p * C + c] = (uint8_t)(10 * i + 1 + p + 100 * c);
	*label = (int32_t)i + (split == SPLIT_TEST ? 100 : 0);
}

static void toy_moments(const struct dataset *ds, float *mean, float *dev)
{
	(void)ds;
	for (int c = 0; c < C; c++) {
		mean[c] = c ? 0.25f : 0.5f;
		dev[c] = c ? 0.125f : 0.25f;
	}
}

static void toy_close(struct dataset *ds)
{
	int *closed = ds->priv;

	++*closed;
}

static const struct dataset_type toy = {
	.sample = toy_sample, .moments = toy_moments, .close = toy_close
};

static struct dataset make(int pad, bool flip)
{
	return (struct dataset){ .type = &toy, .height = H, .width = W, .channels = C,
				 .classes = 10, .n = { 10, 10 }, .pad = pad, .flip = flip };
}

static float level(int value, int c)
{
	float v = (float)value / 255.0f;

	return c ? (v - 0.25f) / 0.125f : (v - 0.5f) / 0.25f;
}

/* Sample 0 seen through a frame that lies dy, dx further down and right, then mirrored. */
static void view(int dy, int dx, bool mirror, float *out)
{
	for (int y = 0; y < H; y++)
		for (int x = 0; x < W; x++)
			for (int c = 0; c < C; c++) {
				int fy = y + dy, fx = (mirror ? W - 1 - x : x) + dx;
				bool in = fy >= 0 && fy < H && fx >= 0 && fx < W;
				out[(y * W + x) * C + c] =
					in ? level(1 + 4 * fy + fx + 100 * c, c) : 0;
			}
}

static void fetch_one(const struct dataset *ds, enum split split, int64_t sample, uint64_t seed,
		      const uint64_t *use, float *out)
{
	int32_t label;

	dataset_fetch(ds, split, &(struct batch){ 1, &sample, use, seed }, out, &label);
	assert_int_equal(label, sample + (split == SPLIT_TEST ? 100 : 0));
}

/*
 * By hand: byte 1 of channel 0 is (1/255 - 1/2) / (1/4), and byte 101 of channel 1 is
 * (101/255 - 1/4) / (1/8).
 */
static void test_plain_pixels(void **state)
{
	struct dataset ds = make(1, true);
	float out[SIZE], expected[SIZE];

	fetch_one(&ds, SPLIT_TRAIN, 0, 1, NULL, out);
	assert_near((double)out[0], -1.984313725, 1e-6);
	assert_near((double)out[1], 1.168627451, 1e-6);
	view(0, 0, false, expected);
	assert_memory_equal(out, expected, sizeof out);
	fetch_one(&ds, SPLIT_TEST, 0, 1, &(uint64_t){ 5 }, out);
	assert_memory_equal(out, expected, sizeof out);
}

/* Which of the views a picture is: 0 .. (2 pad + 1)^2 * 2 - 1; fails for none. */
static int recognise(const float *out, int pad)
{
	const int side = 2 * pad + 1;
	float expected[SIZE];

	for (int k = 0; k < side * side * 2; k++) {
		view(k / 2 / side - pad, k / 2 % side - pad, k % 2, expected);
		if (memcmp(out, expected, sizeof expected) == 0)
			return k;
	}
	fail_msg("%s", "no view of the sample");
	return -1;
}

static void count_views(int pad, bool flip, int uses, int *count)
{
	struct dataset ds = make(pad, flip);
	float out[SIZE];

	for (int i = 0; i < uses; i++) {
		fetch_one(&ds, SPLIT_TRAIN, 0, 7, &(uint64_t){ (uint64_t)i }, out);
		count[recognise(out, pad)]++;
	}
}

/* 3600 uses over 18 views: 200 each, deviation 14; within five of those. */
static void test_crop_and_flip_reach_every_view_alike(void **state)
{
	int count[18] = { 0 };

	count_views(1, true, 3600, count);
	for (int k = 0; k < 18; k++)
		assert_within(count[k], 130, 270);
}

static void test_crop_alone_and_flip_alone(void **state)
{
	int crop[18] = { 0 }, flip[2] = { 0 };

	count_views(1, false, 900, crop);
	for (int k = 0; k < 18; k++)
		assert_within(crop[k], k % 2 ? 0 : 50, k % 2 ? 0 : 150);
	count_views(0, true, 400, flip);
	assert_within(flip[0], 150, 250);
}

/* A shift by more than the picture's own size leaves zeros. */
static void test_padding_wider_than_the_picture(void **state)
{
	struct dataset ds = make(5, false);
	float out[SIZE];

	for (uint64_t use = 0; use < 500; use++) {
		fetch_one(&ds, SPLIT_TRAIN, 0, 1, &use, out);
		for (int k = 0; k < SIZE; k++)
			assert_true(isfinite(out[k]));
	}
}

/* The view belongs to (seed, use): not to the position in the batch, nor to the sample. */
static void test_draws_have_an_address(void **state)
{
	struct dataset ds = make(1, true);
	const int64_t sample[] = { 0, 0, 0, 0 };
	const uint64_t use[] = { 11, 12, 13, 11 }, back[] = { 13, 12, 11, 11 };
	float a[4 * SIZE], b[4 * SIZE], other[SIZE];
	int32_t labels[4];
	bool differ = false;

	dataset_fetch(&ds, SPLIT_TRAIN, &(struct batch){ 4, sample, use, 3 }, a, labels);
	dataset_fetch(&ds, SPLIT_TRAIN, &(struct batch){ 4, sample, back, 3 }, b, labels);
	assert_memory_equal(a, a + 3 * SIZE, SIZE * sizeof *a);
	for (int i = 0; i < 3; i++)
		assert_memory_equal(a + i * SIZE, b + (2 - i) * SIZE, SIZE * sizeof *a);
	for (uint64_t seed = 4; seed < 20; seed++) {
		fetch_one(&ds, SPLIT_TRAIN, 0, seed, use, other);
		differ = differ || memcmp(a, other, sizeof other);
	}
	assert_true(differ);
}

static void test_close(void **state)
{
	struct dataset *ds = xcalloc(1, sizeof *ds);
	int closed = 0;

	*ds = make(0, false);
	ds->priv = &closed;
	dataset_close(ds);
	dataset_close(NULL);
	assert_int_equal(closed, 1);
}

static int unreadable_view(const struct dataset *ds, enum split split, int64_t i, struct rng *r,
			   uint8_t *pixels, int32_t *label)
{
	(void)ds, (void)split, (void)r;
	memset(pixels, 0, C);
	*label = 0;
	return i == 2 ? -1 : 0;
}

/* Sample 2 cannot be read, by a thread that reads ahead or by the caller: there is no batch. */
static void test_unreadable(void **state)
{
	const struct dataset_type type = { .view = unreadable_view, .moments = toy_moments };
	const struct dataset ds = { .type = &type, .height = 1, .width = 1, .channels = C };
	const int64_t samples[] = { 1, 2, 3 };
	const struct batch bad = { .n = 3, .sample = samples };
	const struct batch good = { .n = 1, .sample = samples };
	float images[3 * C];
	int32_t labels[3];

	assert_int_equal(dataset_fetch(&ds, SPLIT_TRAIN, &bad, images, labels), -1);
	assert_int_equal(dataset_fetch(&ds, SPLIT_TRAIN, &good, images, labels), 0);
	for (int announced = 0; announced < 2; announced++) {
		struct loader *l = loader_new(&ds, 1);

		loader_add_reader(l);
		assert_int_equal(loader_fetch(l, SPLIT_TRAIN, &good, images, labels), 0);
		if (announced)
			assert_true(loader_expect(l, SPLIT_TRAIN, &bad, true));
		assert_int_equal(loader_fetch(l, SPLIT_TRAIN, &bad, images, labels), -1);
		assert_int_equal(loader_failed(l), announced);
		assert_int_equal(loader_fetch(l, SPLIT_TRAIN, &good, images, labels),
				 announced ? -1 : 0);
		loader_free(l);
	}
}

RUN_ALL(test_plain_pixels, test_crop_and_flip_reach_every_view_alike,
	test_crop_alone_and_flip_alone, test_padding_wider_than_the_picture,
	test_draws_have_an_address, test_close, test_unreadable)
