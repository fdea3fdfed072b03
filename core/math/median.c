/* Sorts an array of doubles and finds its median. */
#include "core/math/median.h"

#include <math.h>
#include <stdlib.h>

static int by_size(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void sort_doubles(double *v, size_t n)
{
	if (n)
		qsort(v, n, sizeof(*v), by_size);
}

double median_of(double *v, size_t n)
{
	if (n == 0)
		return (double)NAN;
	sort_doubles(v, n);
	return 0.5 * (v[(n - 1) / 2] + v[n / 2]);
}
