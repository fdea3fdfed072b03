/* Sequential tests of two means: number of seeds and level of each planned look at the data. */
#ifndef CORE_MATH_LOOK_PLAN_H
#define CORE_MATH_LOOK_PLAN_H

enum { LOOKS = 10, LOOK_FIRST = 3, LOOK_LAST = 64 }; /* seeds at the first, and at the last look */

extern const int look_seeds[LOOKS];     /* of each sample, at all looks that can be planned */

struct look_plan {
	int n;		     /* looks, at least one */
	int seeds[LOOKS];    /* [n] seeds of each sample at a look */
	double level[LOOKS]; /* [n] of the two-sided interval at that look: 0.05 means 95 % */
};

struct look_levels {	/* of a comparison's intervals */
	double holds;	/* of that which is shown, and with which it holds */
	double fails;	/* with which it fails; no larger */
};

/*
 * Looks up to `most` seeds, which is at least LOOK_FIRST. Each look has the same level. Comparisons
 * without a difference, whose samples' deviations are in a ratio from 1:1 to 1:30, are decided at
 * any of the looks in at most 5 % of cases.
 */
struct look_plan look_plan(int most);

/*
 * The same where each sample has `first` seeds at the first look, LOOK_FIRST or more: the next ones
 * are those of look_plan() with more seeds. The levels are those of as many looks.
 */
struct look_plan look_plan_from(int first, int most);

struct contrast {	 /* comparison of two means, or of a mean and a number */
	double distance; /* distance of the measured difference from the nearest one that would
			  * decide otherwise: |difference|, or its distance from a margin */
	double a, b;	 /* variances of one seed's values in each sample; 0: it is a number */
	int seeds;	 /* of each sample so far; at least 2 */
	double fixed;	 /* standard error that more seeds do not lower */
};

/* Half of the interval's width with so many seeds. */
double contrast_half_width(const struct contrast *c, int seeds, double level);

/*
 * Probability that the interval of that level decides, after `seeds` seeds (more than now), as the
 * present difference would: the predictive power, where the present variances are the true ones,
 * and the true difference is as uncertain as the present seeds leave it (Spiegelhalter, Freedman
 * and Blackburn 1986).
 */
double contrast_power(const struct contrast *c, int seeds, double level);

/* The same that it decides the other way. */
double contrast_reversal(const struct contrast *c, int seeds, double level);

/* Smallest number of seeds whose interval of that level is expected to decide; at most `most`. */
int contrast_seeds(const struct contrast *c, double level, int most);

#endif
