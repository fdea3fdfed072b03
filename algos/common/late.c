/* Corrections of stale gradients on a server: the gap penalty and delay compensation. */
#include "algos/common/late.h"

#include "core/base/error.h"
#include "core/math/vec.h"
#include "core/math/wide.h"

#include <math.h>

const char *const late_penalties[] = { "parameter", "layer", "global", NULL };

/* g <- w (g + wd x) - wd x */
WIDE static void weigh(size_t n, float w, float wd, const float *x, float *g)
{
	for (size_t i = 0; i < n; i++)
		g[i] = w * g[i] + (w - 1.0f) * (wd * x[i]);
}

/* r <- keep r + (1 - keep) v^2 */
WIDE static void average(size_t n, float keep, const float *v, float *r)
{
	for (size_t i = 0; i < n; i++)
		r[i] = keep * r[i] + (1.0f - keep) * v[i] * v[i];
}

/* The same as weigh() with w = 1 / P of each element. */
WIDE static void penalise(size_t n, float unbias, float eta_max, float wd, const float *r,
			  const float *x, const float *theirs, float *g)
{
	for (size_t i = 0; i < n; i++) {
		float c = eta_max * (sqrtf(unbias * r[i]) + 1e-8f);
		float w = 1.0f / (1.0f + fabsf(x[i] - theirs[i]) / c);

		g[i] = w * g[i] + (w - 1.0f) * (wd * x[i]);
	}
}

/* The run's layers, or all of x as one. */
static size_t layers_of(const struct node *nd, const struct late_gap_conf *c)
{
	const struct blob *layers;
	const size_t n = c->penalty == PENALTY_LAYER ? node_layers(nd, &layers) : 0;

	return n ? n : 1;
}

static void penalise_layer(const struct node *nd, struct late_gap *gap, double unbias,
			   const struct late_gap_conf *c, size_t l, const float *v,
			   const float *theirs, double wd, float *g)
{
	const bool whole = layers_of(nd, c) == 1;
	const struct blob *layers;
	const double keep = c->big_gamma;
	size_t at = 0, n = nd->dim;
	double step;

	if (!whole && node_layers(nd, &layers)) {
		at = layers[l].offset;
		n = layers[l].count;
	}
	gap->r[l] = (float)(keep * (double)gap->r[l] + (1.0 - keep) * vec_dot(n, v + at, v + at));
	step = gap->eta_max * (sqrt(unbias * (double)gap->r[l]) + 1e-8);
	weigh(n, (float)(1.0 / (1.0 + vec_dist(n, nd->x + at, theirs + at) / step)), (float)wd,
	      nd->x + at, g + at);
}

void late_gap_start(struct node *nd, struct late_gap *gap, const struct late_gap_conf *c)
{
	gap->r = c->penalty == PENALTY_PARAMETER
			 ? node_vec(nd) : node_alloc(nd, layers_of(nd, c), sizeof(*gap->r));
}

void late_gap(const struct node *nd, struct late_gap *gap, const struct late_gap_conf *c,
	      const float *v, const float *theirs, double wd, float *g)
{
	double unbias;

	gap->steps++;
	gap->eta_max = gap->measured ? 1.0 : fmax(gap->eta_max, node_lr(nd));
	if (!g || gap->eta_max <= 0.0)
		return;
	unbias = 1.0 / (1.0 - pow(c->big_gamma, (double)gap->steps));
	if (c->penalty == PENALTY_PARAMETER) {
		average(nd->dim, (float)c->big_gamma, v, gap->r);
		penalise(nd->dim, (float)unbias, (float)gap->eta_max, (float)wd, gap->r, nd->x,
			 theirs, g);
		return;
	}
	for (size_t l = 0; l < layers_of(nd, c); l++)
		penalise_layer(nd, gap, unbias, c, l, v, theirs, wd, g);
}

WIDE static void compensate(size_t n, float lambda, const float *x, const float *theirs, float *g)
{
	for (size_t i = 0; i < n; i++)
		g[i] += lambda * g[i] * g[i] * (x[i] - theirs[i]);
}

void late_compensate(const struct node *nd, double lambda, const float *theirs, float *g)
{
	if (g)
		compensate(nd->dim, (float)lambda, nd->x, theirs, g);
}

void late_step(struct node *nd, const struct msg *m, double w, float *scratch)
{
	vec_copy(nd->dim, m->vec, scratch);
	if (scratch)
		weigh(nd->dim, (float)w, (float)node_momentum(nd).weight_decay, nd->x, scratch);
	node_step(nd, scratch, 1.0f);
}

int late_check(const struct run *run)
{
	if (run->optim->momentum)
		return 0;
	return error("algorithm %s needs an optimiser whose steps are gradient, weight decay and "
		     "momentum, such as sgd; those of '%s' are not", run->algo->plugin.name,
		     run->optim->plugin.name);
}
