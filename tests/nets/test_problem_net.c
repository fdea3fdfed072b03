/* A net, a data set and a backend as one problem; a data set of 4x4 pictures made here. */
#include "core/base/mem.h"
#include "core/pool/pool.h"
#include "nets/nets.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 4, CLASSES = 3, TRAIN = 48, TEST = 9 };

/* Class k is bright in rows k and k + 1, with a pattern that differs by sample. */
static void stripe_sample(const struct dataset *ds, enum split split, int64_t i, uint8_t *pixels,
			  int32_t *label)
{
	(void)ds;
	*label = (int32_t)(i % CLASSES);
	for (int k = 0; k < SIDE * SIDE; k++) {
		bool bright = k / SIDE == *label || k / SIDE == *label + 1;

		pixels[k] = (uint8_t)((bright ? 150 : 20) + (i * 37 + k * 11 + 5 * split) % 60);
	}
}

static void stripe_moments(const struct dataset *ds, float *mean, float *dev)
{
	(void)ds;
	mean[0] = 0.45f;
	dev[0] = 0.25f;
}

static const struct dataset_type stripe_type = {
	.plugin = { .name = "stripes" }, .sample = stripe_sample, .moments = stripe_moments,
};
static const struct dataset stripes = {
	.type = &stripe_type, .height = SIDE, .width = SIDE, .channels = 1, .classes = CLASSES,
	.n = { TRAIN, TEST }, .digest = 1,
};

static const char net_text[] =
	"{\"layers\": [{\"layer\": \"conv\", \"out\": 4, \"kernel\": 3, \"pad\": 1}, \"bn\","
	"\"relu\","
	"{\"layer\": \"dense\", \"out\": \"$classes\"}]}";

static char *net_file(void)
{
	static char path[64];
	char dir[] = "/tmp/convoy-XXXXXX";
	FILE *f;

	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/tiny.json", dir);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(net_text, f);
	fclose(f);
	return path;
}

static void remove_net_file(char *path)
{
	remove(path);
	*strrchr(path, '/') = '\0';
	remove(path);
}

static struct problem *open_net(const struct backend *b)
{
	char *path = net_file();
	struct problem *p = problem_net(path, b, NULL, &stripes);

	remove_net_file(path);
	assert_non_null(p);
	assert_string_equal(p->name, "tiny");
	assert_int_equal(p->n[SPLIT_TRAIN], TRAIN);
	assert_int_equal(p->n[SPLIT_TEST], TEST);
	assert_int_equal(p->stats_dim, 8);
	return p;
}

static void step(size_t n, float lr, const float *g, float *x)
{
	for (size_t i = 0; i < n; i++)
		x[i] -= lr * g[i];
}

/* Trains 60 batches through the pool's jobs, then evaluates: all stripes are told apart. */
static void learns(const struct backend *b)
{
	struct problem *p = open_net(b);
	struct sampler s = { .seed = 1, .samples = TRAIN, .workers = 1, .size = 16 };
	struct pool *pool = pool_threads(p, &s, 1);
	float *x = vec_new(p->dim), *g = vec_new(p->dim);
	double first = 0;
	struct correct correct;
	struct evaluation e;

	p->ops->init(p, 7, x);
	for (int k = 0; k < 60; k++) {
		struct job j = { .kind = JOB_GRAD, .x = x, .index = k, .out = g };

		pool_submit(pool, &j);
		pool_wait(pool, &j);
		first = k ? first : j.loss;
		step(p->dim, 0.1f, g, x);
	}
	e = evaluate(pool, x, SPLIT_TEST, 0, 3, &correct);
	assert_int_equal(correct.n, TEST);
	assert_int_equal(correct_count(&correct), TEST);
	assert_true(correct_is_sound(&correct));
	correct_release(&correct);
	assert_near(e.accuracy, 1, 0);
	assert_true(e.loss < 0.3 * first);
	x[0] = (float)NAN;      /* a score without a largest class is no miss */
	e = evaluate(pool, x, SPLIT_TEST, 0, 3, &correct);
	assert_true(isnan(e.loss) && isnan(e.accuracy));
	assert_int_equal(correct.n, 0);
	pool_free(pool);
	p->ops->close(p);
	free(x);
	free(g);
}

