/* The sections of a page that are more than a list. */
#ifndef REPORT_PAGE_PARTS_H
#define REPORT_PAGE_PARTS_H

#include "report/claims/claims.h"

#include <cjson/cJSON.h>
#include <stdio.h>

/* Built tables: ours, below each number the published one and the difference. */
struct tables;
void page_tables(const struct tables *tables, FILE *out);

/* "3 hold, 1 fails, 2 undecided, 2 not judged", as an element of that class. */
void page_put_score(const struct claim_total *s, FILE *out);

/* Every claim with its verdict in words, its figures, and why there is none. */
void page_claims(const struct verdicts *all, FILE *out);

#endif
