/*
 * lamb.c - Adam's steps, scaled for every layer as LARS does, for large batches.
 *
 *     m <- b1 m + (1 - b1) g;    v <- b2 v + (1 - b2) g^2
 *     u <- m / (1 - b1^t) / (sqrt(v / (1 - b2^t)) + eps) + wd x
 *     x <- x - lr ||x|| / ||u|| u                  for every layer; 1 where a norm is 0
 *
 * t counts the steps of this state, from 1. Tensors without decay, which the net declares for its
 * biases and batch norms (blob.decay), are not scaled either. ||x|| is not clipped.
 *
 * Paper: You, Li, Reddi, Hseu, Kumar, Bhojanapalli, Song, Demmel, Keutzer, Hsieh 2020.
 */
#include "algos/optim/layers.h"
#include "core/math/vec.h"
#include "core/math/wide.h"

struct lamb_conf {
	double beta1, beta2, eps, weight_decay;
};

struct lamb_rates {             /* of one step */
	float w, wd;            /* weight of g; decay */
	float b1, b2, c1, c2;   /* betas; 1 / (1 - beta^t) */
	float eps;
};

WIDE static void direction(size_t n, struct lamb_rates r, const float *g, const float *x, float *m,
			   float *v, float *u)
{
	for (size_t i = 0; i < n; i++) {
		const float d = r.w * g[i];

		m[i] = r.b1 * m[i] + (1.0f - r.b1) * d;
		v[i] = r.b2 * v[i] + (1.0f - r.b2) * (d * d);
		u[i] = m[i] * r.c1 / (sqrtf(v[i] * r.c2) + r.eps) + r.wd * x[i];
	}
}

WIDE static void lamb_move(size_t n, float rate, const float *u, float *x)
{
	for (size_t i = 0; i < n; i++)
		x[i] -= rate * u[i];
}

static void lamb_step_layer(float lr, struct lamb_rates r, struct layer l, size_t dim,
			    const float *g, float *x, float *state)
{
	float *u = state + 2 * dim + l.at;
	double ratio = 1.0;

	r.wd = l.decay ? r.wd : 0.0f;
	direction(l.n, r, g, x, state + l.at, state + dim + l.at, u);
	if (l.decay)
		ratio = trust(sqrt(vec_dot(l.n, x, x)), sqrt(vec_dot(l.n, u, u)));
	lamb_move(l.n, lr * (float)ratio, u, x);
}

static void lamb_step(const void *conf, const struct stepping *s, size_t n, const float *g,
		      float *x, float *state)
{
	const struct lamb_conf *c = conf;
	float *t = state + 3 * n;
	struct lamb_rates r = { .w = s->w,
				.wd = (float)c->weight_decay, .b1 = (float)c->beta1,
				.b2 = (float)c->beta2,
				.eps = (float)c->eps };

	*t += 1.0f;
	r.c1 = (float)(1.0 / (1.0 - pow(c->beta1, (double)*t)));
	r.c2 = (float)(1.0 / (1.0 - pow(c->beta2, (double)*t)));
	for (size_t i = 0; i < layers(s); i++) {
		const struct layer l = layer_at(s, n, i);

		lamb_step_layer(s->lr, r, l, n, g + l.at, x + l.at, state);
	}
}

static const struct opt lamb_opts[] = {
	OPT_NUMBER(struct lamb_conf, beta1, "0.9", "of the mean of gradients", "B", 0, 0.999999),
	OPT_NUMBER(struct lamb_conf, beta2, "0.999", "of the mean of their squares", "B", 0,
		   0.999999),
	OPT_NUMBER(struct lamb_conf, eps, "1e-6", "added to the root of that mean", "EPS", 1e-30,
		   1),
	OPT_NUMBER(struct lamb_conf, weight_decay, "0.01", "wd", "WD", 0, 1),
	{ 0 }
};

const struct optim optim_lamb = {
	.plugin = { .name = "lamb",
		    .brief = "Adam with a rate for every layer, by the norms of weights and step",
		    .cite = "You et al. 2020, arXiv 1904.00962",
		    .opts = lamb_opts, .conf_size = sizeof(struct lamb_conf) },
	.vectors = 3, .scalars = 1, .step = lamb_step, .needs_norms = true,
};
