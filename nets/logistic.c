/*
 * logistic.c - logistic regression with an L2 penalty: strongly convex.
 *
 *     f(x) = mean over samples of log(1 + exp(-y <a, x>))  +  reg / 2 ||x||^2
 *
 * Samples are drawn at (seed, RNG_DATA, 0, sample): a is normal in each coordinate, y = +-1 with
 * P(y = 1) = 1 / (1 + exp(-<a, w>)), for a normal w scaled so that <a, w> has deviation MARGIN.
 * Training samples come first, then a quarter as many for the test.
 */
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/math/rng.h"
#include "nets/nets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MARGIN 4.0

struct conf {
	int64_t samples, dim, seed;
	double reg;
};

#define FIELD(type, f) OPT_AT(type, struct conf, f)

static const struct opt opts[] = {
	{ .name = "samples", FIELD(INT, samples), .def = "1024", .arg = "N",
	  .min = 4, .max = 1 << 24, .help = "training samples; a quarter as many test samples" },
	{ .name = "dim", FIELD(INT, dim), .def = "20", .arg = "N",
	  .min = 1, .max = 1 << 20, .help = "unknowns" },
	{ .name = "reg", FIELD(DOUBLE, reg), .def = "0.01", .arg = "X",
	  .min = 0, .max = 1e6, .help = "weight of the penalty; the convexity constant" },
	{ .name = "seed", FIELD(INT, seed), .def = "1", .arg = "N",
	  .min = 0, .max = 1e15, .help = "seed of the data" },
	{ .name = NULL }
};

struct logistic {
	size_t dim;
	int64_t train;
	double reg;
	float *a;               /* [samples][dim], each row multiplied by its y */
	struct blob blob;
};

static double logistic_inner(size_t n, const float *a, const float *x)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (double)a[i] * (double)x[i];
	return sum;
}

/* log(1 + exp(-m)), also for large |m| */
static double log_loss(double margin)
{
	return margin > 0 ? log1p(exp(-margin)) : log1p(exp(margin)) - margin;
}

static double logistic_penalty(const struct logistic *f, const float *x)
{
	return 0.5 * f->reg * logistic_inner(f->dim, x, x);
}

static void logistic_init(const struct problem *p, uint64_t seed, float *x)
{
	(void)seed;
	memset(x, 0, p->dim * sizeof(*x));
}

static void *logistic_scratch_new(const struct problem *p, size_t max_batch, struct team *team)
{
	(void)team;
	(void)max_batch;
	return xcalloc(p->dim, sizeof(double));
}

static void logistic_scratch_free(const struct problem *p, void *scratch)
{
	(void)p;
	free(scratch);
}

static double logistic_grad(const struct problem *p, void *scratch, const float *x,
		       const struct batch *b, float *g, struct grad_hook *hook)
{
	const struct logistic *f = p->priv;
	double *sum = scratch, loss = 0;

	memset(sum, 0, f->dim * sizeof(*sum));
	for (size_t k = 0; k < b->n; k++) {
		const float *row = f->a + (size_t)b->sample[k] * f->dim;
		double margin = logistic_inner(f->dim, row, x), slope = -1 / (1 + exp(margin));

		loss += log_loss(margin);
		for (size_t i = 0; i < f->dim; i++)
			sum[i] += slope * (double)row[i];
	}
	for (size_t i = 0; i < f->dim; i++)
		g[i] = (float)(sum[i] / (double)b->n + f->reg * (double)x[i]);
	grad_done(hook, 0, f->dim);
	return loss / (double)b->n + logistic_penalty(f, x);
}

static struct score logistic_score(const struct problem *p, void *scratch, const float *x,
			      const float *stats, enum split split, int64_t first, size_t n)
{
	const struct logistic *f = p->priv;
	struct score s = { .loss = (double)n * logistic_penalty(f, x), .n = (int64_t)n };

	(void)scratch, (void)stats;
	if (split == SPLIT_TEST)
		first += f->train;
	for (size_t k = 0; k < n; k++) {
		double margin = logistic_inner(f->dim, f->a + ((size_t)first + k) * f->dim, x);

		s.loss += log_loss(margin);
		s.correct += margin > 0;
	}
	return s;
}

static void logistic_close(struct problem *p)
{
	scoped struct logistic *f = p->priv;

	free(f->a);
	free(p);
}

static const struct problem_ops logistic_ops = {
	.init = logistic_init, .scratch_new = logistic_scratch_new,
	.scratch_free = logistic_scratch_free, .grad = logistic_grad, .score = logistic_score,
	.close = logistic_close,
};

/* Fills n rows of y a. */
static void draw_samples(struct logistic *f, uint64_t seed, int64_t n)
{
	scoped float *w = vec_new(f->dim);
	struct rng r;
	double scale;

	rng_at(&r, seed, RNG_DATA, 1, 0);
	for (size_t i = 0; i < f->dim; i++)
		w[i] = (float)rng_normal(&r);
	scale = MARGIN / sqrt(logistic_inner(f->dim, w, w));
	for (int64_t k = 0; k < n; k++) {
		float *row = f->a + (size_t)k * f->dim;
		double p;

		rng_at(&r, seed, RNG_DATA, 0, (uint64_t)k);
		for (size_t i = 0; i < f->dim; i++)
			row[i] = (float)rng_normal(&r);
		p = 1 / (1 + exp(-scale * logistic_inner(f->dim, row, w)));
		if (rng_uniform(&r) >= p)
			for (size_t i = 0; i < f->dim; i++)
				row[i] = -row[i];
	}
}

static struct problem *logistic_open(const void *conf)
{
	const struct conf *c = conf;
	const int64_t test = c->samples / 4;
	struct problem *p;
	struct logistic *f;

	if ((c->samples + test) * c->dim > (int64_t)1 << 30) {
		error("logistic: %lld samples of %lld floats are too many",
		      (long long)c->samples, (long long)c->dim);
		return NULL;
	}
	p = xcalloc(1, sizeof(*p));
	f = xcalloc(1, sizeof(*f));
	f->dim = (size_t)c->dim;
	f->train = c->samples;
	f->reg = c->reg;
	f->a = vec_new((size_t)(c->samples + test) * f->dim);
	draw_samples(f, (uint64_t)c->seed, c->samples + test);
	f->blob = (struct blob){ .name = "x", .count = f->dim, .decay = true, .rank = 1,
				 .shape = { (int)f->dim } };
	*p = (struct problem){
		.ops = &logistic_ops, .name = "logistic", .dim = f->dim, .n = { c->samples, test },
		.nblobs = 1, .blobs = &f->blob, .priv = f,
	};
	return p;
}

const struct problem_type problem_logistic = {
	.plugin = { .name = "logistic", .brief = "logistic regression over synthetic samples",
		    .opts = opts, .conf_size = sizeof(struct conf) },
	.open = logistic_open,
};
