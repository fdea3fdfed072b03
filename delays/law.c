/*
 * Probability distributions (gamma, log-normal, normal, two-point, lists): draws, moments,
 * quantiles.
 */
#include "delays/law.h"

#include "core/base/error.h"
#include "core/math/gamma.h"

#include <math.h>

static const double sqrt_2 = 1.4142135623730951, sqrt_2_pi = 2.5066282746310002;

struct law_gamma {              /* a gamma distribution of mean 1 and deviation cv */
	double cv;
	struct gamma unit;
	double scale;           /* from a variate of mean `shape` to one of mean 1 */
};

/* Constants for cv; cached, since most draws are from the distribution of the draw before. */
static const struct law_gamma *law_gamma_of(double cv)
{
	static _Thread_local struct law_gamma last;

	if (last.cv != cv)
		last = (struct law_gamma){ cv, gamma_of(1.0 / (cv * cv)), cv * cv };
	return &last;
}

double law_gamma(double cv, struct rng *r)
{
	const struct law_gamma *g;

	if (cv == 0.0)
		return 1.0;
	g = law_gamma_of(cv);
	return gamma_unit(&g->unit, r) * g->scale;
}

/* For a smaller cv, 1 / cv^2 is beyond the integers that a double can represent. */
int law_check_gamma(double cv, const char *key, const char *where)
{
	static const double least = 1e-7;

	return cv == 0.0 || cv >= least ? 0
		: error("%s: %s = %g is smaller than %g, which no clock can tell from 0: give 0",
			where, key, cv, least);
}

double law_lognormal(double cv, double z)
{
	const double variance = log1p(cv * cv);

	return exp(sqrt(variance) * z - 0.5 * variance);
}

double law_normal_density(double x)
{
	return exp(-0.5 * x * x) / sqrt_2_pi;
}

double law_normal_cdf(double x)
{
	return 0.5 * erfc(-x / sqrt_2);
}

/*
 * Solves ln P(X < x) = ln p, p <= 1/2, by Newton's method: the left side is concave, so that
 * iterates from the second on come from below.
 */
static double lower_quantile(double p)
{
	const double log_p = log(p);
	double x = -sqrt(fmax(-2.0 * (log_p + log(2.0)), 0.0));

	for (int i = 0; i < 60; i++) {
		const double cdf = law_normal_cdf(x);
		const double density = law_normal_density(x);
		const double step = (log(cdf) - log_p) * cdf / density;

		x -= step;
		if (fabs(step) <= 1e-15 * (1.0 + fabs(x)))
			break;
	}
	return x;
}

double law_normal_quantile(double p)
{
	return p <= 0.5 ? lower_quantile(p) : -lower_quantile(1.0 - p);
}

struct delay_moments law_list_moments(const double *v, size_t n)
{
	double mean = 0.0, square = 0.0;

	for (size_t i = 0; i < n; i++)
		mean += v[i] / (double)n;
	for (size_t i = 0; i < n; i++)
		square += (v[i] - mean) * (v[i] - mean) / (double)n;
	return (struct delay_moments){ mean, sqrt(square) };
}

double law_list_quantile(const double *v, size_t n, double p)
{
	const size_t i = (size_t)(p * (double)n);

	return v[i < n ? i : n - 1];
}

struct delay_moments law_two_moments(double low, double high, double share)
{
	return (struct delay_moments){ low + share * (high - low),
				       fabs(high - low) * sqrt(share * (1.0 - share)) };
}

double law_two_quantile(double low, double high, double share, double p)
{
	if (high < low)
		return p < share ? high : low;
	return p < 1.0 - share ? low : high;
}
