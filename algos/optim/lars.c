/*
 * lars.c - layer-wise adaptive rate scaling, for large batches.
 *
 *     l <- eta ||w|| / (||g|| + wd ||w||)          for every layer; 1 where a norm is 0
 *     d <- g + wd w
 *     v <- mu v + lr l d;   w <- w - v
 *
 * ||g|| is the norm of the minibatch mean before decay. v holds steps already multiplied by their
 * rates, so that a change of lr does not affect earlier steps. Every blob is a layer, as in the
 * authors' Caffe. With exclude=true, blobs that the net exempts from decay (blob.decay), such as
 * biases and batch norms, have l = 1, as in later implementations.
 *
 * Paper: You, Gitman, Ginsburg 2017.
 */
#include "algos/optim/layers.h"
#include "core/base/error.h"
#include "core/math/vec.h"
#include "core/math/wide.h"
#include "core/run.h"

struct lars_conf {
	double trust, momentum, weight_decay;
	bool exclude;
};

static double local_rate(const struct lars_conf *c, double w, double g)
{
	return trust(w > 0.0 && g > 0.0 ? c->trust * w : 0.0, g + c->weight_decay * w);
}

WIDE static void lars_move(size_t n, float rate, float weight, float wd, float mu, const float *g,
			   float *x, float *v)
{
	for (size_t i = 0; i < n; i++) {
		v[i] = mu * v[i] + rate * (weight * g[i] + wd * x[i]);
		x[i] -= v[i];
	}
}

static void lars_step_layer(const struct lars_conf *c, const struct stepping *s, struct layer l,
			    const float *g, float *x, float *v)
{
	const bool scaled = l.decay || !c->exclude;
	const double norm_x = scaled ? sqrt(vec_dot(l.n, x, x)) : 0.0;
	const double norm_g = scaled ? fabs((double)s->w) * sqrt(vec_dot(l.n, g, g)) : 0.0;
	const float rate = s->lr * (float)local_rate(c, norm_x, norm_g);

	lars_move(l.n, rate, s->w, l.decay ? (float)c->weight_decay : 0.0f, (float)c->momentum, g,
		  x, v);
}

static void lars_step(const void *conf, const struct stepping *s, size_t n, const float *g,
		      float *x, float *state)
{
	for (size_t i = 0; i < layers(s); i++) {
		const struct layer l = layer_at(s, n, i);

		lars_step_layer(conf, s, l, g + l.at, x + l.at, state + l.at);
	}
}

/* Refuses exclude=true for a net that exempts nothing from decay, as it would have no effect. */
static int lars_check(const void *conf, const struct run *run)
{
	const struct lars_conf *c = conf;

	if (!c->exclude)
		return 0;
	for (size_t i = 0; run->layers && i < run->nlayers; i++)
		if (!run->layers[i].decay)
			return 0;
	return error("lars: exclude = true: the net exempts no tensor from weight decay (expected "
		     "\"decay\": false or \"bias_decay\": false in its file). Mark those that keep "
		     "the global rate, or leave exclude out.");
}

static const struct opt lars_opts[] = {
	OPT_NUMBER(struct lars_conf, trust, "0.001", "eta, the trust coefficient", "ETA", 1e-12,
		   1e6),
	OPT_NUMBER(struct lars_conf, momentum, "0.9", "mu", "MU", -0.999999, 0.999999),
	OPT_NUMBER(struct lars_conf, weight_decay, "5e-4", "wd, in the rate and in the step", "WD",
		   0, 1),
	OPT_FLAG(struct lars_conf, exclude,
		 "what the net exempts from weight decay, such as biases, keeps the global rate"),
	{ 0 }
};

const struct optim optim_lars = {
	.plugin = { .name = "lars",
		    .brief = "momentum with a rate for every layer, by the norms of weights and "
			     "gradient",
		    .cite = "You, Gitman, Ginsburg 2017, arXiv 1708.03888",
		    .opts = lars_opts, .conf_size = sizeof(struct lars_conf) },
	.vectors = 1, .step = lars_step, .check = lars_check, .needs_norms = true,
};
