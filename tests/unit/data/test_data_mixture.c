/* The built-in set `mixture`: moments of a cluster, determinism, sizes, settings out of range. */
#include "core/base/mem.h"
#include "core/math/vec.h"
#include "data/data.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DIMS = 16, CLASSES = 3, CLUSTERS = 2, K = CLASSES * CLUSTERS };

static const char *const small = "mixture:train=60000,test=60,dims=16,classes=3,clusters=2";

static void sample(const struct dataset *ds, enum split split, int64_t i, float *x, int32_t *label)
{
	ds->type->vector(ds, split, i, x, label);
}

/* Without noise each sample is the centre of its cluster. */
static void centres_are_directions(void **state)
{
	struct dataset *ds = dataset_open_text("mixture:noise=0,dims=16,classes=3,clusters=2");
	float c[K][DIMS], x[DIMS];
	int32_t label;

	assert_int_equal(ds->height * ds->width, 1);
	assert_int_equal(ds->channels, DIMS);
	for (int k = 0; k < K; k++) {
		sample(ds, SPLIT_TRAIN, k, c[k], &label);
		assert_int_equal(label, k % CLASSES);
		assert_near(vec_dot(DIMS, c[k], c[k]), 1.0, 1e-6);
		for (int j = 0; j < k; j++)
			assert_true(vec_dot(DIMS, c[j], c[k]) < 0.99);
		sample(ds, SPLIT_TEST, 5 * K + k, x, &label);
		assert_memory_equal(x, c[k], sizeof(x));
	}
	dataset_close(ds);
}

/* 10,000 samples of a cluster: mean within 5 deviations of 0.5 / 100, variance of 0.25. */
static void moments_of_a_cluster(void **state)
{
	struct dataset *ds = dataset_open_text(small);
	struct dataset *still = dataset_open_text("mixture:noise=0,dims=16,classes=3,clusters=2");
	float c[DIMS], x[DIMS];
	double sum[DIMS] = { 0 }, squares = 0;
	int32_t label;

	sample(still, SPLIT_TRAIN, 4, c, &label);
	for (int64_t i = 4; i < 60000; i += K) {
		sample(ds, SPLIT_TRAIN, i, x, &label);
		assert_int_equal(label, 4 % CLASSES);
		for (int d = 0; d < DIMS; d++) {
			const double z = (double)x[d] - (double)c[d];

			sum[d] += z;
			squares += z * z;
		}
	}
	for (int d = 0; d < DIMS; d++)
		assert_near(sum[d] / 10000, 0.0, 0.025);
	assert_near(squares / 10000 / DIMS, 0.25, 0.005);
	dataset_close(still);
	dataset_close(ds);
}

static bool are_same(const char *a, enum split s, const char *b, enum split t, int64_t i)
{
	struct dataset *one = dataset_open_text(a), *other = dataset_open_text(b);
	float x[2][512];
	int32_t label[2];
	bool same;

	assert_int_equal(one->channels, other->channels);
	sample(one, s, i, x[0], &label[0]);
	sample(other, t, i, x[1], &label[1]);
	same = memcmp(x[0], x[1], (size_t)one->channels * sizeof(float)) == 0;
	assert_true(!same || label[0] == label[1]);
	dataset_close(one);
	dataset_close(other);
	return same;
}

static void a_sample_follows_from_its_address(void **state)
{
	assert_true(are_same("mixture", SPLIT_TRAIN, "mixture:train=100,test=7", SPLIT_TRAIN, 99));
	assert_false(are_same("mixture", SPLIT_TRAIN, "mixture:seed=1", SPLIT_TRAIN, 99));
	assert_false(are_same("mixture", SPLIT_TRAIN, "mixture", SPLIT_TEST, 99));
	assert_true(are_same("mixture", SPLIT_TRAIN, "mixture:seen=true", SPLIT_TRAIN, 99));
	assert_true(are_same("mixture", SPLIT_TRAIN, "mixture:seen=true", SPLIT_TEST, 99));
}

static void digests_tell_mixtures_apart(void **state)
{
	static const char *const other[] = { "mixture:seed=1", "mixture:dims=8",
					     "mixture:classes=5", "mixture:clusters=9",
					     "mixture:noise=0.4", "mixture:seen=true" };
	struct dataset *ds = dataset_open_text("mixture");
	struct dataset *part = dataset_open_text("mixture:train=9");

	assert_int_equal(ds->digest, part->digest);
	for (size_t k = 0; k < sizeof(other) / sizeof(*other); k++) {
		struct dataset *o = dataset_open_text(other[k]);

		assert_int_not_equal(ds->digest, o->digest);
		dataset_close(o);
	}
	dataset_close(part);
	dataset_close(ds);
}

/* Fetched, as a net sees them: neither scaled nor shifted nor mirrored. */
static void a_net_sees_the_numbers(void **state)
{
	struct dataset *ds = dataset_open_text(small);
	const int64_t which[3] = { 7, 59999, 0 };
	const uint64_t use[3] = { 0, 1, 2 };
	float got[3][DIMS], x[DIMS];
	int32_t labels[3], label;

	assert_int_equal(dataset_fetch(ds, SPLIT_TRAIN, &(struct batch){ 3, which, use, 1 },
				       got[0], labels), 0);
	for (int k = 0; k < 3; k++) {
		sample(ds, SPLIT_TRAIN, which[k], x, &label);
		assert_memory_equal(x, got[k], sizeof(x));
		assert_int_equal(label, labels[k]);
		assert_int_equal(ds->type->label(ds, SPLIT_TRAIN, which[k]), label);
	}
	dataset_close(ds);
}

static void sizes_without_opening(void **state)
{
	struct choice c = { 0 };
	const struct dataset_type *type;
	struct dataset_shape s;
	int64_t n[2];

	assert_int_equal(choice_parse(&c, dataset_table, "data set", small), 0);
	type = (const struct dataset_type *)c.plugin;
	assert_int_equal(dataset_count(type, c.conf, n), 0);
	assert_int_equal(n[SPLIT_TRAIN], 60000);
	assert_int_equal(n[SPLIT_TEST], 60);
	assert_int_equal(dataset_shape(type, c.conf, &s), 0);
	assert_int_equal(s.height * s.width * s.channels, DIMS);
	assert_int_equal(s.classes, CLASSES);
	choice_release(&c);
}

static void refused(const char *text, const char *why)
{
	capture_start();
	assert_null(dataset_open_text(text));
	capture_stop();
	assert_said(why);
}

static void bad_settings(void **state)
{
	refused("mixture:dims=0", "dims");
	refused("mixture:dims=65537", "dims");
	refused("mixture:classes=1", "classes");
	refused("mixture:clusters=0", "clusters");
	refused("mixture:noise=-1", "noise");
	refused("mixture:noise=nan", "noise");
	refused("mixture:train=0", "train");
	refused("mixture:sigma=1", "sigma");
	refused("mixture:dims=65536,classes=65536,clusters=65536", "Choose fewer clusters");
	refused("mixture:train=10,test=11,seen=true", "test=11 is more than the 10 training");
}

RUN_ALL(centres_are_directions, moments_of_a_cluster, a_sample_follows_from_its_address,
	digests_tell_mixtures_apart, a_net_sees_the_numbers, sizes_without_opening, bad_settings)
