/*
 * median.h - the middle of some numbers.
 */
#ifndef CORE_MATH_MEDIAN_H
#define CORE_MATH_MEDIAN_H

#include <stddef.h>

/* The median of v[n], which it sorts; NaN for n = 0. */
double median_of(double *v, size_t n);

#endif
