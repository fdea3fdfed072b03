/* Divisions of samples: exact counts, whole covers, limits of alpha, and batches from the parts. */
#include "core/base/mem.h"
#include "core/samples/dataset.h"
#include "core/samples/partition.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"

#include <stdlib.h>
#include <string.h>

enum { CLASSES = 5, MOST = 64 };

/* A set of n vectors; sample i has class i % CLASSES. */
static void vector(const struct dataset *ds, enum split split, int64_t i, float *numbers,
		   int32_t *label)
{
	numbers[0] = (float)i;
	*label = (int32_t)(i % CLASSES);
}

static const struct dataset_type type = { .plugin = { .name = "toy" }, .vector = vector };

static struct dataset toy(int64_t n)
{
	return (struct dataset){ .type = &type, .height = 1, .width = 1, .channels = 1,
				 .classes = CLASSES, .n = { n, 1 } };
}

struct cut {
	struct dataset ds;
	struct partition p;
	int64_t counts[MOST * CLASSES];
};

/* Divides n samples among workers; every sample has exactly one owner. */
static void cut(struct cut *c, const char *text, int64_t n, int workers, uint64_t seed)
{
	struct choice choice = { 0 };
	char *seen = xcalloc((size_t)n, 1);

	memset(c, 0, sizeof(*c));
	c->ds = toy(n);
	assert_int_equal(choice_parse(&choice, partition_table, "partition", text), 0);
	assert_int_equal(partition_open(&c->p, &choice, &c->ds, workers, seed), 0);
	choice_release(&choice);
	for (int64_t i = 0; i < n; i++) {
		assert_true(c->p.order[i] >= 0 && c->p.order[i] < n && !seen[c->p.order[i]]);
		seen[c->p.order[i]] = 1;
	}
	assert_int_equal(c->p.part[workers - 1].first + c->p.part[workers - 1].n, n);
	partition_count(&c->p, &c->ds, workers, c->counts);
	free(seen);
}

static int classes_of(const struct cut *c, int w)
{
	int n = 0;

	for (int k = 0; k < CLASSES; k++)
		n += c->counts[w * CLASSES + k] > 0;
	return n;
}

static void iid_parts_are_equal(void **state)
{
	struct cut c;

	cut(&c, "iid", 1003, 4, 7);
	for (int w = 0; w < 4; w++) {
		assert_true(c.p.part[w].n == 250 || c.p.part[w].n == 251);
		assert_int_equal(classes_of(&c, w), CLASSES);
	}
	partition_release(&c.p);
	cut(&c, "iid:unequal=0.5", 1000, 4, 7);
	assert_true(c.p.part[0].n != 250);
	partition_release(&c.p);
}

/* 5 classes of 60 samples, 10 shards of 30: each worker has two, so at most two classes. */
static void shards_have_few_classes(void **state)
{
	struct cut c;

	cut(&c, "shards:classes=2", 300, 5, 3);
	for (int w = 0; w < 5; w++) {
		assert_int_equal(c.p.part[w].n, 60);
		assert_true(classes_of(&c, w) <= 2);
		for (int k = 0; k < CLASSES; k++)
			assert_int_equal(c.counts[w * CLASSES + k] % 30, 0);
	}
	partition_release(&c.p);
}

/* Labels of as many images of each digit as MNIST has. */
static int32_t digit(const struct dataset *ds, enum split split, int64_t i)
{
	static const int64_t images[] = { 5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851 };
	int32_t k = 0;

	for (; k < 9 && i >= images[k]; k++)
		i -= images[k];
	return k;
}

/*
 * The split of McMahan et al. 2017: 200 shards of 300 images sorted by digit, two for each of 100
 * clients, so that most have two digits. Nine shards have two, as no digit ends with a shard.
 */
