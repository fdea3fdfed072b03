/* softmax.c - see softmax.h. */
#include "nets/openblas/softmax.h"

#include "core/math/wide.h"
#include "nets/openblas/lanes.h"
#include "nets/openblas/openblas.h"
#include "nets/openblas/vmath.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 1024 };                  /* floats whose sum is in float */

/* z[n] <- exp(z - most); returns their sum. */
WIDE static double softmax_exp(size_t n, float most, float *z)
{
	double sum = 0.0;

	for (size_t at = 0; at < n; at += BLOCK) {
		const size_t end = n - at < BLOCK ? n : at + BLOCK;
		lanes s = { 0 }, v;

		for (size_t k = at; k < end; k += LANES) {
			const size_t left = lanes_left(end, k);

			lanes_load(left, z + k, -1e30f, &v);
			v -= most;
			lanes_exp(&v);
			s += v;
			lanes_store(left, &v, z + k);
		}
		for (size_t j = 0; j < LANES; j++)
			sum += (double)s[j];
	}
	return sum;
}

WIDE static float softmax_most(size_t n, const float *z)
{
	return lanes_most(n, z);
}

WIDE static void softmax_scale(size_t n, float by, float *z)
{
	for (size_t k = 0; k < n; k++)
		z[k] *= by;
}

WIDE void softmax_shift(size_t n, float by, float *z)
{
	for (size_t k = 0; k < n; k++)
		z[k] += by;
}

double softmax_slope(size_t n, float *z, size_t target, double scale)
{
	const float most = softmax_most(n, z);
	const double own = (double)z[target] - (double)most, sum = softmax_exp(n, most, z);

	softmax_scale(n, (float)(scale / sum), z);
	z[target] -= (float)scale;
	return log(sum) - own;
}

double softmax_norm(size_t n, const float *z, float *spare)
{
	const float most = softmax_most(n, z);

	memcpy(spare, z, n * sizeof(*z));
	return (double)most + log(softmax_exp(n, most, spare));
}

/* A task: rows of one partition. */
static void softmax_part(void *arg, int k, int lane)
{
	struct ob *c = arg;
	const int last = c->g->n - 1;
	const size_t rows = c->n * c->rows, n = (size_t)c->g->classes;
	const size_t end = rows * ((size_t)k + 1) / (size_t)c->parts;
	double loss = 0.0;

	(void)lane;
	for (size_t r = rows * (size_t)k / (size_t)c->parts; r < end; r++) {
		float *d = c->dy[last].whole + r * n;

		memcpy(d, c->y[last] + r * n, n * sizeof(*d));
		loss += softmax_slope(n, d, (size_t)c->labels[r], 1.0 / (double)rows);
	}
	c->losses[k] = loss / (double)rows;
}

double softmax_tokens(struct ob *c)
{
	double loss = 0.0;

	team_run(c->team, c->parts, softmax_part, c);
	for (int k = 0; k < c->parts; k++)
		loss += c->losses[k];
	return loss;
}
