/*
 * quadratic.c - a quadratic function with a known minimum.
 *
 *     f(x) = 1/2 sum_i a_i (x_i - x*_i)^2,   a_i from 1 / cond to 1, evenly in the logarithm
 *
 * The gradient of a batch of n samples is that of f plus noise of deviation noise / sqrt(n) in each
 * coordinate, drawn at the address of the batch's first use. The model begins at x* +- start in
 * each coordinate, so f(x0) = start^2 / 2 sum a_i for every seed; the minimum of f is 0. The only
 * test sample has the loss f, without noise, with x* + shift instead of x*.
 *
 * With optima=o_0/o_1/..., k of them, worker i minimises f_j, j = i mod k: f with x* + o_j in each
 * coordinate instead of x*. The samples of an epoch are cut into k parts, the j-th with f_j, and
 * each part is divided among the workers that have it. The test loss is the mean of the f_j; it is
 * least, but not 0, at x* + (mean of the o_j).
 */
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/math/rng.h"
#include "core/text/word.h"
#include "nets/nets.h"

#include <math.h>
#include <stdlib.h>

struct conf {
	int64_t dim, samples;
	double cond, noise, start, shift;
	struct opt_doubles optima;
};

#define FIELD(type, f) OPT_AT(type, struct conf, f)

static const struct opt opts[] = {
	{ .name = "dim", FIELD(INT, dim), .def = "100", .arg = "N",
	  .min = 1, .max = 1 << 24, .help = "unknowns" },
	{ .name = "cond", FIELD(DOUBLE, cond), .def = "100", .arg = "X",
	  .min = 1, .max = 1e12, .help = "condition number: largest curvature over smallest" },
	{ .name = "noise", FIELD(DOUBLE, noise), .def = "1", .arg = "X",
	  .min = 0, .max = 1e6, .help = "deviation of one sample's gradient, per coordinate" },
	{ .name = "start", FIELD(DOUBLE, start), .def = "1", .arg = "X",
	  .min = -1e6, .max = 1e6, .help = "distance from the optimum at first, per coordinate" },
	{ .name = "shift", FIELD(DOUBLE, shift), .def = "0", .arg = "X",
	  .min = -1e6, .max = 1e6, .flags = OPT_ADDED,
	  .help = "distance of the test loss's optimum from the training loss's, per coordinate" },
	{ .name = "samples", FIELD(INT, samples), .def = "1024", .arg = "N",
	  .min = 1, .max = 1e12, .help = "samples of an epoch" },
	{ .name = "optima", FIELD(DOUBLES, optima), .arg = "A/B/...",
	  .min = -1e6, .max = 1e6, .flags = OPT_ADDED,
	  .help = "unequal data: distance of each worker's own optimum from x*, per coordinate; "
		  "worker i has the i-th, and they repeat after the last; empty: all share x*" },
	{ .name = NULL }
};

struct bowl {
	struct conf conf;       /* owns its optima */
	float *a, *best;        /* [dim] curvatures, x* */
	struct blob blob;
};

static void bowl_init(const struct problem *p, uint64_t seed, float *x)
{
	const struct bowl *b = p->priv;
	struct rng r;

	rng_at(&r, seed, RNG_INIT, 0, 0);
	for (size_t i = 0; i < p->dim; i++) {
		double away = rng_u32(&r) & 1 ? b->conf.start : -b->conf.start;

		x[i] = (float)((double)b->best[i] + away);
	}
}

/* f with x* + shift in each coordinate */
static double bowl_f(const struct problem *p, const float *x, double shift)
{
	const struct bowl *b = p->priv;
	double f = 0;

	for (size_t i = 0; i < p->dim; i++) {
		double d = (double)x[i] - (double)b->best[i] - shift;

		f += 0.5 * (double)b->a[i] * d * d;
	}
	return f;
}

/* ---- optima of the workers ---- */

/* Index of the first sample of the j-th of k equal parts. */
static int64_t part_from(const struct conf *c, int64_t j, int64_t k)
{
	return c->samples / k * j + c->samples % k * j / k;
}

static int bowl_parts(const void *conf, int workers, struct sample_part *part)
{
	const struct conf *c = conf;
	const int k = (int)c->optima.n;

	if (!k)
		return 1;
	if (workers % k)
		return error("quadratic: optima has %d values, and there are %d worker%s (expected "
			     "as many values as workers, or a divisor of their number)", k, workers,
			     word_plural(workers));
	for (int i = 0; part && i < workers; i++) {
		const int64_t j = i % k * (workers / k) + i / k;

		part[i].first = part_from(c, j, workers);
		part[i].n = part_from(c, j + 1, workers) - part[i].first;
	}
	return 0;
}