/* Statistics of batches, taken together, are those of all their samples at once. */
static void merged_is_whole(const struct backend *b)
{
	struct problem *p = open_net(b);
	void *scratch = p->ops->scratch_new(p, TRAIN, NULL);
	float *x = vec_new(p->dim), *whole = vec_new(p->stats_dim), *merged = vec_new(p->stats_dim);
	float *part[3];
	int64_t sample[TRAIN];

	for (int k = 0; k < TRAIN; k++)
		sample[k] = k % CLASSES * (TRAIN / CLASSES) + k / CLASSES;
	p->ops->init(p, 7, x);
	p->ops->stats(p, scratch, x, &(struct batch){ .n = TRAIN, .sample = sample }, whole);
	for (int k = 0; k < 3; k++) {
		struct batch third = { .n = TRAIN / 3, .sample = sample + k * TRAIN / 3 };

		part[k] = vec_new(p->stats_dim);
		p->ops->stats(p, scratch, x, &third, part[k]);
	}
	p->ops->merge(p, 3, (const float *const *)part, merged);
	for (size_t i = 0; i < p->stats_dim; i++)
		assert_near((double)merged[i], (double)whole[i], 1e-5);
	for (int k = 0; k < 3; k++)
		free(part[k]);
	free(x);
	free(whole);
	free(merged);
	p->ops->scratch_free(p, scratch);
	p->ops->close(p);
}

/* A model is judged alike whatever the run's workers and batch. */
static void judged_alike(const struct backend *b)
{
	struct problem *p = open_net(b);
	struct evaluation e[2];
	float *x = vec_new(p->dim);

	p->ops->init(p, 7, x);
	for (int k = 0; k < 2; k++) {
		struct sampler s = { .seed = 1, .samples = TRAIN, .workers = k ? 4 : 1,
				     .size = k ? 2 : 16 };
		struct pool *pool = pool_threads(p, &s, 1);

		e[k] = evaluate(pool, x, SPLIT_TEST, 0, 2, NULL);
		pool_free(pool);
	}
	assert_true(e[0].loss == e[1].loss && e[0].accuracy == e[1].accuracy);
	p->ops->close(p);
	free(x);
}

/* With this batch's own statistics, evaluation is the training forward: the losses agree. */
static void score_is_loss(const struct backend *b)
{
	struct problem *p = open_net(b);
	void *scratch = p->ops->scratch_new(p, TRAIN, NULL);
	float *x = vec_new(p->dim), *g = vec_new(p->dim), *stats = vec_new(p->stats_dim);
	int64_t sample[TRAIN];
	struct batch all = { .n = TRAIN, .sample = sample };
	struct score s, part;
	double loss;

	for (int k = 0; k < TRAIN; k++)
		sample[k] = k;
	p->ops->init(p, 7, x);
	loss = p->ops->grad(p, scratch, x, &all, g, NULL);
	p->ops->stats(p, scratch, x, &all, stats);
	s = p->ops->score(p, scratch, x, stats, SPLIT_TRAIN, 0, TRAIN);
	assert_int_equal(s.n, TRAIN);
	assert_near(s.loss / TRAIN, loss, 1e-5);
	assert_true(s.correct >= 0 && s.correct <= TRAIN);
	part = p->ops->score(p, scratch, x, stats, SPLIT_TRAIN, 0, 20);
	s.loss -= part.loss;
	s.correct -= part.correct;
	part = p->ops->score(p, scratch, x, stats, SPLIT_TRAIN, 20, TRAIN - 20);
	assert_near(s.loss, part.loss, 1e-4);
	assert_int_equal(s.correct, part.correct);
	/* A model that diverged hits nothing. */
	x[p->dim - 1] = NAN;
	assert_int_equal(p->ops->score(p, scratch, x, stats, SPLIT_TEST, 0, TEST).correct, 0);
	p->ops->scratch_free(p, scratch);
	p->ops->close(p);
	free(x);
	free(g);
	free(stats);
}

static void on_each_backend(void **state)
{
	for (int b = 0; backend_table[b]; b++) {
		learns(backend_table[b]);
		score_is_loss(backend_table[b]);
		merged_is_whole(backend_table[b]);
		judged_alike(backend_table[b]);
	}
}

static void does_not_fit(void **state)
{
	capture_start();
	assert_null(problem_net("lenet", backend_table[0], NULL, &stripes));
	capture_stop();
	assert_said("does not fit its input of 4x4x1");
}

RUN_ALL(on_each_backend, does_not_fit)
