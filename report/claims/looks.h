/*
 * looks.h - planned looks at claims: the file looks.json, and verdicts by its plan.
 *
 * A claim is judged at its looks only: at the next one with more seeds of all its groups, and with
 * the level that the plan has for it (core/math/look_plan.h). Which runs a look sees follows from
 * the order in which seeds were added. So the verdict is the same, however often it is judged
 * again, and whatever seeds other claims have added since.
 */
#ifndef REPORT_CLAIMS_LOOKS_H
#define REPORT_CLAIMS_LOOKS_H

#include "core/math/look_plan.h"
#include "report/claims/claims.h"
#include "report/claims/contrast.h"

#include <stdint.h>

#define LOOKS_FILE "looks.json"

enum { LOOKS_USUAL = 12 };      /* seeds at the last look, unless given */

/* ---- looks.json: when looks were planned, at which claims, and the seeds added for them ---- */

struct looks_claim {            /* texts are owned */
	char *says, *test;      /* in words; digest of its filter or rule, and of its criterion */
	bool looked;            /* judged before, without a plan: that verdict is dropped */
	char *closed;           /* why it gets no more seeds; NULL: it may */
	char *closed_by;        /* digest of the spec's runs that showed it; NULL: any runs */
};

struct looks_group {            /* runs that differ in the seed alone */
	cJSON *point;           /* {setting: value} of the grid, without the seed; owned */
	int64_t *seed;          /* [n] added ones, in their order; owned */
	size_t n;
};

struct looks {
	char *since;            /* the day on which the looks were planned; owned */
	int most;               /* seeds of a group at the last look */
	struct looks_claim *claim;      /* [nclaims] */
	size_t nclaims;
	struct looks_group *group;      /* [ngroups] */
	size_t ngroups;
};

/* A plan without claims, from today on. The caller frees. */
struct looks *looks_new(int most);
void looks_free(struct looks *looks);

/* *looks <- the file of that folder; NULL: there is none. 0 or error(). */
int looks_load(struct looks **looks, const char *folder);

/* Writes the file. 0 or error(). */
int looks_write(const struct looks *looks, const char *folder);

/* The claim, if its test is still the one that the file has; NULL. */
struct looks_claim *looks_find(const struct looks *looks, const struct claim *c);

/* Plans looks at each of the claims; looked[i]: claim i was judged before. */
void looks_add_claims(struct looks *looks, const struct verdicts *all, const bool *looked);

/* The group of that point, whose "seed" does not count; `add`: a new one where there is none. */
struct looks_group *looks_group(struct looks *looks, const cJSON *point, bool add);

/*
 * Takes over what `file`, which another process has written since, has: its seeds first, for their
 * order counts, then those of `looks` alone. True where verdicts may change.
 */
bool looks_merge(struct looks *looks, const struct looks *file);

/* Takes an added seed out of the group. */
void looks_drop_seed(struct looks_group *g, int64_t seed);

/* ---- verdicts by the plan ---- */

struct claim_look {
	int seeds;              /* of the group that has fewest */
	double level;           /* of each interval that is shown */
	const char *word;       /* the verdict */
	struct claim_contrast *contrast;  /* what the rule gave; owned */
};

struct claim_looks {
	char *since, *closed;   /* as in the file, if closed by these runs; owned */
	char *runs;             /* digest of the spec's own runs; owned; NULL: not known */
	struct look_plan plan;
	bool looked;
	struct family family;   /* comparisons that the levels are divided by */
	struct claim_look made[LOOKS];
	int n;                  /* looks made; the last one has decided, or none has */
	struct claim_contrast *now; /* what the rule gives on all runs, if a side has more; owned */
};

enum { LOOKS_MOST_NEEDED = 1000 };      /* `needs` of a verdict is not searched beyond */

/* The levels of look i. */
struct look_levels claim_looks_level(const struct claim_looks *l, int i);

/* True where the last look decided it. */
bool claim_looks_decided(const struct claim_looks *l);

/* "decided at look 2 of 5 with 4 seeds", "look 1 of 5 with 3 seeds; ..."; the caller frees. */
char *claim_looks_text(const struct claim_looks *l);

/* As claims.json has it; the caller frees. */
cJSON *claim_looks_json(const struct claim_looks *l);

/* Reads the member of claims.json; NULL: there is none. The caller frees. */
struct claim_looks *claim_looks_read(const cJSON *json);
void claim_looks_free(struct claim_looks *l);

/*
 * claims_judge() by the plan; looks NULL: without one. Claims without a plan see the spec's runs.
 * Sets how many seeds undecided claims need.
 */
struct verdicts *looks_judge(const cJSON *spec, const struct results *runs,
			     const struct tables *tables, const char *scale,
			     const struct looks *looks);

/* Whether what the claim compares, on the spec's runs, is another without those of that point. */
bool looks_claim_reads(const cJSON *spec, const struct results *runs, const char *scale,
		       const struct looks *looks, size_t claim, const cJSON *point);

#endif
