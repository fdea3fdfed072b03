/* What tuning chose, for the filters of claims. */
#ifndef REPORT_CLAIMS_TUNED_H
#define REPORT_CLAIMS_TUNED_H

/*
 * What filters of claims may call on their whole input: tuned(METHOD; SETTING), the value that was
 * chosen, and at_edge(METHOD; SETTING), whether it is the least or the greatest of its grid.
 */
extern const char tuned_filters[];

#endif
