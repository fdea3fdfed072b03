/* What a claim may say of itself, and what a verdict on learnt quantities needs. */
#ifndef REPORT_CLAIMS_RULES_H
#define REPORT_CLAIMS_RULES_H

#include <cjson/cJSON.h>
#include <stdbool.h>

enum { CLAIM_KINDS = 5 };

/* "number", "statement", "theory", "ours", "construction"; NULL-ended. */
extern const char *const claim_kinds[CLAIM_KINDS + 1];

/* What a criterion of before may have given; NULL-ended. */
extern const char *const claim_former_verdicts[];

/* 0, or error() where a key of a claim, its kind, position or criterion is missing or wrong. */
int claim_rules_check(const cJSON *claim, const char *where);

/* True when a filter has the word by itself. */
bool claim_reads(const char *filter, const char *word);

/*
 * True when a filter reads what training makes: losses, accuracies, gaps, momentum; by their names,
 * out of the tables of the spec, or as settings that were tuned by one of them.
 */
bool claim_is_learnt(const cJSON *spec, const char *filter);

/* True when a filter reads the real clock, which differs in every run. */
bool claim_is_timed(const char *filter);

/* The fewest seeds of any setting that the runs have; 0 without runs. */
int claim_seeds(const cJSON *runs);

/*
 * Why what the runs learnt is no test of the paper: no accuracy reaches half of the spec's
 * "paper_accuracy". NULL: it is one, or nothing is known. The caller frees.
 */
char *claim_smoke(const cJSON *spec, const cJSON *runs);

/*
 * Gives each verdict whose criterion is newer than the day on which the first of its runs began
 * (2024-01-31...) a "warning", and warns.
 */
void claims_check_dates(cJSON *verdicts, const char *began, const char *path);

#endif
