/* Comparisons of groups that a verdict rests on: their runs, and what more seeds decide. */
#ifndef REPORT_CLAIMS_CONTRAST_H
#define REPORT_CLAIMS_CONTRAST_H

#include "core/base/mem.h"
#include "core/math/look_plan.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

#define MEAN_MOST 1e300         /* a mean or difference beyond this is infinite */

struct contrast_side {
	char *name;             /* "algo=asgd"; "": a filter made its runs; owned */
	int seeds;              /* 0: it is a number */
	double deviation;       /* of one seed's values; NaN: none */
	struct texts runs;      /* hashes */
};

/* Result of a rule, as "interval" of claims.json has it. Texts are owned, "" where it has none. */
struct claim_contrast {
	char *rule, *word, *why;        /* "beats", the verdict, and why that decides nothing */
	char *measure;          /* NULL: it compares nothing */
	char *images;           /* how chance in the choice of test images counts; NULL: not */
	struct contrast_side side[2];
	double difference, low, high;   /* NaN: none */
	double margin;          /* of `within` and `no_worse`; NaN: none */
	struct look_levels level;       /* of the interval, and of that with which it fails */
	double paired;          /* deviation of the differences of paired runs; NaN: not paired */
	double test_error;      /* standard error that no seed lowers; NaN: the size of the test
				 * set is not known */
	bool brief;             /* deviations and hashes are not kept */
	struct claim_contrast *part;    /* [nparts] of all_of and any_of, of which each may be a
					 * plain verdict; owned */
	size_t nparts;
	struct contrast spread; /* a, b: variances; seeds: of the side with fewer */
	int shares;             /* owners but one */
};

/* Reads one from a file or a filter: a list is one that is made of others. NULL: neither. */
struct claim_contrast *contrast_read(const cJSON *json);

/* As claims.json has it, and filters see it; NULL: NULL. The caller frees. */
cJSON *contrast_json(const struct claim_contrast *c);

/* The same one for another owner, who frees it too. */
struct claim_contrast *contrast_share(struct claim_contrast *c);
void contrast_free(struct claim_contrast *c);

/* Frees what it owns. */
void contrast_release(struct claim_contrast *c);

/* Comparison k of a verdict, those of all_of and any_of in their order; NULL: it has no more. */
const struct claim_contrast *contrast_at(const struct claim_contrast *c, size_t k);

/* False where runs of more seeds have the same value, as simulated times may. */
bool contrast_varies(const struct claim_contrast *c);

/* The fewest seeds that a side of those has whose runs vary; 0: there is none. */
int contrasts_seeds(const struct claim_contrast *c);

/* Whether a side has more seeds than in an earlier comparison; NULL: there was none. */
bool contrast_has_more(const struct claim_contrast *now, const struct claim_contrast *then);

struct family {         /* comparisons of which one makes a verdict by chance; at least 1 */
	int holds;      /* the largest number below one any_of */
	int fails;      /* below one all_of */
};

struct family contrasts_family(const struct claim_contrast *c);

/*
 * Why no number of seeds decides the verdict: the mean of a side is infinite, the size of the test
 * set is not known, or the other error is larger than the margin. NULL: seeds may decide it.
 * Borrowed from the verdict.
 */
const char *contrasts_hopeless(const struct claim_contrast *c);

/*
 * Probability that the verdict is decided with so many seeds by intervals of these levels, if the
 * present deviations are the true ones (contrast_power()). Comparisons count as independent.
 */
double contrasts_power(const struct claim_contrast *c, int seeds, struct look_levels levels);

/* Smallest number of seeds that is expected to decide the verdict; at most `most`. */
int contrasts_needed(const struct claim_contrast *c, struct look_levels levels, int most);

#endif
