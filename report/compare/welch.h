/* Whether two means differ by more than their samples' scatter explains. */
#ifndef REPORT_COMPARE_WELCH_H
#define REPORT_COMPARE_WELCH_H

#include "record/measure.h"

/* P(T <= t) of Student's distribution with df > 0 degrees of freedom. */
double student_cdf(double t, double df);

/* The t of that probability, 0 < p < 1. */
double student_quantile(double p, double df);

struct interval {
	double low, high;       /* NaN where a sample has fewer than two numbers */
};

/*
 * Welch's 95 % interval of mean b - mean a: variances are those of each sample, the degrees of
 * freedom those of Welch and Satterthwaite.
 */
struct interval welch_interval(const struct spread *a, const struct spread *b);

#endif
