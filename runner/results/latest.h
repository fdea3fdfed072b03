/* The folders that hold an experiment's results, and the one written last. */
#ifndef RUNNER_RESULTS_LATEST_H
#define RUNNER_RESULTS_LATEST_H

#include "plan/plan.h"

struct last {                   /* what a request borrows; latest_release() frees */
	char *scale;
	cJSON *set;             /* {setting: text} of its command line; NULL: none */
};

/*
 * Fills a request without settings, from the folders OUT/NAME/SCALE and OUT/NAME/SCALE+HASH that
 * have results. With a scale: its own folder, else the last of its others; without: the last of
 * all. `unchanged`: those alone whose settings are the spec's. A note names the folder where it is
 * not the request's own; where there is none, the request stays. 0, or error() about the spec.
 */
int latest_find(struct last *l, struct plan_request *request, bool unchanged);
void latest_release(struct last *l);

/* error(): the plan has no finished run; and the folders in OUT where its experiment has some. */
void latest_error(const struct plan *p, const char *out);

#endif
