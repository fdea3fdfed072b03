/* The generated set `shapes`: stored digests, balanced classes, two threads read alike. */
#include "core/base/mem.h"
#include "data/data.h"
#include "data/shapes.h"
#include "data/store.h"
#include "tests/support/check.h"

#include <pthread.h>
#include <stdlib.h>

static uint64_t digest_of(const struct dataset *ds, enum split split, int64_t first, int64_t n)
{
	uint8_t pixels[SHAPES_BYTES];
	uint64_t h = 0;
	int32_t label;

	for (int64_t i = first; i < first + n; i++) {
		ds->type->sample(ds, split, i, pixels, &label);
		h = digest_bytes(h, pixels, sizeof pixels);
		h = digest_bytes(h, &(uint8_t){ (uint8_t)label }, 1);
	}
	return h;
}

/* Found once; the same on every machine and with every compiler. */
static void test_stored_digests(void **state)
{
	struct dataset *ds = dataset_open_text("shapes");

	assert_int_equal(digest_of(ds, SPLIT_TRAIN, 0, 100), 0xf8e4e7db3ee0b474);
	assert_int_equal(digest_of(ds, SPLIT_TEST, 0, 100), 0xcf17d3a2e69c04f6);
	dataset_close(ds);
}

static void test_a_sample_depends_on_its_address_alone(void **state)
{
	struct dataset *ds = dataset_open_text("shapes");
	struct dataset *small = dataset_open_text("shapes:train=20,test=10");
	struct dataset *other = dataset_open_text("shapes:train=20,test=10,seed=1");
	uint64_t late = digest_of(ds, SPLIT_TRAIN, 10, 10);

	assert_int_equal(ds->n[SPLIT_TRAIN], 50000);
	assert_int_equal(ds->n[SPLIT_TEST], 10000);
	digest_of(small, SPLIT_TRAIN, 0, 10);
	assert_int_equal(digest_of(small, SPLIT_TRAIN, 10, 10), late);
	assert_int_equal(digest_of(small, SPLIT_TRAIN, 10, 10), late);  /* kept, not painted */
	assert_int_not_equal(digest_of(other, SPLIT_TRAIN, 10, 10), late);
	assert_int_not_equal(digest_of(ds, SPLIT_TRAIN, 0, 10), digest_of(ds, SPLIT_TEST, 0, 10));
	assert_int_equal(ds->digest, small->digest);
	assert_int_not_equal(ds->digest, other->digest);
	dataset_close(ds);
	dataset_close(small);
	dataset_close(other);
}

static void test_classes_are_balanced_and_shuffled(void **state)
{
	struct dataset *ds = dataset_open_text("shapes:train=2000");
	int position[SHAPES_CLASSES][10] = { { 0 } };
	uint8_t pixels[SHAPES_BYTES];
	int32_t label;

	for (int64_t i = 0; i < 2000; i += 10) {
		int seen = 0;
		for (int k = 0; k < 10; k++) {
			ds->type->sample(ds, SPLIT_TRAIN, i + k, pixels, &label);
			seen |= 1 << label;
			position[label][k]++;
		}
		assert_int_equal(seen, (1 << SHAPES_CLASSES) - 1);
	}
	/* 20 expected, deviation 4.2: five of those */
	for (int c = 0; c < SHAPES_CLASSES; c++)
		for (int k = 0; k < 10; k++)
			assert_within(position[c][k], 1, 41);
	dataset_close(ds);
}

/* The moments that the type claims are those of the pictures. */
static void test_moments(void **state)
{
	enum { N = 4000 };
	struct dataset *ds = dataset_open_text("shapes:train=4000");
	uint8_t pixels[SHAPES_BYTES];
	float mean[3], dev[3];
	double sum = 0, squares = 0;
	int32_t label;

	ds->type->moments(ds, mean, dev);
	for (int64_t i = 0; i < N; i++) {
		ds->type->sample(ds, SPLIT_TRAIN, i, pixels, &label);
		for (int k = 0; k < SHAPES_BYTES; k++) {
			double v = (pixels[k] / 255.0 - (double)mean[k % 3]) / (double)dev[k % 3];
			sum += v;
			squares += v * v;
		}
	}
	assert_near(sum / N / SHAPES_BYTES, 0.0, 0.05);
	assert_near(squares / N / SHAPES_BYTES, 1.0, 0.05);
	dataset_close(ds);
}

struct reader {
	const struct dataset *ds;
	pthread_barrier_t *start;
	float *images;
	int32_t *labels;
};

enum { BATCH = 256 };

static void fetch(const struct dataset *ds, float *images, int32_t *labels)
{
	int64_t sample[BATCH];
	uint64_t use[BATCH];

	for (int i = 0; i < BATCH; i++) {
		sample[i] = i;
		use[i] = (uint64_t)i;
	}
	dataset_fetch(ds, SPLIT_TRAIN, &(struct batch){ BATCH, sample, use, 1 }, images, labels);
}

static void *read_all(void *arg)
{
	struct reader *r = arg;

	pthread_barrier_wait(r->start);
	fetch(r->ds, r->images, r->labels);
	return NULL;
}

/* Both threads want every picture first; they and a serial reader see the same. */
static void test_two_threads_see_the_same(void **state)
{
	const size_t floats = (size_t)BATCH * SHAPES_BYTES;
	struct dataset *ds = dataset_open_text("shapes"), *serial = dataset_open_text("shapes");
	pthread_barrier_t start;
	pthread_t thread[2];
	struct reader r[3];

	pthread_barrier_init(&start, NULL, 2);
	for (int i = 0; i < 3; i++)
		r[i] = (struct reader){ i < 2 ? ds : serial, &start, vec_new(floats),
					xcalloc(BATCH, sizeof(int32_t)) };
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, read_all, &r[i]), 0);
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	fetch(serial, r[2].images, r[2].labels);
	for (int i = 0; i < 2; i++) {
		assert_memory_equal(r[i].images, r[2].images, floats * sizeof(float));
		assert_memory_equal(r[i].labels, r[2].labels, BATCH * sizeof(int32_t));
	}
	for (int i = 0; i < 3; i++) {
		free(r[i].images);
		free(r[i].labels);
	}
	pthread_barrier_destroy(&start);
	dataset_close(ds);
	dataset_close(serial);
}

/* Every figure keeps to the unit circle, has a fair area, and is its own mirror image. */
static void test_figures(void **state)
{
	for (int shape = 0; shape < SHAPES_CLASSES; shape++) {
		int inside = 0, all = 0;
		for (float y = -1.5f; y < 1.5f; y += 0.01f)
			for (float x = -1.5f; x < 1.5f; x += 0.01f, all++) {
				bool in = figure_distance((enum shape_class)shape, x, y) < 0;
				inside += in;
				if (shape != SHAPE_CRESCENT)
					assert_true(in == (figure_distance((enum shape_class)shape,
									   -x, y) < 0));
				assert_true(!in || x * x + y * y < 1.1f);
			}
		double area = 9.0 * inside / all;
		assert_true(area > 0.6 && area < 2.4);
	}
}

RUN_ALL(test_stored_digests, test_a_sample_depends_on_its_address_alone,
	test_classes_are_balanced_and_shuffled, test_moments, test_two_threads_see_the_same,
	test_figures)
