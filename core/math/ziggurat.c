/*
 * ziggurat.c - Marsaglia, Tsang 2000, with Doornik's (2005) separate bits for layer and position.
 *
 * The area under exp(-x^2 / 2), x > 0, is cut into layers of equal area: the lowest is a rectangle
 * of width `edge` and the tail beyond it, the others are rectangles that extend beyond the curve.
 */
#include "core/math/ziggurat.h"

#include <math.h>
#include <pthread.h>

const double ziggurat_edge = 3.6541528853610088;

static struct ziggurat table;

static double ziggurat_density(double x)
{
	return exp(-0.5 * x * x);
}

static void ziggurat_fill(void)
{
	const double edge = ziggurat_edge, half_pi = 1.5707963267948966;
	const double tail = sqrt(half_pi) * erfc(edge / sqrt(2.0));
	const double area = edge * ziggurat_density(edge) + tail;
	double *x = table.x;

	x[0] = area / ziggurat_density(edge);
	x[1] = edge;
	for (int i = 2; i < ZIGGURAT_LAYERS; i++)
		x[i] = sqrt(-2.0 * log(area / x[i - 1] + ziggurat_density(x[i - 1])));
	x[ZIGGURAT_LAYERS] = 0.0;
	for (int i = 0; i < ZIGGURAT_LAYERS; i++)
		table.inside[i] = x[i + 1] / x[i];
}

const struct ziggurat *ziggurat(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, ziggurat_fill);
	return &table;
}

/*
 * A deviate beyond the edge (Marsaglia 1964): exponential deviates, accepted by the ratio of
 * densities.
 */
static double ziggurat_tail(struct rng *r)
{
	double x, y;

	do {
		x = -log(rng_uniform(r)) / ziggurat_edge;
		y = -log(rng_uniform(r));
	} while (y + y < x * x);
	return ziggurat_edge + x;
}

double ziggurat_rest(const struct ziggurat *z, struct rng *r, unsigned layer, double u)
{
	const double x = u * z->x[layer];
	double low, high;

	if (layer == 0)
		return copysign(ziggurat_tail(r), u);
	low = ziggurat_density(z->x[layer]);
	high = ziggurat_density(z->x[layer + 1]);
	if (low + rng_uniform(r) * (high - low) < ziggurat_density(x))
		return x;
	return ziggurat_normal(z, r);
}
