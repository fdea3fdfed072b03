/* exact.c - what queues and order statistics have in closed form. */
#include "cmd/verify/verify.h"

#include <math.h>

/*
 * With b the Laplace transform of an update's time and l = 1/compute_s, a busy period serves
 *
 *     K = sum_{j=0}^{n-1} C(n-1, j) c_j,     c_j = prod_{i=1}^{j} (1 - b(i l)) / b(i l)
 *
 * on average, and an idle one lasts 1 / (n l); the throughput follows, and Little's law.
 */
double exact_closed_queue(int n, double compute_s, double update_s, bool random_update)
{
	const double load = update_s / compute_s;
	double term = 1.0, served = 1.0, cycle;

	for (int j = 1; j < n; j++) {
		term *= (double)(n - j) / j * (random_update ? j * load : expm1(j * load));
		served += term;
	}
	cycle = compute_s / n + served * update_s;
	return n * cycle / served - compute_s;
}

double exact_harmonic(int from, int to)
{
	double sum = 0.0;

	for (int i = from + 1; i <= to; i++)
		sum += 1.0 / i;
	return sum;
}
