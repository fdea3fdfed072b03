/*
 * origin.h - which spec the results in a folder are of, where its name alone does not find it.
 */
#ifndef CMD_ORIGIN_H
#define CMD_ORIGIN_H

#include "cmd/plan.h"

/* Writes where a spec is that is not built in to spec.path in its folder. 0 or error(). */
int origin_write(const struct plan *p);

/* Warns where that folder says another spec, which is still there and says something else. */
void origin_warn(const struct plan *p);

/*
 * The specs that the folders of results in OUT say, [path, ...], each once; note()s those that are
 * not there any more. The caller frees.
 */
cJSON *origin_list(const char *out);

#endif
