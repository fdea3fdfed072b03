/* Means of samples, and whether two differ by more than their samples' scatter explains. */
#ifndef CORE_MATH_STATISTICS_H
#define CORE_MATH_STATISTICS_H

#include <stddef.h>

struct spread {
	double mean, dev;       /* NaN when n is 0, 1; with an infinite value HUGE_VAL, or NaN
				 * where one is -HUGE_VAL, and NaN */
	int n;                  /* values that are numbers */
	int infinite;           /* of them */
};

/* Mean and sample deviation (n - 1) of the values that are not NaN. */
struct spread spread_of(const double *x, size_t n);

/* P(T <= t) of Student's distribution with df > 0 degrees of freedom. */
double student_cdf(double t, double df);

/* The t of that probability, 0 < p < 1. */
double student_quantile(double p, double df);

/*
 * The t of probability 0.975, at most 16, to 2^-36: claims have always printed this one, which is
 * smaller by up to 1.5e-11.
 */
double student_975(double df);

struct interval {
	double low, high;       /* NaN where a sample has fewer than two numbers */
};

/*
 * Welch's interval of mean b - mean a, which leaves out the true one with probability `level`: variances
 * are those of each sample, the degrees of freedom those of Welch and Satterthwaite.
 */
struct interval welch_interval(const struct spread *a, const struct spread *b, double level);

#endif
