/* Claims of an experiment with results of several scales: one verdict for each. */
#ifndef REPORT_CLAIMS_SCALES_H
#define REPORT_CLAIMS_SCALES_H

#include "report/claims/claims.h"

struct scale_verdicts {         /* of one result */
	char *scale;            /* owned; "" where it is not known */
	struct verdicts *all;   /* owned */
};

struct merged_claim {
	const struct verdict *v;        /* borrowed */
	const char *scale;      /* of that verdict; borrowed */
	char *others;           /* "smoke: fails, laptop: undecided", verdicts of other scales that
				 * differ; owned; NULL: there are none */
};

/*
 * Merges the claims of n results by their words. A claim has the verdict of the largest scale that
 * evaluates it, which is the last one of the spec's `scales` ({name: ...}, the smallest first);
 * results with other settings than the spec's come after all others. Of two results of a scale it
 * is that of the second. The caller frees with merged_claims_free().
 */
struct merged_claim *claims_merge(const struct scale_verdicts *list, size_t n, const cJSON *scales,
				  size_t *count);
void merged_claims_free(struct merged_claim *claims, size_t count);

/* How many there are of a kind; NULL: of all. */
struct claim_total merged_claims_total(const struct merged_claim *claims, size_t count,
				       const char *kind);

/* Frees what the list holds, and not the list. */
void scale_verdicts_release(struct scale_verdicts *list, size_t n);

#endif
