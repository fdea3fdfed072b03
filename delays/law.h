/* What several delay models need of probability. */
#ifndef DELAYS_LAW_H
#define DELAYS_LAW_H

#include "delays/delay.h"

/* Gamma(shape 1/cv^2, scale cv^2): mean 1, deviation cv; 1 for cv = 0. */
double law_gamma(double cv, struct rng *r);

/* For delay.check: 0, or error() naming `where` and `key`: too small for law_gamma(), but not 0. */
int law_check_gamma(double cv, const char *key, const char *where);

/* exp(N(-s^2/2, s^2)), s^2 = ln(1 + cv^2), at a standard normal deviate: mean 1, deviation cv. */
double law_lognormal(double cv, double z);

/* The standard normal distribution: density, P(X < x), and the inverse of that, 0 < p < 1. */
double law_normal_density(double x);
double law_normal_cdf(double x);
double law_normal_quantile(double p);

/* Of n values, each as likely: moments, and the quantile of what is in ascending order. */
struct delay_moments law_list_moments(const double *v, size_t n);
double law_list_quantile(const double *v, size_t n, double p);

/* Of `high` with a probability, else `low`. */
struct delay_moments law_two_moments(double low, double high, double share);
double law_two_quantile(double low, double high, double share, double p);

#endif
