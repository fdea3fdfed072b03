/* Runs with faults in which nothing failed. */
#ifndef RUNNER_RESULTS_UNFAILING_H
#define RUNNER_RESULTS_UNFAILING_H

#include <cjson/cJSON.h>

/*
 * "no failure happened in this run", "... in these 3 runs", and the same of checkpoints, of the run
 * objects in the list that may fail, or save some. NULL: some did. The caller frees.
 */
char *unfailing_text(const cJSON *runs);

#endif
