/* Planned looks at two means: after how many seeds each, at which level, and what more seeds can decide. */
#ifndef CORE_MATH_LOOKS_H
#define CORE_MATH_LOOKS_H

#include <stdbool.h>

enum { LOOKS = 7, LOOK_FIRST = 3, LOOK_LAST = 24 }; /* seeds at the first, and at the last */

struct look_plan {
	int n;		     /* looks, at least one */
	int seeds[LOOKS];    /* that each sample has at a look */
	double level[LOOKS]; /* of the two-sided interval that decides there: 0.05 is 95 % */
};

/*
 * The looks up to `most` seeds, at least LOOK_FIRST. Each look has the same level, so that of comparisons
 * without a difference, whose samples' deviations are as 1:1 to 1:30, at most 5 % are decided at
 * any of the looks. `looked`: the first was made at 0.05 before there was a plan; the level of the
 * others makes the whole at most 5 % for deviations as 1:1 to 1:2. (The first look alone has 3.5 % where
 * they are equal and 5.9 % at 1:7, which no later level mends.)
 */
struct look_plan look_plan(int most, bool looked);

struct contrast {	 /* of two means, or of a mean and a number */
	double distance; /* from the difference that is measured to the nearest that decides
				 * otherwise: |difference|, or its distance from a margin */
	double a, b;	 /* variances of a seed's values in each sample; 0: of a number */
	int seeds;	 /* of each sample, by now; at least 2 */
};

/*
 * The chance that the interval of that level decides after `seeds` seeds, more than now, if the
 * present distance and variances are the true ones.
 */
double contrast_power(const struct contrast *c, int seeds, double level);

/* The least number of seeds whose interval of that level is expected to decide; at most `most`. */
int contrast_seeds(const struct contrast *c, double level, int most);

#endif
