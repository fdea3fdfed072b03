/* Reading ahead: bit-identical batches, in the right order, and no thread waits for ever. */
#include "core/base/mem.h"
#include "core/math/rng.h"
#include "core/samples/ahead.h"
#include "core/samples/loader.h"
#include "nets/nets.h"
#include "tests/support/check.h"
#include "tests/support/files.h"
#include "tests/support/photos.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

/* ---- a set whose pixel is a draw, that counts who reads, and may hold readers up ---- */

enum { SIDE = 2, SIZE = SIDE * SIDE, BATCH = 6 };

static atomic_int views, views_here, entered, gate_after;
static pthread_t here;

static int toy_view(const struct dataset *ds, enum split split, int64_t i, struct rng *r,
		    uint8_t *pixels, int32_t *label)
{
	const bool mine = pthread_equal(pthread_self(), here);

	(void)ds;
	atomic_fetch_add(&entered, 1);
	/* A reader of ours stays until the test's own thread has read so many. */
	while (!mine && atomic_load(&views_here) < atomic_load(&gate_after))
		sched_yield();
	for (int k = 0; k < SIZE; k++)
		pixels[k] = (uint8_t)(r ? rng_u32(r) : (uint32_t)(i * 10 + k));
	*label = (int32_t)i + 100 * (int32_t)split;
	atomic_fetch_add(&views, 1);
	if (mine)
		atomic_fetch_add(&views_here, 1);
	return 0;
}

static void toy_moments(const struct dataset *ds, float *mean, float *dev)
{
	(void)ds;
	*mean = 0.5f;
	*dev = 0.25f;
}

static const struct dataset_type toy_type = { .view = toy_view, .moments = toy_moments };
static const struct dataset toy = { .type = &toy_type, .height = SIDE, .width = SIDE,
				    .channels = 1, .classes = 10, .n = { 100, 50 }, .ahead = 1 };

struct case_of {
	int64_t sample[BATCH];
	uint64_t use[BATCH];
	struct batch batch;
};

static void make_case(struct case_of *c, int which, bool augment)
{
	for (int k = 0; k < BATCH; k++) {
		c->sample[k] = which * BATCH + k;
		c->use[k] = (uint64_t)(1000 * which + k);
	}
	c->batch = (struct batch){ BATCH, c->sample, augment ? c->use : NULL, 7 };
}

static int reset(void **state)
{
	here = pthread_self();
	atomic_store(&views, 0);
	atomic_store(&views_here, 0);
	atomic_store(&entered, 0);
	atomic_store(&gate_after, 0);
	return 0;
}

static void assert_fetched(struct loader *l, enum split split, int which, bool augment)
{
	struct case_of c;
	float got[BATCH * SIZE], want[BATCH * SIZE];
	int32_t labels[BATCH], want_labels[BATCH];

	make_case(&c, which, augment);
	loader_fetch(l, split, &c.batch, got, labels);
	dataset_fetch(&toy, split, &c.batch, want, want_labels);
	assert_memory_equal(got, want, sizeof got);
	assert_memory_equal(labels, want_labels, sizeof labels);
}

static bool expect(struct loader *l, enum split split, int which, bool augment, bool sure)
{
	struct case_of c;

	make_case(&c, which, augment);
	return loader_expect(l, split, &c.batch, sure);
}

static void await_views(int n)
{
	while (atomic_load(&views) < n)
		sched_yield();
}

/* Announced or not, augmented or not, of either split, twice over. */
static void bit_identical(void **state)
{
	struct loader *l = loader_new(&toy, 2);

	loader_add_reader(l);
	for (int round = 0; round < 50; round++)
		for (int k = 0; k < 4; k++) {
			if (round % 3)
				expect(l, SPLIT_TRAIN, k, k % 2, round % 2);
			assert_fetched(l, SPLIT_TRAIN, k, k % 2);
			assert_fetched(l, SPLIT_TEST, k, false);
		}
	loader_free(l);
}

/* What was read ahead is not read again. */
static void read_ahead(void **state)
{
	struct loader *l = loader_new(&toy, 1);
	struct case_of c;
	float images[BATCH * SIZE];
	int32_t labels[BATCH];

	loader_add_reader(l);
	assert_true(expect(l, SPLIT_TRAIN, 3, true, true));
	await_views(BATCH);
	make_case(&c, 3, true);
	loader_fetch(l, SPLIT_TRAIN, &c.batch, images, labels);
	assert_int_equal(atomic_load(&views), BATCH);
	assert_int_equal(atomic_load(&views_here), 0);
	loader_fetch(l, SPLIT_TRAIN, &c.batch, images, labels);
	assert_int_equal(atomic_load(&views_here), BATCH);
	loader_free(l);
}

