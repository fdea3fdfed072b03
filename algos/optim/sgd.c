/*
 * sgd.c - stochastic gradient descent with momentum.
 *
 *     d <- w g + wd x
 *     v <- mu v + d
 *     x <- x - lr (nesterov ? d + mu v : v)
 *
 * The form of Torch's optim.sgd without dampening. Sutskever et al. 2013 scale v
 * by lr instead; the two differ only while lr changes.
 *
 * Asynchrony of M workers acts as momentum, 1 - 1/M (Mitliagkas et al. 2016). With explicit
 * momentum mu too, V_{t+1} = (mu + 1 - 1/M) V_t - mu (1 - 1/M) V_{t-1} - lr/M grad f. With
 * asynchrony=M the explicit momentum becomes mu - (1 - 1/M), so that the factor of V_t is the mu
 * asked for. The term of V_{t-1} is not compensated; it is 0 if the explicit momentum is 0.
 *
 * wd is 0 for parameters that the net exempts from decay, such as the biases of Caffe's nets.
 */
#include "algos/optim/decay_range.h"
#include "core/base/error.h"
#include "core/math/wide.h"
#include "core/run.h"

#include <math.h>

struct sgd_conf {
	double momentum, weight_decay;
	int64_t asynchrony;
	bool nesterov;
};

enum { OF_THE_RUN = -1 };       /* asynchrony: use the number of workers */

/* Explicit momentum: the momentum asked for, minus 1 - 1/m, which m asynchronous workers add. */
static double explicit_momentum(const struct sgd_conf *c, int workers)
{
	const double m = c->asynchrony == OF_THE_RUN ? workers : (double)c->asynchrony;

	return m > 0.0 ? c->momentum - (1.0 - 1.0 / m) : c->momentum;
}

static int sgd_check(const void *conf, const struct run *run)
{
	const struct sgd_conf *c = conf;
	const int workers = run->workers;
	const double mu = explicit_momentum(c, workers);

	if (fabs(mu) < 1.0)
		return 0;
	return error("sgd: momentum = %g less that of asynchrony = %lld among %d workers is %g: "
		     "its size must be less than 1", c->momentum, (long long)c->asynchrony,
		     workers, mu);
}

WIDE static void plain(size_t n, float lr, float w, float wd, const float *g, float *x)
{
	for (size_t i = 0; i < n; i++)
		x[i] -= lr * (w * g[i] + wd * x[i]);
}

WIDE static void polyak(size_t n, float lr, float w, float wd, float mu, const float *g,
			float *x, float *v)
{
	for (size_t i = 0; i < n; i++) {
		v[i] = mu * v[i] + (w * g[i] + wd * x[i]);
		x[i] -= lr * v[i];
	}
}

WIDE static void nesterov(size_t n, float lr, float w, float wd, float mu, const float *g,
			  float *x, float *v)
{
	for (size_t i = 0; i < n; i++) {
		float d = w * g[i] + wd * x[i];

		v[i] = mu * v[i] + d;
		x[i] -= lr * (d + mu * v[i]);
	}
}

static struct decay sgd_decay(const void *conf)
{
	const struct sgd_conf *c = conf;

	return (struct decay){ .rate = c->weight_decay };
}

static void sgd_step(const void *conf, const struct stepping *s, size_t n, const float *g,
		     float *x, float *state)
{
	const struct sgd_conf *c = conf;
	const float mu = (float)explicit_momentum(c, s->workers);
	struct decay_range p = { 0 };

	while (decay_range_next(&p, sgd_decay(c), s->nblobs, s->blobs, n)) {
		const float wd = p.decays ? (float)c->weight_decay : 0.0f;
		const size_t at = p.from, count = p.to - p.from;

		if (mu == 0.0f)
			plain(count, s->lr, s->w, wd, g + at, x + at);
		else if (c->nesterov)
			nesterov(count, s->lr, s->w, wd, mu, g + at, x + at, state + at);
		else
			polyak(count, s->lr, s->w, wd, mu, g + at, x + at, state + at);
	}
}

static struct momentum sgd_momentum(const void *conf, int workers)
{
	const struct sgd_conf *c = conf;

	return (struct momentum){ explicit_momentum(c, workers), c->weight_decay, c->nesterov };
}

WIDE static void ahead(size_t n, int64_t steps, float lr, float wd, float mu, bool nesterov,
		       const float *v, float *x)
{
	for (size_t i = 0; i < n; i++) {
		float at = x[i], along = v[i];

		for (int64_t k = 0; k < steps; k++) {
			const float d = wd * at;

			along = mu * along + d;
			at -= lr * (nesterov ? d + mu * along : along);
		}
		x[i] = at;
	}
}

static void sgd_ahead(const void *conf, const struct stepping *s, int64_t steps, size_t n,
		      const float *state, float *x)
{
	const struct sgd_conf *c = conf;
	struct decay_range p = { 0 };

	while (decay_range_next(&p, sgd_decay(c), s->nblobs, s->blobs, n))
		ahead(p.to - p.from, steps, s->lr, p.decays ? (float)c->weight_decay : 0.0f,
		      (float)explicit_momentum(c, s->workers), c->nesterov, state + p.from,
		      x + p.from);
}

static const struct opt sgd_opts[] = {
	OPT_NUMBER(struct sgd_conf, momentum, "0.9", "mu; may be negative", "MU", -0.999999,
		   0.999999),
	{ "nesterov", OPT_AT(BOOL, struct sgd_conf, nesterov), "true",
	  "look ahead along the momentum", NULL, 0, 0, NULL, 0 },
	{ "asynchrony", OPT_AT(INT, struct sgd_conf, asynchrony), "0",
	  "M: the momentum that M asynchronous workers bring along, 1 - 1/M, is subtracted from "
	  "mu; 0: nothing is, -1: that of the run's workers", "M", OF_THE_RUN, 1 << 24, NULL, 0 },
	OPT_NUMBER(struct sgd_conf, weight_decay, "1e-4", "wd, added to the gradient as wd * x",
		   "WD", 0, 1),
	{ 0 }
};

const struct optim optim_sgd = {
	.plugin = { .name = "sgd",
		    .brief = "stochastic gradient descent, momentum, Nesterov, weight decay",
		    .also = "momentum=sgd:momentum=..., sgdm=sgd:momentum=..., "
			    "nag=sgd:nesterov=true, nesterov=sgd:nesterov=true",
		    .cite = "Sutskever, Martens, Dahl, Hinton 2013", .opts = sgd_opts,
		    .conf_size = sizeof(struct sgd_conf) },
	.vectors = 1, .step = sgd_step, .momentum = sgd_momentum,
	.decay = sgd_decay, .ahead = sgd_ahead, .check = sgd_check,
};
