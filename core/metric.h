/* metric.h - further numbers that a problem measures as well as its loss: their names and keys. */
#ifndef CORE_METRIC_H
#define CORE_METRIC_H

#include <stdbool.h>

enum {
	METRICS_MOST = 16,      /* of a problem */
	METRIC_KEY = 32         /* bytes of "metric:NAME", with the 0 */
};

/* True of 1 to 24 letters, digits and underscores, of which the first is no digit. */
bool metric_is_name(const char *name);

/* True of "metric:NAME": the key of the measure, and of the column, of that name. */
bool metric_is_key(const char *key);

/* The name within a key; borrowed. */
const char *metric_name(const char *key);

/* key <- that of a name. */
void metric_key(char key[METRIC_KEY], const char *name);

#endif
