/* exact.c - what queues and order statistics have in closed form. */
#include "study/verify/verify.h"

#include <math.h>

enum { MOST_BARRIER = 16 };

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

/*
 * Daly 2006: a failure after u seconds costs u and the repair, which failures may interrupt too;
 * M e^(R/M) (e^(x/M) - 1).
 */
double exact_segment(double seconds, double repair, double mtbf)
{
	return mtbf * exp(repair / mtbf) * expm1(seconds / mtbf);
}

double exact_harmonic(int from, int to)
{
	double sum = 0.0;

	for (int i = from + 1; i <= to; i++)
		sum += 1.0 / i;
	return sum;
}

/* E e^(-r X) of a gamma variate with that mean. */
static double gamma_transform(double r, double mean, double cv)
{
	return cv > 0.0 ? exp(-log1p(r * mean * cv * cv) / (cv * cv)) : exp(-r * mean);
}

double exact_modulated(double fast_s, double slow_s, double factor, double cv)
{
	const double rate = 1.0 / fast_s + 1.0 / slow_s, slow = slow_s / (fast_s + slow_s);
	const double to_slow = slow * (1.0 - gamma_transform(rate, 1.0, cv));
	const double to_fast = (1.0 - slow) * (1.0 - gamma_transform(rate, factor, cv));

	return (to_fast + to_slow * factor) / (to_fast + to_slow);
}

/* to[j] <- to[j] + weight * P(j of n are slow a round later), a and b: of a fast and a slow one. */
static void add_round(double *to, int n, int slow, double weight, double a, double b)
{
	double p[MOST_BARRIER + 1] = { 1.0 };

	for (int i = 0; i < n; i++) {
		const double chance = i < slow ? b : a;

		for (int j = i + 1; j > 0; j--)
			p[j] = p[j] * (1.0 - chance) + p[j - 1] * chance;
		p[0] *= 1.0 - chance;
	}
	for (int j = 0; j <= n; j++)
		to[j] += weight * p[j];
}

double exact_modulated_barrier(int n, double fast_s, double slow_s, double factor)
{
	const double rate = 1.0 / fast_s + 1.0 / slow_s, share = slow_s / (fast_s + slow_s);
	double at[MOST_BARRIER + 1] = { 1.0 }, change = 1.0;

	while (change > 1e-14) {
		double next[MOST_BARRIER + 1] = { 0 };

		for (int j = 0; j <= n; j++) {
			const double stays = exp(-rate * (j ? factor : 1.0));

			add_round(next, n, j, at[j], share * (1.0 - stays),
				  share + (1.0 - share) * stays);
		}
		change = 0.0;
		for (int j = 0; j <= n; j++) {
			change += fabs(next[j] - at[j]);
			at[j] = next[j];
		}
	}
	return at[0] + (1.0 - at[0]) * factor;
}

/* Slow: (slow_s - 1/2) / factor + 1/2 begin in a phase; fast: fast_s - factor / 2 + 1/2. */
double exact_phases(double fast_s, double slow_s, double factor)
{
	const double gradients = (slow_s - 0.5) / factor + 0.5 + fast_s - 0.5 * factor + 0.5;

	return (fast_s + slow_s) / gradients;
}
