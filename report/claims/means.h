/* Means over runs, for the filters of claims. */
#ifndef REPORT_CLAIMS_MEANS_H
#define REPORT_CLAIMS_MEANS_H

/*
 * What filters of claims may call: `[runs] | mean_of(f)` and `mean_of(runs; f)`, the mean of f
 * over runs, as a table's cell has it: what is null is left out, one infinite value makes it
 * infinite, and so does the loss of a run that diverged. Null where no run has a number.
 */
extern const char means_filters[];

#endif
