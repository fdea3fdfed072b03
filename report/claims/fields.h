/* Names in a claim's filter that no run has: jq takes such a field for null. */
#ifndef REPORT_CLAIMS_FIELDS_H
#define REPORT_CLAIMS_FIELDS_H

#include <cjson/cJSON.h>

struct fields {                 /* of what filters read; of the caller */
	const cJSON *spec, *runs, *tables;
};

/*
 * What is wrong with the first name in a filter that neither runs, tables nor the spec have, with
 * the nearest that they have: a field `.NAME` that the filter itself does not make, or the value in
 * `.SETTING == "VALUE"`. NULL: nothing, or there are no runs. The caller frees.
 */
char *fields_missing(const struct fields *in, const char *filter);

#endif
