/* Means of samples, and intervals for the difference of two means. */
#ifndef CORE_MATH_STATISTICS_H
#define CORE_MATH_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>

/* Whether numbers are equal but for rounding, as sums of the same times in another order. */
bool is_equal_rounded(double a, double b);

struct spread {
	double mean, dev;       /* NaN when n is 0, 1; with an infinite value HUGE_VAL, or NaN
				 * where one is -HUGE_VAL, and NaN */
	int n;                  /* values that are numbers */
	int infinite;           /* infinite values among them */
};

/* Mean and sample deviation (n - 1) of the values that are not NaN. */
struct spread spread_of(const double *x, size_t n);

/* P(T <= t) of Student's distribution with df > 0 degrees of freedom. */
double student_cdf(double t, double df);

/* t at which Student's distribution function is p, 0 < p < 1. */
double student_quantile(double p, double df);

/* Value at which the standard normal distribution function is p, 0 < p < 1. */
double normal_quantile(double p);

/* Half of a 95 % interval in standard deviations: the quantile of 0.975, as usually rounded. */
#define NORMAL_HALF_95 1.96

/*
 * student_quantile(0.975, df), at most 16, rounded to 2^-36. It is smaller than the exact value by
 * up to 1.5e-11; claims print it so that earlier verdicts can be reproduced.
 */
double student_975(double df);

struct interval {
	double low, high;       /* NaN where a sample has fewer than two numbers */
};

struct welch {
	double error;           /* standard error of the difference of two means */
	double df;              /* its degrees of freedom, by Welch and Satterthwaite */
};

/* Error and degrees of freedom of mean b - mean a; two numbers or more of each. */
struct welch welch_of(const struct spread *a, const struct spread *b);

/*
 * The error with another variance added, which has `df` degrees of freedom (infinite: it is exact)
 * and is independent: degrees of freedom by Satterthwaite.
 */
struct welch welch_add(struct welch w, double variance, double df);

/*
 * Welch's interval of mean b - mean a, which misses the true difference with probability `level`.
 * Variances are those of each sample, the degrees of freedom those of Welch and Satterthwaite.
 */
struct interval welch_interval(const struct spread *a, const struct spread *b, double level);

#endif
