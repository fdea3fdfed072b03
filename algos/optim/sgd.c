/*
 * sgd.c - stochastic gradient descent with momentum.
 *
 *     d <- w g + wd x
 *     v <- mu v + d
 *     x <- x - lr (nesterov ? d + mu v : v)
 *
 * The form of Torch's optim.sgd without dampening. Sutskever et al. 2013 scale v
 * by lr instead; the two differ only while lr changes.
 */
#include "core/optim.h"
#include "core/wide.h"

struct sgd_conf {
	double momentum, weight_decay;
	bool nesterov;
};

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

static void sgd_step(const void *conf, const struct stepping *s, size_t n, const float *g,
		     float *x, float *state)
{
	const struct sgd_conf *c = conf;
	const float mu = (float)c->momentum, wd = (float)c->weight_decay;

	if (c->momentum == 0.0)
		plain(n, s->lr, s->w, wd, g, x);
	else if (c->nesterov)
		nesterov(n, s->lr, s->w, wd, mu, g, x, state);
	else
		polyak(n, s->lr, s->w, wd, mu, g, x, state);
}

static struct momentum sgd_momentum(const void *conf)
{
	const struct sgd_conf *c = conf;

	return (struct momentum){ c->momentum, c->weight_decay, c->nesterov };
}

static const struct opt sgd_opts[] = {
	{ "momentum", OPT_DOUBLE, offsetof(struct sgd_conf, momentum), "0.9",
	  "mu; may be negative", "MU", -0.999999, 0.999999, NULL, 0 },
	{ "nesterov", OPT_BOOL, offsetof(struct sgd_conf, nesterov), "true",
	  "look ahead along the momentum", NULL, 0, 0, NULL, 0 },
	{ "weight_decay", OPT_DOUBLE, offsetof(struct sgd_conf, weight_decay), "1e-4",
	  "wd, added to the gradient as wd * x", "WD", 0, 1, NULL, 0 },
	{ 0 }
};

extern const struct optim optim_sgd;
const struct optim optim_sgd = {
	.plugin = { "sgd", "stochastic gradient descent, momentum, Nesterov, weight decay",
		    "Sutskever, Martens, Dahl, Hinton 2013", sgd_opts, sizeof(struct sgd_conf) },
	.vectors = 1, .step = sgd_step, .momentum = sgd_momentum,
};
