/* Values that select runs, and that no run can have. */
#ifndef REPORT_MEASURE_WHERE_H
#define REPORT_MEASURE_WHERE_H

#include <cjson/cJSON.h>

/*
 * Warns of each value in a "where" of the spec's tables and plots, and of each setting of its
 * published cells, that stands for its setting in no grid, base or baseline of the spec or of its
 * scales, with the nearest that does. A number of a cell may also stand on the axis of a plot that
 * shows published points. `defaults` are {setting: text}, for what the spec leaves open; `path` is
 * the spec's.
 */
void where_warn(const cJSON *spec, const cJSON *defaults, const char *path);

#endif
