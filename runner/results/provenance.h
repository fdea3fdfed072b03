/* Which spec the results in a folder are of, where its name alone does not find it. */
#ifndef RUNNER_RESULTS_PROVENANCE_H
#define RUNNER_RESULTS_PROVENANCE_H

#include "plan/plan.h"

/* Writes where a spec is that is not built in to spec.path in its folder. 0 or error(). */
int provenance_write(const struct plan *p);

/* Warns where that folder says another spec, which is still there and says something else. */
void provenance_warn(const struct plan *p);

/*
 * The specs that the folders of results in OUT say, [path, ...], each once; note()s those that are
 * not there any more. The caller frees.
 */
cJSON *provenance_list(const char *out);

#endif
