/* What is said of a verdict of claims_check(). */
#ifndef REPORT_CLAIMS_CLAIMS_H
#define REPORT_CLAIMS_CLAIMS_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdio.h>

/* What a verdict says of its claim before it is judged: text, kind, section, criterion. Owned. */
cJSON *claim_head(const cJSON *claim);

/* Adds "holds": true or false as its "verdict" says, null where that is neither. */
void claim_add_holds(cJSON *verdict);

/* "holds", "FAILS", "undecided", "not evaluated", or "error". */
const char *claim_verdict(const cJSON *claim);

/* The figures that it was judged on, in few characters, or ""; the caller frees. */
char *claim_figures(const cJSON *claim);

/* The differences that it rests on, with their intervals, or ""; the caller frees. */
char *claim_interval(const cJSON *claim);

/* When its criterion was set and what it was before, or ""; the caller frees. */
char *claim_criterion(const cJSON *claim);

/* Why there is no verdict, or no figures; "" when there are. */
const char *claim_reason(const cJSON *claim);

/*
 * The filters of a spec's claims in their order: of each its "jq", then its "shows" where it has
 * one. Their texts are the claims'; the caller frees the list of n.
 */
const char **claims_filters(const cJSON *claims, size_t *n);

/* ---- total.c ---- */

struct claim_total {            /* how many claims */
	int holds, fails, undecided, open;      /* open: not evaluated, or an error */
};

/* Of a kind; NULL: of all, and those of no kind. */
struct claim_total claims_total(const cJSON *claims, const char *kind);
void claim_total_add(struct claim_total *sum, const struct claim_total *more);

/*
 * The rows of a table: a head, each kind that has claims, those of a paper together, and "not
 * reproduction" where the kind is the experiment's own. `totals` has one for each of
 * claim_kinds. The caller frees.
 */
cJSON *claims_total_rows(const struct claim_total *totals);

/* A line for each kind of these claims. */
void claims_print_totals(const cJSON *claims, FILE *out);

#endif
