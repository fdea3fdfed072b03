/* What a finished run took. */
#ifndef RECORD_COST_H
#define RECORD_COST_H

#include <cjson/cJSON.h>
#include <stdint.h>

struct cost {
	double wall_s;          /* seconds of the wall clock, for all of it */
	int64_t gradients;
	int64_t macs;           /* of a sample's forward pass; 0: the file does not say */
	int64_t threads;        /* of each rank */
};

/*
 * The texts of these settings (NULL-ended names) of a whole result, {name: text}, and what it took.
 * The caller frees. NULL, silently, for a file that is none.
 */
cJSON *result_cost(const char *path, const char *const *keys, struct cost *cost);

#endif
