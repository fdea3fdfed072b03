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

/*
 * The filters of a spec's claims in their order: of each its "jq", then its "shows" where it has
 * one. Their texts are the claims'; the caller frees the list of n.
 */
const char **claims_filters(const cJSON *claims, size_t *n);

#endif
