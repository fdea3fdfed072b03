/*
 * claims.h - what is said of a verdict of claims_check().
 */
#ifndef REPORT_CLAIMS_H
#define REPORT_CLAIMS_H

#include <cjson/cJSON.h>

/* "holds", "FAILS", "error", or "n/a". */
const char *claim_verdict(const cJSON *claim);

/* The figures that it was judged on, in few characters, or ""; the caller frees. */
char *claim_figures(const cJSON *claim);

/* Why there is no verdict, or no figures; "" when there are. */
const char *claim_reason(const cJSON *claim);

#endif
