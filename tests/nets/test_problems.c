/* The analytic problems: gradients, known values, and what an epoch's batches add up to. */
#include "core/base/mem.h"
#include "core/pool/pool.h"
#include "nets/nets.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"

#include <math.h>
#include <stdlib.h>

struct opened {
	struct choice choice;
	struct problem *p;
	void *scratch;
};

static void open_problem(struct opened *o, const char *text)
{
	*o = (struct opened){ 0 };
	assert_int_equal(choice_parse(&o->choice, problem_table, "problem", text), 0);
	o->p = ((const struct problem_type *)o->choice.plugin)->open(o->choice.conf);
	assert_non_null(o->p);
	o->scratch = o->p->ops->scratch_new(o->p, 64, NULL);
}

static void close_problem(struct opened *o)
{
	o->p->ops->scratch_free(o->p, o->scratch);
	o->p->ops->close(o->p);
	choice_release(&o->choice);
}

static double full_loss(struct opened *o, const float *x)
{
	struct score s = o->p->ops->score(o->p, o->scratch, x, NULL, SPLIT_TRAIN, 0,
					  (size_t)o->p->n[SPLIT_TRAIN]);

	return s.loss / (double)s.n;
}

/* Each partial derivative of a batch of all samples, against differences of the score. */
static void check_slopes(struct opened *o)
{
	const double h = 1e-2;
	const size_t n = (size_t)o->p->n[SPLIT_TRAIN];
	int64_t *sample = xcalloc(n, sizeof(*sample));
	struct batch b = { .n = n, .sample = sample };
	float *x = vec_new(o->p->dim), *g = vec_new(o->p->dim);

	for (size_t k = 0; k < n; k++)
		sample[k] = (int64_t)k;
	for (size_t i = 0; i < o->p->dim; i++)
		x[i] = 0.25f * (float)(i % 5) - 0.4f;
	assert_near(o->p->ops->grad(o->p, o->scratch, x, &b, g, NULL), full_loss(o, x), 1e-9);
	for (size_t i = 0; i < o->p->dim; i++) {
		float old = x[i], up = old + (float)h, down = old - (float)h;
		double slope;

		x[i] = up;
		slope = full_loss(o, x);
		x[i] = down;
		slope = (slope - full_loss(o, x)) / (double)(up - down);
		x[i] = old;
		assert_near(slope, (double)g[i], 2e-5);
	}
	free(sample);
	free(x);
	free(g);
}

static void slopes(void **state)
{
	struct opened o;

	open_problem(&o, "quadratic:dim=7,cond=30,noise=0,samples=16");
	check_slopes(&o);
	close_problem(&o);
	open_problem(&o, "logistic:dim=6,samples=40,reg=0.1");
	check_slopes(&o);
	close_problem(&o);
}

/* The mean of an epoch's minibatch gradients at one x -> mean. */
static void epoch_mean(struct opened *o, const float *x, double *mean)
{
	struct sampler s = { .seed = 2, .samples = o->p->n[SPLIT_TRAIN], .workers = 2, .size = 8 };
	const int64_t each = s.samples / 16;
	float *g = vec_new(o->p->dim);
	int64_t sample[8];
	uint64_t use[8];

	for (int w = 0; w < 2; w++)
		for (int64_t k = 0; k < each; k++) {
			struct batch b = { .n = 8, .sample = sample, .use = use, .seed = 2 };

			sampler_batch(&s, w, k, sample, use);
			o->p->ops->grad(o->p, o->scratch, x, &b, g, NULL);
			for (size_t i = 0; i < o->p->dim; i++)
				mean[i] += (double)g[i] / (double)(2 * each);
		}
	free(g);
}

static void epoch_is_whole(void **state)
{
	struct opened o;
	double mean[5] = { 0 };
	float x[5] = { 0.1f, -0.2f, 0.3f, 0.0f, 0.5f }, g[5];
	int64_t all[160];

	open_problem(&o, "logistic:dim=5,samples=160");
	epoch_mean(&o, x, mean);
	for (int k = 0; k < 160; k++)
		all[k] = k;
	o.p->ops->grad(o.p, o.scratch, x, &(struct batch){ .n = 160, .sample = all }, g, NULL);
	for (int i = 0; i < 5; i++)
		assert_near(mean[i], (double)g[i], 1e-6);
	close_problem(&o);
}

