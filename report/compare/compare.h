/* Two results side by side. */
#ifndef REPORT_COMPARE_COMPARE_H
#define REPORT_COMPARE_COMPARE_H

#include "report/report.h"

struct compared {               /* one of the two */
	const char *name;
	const cJSON *runs;      /* run objects */
};

/*
 * {"a","b": names, "settings": [{"setting","a","b"}], "pairs": [{"runs": text, "measures":
 * [{"measure","label","a","b": {"mean","deviation","n","runs","reached","diverged"},"difference",
 * "ratio","interval": [low,high],"beyond_seeds": true|false|null}]}], "only_a","only_b": [text]}.
 * Runs that differ only in the seed are one; what "a" and "b" have is as in a table's cell. A
 * setting that is one value in all runs of a and another in all of b is listed, and does not keep
 * runs from being paired; the others must agree, unless one group of runs is left on either side.
 * The interval is Welch's of b - a, at 95 %; "beyond_seeds" whether it leaves out 0: null where
 * runs of either diverged. `measures` is NULL-ended; NULL: the usual ones. The caller frees.
 */
cJSON *results_compare(const struct compared *a, const struct compared *b,
		       const char *const *measures);

/* A line per measure of a pair: keys, and numbers with all their digits. */
void compare_print_csv(const cJSON *comparison, FILE *out);

/* Prints it: a grid a pair; JSON as it is, CSV as by compare_print_csv(). */
void compare_print(const cJSON *comparison, enum table_format format, FILE *out);

#endif