static void clients_have_the_published_shards_of_mnist(void **state)
{
	enum { CLIENTS = 100, DIGITS = 10 };
	const struct dataset_type mnist = { .plugin = { .name = "mnist" }, .vector = vector,
					    .label = digit };
	struct dataset ds = { .type = &mnist, .height = 1, .width = 1, .channels = 1,
			      .classes = DIGITS, .n = { 60000, 1 } };
	int64_t counts[CLIENTS * DIGITS] = { 0 };
	struct choice choice = { 0 };
	struct partition p;
	int with[DIGITS + 1] = { 0 };

	assert_int_equal(choice_parse(&choice, partition_table, "partition", "shards:classes=2"),
			 0);
	assert_int_equal(partition_open(&p, &choice, &ds, CLIENTS, 1), 0);
	for (int w = 0; w < CLIENTS; w++)
		for (int64_t i = 0; i < p.part[w].n; i++)
			counts[w * DIGITS + digit(&ds, SPLIT_TRAIN,
						  p.order[p.part[w].first + i])]++;
	for (int w = 0; w < CLIENTS; w++) {
		int digits = 0;

		assert_int_equal(p.part[w].n, 600);
		for (int k = 0; k < DIGITS; k++)
			digits += counts[w * DIGITS + k] > 0;
		with[digits]++;
	}
	assert_int_equal(with[1] + with[2] + with[3] + with[4], CLIENTS);
	assert_true(with[3] + with[4] <= 9 && with[2] > 75);
	choice_release(&choice);
	partition_release(&p);
}

/* A huge alpha shares every class equally; a tiny one with equal sizes gives one class a worker. */
static void alpha_has_its_limits(void **state)
{
	struct cut c;

	cut(&c, "labels:alpha=1e9", 1000, 4, 1);
	for (int i = 0; i < 4 * CLASSES; i++)
		assert_int_equal(c.counts[i], 50);
	partition_release(&c.p);
	cut(&c, "labels:alpha=1e9,sizes=equal", 100000, 4, 1);
	for (int i = 0; i < 4 * CLASSES; i++)
		assert_near((double)c.counts[i], 5000.0, 250.0);
	partition_release(&c.p);
	cut(&c, "labels:alpha=1e-6,sizes=equal", 1000, 5, 1);
	for (int w = 0; w < 5; w++) {
		assert_int_equal(c.p.part[w].n, 200);
		assert_true(classes_of(&c, w) <= 2);
	}
	partition_release(&c.p);
}

static int32_t is_tenth(const struct dataset *ds, enum split split, int64_t i)
{
	return i % 10 == 0;
}

/* Of 1000 samples 900 have the larger class, also of the last worker, which gets what is left. */
static void equal_parts_have_the_shares_of_all(void **state)
{
	const struct dataset_type unequal = { .plugin = { .name = "unequal" }, .vector = vector,
					      .label = is_tenth };
	struct dataset ds = { .type = &unequal, .height = 1, .width = 1, .channels = 1,
			      .classes = 2, .n = { 10000, 1 } };
	struct choice choice = { 0 };
	struct partition p;
	int64_t counts[10 * 2] = { 0 };

	assert_int_equal(choice_parse(&choice, partition_table, "partition",
				      "labels:alpha=1e9,sizes=equal"), 0);
	assert_int_equal(partition_open(&p, &choice, &ds, 10, 1), 0);
	partition_count(&p, &ds, 10, counts);
	for (int w = 0; w < 10; w++)
		assert_near((double)counts[w * 2], 900.0, 120.0);
	choice_release(&choice);
	partition_release(&p);
}

/*
 * The share of a class that one of n workers draws has mean 1/n and variance (n - 1) / (n^2 (n
 * alpha + 1)): 0.25 and 0.125 for n = 4, alpha = 0.125. With one class only nothing is redrawn or
 * moved but for `least`, which does not bind a first worker's mean of many seeds.
 */
static void shares_have_the_moments_of_dirichlet(void **state)
{
	double sum = 0.0, squares = 0.0;
	enum { SEEDS = 400 };

	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct cut c;
		double share;

		cut(&c, "labels:alpha=2,least=1", 500, 4, seed);
		share = (double)c.counts[0] / 100.0;
		sum += share;
		squares += share * share;
		partition_release(&c.p);
	}
	/* alpha = 2: variance 3 / (16 * 9) = 0.0208; the mean of 400 is within 0.03. */
	assert_near(sum / SEEDS, 0.25, 0.03);
	assert_near(squares / SEEDS - sum / SEEDS * sum / SEEDS, 0.0208, 0.005);
}

static void every_worker_has_the_least(void **state)
{
	struct cut c;

	for (uint64_t seed = 1; seed <= 20; seed++) {
		cut(&c, "labels:alpha=0.1,least=25", 500, 8, seed);
		for (int w = 0; w < 8; w++)
			assert_true(c.p.part[w].n >= 25);
		partition_release(&c.p);
	}
}