/* What is fetched is that batch, whatever was announced. */
static void assert_own(struct loader *l, enum split split, const struct batch *b)
{
	float got[BATCH * SIZE], want[BATCH * SIZE];
	int32_t labels[BATCH], want_labels[BATCH];

	loader_fetch(l, split, b, got, labels);
	dataset_fetch(&toy, split, b, want, want_labels);
	assert_memory_equal(got, want, b->n * SIZE * sizeof *got);
	assert_memory_equal(labels, want_labels, b->n * sizeof *labels);
}

/* The same samples with another seed, other uses or of the other split are another batch. */
static void other_batches_are_not_mistaken(void **state)
{
	struct loader *l = loader_new(&toy, 1);
	struct case_of c;

	loader_add_reader(l);
	expect(l, SPLIT_TRAIN, 3, true, true);
	expect(l, SPLIT_TRAIN, 4, false, true);
	await_views(2 * BATCH);
	make_case(&c, 3, true);
	c.batch.seed++;
	assert_own(l, SPLIT_TRAIN, &c.batch);
	make_case(&c, 3, false);
	assert_own(l, SPLIT_TRAIN, &c.batch);
	make_case(&c, 3, true);
	c.use[BATCH - 1]++;
	assert_own(l, SPLIT_TRAIN, &c.batch);
	make_case(&c, 3, true);
	c.batch.n--;
	assert_own(l, SPLIT_TRAIN, &c.batch);
	make_case(&c, 4, false);
	assert_own(l, SPLIT_TEST, &c.batch);
	c.sample[1]++;
	assert_own(l, SPLIT_TRAIN, &c.batch);
	loader_free(l);
}

/* A batch that is being read keeps its slot. */
static void what_is_being_read_stays(void **state)
{
	struct loader *l = loader_new(&toy, 1);

	atomic_store(&gate_after, 1);
	loader_add_reader(l);
	expect(l, SPLIT_TRAIN, 0, true, false);
	while (!atomic_load(&entered))
		sched_yield();
	assert_true(expect(l, SPLIT_TRAIN, 1, true, false));
	assert_true(expect(l, SPLIT_TRAIN, 2, true, true));
	assert_false(expect(l, SPLIT_TRAIN, 3, true, true));
	assert_fetched(l, SPLIT_TRAIN, 0, true);
	assert_fetched(l, SPLIT_TRAIN, 2, true);
	loader_free(l);
}

/* One reader has ahead + 1 = 2 slots; a sure batch takes the later likely one's. */
static void sure_before_likely(void **state)
{
	struct loader *l = loader_new(&toy, 1);

	assert_false(expect(l, SPLIT_TRAIN, 0, true, true));
	loader_add_reader(l);
	assert_true(expect(l, SPLIT_TRAIN, 0, true, false));
	assert_true(expect(l, SPLIT_TRAIN, 1, true, false));
	assert_true(expect(l, SPLIT_TRAIN, 1, true, false));
	assert_false(expect(l, SPLIT_TRAIN, 2, true, false));
	await_views(2 * BATCH);
	assert_true(expect(l, SPLIT_TRAIN, 3, true, true));
	await_views(3 * BATCH);
	assert_true(expect(l, SPLIT_TRAIN, 0, true, true));
	assert_false(expect(l, SPLIT_TRAIN, 4, true, true));
	assert_fetched(l, SPLIT_TRAIN, 3, true);
	assert_fetched(l, SPLIT_TRAIN, 0, true);
	assert_int_equal(atomic_load(&views), 5 * BATCH);       /* two for the comparison */
	assert_fetched(l, SPLIT_TRAIN, 1, true);
	loader_free(l);
}

/* Batches that are announced only after they were fetched do not hold slots for ever. */
static void late_announcements(void **state)
{
	struct loader *l = loader_new(&toy, 1);
	int tries = 0;

	loader_add_reader(l);
	for (int k = 0; k < 2; k++) {
		assert_fetched(l, SPLIT_TRAIN, k, true);
		assert_true(expect(l, SPLIT_TRAIN, k, true, true));
	}
	await_views(6 * BATCH);         /* of each: fetched, compared, read ahead */
	while (!expect(l, SPLIT_TRAIN, 3, true, true)) {
		assert_true(++tries < 1000000);
		sched_yield();
	}
	await_views(7 * BATCH);
	atomic_store(&views_here, 0);
	assert_fetched(l, SPLIT_TRAIN, 3, true);
	assert_int_equal(atomic_load(&views_here), BATCH);      /* for the comparison */
	loader_free(l);
}

/* The loader's only thread is held up in the first sample until the five others are read. */
static void who_asks_helps(void **state)
{
	struct loader *l = loader_new(&toy, 1);

	atomic_store(&gate_after, BATCH - 1);
	loader_add_reader(l);
	expect(l, SPLIT_TRAIN, 2, true, true);
	while (!atomic_load(&entered))
		sched_yield();
	assert_fetched(l, SPLIT_TRAIN, 2, true);
	loader_free(l);
}

