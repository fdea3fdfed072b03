/* Times a backend's matrix product and returns its peak rate. */
#include "nets/peak.h"

#include "core/base/clock.h"
#include "core/base/mem.h"
#include "core/math/median.h"

#include <math.h>
#include <stdlib.h>

enum { LEAST = 2, MOST = 4096 };        /* products, after one that warms up */
static const double limit = 1;          /* seconds */

double peak_measure(void (*multiply)(void *arg), void *arg)
{
	const double end = clock_s() + limit;
	double *seconds = xcalloc(MOST, sizeof(*seconds)), median;
	size_t n = 0;

	multiply(arg);
	while (n < MOST && (n < LEAST || clock_s() < end)) {
		double from = clock_s();

		multiply(arg);
		seconds[n++] = clock_s() - from;
	}
	median = median_of(seconds, n);
	free(seconds);
	return 2 * pow(PEAK_SIDE, 3) / median;
}

float *peak_matrix(size_t n)
{
	float *v = vec_new(n);

	for (size_t i = 0; i < n; i++)
		v[i] = (float)(i * 7919 % 1024) / 512 - 1;
	return v;
}