/* Noise has mean 0 and deviation noise / sqrt(batch), and is a function of the batch. */
static void quadratic_noise(void **state)
{
	enum { DIM = 2000, BATCH = 4 };
	struct opened o;
	int64_t sample[BATCH] = { 0 };
	uint64_t use[BATCH] = { 77, 3, 2, 1 };
	struct batch b = { .n = BATCH, .sample = sample, .use = use, .seed = 5 };
	float *x = vec_new(DIM), *g = vec_new(DIM), *again = vec_new(DIM), *exact = vec_new(DIM);
	double sum = 0, square = 0;

	open_problem(&o, "quadratic:dim=2000,noise=3");
	o.p->ops->init(o.p, 1, x);
	o.p->ops->grad(o.p, o.scratch, x, &b, g, NULL);
	o.p->ops->grad(o.p, o.scratch, x, &b, again, NULL);
	assert_memory_equal(g, again, DIM * sizeof(*g));
	b.use = NULL;
	o.p->ops->grad(o.p, o.scratch, x, &b, exact, NULL);
	for (int i = 0; i < DIM; i++) {
		double d = (double)g[i] - (double)exact[i];

		sum += d / DIM;
		square += d * d / DIM;
	}
	assert_near(sum, 0, 4 * 1.5 / sqrt(DIM));
	assert_near(sqrt(square), 1.5, 0.1);
	b.use = use;
	use[0] = 78;
	o.p->ops->grad(o.p, o.scratch, x, &b, again, NULL);
	assert_memory_not_equal(g, again, DIM * sizeof(*g));
	free(x);
	free(g);
	free(again);
	free(exact);
	close_problem(&o);
}

/* f(x0) = start^2 / 2 sum a_i; a_i = 1/100, 1/10, 1. Steps of 1 / a_i each solve one coordinate. */
static void quadratic_values(void **state)
{
	struct opened o;
	float x[3], g[3];
	int64_t sample = 0;
	struct batch b = { .n = 1, .sample = &sample };

	open_problem(&o, "quadratic:dim=3,cond=100,start=2,noise=0,samples=10");
	assert_int_equal(o.p->n[SPLIT_TRAIN], 10);
	assert_int_equal(o.p->n[SPLIT_TEST], 1);
	o.p->ops->init(o.p, 4, x);
	assert_near(full_loss(&o, x), 2 * 1.11, 1e-6);
	assert_near(o.p->ops->score(o.p, o.scratch, x, NULL, SPLIT_TEST, 0, 1).loss, 2 * 1.11,
		    1e-6);
	assert_int_equal(o.p->ops->score(o.p, o.scratch, x, NULL, SPLIT_TRAIN, 0, 2).correct, -1);
	o.p->ops->grad(o.p, o.scratch, x, &b, g, NULL);
	x[0] -= 100 * g[0];
	x[1] -= 10 * g[1];
	x[2] -= g[2];
	assert_near(full_loss(&o, x), 0, 1e-10);
	close_problem(&o);
}

/* The test loss alone has its optimum elsewhere: 1/2 sum a_i (2 - 3)^2, or (-2 - 3)^2. */
static void quadratic_shift(void **state)
{
	struct opened o;
	double loss;
	float x[1];

	open_problem(&o, "quadratic:dim=1,cond=1,start=2,noise=0,samples=10,shift=3");
	o.p->ops->init(o.p, 4, x);
	assert_near(full_loss(&o, x), 2, 1e-6);
	loss = o.p->ops->score(o.p, o.scratch, x, NULL, SPLIT_TRAIN, 0, 1).loss;
	assert_near(loss, 2, 1e-6);
	loss = o.p->ops->score(o.p, o.scratch, x, NULL, SPLIT_TEST, 0, 1).loss;
	assert_true(fabs(loss - 0.5) < 1e-6 || fabs(loss - 12.5) < 1e-5);
	close_problem(&o);
}

/*
 * Each worker's own optimum: f_j = 1/2 (x - x* - o_j)^2, with o = 4 and -8, x = x*. Of 10 samples
 * the first 5 have 4; four workers divide them. The mean is 1/2 (16 + 64) / 2.
 */
