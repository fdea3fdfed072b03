/* Forest plot: the differences that claims rest on, with their intervals, in one picture. */
#ifndef REPORT_PLOT_FOREST_H
#define REPORT_PLOT_FOREST_H

#include "core/base/mem.h"
#include "report/claims/claims.h"

/*
 * Writes DIR/claims.gp, .dat, .csv, .svg and .png as plot_write() does: a row for each comparison
 * of groups of runs, with its interval at each look, and its margin. Differences are in standard
 * deviations of a seed, so that comparisons of several measures have one axis; those on the right
 * of 0 are for the claim. The number of rows, 0: there is none, and nothing is written; -1 after
 * error().
 */
int forest_write(const struct verdicts *all, const char *dir, struct texts *paths);

#endif
