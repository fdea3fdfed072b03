/*
 * where.h - values that a table or plot selects its runs by, and that no run can have.
 */
#ifndef REPORT_WHERE_H
#define REPORT_WHERE_H

#include <cjson/cJSON.h>

/*
 * Warns of each value in a "where" of the spec's tables and plots that stands for its setting in
 * no grid, base or baseline of the spec or of its scales, with the nearest that does. `defaults`
 * are {setting: text}, for what the spec leaves open; `path` is the spec's.
 */
void where_warn(const cJSON *spec, const cJSON *defaults, const char *path);

#endif
