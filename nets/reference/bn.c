/* bn.c - the reference's batch normalisation: each channel over all pixels of the batch. */
#include "core/base/mem.h"
#include "nets/reference/layers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A layer's call: mean and variance of each channel, sums, and gradients of mean and variance. */
struct bn {
	struct view v;
	size_t width, rows;
	double *mean, *var;
	double *dy, *dy_away, *away;    /* sums of dy, of dy (x - mean), of x - mean */
	double *dmean, *dvar;
};

static struct bn bn_new(struct state *s, int i)
{
	const struct view v = view_of(s, i);
	const size_t width = (size_t)v.x->c;
	double *sums = xcalloc(7 * width, sizeof(*sums));

	return (struct bn){
		.v = v, .width = width, .rows = tensor_count(v.x) / width,
		.mean = sums, .var = sums + width,
		.dy = sums + 2 * width, .dy_away = sums + 3 * width, .away = sums + 4 * width,
		.dmean = sums + 5 * width, .dvar = sums + 6 * width,
	};
}

static void bn_moments(struct bn *a)
{
	for (size_t r = 0; r < a->rows; r++)
		for (size_t c = 0; c < a->width; c++)
			a->mean[c] += pixel(a->v.x, r)[c];
	for (size_t c = 0; c < a->width; c++)
		a->mean[c] /= (double)a->rows;
	for (size_t r = 0; r < a->rows; r++)
		for (size_t c = 0; c < a->width; c++) {
			const double away = pixel(a->v.x, r)[c] - a->mean[c];

			a->var[c] += away * away;
		}
	for (size_t c = 0; c < a->width; c++)
		a->var[c] /= (double)a->rows;
}

static void bn_forward(const struct state *s, struct bn *a)
{
	const struct layer *l = a->v.l;
	const double *gamma = s->x + l->weight, *beta = s->x + l->beta;
	const size_t bytes = a->width * sizeof(double);

	if (s->stats_in) {
		memcpy(a->mean, s->stats_in + l->stats, bytes);
		memcpy(a->var, s->stats_in + l->stats + a->width, bytes);
	} else {
		bn_moments(a);
	}
	if (s->stats_out) {
		memcpy(s->stats_out + l->stats, a->mean, bytes);
		memcpy(s->stats_out + l->stats + a->width, a->var, bytes);
	}
	for (size_t r = 0; r < a->rows; r++) {
		const double *x = pixel(a->v.x, r);
		double *y = pixel(a->v.y, r);

		for (size_t c = 0; c < a->width; c++)
			y[c] = gamma[c] * (x[c] - a->mean[c]) / sqrt(a->var[c] + l->eps) + beta[c];
	}
}

static void bn_sum(struct bn *a)
{
	bn_moments(a);
	for (size_t r = 0; r < a->rows; r++) {
		const double *x = pixel(a->v.x, r), *dy = pixel(a->v.dy, r);

		for (size_t c = 0; c < a->width; c++) {
			a->dy[c] += dy[c];
			a->dy_away[c] += dy[c] * (x[c] - a->mean[c]);
			a->away[c] += x[c] - a->mean[c];
		}
	}
}

/* By the chain rule through mean and variance, as written in the paper's list of equations. */
static void bn_channel_back(struct state *s, const struct bn *a, size_t c)
{
	const struct layer *l = a->v.l;
	const double m = (double)a->rows, dev = sqrt(a->var[c] + l->eps);
	const double gamma = s->x[l->weight + c];

	s->grad[l->weight + c] += a->dy_away[c] / dev;
	s->grad[l->beta + c] += a->dy[c];
	a->dvar[c] = gamma * a->dy_away[c] * -0.5 * pow(dev, -3);
	a->dmean[c] = -gamma * a->dy[c] / dev + a->dvar[c] * -2 * a->away[c] / m;
}

static void bn_backward(struct state *s, struct bn *a)
{
	const struct layer *l = a->v.l;
	const double m = (double)a->rows, *gamma = s->x + l->weight;

	bn_sum(a);
	for (size_t c = 0; c < a->width; c++)
		bn_channel_back(s, a, c);
	for (size_t r = 0; r < a->rows; r++) {
		const double *x = pixel(a->v.x, r), *dy = pixel(a->v.dy, r);
		double *dx = pixel(a->v.dx, r);

		for (size_t c = 0; c < a->width; c++)
			dx[c] += dy[c] * gamma[c] / sqrt(a->var[c] + l->eps) +
				 a->dvar[c] * 2 * (x[c] - a->mean[c]) / m + a->dmean[c] / m;
	}
}

void reference_bn(struct state *s, int i, bool back)
{
	struct bn a = bn_new(s, i);

	if (back)
		bn_backward(s, &a);
	else
		bn_forward(s, &a);
	free(a.mean);
}