static void quadratic_optima(void **state)
{
	static const struct sample_part parts[] = { { 0, 2 }, { 5, 2 }, { 2, 3 }, { 7, 3 } };
	int64_t sample[3] = { 0, 4, 9 };
	struct batch b = { .n = 2, .sample = sample };
	const struct problem_type *type;
	struct sample_part part[4];
	struct opened o;
	float x[1], g[1];

	open_problem(&o, "quadratic:dim=1,cond=1,start=0,noise=0,samples=10,optima=4/-8");
	type = (const struct problem_type *)o.choice.plugin;
	assert_int_equal(type->parts(o.choice.conf, 4, part), 0);
	assert_memory_equal(part, parts, sizeof(parts));
	o.p->ops->init(o.p, 4, x);
	assert_near(o.p->ops->grad(o.p, o.scratch, x, &b, g, NULL), 8, 1e-5);
	assert_near((double)g[0], -4, 1e-6);
	b.sample++;
	b.n = 1;
	assert_near(o.p->ops->grad(o.p, o.scratch, x, &b, g, NULL), 8, 1e-5);
	b.sample++;
	assert_near(o.p->ops->grad(o.p, o.scratch, x, &b, g, NULL), 32, 1e-5);
	assert_near((double)g[0], 8, 1e-6);
	assert_near(full_loss(&o, x), 20, 1e-5);
	assert_near(o.p->ops->score(o.p, o.scratch, x, NULL, SPLIT_TRAIN, 3, 3).loss, 8 + 8 + 32,
		    1e-5);
	assert_near(o.p->ops->score(o.p, o.scratch, x, NULL, SPLIT_TEST, 0, 1).loss, 20, 1e-5);
	capture_start();
	assert_int_equal(type->parts(o.choice.conf, 3, NULL), -1);
	capture_stop();
	assert_said("optima has 2 values, and there are 3 workers");
	close_problem(&o);
	open_problem(&o, "quadratic:dim=7,cond=30,noise=0,samples=16,optima=1/-2/3");
	check_slopes(&o);
	close_problem(&o);
	open_problem(&o, "quadratic");
	assert_int_equal(type->parts(o.choice.conf, 3, NULL), 1);
	close_problem(&o);
}

/* Gradient descent finds the one optimum; there the data are told apart better than by chance. */
static void logistic_optimum(void **state)
{
	struct opened o;
	float x[4] = { 0 }, g[4];
	int64_t all[200];
	struct batch b = { .n = 200, .sample = all };
	struct score s;

	open_problem(&o, "logistic:dim=4,samples=200,reg=0.05");
	assert_int_equal(o.p->n[SPLIT_TEST], 50);
	for (int k = 0; k < 200; k++)
		all[k] = k;
	assert_near(full_loss(&o, x), log(2), 1e-12);
	for (int k = 0; k < 2000; k++) {
		o.p->ops->grad(o.p, o.scratch, x, &b, g, NULL);
		for (int i = 0; i < 4; i++)
			x[i] -= g[i];
	}
	for (int i = 0; i < 4; i++)
		assert_near((double)g[i], 0, 1e-6);
	s = o.p->ops->score(o.p, o.scratch, x, NULL, SPLIT_TEST, 0, 50);
	assert_true(s.correct > 40 && s.correct <= 50);
	close_problem(&o);
}

static void refused(void **state)
{
	struct choice c = { 0 };

	capture_start();
	assert_int_not_equal(choice_parse(&c, problem_table, "problem", "quadratic:dim=0"), 0);
	assert_int_not_equal(choice_parse(&c, problem_table, "problem", "quadratic:con=3"), 0);
	assert_int_not_equal(choice_parse(&c, problem_table, "problem", "quadratc"), 0);
	assert_int_equal(choice_parse(&c, problem_table, "problem",
				      "logistic:dim=1000000,samples=1000000"), 0);
	assert_null(((const struct problem_type *)c.plugin)->open(c.conf));
	capture_stop();
	assert_said("too many");
	choice_release(&c);
}

RUN_ALL(slopes, epoch_is_whole, quadratic_noise, quadratic_values, quadratic_shift,
	quadratic_optima, logistic_optimum, refused)
