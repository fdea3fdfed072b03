/* Sorting of numbers, and their median. */
#ifndef CORE_MATH_MEDIAN_H
#define CORE_MATH_MEDIAN_H

#include <stddef.h>

/* Sorts v[n] in ascending order; v may be NULL where n = 0. */
void sort_doubles(double *v, size_t n);

/* The median of v[n], which it sorts; NaN for n = 0. */
double median_of(double *v, size_t n);

#endif