/* Mean of f_j at x over the samples of a batch; *offset <- the mean of their o_j. */
static double bowl_batch(const struct problem *p, const float *x, const struct batch *batch,
			 double *offset)
{
	const struct conf *c = &((const struct bowl *)p->priv)->conf;
	const int64_t k = (int64_t)c->optima.n;
	double loss = 0;

	*offset = 0;
	if (!k)
		return bowl_f(p, x, 0.0);
	for (int64_t j = 0; j < k; j++) {
		const int64_t from = part_from(c, j, k), to = part_from(c, j + 1, k);
		size_t n = 0;

		for (size_t i = 0; i < batch->n; i++)
			n += batch->sample[i] >= from && batch->sample[i] < to;
		if (n) {
			const double share = (double)n / (double)batch->n;

			*offset += share * c->optima.v[j];
			loss += share * bowl_f(p, x, c->optima.v[j]);
		}
	}
	return loss;
}

/* Sum of the losses of samples first .. first + n - 1 of a split. */
static double bowl_sum(const struct problem *p, const float *x, enum split split, int64_t first,
		       int64_t n)
{
	const struct conf *c = &((const struct bowl *)p->priv)->conf;
	const double shift = split == SPLIT_TEST ? c->shift : 0.0;
	const int64_t k = (int64_t)c->optima.n;
	double sum = 0;

	if (!k)
		return (double)n * bowl_f(p, x, shift);
	for (int64_t j = 0; j < k; j++) {
		const double from = fmax((double)part_from(c, j, k), (double)first);
		const double to = fmin((double)part_from(c, j + 1, k), (double)(first + n));
		const double weight = split == SPLIT_TEST ? (double)n / (double)k : to - from;

		if (weight > 0)
			sum += weight * bowl_f(p, x, c->optima.v[j] + shift);
	}
	return sum;
}

static double bowl_grad(const struct problem *p, void *scratch, const float *x,
			const struct batch *batch, float *g, struct grad_hook *hook)
{
	const struct bowl *b = p->priv;
	const double dev = b->conf.noise / sqrt((double)batch->n);
	const bool noisy = batch->use && dev > 0;
	double offset;
	const double loss = bowl_batch(p, x, batch, &offset);
	struct rng r;

	(void)scratch;
	if (noisy)
		rng_at(&r, batch->seed, RNG_NOISE, 0, batch->use[0]);
	for (size_t i = 0; i < p->dim; i++) {
		double d = (double)b->a[i] * ((double)x[i] - (double)b->best[i] - offset);

		g[i] = (float)(noisy ? d + dev * rng_normal(&r) : d);
	}
	grad_done(hook, 0, p->dim);
	return loss;
}

static struct score bowl_score(const struct problem *p, void *scratch, const float *x,
			       const float *stats, enum split split, int64_t first, size_t n)
{
	(void)scratch, (void)stats;
	return (struct score){ .loss = bowl_sum(p, x, split, first, (int64_t)n), .correct = -1,
			       .n = (int64_t)n };
}

static void *bowl_scratch_new(const struct problem *p, size_t max_batch, struct team *team)
{
	(void)team;
	(void)p, (void)max_batch;
	return NULL;
}

static void bowl_scratch_free(const struct problem *p, void *scratch)
{
	(void)p, (void)scratch;
}

static void bowl_close(struct problem *p)
{
	scoped struct bowl *b = p->priv;

	free(b->a);
	free(b->best);
	free(b->conf.optima.v);
	free(p);
}

static const struct problem_ops bowl_ops = {
	.init = bowl_init, .scratch_new = bowl_scratch_new, .scratch_free = bowl_scratch_free,
	.grad = bowl_grad, .score = bowl_score, .close = bowl_close,
};

/* Sets a_i and x*_i, which are equal in every run, whatever its seed. */
static void bowl_shape(struct bowl *b, size_t dim)
{
	struct rng r;

	rng_at(&r, 0, RNG_DATA, 0, 0);
	for (size_t i = 0; i < dim; i++) {
		double position = dim > 1 ? (double)i / (double)(dim - 1) : 1.0;

		b->a[i] = (float)pow(b->conf.cond, position - 1.0);
		b->best[i] = (float)rng_normal(&r);
	}
}

static struct problem *bowl_open(const void *conf)
{
	struct problem *p = xcalloc(1, sizeof(*p));
	struct bowl *b = xcalloc(1, sizeof(*b));
	size_t dim;

	b->conf = *(const struct conf *)conf;
	b->conf.optima.v = xcalloc(b->conf.optima.n, sizeof(*b->conf.optima.v));
	for (size_t j = 0; j < b->conf.optima.n; j++)
		b->conf.optima.v[j] = ((const struct conf *)conf)->optima.v[j];
	dim = (size_t)b->conf.dim;
	b->a = vec_new(dim);
	b->best = vec_new(dim);
	bowl_shape(b, dim);
	b->blob = (struct blob){ .name = "x", .count = dim, .decay = true, .rank = 1,
				 .shape = { (int)dim } };
	*p = (struct problem){
		.ops = &bowl_ops, .name = "quadratic", .dim = dim, .n = { b->conf.samples, 1 },
		.nblobs = 1, .blobs = &b->blob, .priv = b,
	};
	return p;
}

const struct problem_type problem_quadratic = {
	.plugin = { .name = "quadratic", .brief = "a noisy quadratic bowl with a known optimum",
		    .opts = opts, .conf_size = sizeof(struct conf) },
	.open = bowl_open, .parts = bowl_parts,
};
