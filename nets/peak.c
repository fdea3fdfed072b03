#include "nets/peak.h"

#include "core/mem.h"

#include <math.h>
#include <time.h>

enum { LEAST = 3 };             /* products, the first of which warms up */
static const double seconds = 1;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double peak_measure(void (*multiply)(void *arg), void *arg)
{
	const double flops = 2 * pow(PEAK_SIDE, 3), end = now() + seconds;
	double best = 0;

	for (int i = 0; i < LEAST || now() < end; i++) {
		double from = now(), rate;

		multiply(arg);
		rate = flops / (now() - from);
		best = rate > best ? rate : best;
	}
	return best;
}

float *peak_matrix(size_t n)
{
	float *v = vec_new(n);

	for (size_t i = 0; i < n; i++)
		v[i] = (float)(i * 7919 % 1024) / 512 - 1;
	return v;
}