/* Closed while batches are half read, or not begun. */
static void closing_early(void **state)
{
	for (int k = 0; k < 100; k++) {
		struct loader *l = loader_new(&toy, 3);

		loader_add_reader(l);
		loader_add_reader(l);
		for (int i = 0; i < 4; i++)
			expect(l, SPLIT_TRAIN, i, true, i % 2);
		loader_free(l);
	}
	loader_free(NULL);
}

/* ---- what comes next ---- */

static void likely_in_order(void **state)
{
	struct ahead a = { 0 };
	struct job list[8], queue[2] = { { .kind = JOB_GRAD, .rank = 7, .index = 3 },
					 { .kind = JOB_SCORE, .first = 5, .n = 2 } };
	size_t sure, n;

	for (int rank = 0; rank < 3; rank++)
		ahead_note(&a, &(struct job){ .kind = JOB_GRAD, .rank = rank, .index = 10 });
	ahead_note(&a, &(struct job){ .kind = JOB_GRAD, .rank = 0, .index = 11 });
	ahead_note(&a, &(struct job){ .kind = JOB_STATS, .index = 11 });
	queue[0].next = &queue[1];
	n = ahead_list(&a, queue, list, 8, &sure);
	assert_int_equal(n, 5);
	assert_int_equal(sure, 2);
	assert_int_equal(list[0].rank, 7);
	assert_int_equal(list[1].kind, JOB_SCORE);
	assert_int_equal(list[2].rank, 1);
	assert_int_equal(list[2].index, 11);
	assert_int_equal(list[4].rank, 0);
	assert_int_equal(list[4].index, 12);
	n = ahead_list(&a, queue, list, 1, &sure);
	assert_int_equal(n, 1);
	assert_int_equal(sure, 1);
	for (int rank = 0; rank < 500; rank++)
		ahead_note(&a, &(struct job){ .kind = JOB_GRAD, .rank = rank });
	assert_int_equal(a.n, AHEAD_MOST);
}

/* ---- the whole: a pool over photographs ---- */

enum { WORKERS = 3, ROUNDS = 3 };

/* The gradients of all workers' minibatches, asked for at once, and an evaluation. */
static double compute(struct pool *pool, const float *x, float *g)
{
	const size_t dim = pool->problem->dim;
	double sum = 0;

	for (int k = 0; k < ROUNDS; k++) {
		struct job jobs[WORKERS];

		for (int w = 0; w < WORKERS; w++) {
			jobs[w] = (struct job){ .kind = JOB_GRAD, .x = x, .rank = w, .index = k,
						.out = g + (size_t)(k * WORKERS + w) * dim };
			pool_submit(pool, &jobs[w]);
		}
		for (int w = 0; w < WORKERS; w++) {
			pool_wait(pool, &jobs[w]);
			sum += jobs[w].loss;
		}
	}
	return sum + evaluate(pool, x, SPLIT_TEST, 0, 1, NULL).loss;
}

static float *gradients(const char *folder, int ahead, int threads, double *loss, size_t *n)
{
	struct dataset *ds = photos_must("imagenet:dir=%s,resize=20,crop=16,ahead=%d", folder,
					 ahead);
	struct problem *p = problem_net("mlp", backend_table[0], NULL, ds);
	struct sampler s = { .seed = 5, .samples = ds->n[SPLIT_TRAIN], .workers = WORKERS,
			     .size = 4 };
	struct pool *pool = pool_threads(p, &s, threads);
	float *x = vec_new(p->dim), *g;

	*n = p->dim * ROUNDS * WORKERS;
	g = vec_new(*n);
	assert_int_equal(p->ahead, ahead);
	p->ops->init(p, 1, x);
	*loss = compute(pool, x, g);
	assert_true(pool_data_s(pool) > 0);
	pool_free(pool);
	p->ops->close(p);
	dataset_close(ds);
	free(x);
	return g;
}

static void a_pool_is_bit_identical(void **state)
{
	char *folder = photos_new();
	double loss, other;
	size_t n, m;
	float *g = gradients(folder, 0, 1, &loss, &n);

	for (int ahead = 0; ahead < 3; ahead++)
		for (int threads = 1; threads < 4; threads++) {
			float *h = gradients(folder, ahead, threads, &other, &m);

			assert_int_equal(n, m);
			assert_memory_equal(g, h, n * sizeof *g);
			assert_near(loss, other, 0);
			free(h);
		}
	free(g);
	folder_remove(folder);
}

RUN_WITH(reset, NULL, bit_identical, read_ahead, sure_before_likely, other_batches_are_not_mistaken,
	 what_is_being_read_stays, late_announcements, who_asks_helps, closing_early,
	 likely_in_order, a_pool_is_bit_identical)
