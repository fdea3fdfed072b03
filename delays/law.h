/* Probability distributions that several delay models use. */
#ifndef DELAYS_LAW_H
#define DELAYS_LAW_H

#include "delays/delay.h"

/* Gamma(shape 1/cv^2, scale cv^2): mean 1, deviation cv; 1 for cv = 0. */
double law_gamma(double cv, struct rng *r);

/*
 * For delay.check: 0, or error() naming `where` and `key` if cv is not 0, but too small for
 * law_gamma().
 */
int law_check_gamma(double cv, const char *key, const char *where);

/*
 * exp(N(-s^2/2, s^2)), s^2 = ln(1 + cv^2), at the standard normal deviate z: mean 1, deviation cv.
 */
double law_lognormal(double cv, double z);

/* Standard normal distribution: density, P(X < x), and the inverse of the latter, 0 < p < 1. */
double law_normal_density(double x);
double law_normal_cdf(double x);
double law_normal_quantile(double p);

/*
 * Moments and quantile of n equally probable values; for the quantile v must be in ascending order.
 */
struct delay_moments law_list_moments(const double *v, size_t n);
double law_list_quantile(const double *v, size_t n, double p);

/* Moments and quantile of a variable that is `high` with probability `share`, else `low`. */
struct delay_moments law_two_moments(double low, double high, double share);
double law_two_quantile(double low, double high, double share, double p);

#endif
