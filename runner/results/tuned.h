/* What tuning chose, in run objects and tables. */
#ifndef RUNNER_RESULTS_TUNED_H
#define RUNNER_RESULTS_TUNED_H

#include "runner/results/outcome.h"

/* Adds "tuned", {setting: value}, and "tuned_by", in words, to a run object whose run has them. */
void tuned_add(cJSON *run, const struct plan *p, const struct planned *r);

/* Adds the table of the tuning runs after the others, where there are any that chose. */
void tuned_add_table(struct outcome *o, const struct plan *p);

#endif
