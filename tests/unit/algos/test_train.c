/* Batches, learning rates, the optimiser, vectors: by hand. */
#include "algos/algos.h"
#include "core/math/vec.h"
#include "core/samples/batch.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"

#include <math.h>

/* An epoch deals every sample at most once, and workers' slices are disjoint. */
static void an_epoch_deals_each_sample_once(void **state)
{
	enum { N = 103, WORKERS = 4, SIZE = 5, ROUNDS = N / (WORKERS * SIZE) };
	const struct sampler s = { .seed = 2, .samples = N, .workers = WORKERS, .size = SIZE };
	char seen[N] = { 0 };
	int64_t sample[SIZE];
	uint64_t use[SIZE];

	for (int k = 0; k < ROUNDS; k++)
		for (int w = 0; w < WORKERS; w++) {
			sampler_batch(&s, w, k, sample, use);
			for (int i = 0; i < SIZE; i++) {
				assert_true(sample[i] >= 0 && sample[i] < N);
				assert_false(seen[sample[i]]);
				seen[sample[i]] = 1;
				assert_true(use[i] < N);
			}
		}
	sampler_batch(&s, 0, ROUNDS, sample, use);
	assert_int_equal(use[0], N);
}

/* Round by round, n workers of batch b see what one worker of batch n b sees, in that order. */
static void workers_split_the_big_batch(void **state)
{
	const struct sampler one = { .seed = 2, .samples = 64, .workers = 1, .size = 8 };
	const struct sampler two = { .seed = 2, .samples = 64, .workers = 2, .size = 4 };
	int64_t big[8], small[4];
	uint64_t big_use[8], small_use[4];

	for (int64_t k = 0; k < 20; k++) {
		sampler_batch(&one, 0, k, big, big_use);
		for (int w = 0; w < 2; w++) {
			sampler_batch(&two, w, k, small, small_use);
			assert_memory_equal(small, big + 4 * w, sizeof(small));
			assert_memory_equal(small_use, big_use + 4 * w, sizeof(small_use));
		}
	}
}

/*
 * In streams a worker's batch goes on where its last one ended, no two streams overlap, and every
 * epoch is the same; workers of unequal slices have the streams of their slices.
 */
static void streams_go_on(void **state)
{
	enum { N = 47, ROUND = 6, ROUNDS = N / ROUND };
	const int64_t slice[] = { 0, 1, 6 };
	const struct sampler all[] = {
		{ .seed = 2, .samples = N, .workers = 2, .size = 3, .streams = true },
		{ .seed = 2, .samples = N, .workers = 2, .size = 3, .streams = true,
		  .slice = slice },
	};

	for (int s = 0; s < 2; s++)
		for (int64_t k = 0; k < 2 * ROUNDS; k++)
			for (int w = 0, stream = 0; w < 2; w++) {
				int64_t sample[ROUND];
				uint64_t use[ROUND];

				sampler_batch(&all[s], w, k, sample, use);
				for (size_t i = 0; i < sampler_size(&all[s], w); i++, stream++) {
					assert_int_equal(sample[i], stream * ROUNDS + k % ROUNDS);
					assert_int_equal(use[i], k / ROUNDS * N +
								 k % ROUNDS * ROUND + stream);
				}
			}
}

static double lr(const char *schedule, double epoch, double warmup)
{
	struct stepsize s = { .base = 0.8, .warmup = warmup, .warmup_from = 0.25, .epochs = 100 };
	double v;

	assert_int_equal(choice_parse(&s.schedule, schedule_table, "schedule", schedule), 0);
	v = stepsize_at(&s, epoch);
	choice_release(&s.schedule);
	return v;
}

static void learning_rates(void **state)
{
	assert_near(lr("constant", 50, 0), 0.8, 1e-12);
	assert_near(lr("steps:at=10/20,factor=0.5", 9.99, 0), 0.8, 1e-12);
	assert_near(lr("steps:at=10/20,factor=0.5", 10, 0), 0.4, 1e-12);
	assert_near(lr("steps:at=10/20,factor=0.5", 30, 0), 0.2, 1e-12);
	assert_near(lr("poly:power=2", 50, 0), 0.2, 1e-12);
	assert_near(lr("poly:power=2", 101, 0), 0.0, 1e-12);
	assert_near(lr("cosine", 50, 0), 0.4, 1e-12);
	assert_near(lr("cosine", 25, 0), 0.4 * (1 + sqrt(0.5)), 1e-12);
	assert_near(lr("cosine:from=20,min=0.1", 20, 0), 0.8, 1e-12);
	assert_near(lr("cosine:from=20,min=0.1", 60, 0), 0.8 * 0.55, 1e-12);
	assert_near(lr("cosine:from=20,min=0.1", 101, 0), 0.08, 1e-12);
	assert_near(lr("constant", 0, 10), 0.2, 1e-12);
	assert_near(lr("constant", 5, 10), 0.8 * 0.625, 1e-12);
	assert_near(lr("constant", 10, 10), 0.8, 1e-12);
}

