/* Corrections of stale gradients on a server: the gap penalty and delay compensation. */
#include "algos/common/server/stale_gradient.h"

#include "algos/optim/decay_range.h"
#include "core/base/error.h"
#include "core/math/vec.h"
#include "core/math/wide.h"

#include <math.h>

const char *const stale_penalties[] = { "parameter", "layer", "global", NULL };

struct missing {                /* weight decay that the optimiser adds to a scaled step */
	float in, out;          /* factors of x: added to the gradient; subtracted from x */
};

/* g <- w (g + in x) - in x;  x <- x - (w - 1) out x */
WIDE static void missing_weigh(size_t n, float w, struct missing d, float *x, float *g)
{
	for (size_t i = 0; i < n; i++) {
		g[i] = w * g[i] + (w - 1.0f) * (d.in * x[i]);
		x[i] -= (w - 1.0f) * (d.out * x[i]);
	}
}

/* r <- keep r + (1 - keep) v^2 */
WIDE static void average(size_t n, float keep, const float *v, float *r)
{
	for (size_t i = 0; i < n; i++)
		r[i] = keep * r[i] + (1.0f - keep) * v[i] * v[i];
}

/* Divides g + wd x by P for each parameter, as missing_weigh() with w = 1 / P. */
WIDE static void penalise(size_t n, float unbias, float eta_max, struct missing d,
			  const float *r, const float *theirs, float *x, float *g)
{
	for (size_t i = 0; i < n; i++) {
		float c = eta_max * (sqrtf(unbias * r[i]) + 1e-8f);
		float w = 1.0f / (1.0f + fabsf(x[i] - theirs[i]) / c);

		g[i] = w * g[i] + (w - 1.0f) * (d.in * x[i]);
		x[i] -= (w - 1.0f) * (d.out * x[i]);
	}
}

/*
 * Finds the next stretch of x[n] (from tensor p->blob on) with one weight decay, and sets *m to the
 * decay that is missing there. False at the end of x.
 */
static bool stale_next(const struct node *nd, struct decay d, struct decay_range *p, size_t n,
		      struct missing *m)
{
	const struct blob *blobs;
	const size_t nblobs = node_layers(nd, &blobs);

	if (!decay_range_next(p, d, nblobs, blobs, n))
		return false;
	*m = (struct missing){ 0 };
	if (p->decays && d.decoupled)
		m->out = (float)(node_lr(nd) * d.rate);
	else if (p->decays)
		m->in = (float)d.rate;
	return true;
}

/* Number of layers whose gap is measured; 1 if x counts as one layer. */
static size_t layers_of(const struct node *nd, const struct stale_gap_conf *c)
{
	const struct blob *layers;
	const size_t n = c->penalty == PENALTY_LAYER ? node_layers(nd, &layers) : 0;

	return n ? n : 1;
}

/* Scales a step by w in g and x of [at, at + n), where `blob` is the first tensor. */
static void stale_weigh(const struct node *nd, struct decay d, size_t blob, size_t at, size_t n,
		       float w, float *g)
{
	struct decay_range p = { .to = at, .blob = blob };
	struct missing m;

	while (stale_next(nd, d, &p, at + n, &m))
		missing_weigh(p.to - p.from, w, m, nd->x + p.from, g + p.from);
}

/* The stretch of x that is layer l: *n floats from the offset returned. */
static size_t layer_at(const struct node *nd, const struct stale_gap_conf *c, size_t l, size_t *n)
{
	const struct blob *layers;

	*n = nd->dim;
	if (layers_of(nd, c) == 1 || node_layers(nd, &layers) == 0)
		return 0;
	*n = layers[l].count;
	return layers[l].offset;
}

void stale_gap_start(struct node *nd, struct stale_gap *gap, const struct stale_gap_conf *c)
{
	gap->r = c->penalty == PENALTY_PARAMETER
			 ? node_vec(nd) : node_floats(nd, layers_of(nd, c));
}

void stale_gap_average(const struct node *nd, struct stale_gap *gap,
		       const struct stale_gap_conf *c, const float *v)
{
	const double keep = c->big_gamma;

	gap->steps++;
	gap->eta_max = gap->measured ? 1.0 : fmax(gap->eta_max, node_lr(nd));
	if (!gap->r || gap->eta_max <= 0.0)
		return;
	if (c->penalty == PENALTY_PARAMETER) {
		average(nd->dim, (float)keep, v, gap->r);
		return;
	}
	for (size_t l = 0; l < layers_of(nd, c); l++) {
		size_t n, at = layer_at(nd, c, l, &n);

		gap->r[l] = (float)(keep * (double)gap->r[l] +
				    (1.0 - keep) * vec_dot(n, v + at, v + at));
	}
}

static void divide_layer(const struct node *nd, const struct stale_gap *gap, double unbias,
			 const struct stale_gap_conf *c, size_t l, const float *theirs,
			 struct decay d, float *g)
{
	const double step = gap->eta_max * (sqrt(unbias * (double)gap->r[l]) + 1e-8);
	size_t n, at = layer_at(nd, c, l, &n);

	stale_weigh(nd, d, l, at, n,
		   (float)(1.0 / (1.0 + vec_dist(n, nd->x + at, theirs + at) / step)), g);
}

static void divide_parameters(const struct node *nd, const struct stale_gap *gap, double unbias,
			      const float *theirs, struct decay d, float *g)
{
	struct decay_range p = { 0 };
	struct missing m;

	while (stale_next(nd, d, &p, nd->dim, &m))
		penalise(p.to - p.from, (float)unbias, (float)gap->eta_max, m, gap->r + p.from,
			 theirs + p.from, nd->x + p.from, g + p.from);
}

void stale_gap_divide(const struct node *nd, const struct stale_gap *gap,
		      const struct stale_gap_conf *c, const float *theirs, struct decay d,
		      float *g)
{
	double unbias;

	if (!g || gap->eta_max <= 0.0)
		return;
	unbias = c->debias ? 1.0 / (1.0 - pow(c->big_gamma, (double)gap->steps)) : 1.0;
	if (c->penalty == PENALTY_PARAMETER)
		divide_parameters(nd, gap, unbias, theirs, d, g);
	else
		for (size_t l = 0; l < layers_of(nd, c); l++)
			divide_layer(nd, gap, unbias, c, l, theirs, d, g);
}

WIDE static void stale_gradient_compensate(size_t n, float lambda, const float *x,
					   const float *theirs, float *g)
{
	for (size_t i = 0; i < n; i++)
		g[i] += lambda * g[i] * g[i] * (x[i] - theirs[i]);
}

void stale_compensate(const struct node *nd, double lambda, const float *theirs, float *g)
{
	if (g)
		stale_gradient_compensate(nd->dim, (float)lambda, nd->x, theirs, g);
}

void stale_step(struct node *nd, const struct msg *m, double w, float *scratch)
{
	vec_copy(nd->dim, m->vec, scratch);
	if (scratch)
		stale_weigh(nd, node_decay(nd), 0, 0, nd->dim, (float)w, scratch);
	node_step(nd, scratch, 1.0f);
}

int stale_check(const struct run *run)
{
	if (run->optim->decay)
		return 0;
	return error("algorithm %s weighs a gradient and its weight decay (expected an optimiser "
		     "whose steps have such a weight: sgd or adam, not '%s'). Choose another "
		     "--optim or --algo.", run->algo->plugin.name, run->optim->plugin.name);
}