/* Classes of 100 among three workers: one that has two, over a third of all, gets no more. */
static void a_full_worker_receives_no_more(void **state)
{
	struct cut c;

	for (uint64_t seed = 1; seed <= 20; seed++) {
		cut(&c, "labels:alpha=1e-6,least=1", 500, 3, seed);
		for (int w = 0; w < 3; w++)
			assert_true(c.p.part[w].n <= 200);
		partition_release(&c.p);
	}
}

/* The seed decides alone. */
static void the_same_seed_cuts_alike(void **state)
{
	struct cut a, b, other;

	cut(&a, "labels:alpha=0.3", 500, 4, 9);
	cut(&b, "labels:alpha=0.3", 500, 4, 9);
	cut(&other, "labels:alpha=0.3", 500, 4, 10);
	assert_memory_equal(a.p.order, b.p.order, 500 * sizeof(int64_t));
	assert_memory_not_equal(a.p.order, other.p.order, 500 * sizeof(int64_t));
	partition_release(&a.p);
	partition_release(&b.p);
	partition_release(&other.p);
}

/* A worker's batches hold its own samples alone: each of them once in an epoch of its part. */
static void batches_come_from_the_part(void **state)
{
	struct sampler s = { .seed = 2, .samples = 300, .workers = 5, .size = 6 };
	int64_t sample[6], first[6];
	uint64_t use[6];
	char seen[300] = { 0 };
	struct cut c;

	cut(&c, "shards:classes=1", 300, 5, 4);
	s.part = c.p.part;
	s.order = c.p.order;
	for (int64_t k = 0; k < 10; k++) {
		sampler_batch(&s, 3, k, sample, use);
		for (int i = 0; i < 6; i++) {
			assert_false(seen[sample[i]]++);
			assert_int_equal(sample[i] % CLASSES,
					 c.p.order[c.p.part[3].first] % CLASSES);
		}
	}
	/* Samples of parts of equal length are drawn by each worker for itself. */
	s.order = NULL;
	sampler_batch(&s, 0, 0, first, use);
	sampler_batch(&s, 3, 0, sample, use);
	for (int i = 0; i < 6; i++)
		sample[i] -= c.p.part[3].first;
	assert_memory_not_equal(sample, first, sizeof(sample));
	partition_release(&c.p);
}

static void refuse(const char *text, struct dataset *ds, int workers, const char *why)
{
	struct choice choice = { 0 };
	struct partition p;

	assert_int_equal(choice_parse(&choice, partition_table, "partition", text), 0);
	capture_start();
	assert_int_equal(partition_open(&p, &choice, ds, workers, 1), -1);
	assert_said(why);
	capture_stop();
	partition_release(&p);
	choice_release(&choice);
}

static void what_cannot_be_divided_is_refused(void **state)
{
	struct dataset ds = toy(100);

	refuse("iid", NULL, 4, "no data set");
	refuse("documents", &ds, 4, "no text of documents");
	refuse("files", &ds, 4, "no text of files. Choose --data text:file=FOLDER");
	refuse("shards:classes=30", &ds, 4, "120 shards of 100 samples");
	refuse("labels:alpha=0.001,least=12", &ds, 8, "fewer than 12 samples");
	refuse("labels:least=1000000", &ds, 8, "cannot have 1000000 each. Choose fewer workers");
	refuse("iid", &ds, 200, "200 workers of 100 samples. Choose fewer");
	refuse("iid:unequal=0.001", &ds, 20, "without samples");
	ds.loss = LOSS_MSE;
	refuse("labels", &ds, 4, "targets, not classes");
	ds.loss = LOSS_CROSS_ENTROPY;
	ds.streams = true;
	refuse("iid", &ds, 4, "streams=true");
}

RUN_ALL(iid_parts_are_equal, shards_have_few_classes, clients_have_the_published_shards_of_mnist,
	alpha_has_its_limits, equal_parts_have_the_shares_of_all,
	shares_have_the_moments_of_dirichlet, every_worker_has_the_least,
	a_full_worker_receives_no_more,
	the_same_seed_cuts_alike, batches_come_from_the_part, what_cannot_be_divided_is_refused)