static int check_length(const char *schedule, double epochs)
{
	struct stepsize s = { .base = 1, .epochs = epochs };
	int rc;

	assert_int_equal(choice_parse(&s.schedule, schedule_table, "schedule", schedule), 0);
	capture_start();
	rc = stepsize_check(&s);
	capture_stop();
	choice_release(&s.schedule);
	return rc;
}

static void schedules_to_the_end_need_an_end(void **state)
{
	assert_int_equal(check_length("cosine", 0), -1);
	assert_int_equal(check_length("poly", 0), -1);
	assert_int_equal(check_length("cosine", 2), 0);
	assert_int_equal(check_length("steps", 0), 0);
	assert_int_equal(check_length("constant", 0), 0);
}

static void sgd(const char *text, float *x, float *v, float g, float w)
{
	struct choice c = { 0 };
	const struct optim *o;

	assert_int_equal(choice_parse(&c, optim_table, "optimiser", text), 0);
	o = (const struct optim *)c.plugin;
	o->step(c.conf, &(struct stepping){ .lr = 0.5f, .w = w }, 1, &g, x, v);
	choice_release(&c);
}

static void sgd_by_hand(void **state)
{
	float x = 1.0f, v = 0.0f;

	sgd("sgd:momentum=0,weight_decay=0.5", &x, &v, 2.0f, 0.25f);    /* d = 0.5 + 0.5 */
	assert_true(x == 0.5f && v == 0.0f);

	x = 1.0f, v = 2.0f;
	sgd("sgd:momentum=0.5,weight_decay=0,nesterov=false", &x, &v, 2.0f, 1.0f);
	assert_true(v == 3.0f && x == -0.5f);

	x = 1.0f, v = 2.0f;
	sgd("sgd:momentum=0.5,weight_decay=0,nesterov=true", &x, &v, 2.0f, 1.0f);
	assert_true(v == 3.0f && x == 1.0f - 0.5f * (2.0f + 1.5f));

	x = 1.0f, v = 2.0f;
	sgd("sgd:momentum=-0.5,weight_decay=0,nesterov=false", &x, &v, 2.0f, 1.0f);
	assert_true(v == 1.0f && x == 0.5f);
}

static void vectors(void **state)
{
	enum { N = 37 };
	float x[N], y[N], m[N];

	for (int i = 0; i < N; i++)
		x[i] = (float)i, y[i] = 1.0f;
	vec_axpy(N, 2.0f, x, y);
	assert_true(y[36] == 73.0f && y[0] == 1.0f);
	vec_axpby(N, 0.5f, x, 0.5f, y);
	assert_true(y[36] == 54.5f);
	vec_scale(N, 2.0f, y);
	assert_true(y[36] == 109.0f);
	vec_mean(N, 2, (const float *const[]){ x, y }, m);
	assert_true(m[36] == 72.5f);
	assert_near(vec_dot(2, (float[]){ 3, 4 }, (float[]){ 1, 2 }), 11.0, 0);
	assert_near(vec_dist(2, (float[]){ 3, 4 }, (float[]){ 0, 0 }), 5.0, 0);
	vec_add(N, x, y, m);
	assert_true(m[36] == 145.0f && m[0] == 1.0f);
	vec_add(N, NULL, y, m);
	assert_true(m[36] == 145.0f);
	vec_copy(N, x, m);
	assert_memory_equal(x, m, sizeof x);
	vec_axpy(N, 1.0f, NULL, y);
	vec_axpby(N, 1.0f, x, 1.0f, NULL);
	assert_true(y[36] == 109.0f);
}

RUN_ALL(an_epoch_deals_each_sample_once, workers_split_the_big_batch, streams_go_on, learning_rates,
	schedules_to_the_end_need_an_end, sgd_by_hand, vectors)
