/* Functions in jq that the filters of claims may call; decide.h has those that give verdicts. */
#ifndef REPORT_CLAIMS_FUNCTIONS_H
#define REPORT_CLAIMS_FUNCTIONS_H

/*
 * What filters of claims may call: `[runs] | mean_of(f)` and `mean_of(runs; f)`, the mean of f
 * over runs, as a table's cell has it: what is null is left out, one infinite value makes it
 * infinite, and so does the loss of a run that diverged. Null where no run has a number.
 */
extern const char means_filters[];

/*
 * What filters of claims may call on their whole input: tuned(METHOD; SETTING), the value that was
 * chosen, and at_edge(METHOD; SETTING), whether it is the least or the greatest of its grid.
 */
extern const char tuned_filters[];

#endif
