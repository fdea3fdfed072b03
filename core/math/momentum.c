/* Estimates a run's total momentum from differences of successive models. */
#include "core/math/momentum.h"

#include "core/math/median.h"

#include <math.h>

/* A coordinate whose mean move is a smaller share of its value is ignored: this may be rounding. */
static const float at_rest = 1e-6f;

/* Coordinates used of a vector of n. */
static size_t momentum_coords(size_t n)
{
	return n < MOMENTUM_COORDS ? n : MOMENTUM_COORDS;
}

/* Index of the i-th sampled coordinate in a vector of n. */
static size_t momentum_index(size_t n, size_t i)
{
	return i * n / momentum_coords(n);
}

/* Slot of the model `age` steps ago, 0: the latest. Stays in range for a damaged checkpoint too. */
static size_t momentum_slot(const struct momentum_estimate *e, int64_t age)
{
	return ((uint64_t)e->next - 1 - (uint64_t)age) % MOMENTUM_MODELS;
}

static const float *momentum_model(const struct momentum_estimate *e, int64_t age)
{
	return e->x[momentum_slot(e, age)];
}

static void momentum_remember(struct momentum_estimate *e, size_t n, const float *x)
{
	float *latest;

	e->next = (int32_t)(((uint64_t)e->next + 1) % MOMENTUM_MODELS);
	latest = e->x[momentum_slot(e, 0)];
	for (size_t i = 0; i < momentum_coords(n); i++)
		latest[i] = x[momentum_index(n, i)];
	e->have += e->have < MOMENTUM_MODELS;
}

void momentum_begin(struct momentum_estimate *e, size_t n, const float *x)
{
	if (e->have == 0)
		momentum_remember(e, n, x);
}

/* The exponential average after another value. */
static float average(float old, float now, double keep)
{
	return (float)(keep * (double)old + (1.0 - keep) * (double)now);
}

void momentum_add(struct momentum_estimate *e, const struct momentum_step *s, const float *x)
{
	const float *after, *at, *before;       /* x_{k+1}, x_k, x_{k-1}; C was computed at x_k */

	momentum_remember(e, s->n, x);
	if (s->staleness < 0 || s->staleness + 2 >= e->have)
		return;
	after = momentum_model(e, s->staleness);
	at = momentum_model(e, s->staleness + 1);
	before = momentum_model(e, s->staleness + 2);
	for (size_t i = 0; i < momentum_coords(s->n); i++) {
		const float g = s->w * s->g[momentum_index(s->n, i)] + s->decay * at[i];

		e->moved[i] = average(e->moved[i], after[i] - at[i], s->keep);
		e->before[i] = average(e->before[i], at[i] - before[i], s->keep);
		e->pulled[i] = average(e->pulled[i], (float)(s->alpha * (double)g), s->keep);
	}
	e->staleness = average(e->staleness, (float)s->staleness, e->gradients ? s->keep : 0.0);
	e->gradients += e->gradients < MOMENTUM_FIRST;
}

double momentum_of(const struct momentum_estimate *e, size_t n)
{
	const float *x = momentum_model(e, 0);
	double ratio[MOMENTUM_COORDS];  /* [k] of the coordinates that moved */
	size_t k = 0;

	if (e->gradients < MOMENTUM_FIRST)
		return (double)NAN;
	for (size_t i = 0; i < momentum_coords(n); i++) {
		ratio[k] = ((double)e->moved[i] + (double)e->pulled[i]) / (double)e->before[i];
		k += isfinite(ratio[k]) && fabsf(e->before[i]) > at_rest * fabsf(x[i]) ? 1 : 0;
	}
	return median_of(ratio, k);
}
