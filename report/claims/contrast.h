/* Comparisons of groups that a verdict rests on: their seeds, runs, and what more seeds decide. */
#ifndef REPORT_CLAIMS_CONTRAST_H
#define REPORT_CLAIMS_CONTRAST_H

#include "core/math/look_plan.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

/* What a rule gave, as "interval" of a verdict has it; borrowed. */
struct rule_result {
	const char *rule, *verdict, *why;       /* "" where it has none */
	const char *measure;            /* NULL: it compares nothing */
	const char *images;             /* NULL: it says nothing of test images */
	const cJSON *of;        /* both sides, or the rules of all_of and any_of */
	const cJSON *figure;            /* the difference */
	double difference, margin, level, paired, test_error;
	const cJSON *interval, *seeds, *deviations, *runs, *error;
};

/* Numbers are NaN where there are none; the margin is 0, the level the usual one. */
struct rule_result rule_result_read(const cJSON *interval);

/* The first rule of all_of or any_of; NULL: it is one rule. */
const cJSON *rule_result_parts(const struct rule_result *c);

struct contrast_side {          /* borrowed from the verdict */
	const char *name;       /* "algo=asgd"; "": a filter made its runs */
	int seeds;              /* 0: it is a number */
	const cJSON *runs;      /* hashes */
};

/* A comparison that a rule made, as "interval" of a verdict has it; borrowed. */
struct claim_contrast {
	const char *rule, *measure, *word;
	struct contrast_side side[2];
	double difference, low, high;   /* NaN: none */
	double margin;                  /* of `within` and `no_worse`, else 0 */
	double level;                   /* of the interval */
	bool unknown;                   /* the size of the test set: there is no interval */
	const char *why;                /* it does not decide; "" */
	struct contrast spread;         /* a, b: variances; seeds: of the side with fewer */
};

/* All comparisons of a verdict, those of all_of and any_of too; the caller frees the list. */
struct claim_contrast *contrasts_of(const cJSON *interval, size_t *n);

/* False where runs of more seeds have the same value, as simulated times may. */
bool contrast_varies(const struct claim_contrast *c);

/* The fewest seeds that a side of those has whose runs vary; 0: there is none. */
int contrasts_seeds(const cJSON *interval);

struct family {         /* comparisons of which one makes a verdict by chance; at least 1 */
	int holds;      /* the largest number below one any_of */
	int fails;      /* below one all_of */
};

struct family contrasts_family(const cJSON *interval);

/*
 * Why no number of seeds decides the verdict: the mean of a side is infinite, the size of the test
 * set is not known, or the other error is larger than the margin. NULL: seeds may decide it.
 * Borrowed from the verdict.
 */
const char *contrasts_hopeless(const cJSON *interval);

/*
 * Probability that the verdict is decided with so many seeds by intervals of these levels, if the
 * present differences and deviations are the true ones. Comparisons count as independent.
 */
double contrasts_power(const cJSON *interval, int seeds, struct look_levels level);

/* Smallest number of seeds that is expected to decide the verdict; at most `most`. */
int contrasts_needed(const cJSON *interval, struct look_levels level, int most);

#endif
