/*
 * adam.c - steps scaled by running means of the gradient and of its square.
 *
 *     g <- w g + wd x                              (not with decoupled=true)
 *     m <- b1 m + (1 - b1) g;    v <- b2 v + (1 - b2) g^2
 *     x <- x - lr (m / (1 - b1^t) / (sqrt(v / (1 - b2^t)) + eps)  [+ wd x, decoupled=true])
 *
 * t counts the steps of this state, from 1. All of x decays, as in sgd; with decay=matrices only
 * tensors of two dimensions or more, so not biases and scales. With clip=C, w is first multiplied
 * by min(1, C / (|w g| + 1e-6)), where |w g| is the norm over all of x.
 *
 * Papers: Kingma, Ba 2015; decoupled decay (AdamW): Loshchilov, Hutter 2019.
 */
#include "algos/optim/adam.h"
#include "algos/optim/decay_range.h"
#include "core/math/vec.h"

enum { DECAY_ALL, DECAY_MATRICES };

/* The gradient's weight after clipping. */
static float adam_weight(const struct adam_conf *c, float w, size_t n, const float *g)
{
	const double norm = c->clip > 0.0 ? fabs((double)w) * sqrt(vec_dot(n, g, g)) : 0.0;

	return norm > c->clip ? (float)((double)w * c->clip / (norm + 1e-6)) : w;
}

/* A step by a gradient of 0; v stays. */
WIDE static void coast(size_t n, struct adam_rates r, float *x, float *m, const float *v)
{
	for (size_t i = 0; i < n; i++) {
		m[i] = r.b1 * m[i] + (1.0f - r.b1) * (r.in * x[i]);
		x[i] -= r.lr * (m[i] * r.c1 / (sqrtf(v[i] * r.c2) + r.eps) + r.out * x[i]);
	}
}

static struct decay adam_decay(const void *conf)
{
	const struct adam_conf *c = conf;

	return (struct decay){ c->weight_decay, c->decoupled, c->decay == DECAY_MATRICES };
}

static void adam_step(const void *conf, const struct stepping *s, size_t n, const float *g,
		      float *x, float *state)
{
	const struct adam_conf *c = conf;
	const float w = adam_weight(c, s->w, n, g);
	float *t = state + 2 * n;
	struct decay_range p = { 0 };

	*t += 1.0f;
	while (decay_range_next(&p, adam_decay(c), s->nblobs, s->blobs, n))
		adam_move(p.to - p.from, adam_rates(c, (double)*t, s->lr, w, p.decays), g + p.from,
			  x + p.from, state + p.from, state + n + p.from);
}

/* `steps` steps by gradients of 0, of x[from, to). */
static void adam_coast(const struct adam_conf *c, float lr, int64_t steps, bool decays, size_t n,
		       size_t from, size_t to, const float *state, float *x)
{
	enum { FLOATS = 256 };
	float m[FLOATS];

	for (size_t at = from; at < to; at += FLOATS) {
		const size_t some = to - at < FLOATS ? to - at : FLOATS;

		vec_copy(some, state + at, m);
		for (int64_t k = 1; k <= steps; k++) {
			const double t = (double)state[2 * n] + (double)k;

			coast(some, adam_rates(c, t, lr, 0.0f, decays), x + at, m, state + n + at);
		}
	}
}

static void adam_ahead(const void *conf, const struct stepping *s, int64_t steps, size_t n,
		       const float *state, float *x)
{
	struct decay_range p = { 0 };

	while (decay_range_next(&p, adam_decay(conf), s->nblobs, s->blobs, n))
		adam_coast(conf, s->lr, steps, p.decays, n, p.from, p.to, state, x);
}

static const char *const decays[] = { "all", "matrices", NULL };

static const struct opt adam_opts[] = {
	OPT_NUMBER(struct adam_conf, beta1, "0.9", "of the mean of gradients", "B", 0, 0.999999),
	OPT_NUMBER(struct adam_conf, beta2, "0.999", "of the mean of their squares", "B", 0,
		   0.999999),
	OPT_NUMBER(struct adam_conf, eps, "1e-8", "added to the root of that mean", "EPS", 1e-30,
		   1),
	OPT_NUMBER(struct adam_conf, weight_decay, "0", "wd", "WD", 0, 1),
	OPT_FLAG(struct adam_conf, decoupled,
		 "AdamW: decay is applied to x, not added to the gradient"),
	{ "decay", OPT_AT(ENUM, struct adam_conf, decay), "all",
	  "what wd is of: all, or tensors of two dimensions or more", "WHICH", 0, 0, decays,
	  OPT_ADDED },
	{ "clip", OPT_AT(DOUBLE, struct adam_conf, clip), "0",
	  "largest norm of the gradient, which is scaled down to it; 0: any", "NORM", 0, 1e9, NULL,
	  OPT_ADDED },
	{ 0 }
};

const struct optim optim_adam = {
	.plugin = { .name = "adam",
		    .brief = "steps scaled by running means of gradient and square; AdamW",
		    .also = "adamw=adam:decoupled=true",
		    .cite = "Kingma, Ba 2015, arXiv 1412.6980", .opts = adam_opts,
		    .conf_size = sizeof(struct adam_conf) },
	.vectors = 2, .scalars = 1, .step = adam_step, .decay = adam_decay, .ahead = adam_ahead,
};
