/* Fields that a claim's filter reads though no run has them: jq takes them for null. */
#ifndef REPORT_CLAIMS_FIELDS_H
#define REPORT_CLAIMS_FIELDS_H

#include <cjson/cJSON.h>

/*
 * Warns of each `.NAME` in the filters of the spec's claims that neither runs, tables nor the spec
 * have, and that the filter itself does not make, with the nearest field of a run. `path` is the
 * spec's.
 */
void fields_warn(const cJSON *spec, const cJSON *runs, const cJSON *tables, const char *path);

#endif
