/*
 * closed_loop.c - momentum that is measured, and adjusted until the total has the wanted value.
 *
 *     v <- mu v - lr (w g + wd x);   x <- x + v
 *     mu <- mu + gain (target - measured)
 *
 * Asynchrony adds momentum to the explicit one, mu. Here mu is whatever makes the total equal to
 * the target, even if mu is negative. The total is measured as in core/math/momentum.h, with alpha
 * the learning rate, as published; or with alpha=effective lr / (1 + mean staleness), which is the
 * factor of the gradient in the paper's theorem (E V_{t+1} = (1 - 1/M) E V_t - lr/M grad f).
 *
 * Departs: the estimate compares a gradient with the model at which it was computed; at most 128
 * coordinates are used; mu stays within +- limit.
 *
 * Paper: Mitliagkas, Zhang, Hadjis, Re 2016.
 */
#include "algos/optim/decay_range.h"
#include "core/math/momentum.h"
#include "core/math/wide.h"
#include "core/optim.h"

#include <math.h>

enum alpha { ALPHA_LR, ALPHA_EFFECTIVE };

struct loop_conf {
	double target, gain, average, limit, weight_decay;
	int alpha;              /* enum alpha */
};

struct loop {                   /* after v in the state; all members have 4 bytes */
	float mu;
	int32_t begun;
	struct momentum_estimate estimate;
};

WIDE static void closed_loop_move(size_t n, float lr, float w, float wd, float mu, const float *g,
				  float *x, float *v)
{
	for (size_t i = 0; i < n; i++) {
		v[i] = mu * v[i] - lr * (w * g[i] + wd * x[i]);
		x[i] += v[i];
	}
}

static double alpha_of(const struct loop_conf *c, const struct stepping *s,
		       const struct loop *l)
{
	const double lr = (double)s->lr;

	return c->alpha == ALPHA_EFFECTIVE ? lr / (1.0 + (double)l->estimate.staleness) : lr;
}

static void closed_loop_correct(const struct loop_conf *c, struct loop *l, size_t n)
{
	const double measured = momentum_of(&l->estimate, n);
	const double mu = (double)l->mu + c->gain * (c->target - measured);

	if (isfinite(mu))
		l->mu = (float)fmin(fmax(mu, -c->limit), c->limit);
}

static void loop_step(const void *conf, const struct stepping *s, size_t n, const float *g,
		      float *x, float *state)
{
	const struct loop_conf *c = conf;
	struct loop *l = (struct loop *)(void *)(state + n);
	const float wd = (float)c->weight_decay;
	struct decay_range p = { 0 };

	if (!l->begun)
		l->mu = (float)c->target;
	l->begun = 1;
	/* the estimate, a median, counts weight decay in exempt tensors too */
	momentum_begin(&l->estimate, n, x);
	while (decay_range_next(&p, (struct decay){ .rate = c->weight_decay }, s->nblobs, s->blobs,
				n))
		closed_loop_move(p.to - p.from, s->lr, s->w, p.decays ? wd : 0.0f, l->mu,
				 g + p.from, x + p.from, state + p.from);
	momentum_add(&l->estimate,
		     &(struct momentum_step){ .n = n, .g = g, .w = s->w, .decay = wd,
					      .alpha = alpha_of(c, s, l),
					      .staleness = s->staleness, .keep = c->average }, x);
	closed_loop_correct(c, l, n);
}

static const char *const alphas[] = { "lr", "effective", NULL };

static const struct opt loop_opts[] = {
	OPT_NUMBER(struct loop_conf, target, "0.9", "the total momentum that is asked for", "MU",
		   -0.999, 0.999),
	OPT_NUMBER(struct loop_conf, gain, "0.01",
		   "share of the difference that is corrected at each step", "G", 0, 1),
	OPT_NUMBER(struct loop_conf, average, "0.99", "share that the averages keep at each step",
		   "S", 0, 0.999999),
	OPT_NUMBER(struct loop_conf, limit, "0.99", "size of the rule's own momentum at most", "MU",
		   0, 0.999999),
	OPT_CHOICE(struct loop_conf, alpha, "effective",
		   "the learning rate of the estimate: the published one, or the effective one "
		   "among stale gradients", "WHICH", alphas),
	OPT_NUMBER(struct loop_conf, weight_decay, "1e-4", "wd", "WD", 0, 1),
	{ 0 }
};

const struct optim optim_closed_loop = {
	.plugin = { .name = "closed-loop",
		    .brief = "momentum measured and corrected, whatever asynchrony adds to it",
		    .cite = "Mitliagkas, Zhang, Hadjis, Re 2016, arXiv 1605.09774",
		    .opts = loop_opts, .conf_size = sizeof(struct loop_conf) },
	.vectors = 1, .scalars = sizeof(struct loop) / sizeof(float), .step = loop_step
};
