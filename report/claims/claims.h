/* Claims of a spec, how they are judged on runs, and what is said of their verdicts. */
#ifndef REPORT_CLAIMS_CLAIMS_H
#define REPORT_CLAIMS_CLAIMS_H

#include "core/math/look_plan.h"
#include "record/result.h"
#include "report/report.h"
#include "report/table/table.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdio.h>

/* ---- spec.c: claims as a spec has them ---- */

enum { CLAIM_KINDS = 5, CLAIM_KINDS_OF_PAPER = 3 };

/* "number", "statement", "theory", the paper's; "ours", "construction"; NULL-ended. */
extern const char *const claim_kinds[CLAIM_KINDS + 1];

/* Verdicts that a criterion of before may have given; NULL-ended. */
extern const char *const claim_former_verdicts[];

struct claim {                  /* all borrowed from the spec; NULL: not given */
	const char *says, *kind, *where, *quote, *quantity;
	const cJSON *criterion;         /* {"since", "was": [{"says", "since", "verdict"}]} */
	const char *jq, *shows;         /* filters of the verdict, and of its numbers */
	const cJSON *rule;              /* "beats", "all_of" and the like, instead of jq */
	const cJSON *only_at, *not_at;  /* a scale or a list of them */
	const cJSON *learnt, *timed;    /* bools */
	const cJSON *paired;            /* bool: groups are compared seed by seed */
	double best_of;                 /* methods of which its filter takes the best; 0: none */
};

/* The keys of claims as data, of which one stands for "jq"; NULL-ended. */
extern const char *const claim_rules[];

struct claim claim_read(const cJSON *json);

/* 0, or error() where a key of a claim, its kind, position or criterion is missing or wrong. */
int claim_check(const cJSON *json, const char *where);

/*
 * Whether it is about what training makes: as it declares, as the measures of its rule are, else
 * true. Whether it is about real times, as all claims about real ranks are. Neither is one that is
 * true by construction.
 */
bool claim_is_learnt(const struct claim *c);
bool claim_is_timed(const struct claim *c, bool real);

bool claim_is_constructed(const struct claim *c);

/* Whether the scale is one of those that the claim's only_at and not_at leave. */
bool claim_is_at(const struct claim *c, const char *scale);

/* Whether a filter has the word by itself; whether the claim has it in its rule or a filter. */
bool filter_names(const char *filter, const char *word);
bool claim_reads(const struct claim *c, const char *word);

/* The filters of all claims in their order: "jq" of each, then "shows". The caller frees the list.
 * One that has neither jq nor a rule has the filter "empty". */
const char **claims_filters(const cJSON *claims, size_t *n);

/* 0, or error("WHERE: ...") unless a spec's "reads" is a list of names that files may have. */
int claims_check_names(const cJSON *reads, const char *where);

/*
 * spec["files"] <- {name: its contents} for the names of spec["reads"], null where the folder has
 * no such file. 0, or error() where a file is not JSON.
 */
int claims_read_files(cJSON *spec, const char *folder);

/* ---- verdict.c ---- */

struct claim_looks;             /* looks.h */
struct claim_contrast;              /* contrast.h */

struct verdict {
	struct claim of;
	const char *word;       /* "holds", "fails", "undecided", "not evaluated"; NULL: none */
	const char *by_means;   /* the word by the means alone, where that is another; NULL */
	char *reason, *error, *warning; /* owned; NULL */
	struct claim_contrast *contrast;  /* owned; what a rule such as beats() gave; NULL */
	cJSON *shows;           /* owned; what the filter yields; NULL: not known */
	struct claim_looks *looks;      /* owned; NULL: none are planned */
	int needs;              /* seeds of a group that are expected to decide it; 0: not known */
	double needs_s;         /* wall seconds of runs that it lacks for them; NaN: not known */
	bool former;            /* not judged again, because what it reads of runs is not kept */
	bool tied;              /* undecided, for it took one of equal values */
	bool judged;            /* on runs, and now */
	bool yours;             /* on runs with other settings than the spec's */
	const char *held;       /* "holds" or "fails" of a former file without a word; NULL */
};

/* The reason of a claim that is for other scales. */
extern const char verdict_not_here[];

struct verdicts {
	struct verdict *v;      /* [n] */
	size_t n;
	cJSON *file;            /* owned; where claims.json has their words; NULL */
	bool brief;             /* printed without groups, seeds, looks and criteria */
};

/* n verdicts on the claims of a spec, without a word yet. */
struct verdicts *verdicts_new(const cJSON *claims);
void verdicts_free(struct verdicts *all);

/* Frees all but the claim. */
void verdict_clear(struct verdict *v);

/* Those of a claims.json, which they take over. */
struct verdicts *verdicts_read(cJSON *file);

/* [{"says","kind","where",...,"verdict","holds",...}], as docs/results.md has claims.json. */
cJSON *verdicts_json(const struct verdicts *all);

/* True when some verdict is an error. */
bool verdicts_failed(const struct verdicts *all);

/* 0; error() with the first claim that has an error, and how many have one. */
int verdicts_check(const struct verdicts *all, const char *experiment);

/* Gives all of them the verdict "not evaluated" for that reason. */
void verdicts_leave_open(struct verdicts *all, const char *reason);

/* --max-seeds of the looks that were planned at some of them; 0: none were. */
int verdicts_most_seeds(const struct verdicts *all);

/*
 * Of runs with other settings than the spec's: verdicts that could be judged are marked so. The
 * others, and those of claims that read published numbers, become "not evaluated".
 */
void verdicts_mark_yours(struct verdicts *all);

/*
 * Gives each verdict a warning whose criterion is newer than the day on which the first of its runs
 * began (2024-01-31...), and warns, naming the spec; path NULL: without a word. A criterion of that
 * day gives a verdict a warning in the file alone: most are set before the runs. What is true by
 * construction has none.
 */
void verdicts_check_dates(struct verdicts *all, const char *began, const char *path);

/* "holds", "FAILS", "undecided", "not evaluated", or "error". */
const char *verdict_shown(const struct verdict *v);

/* The error or the reason; "" where there is neither. */
const char *verdict_why(const struct verdict *v);

/* The figures that it was judged on, in few characters, or ""; the caller frees. */
char *verdict_figures(const struct verdict *v);

/* The differences that it rests on, with their intervals, or ""; the caller frees. */
char *verdict_interval(const struct verdict *v);

/* The groups of its comparison k, without settings that all have; the caller frees. */
char *verdict_sides(const struct verdict *v, size_t k);

/* "set 2024-02-01; before, from 2024-01-31: "SAYS": fails", or ""; the caller frees. */
char *verdict_criterion(const struct verdict *v);

/*
 * "decided at look 2 of 5 with 4 seeds", "needs about 40 seeds, 12 min of runs", the comparisons
 * that have more seeds than at that look, or "" where there is none of these; the caller frees.
 */
char *verdict_looks(const struct verdict *v);

struct claim_total {            /* how many claims */
	int holds, fails, undecided, open;      /* open: not evaluated */
	int errors;                             /* without a verdict */
};

/* Counts claims of a kind; NULL: of all, and those of no kind. `all` may be NULL. */
struct claim_total verdicts_total(const struct verdicts *all, const char *kind);
void claim_total_add(struct claim_total *sum, const struct claim_total *more);

/* How many claims it counts. */
int claim_total_sum(const struct claim_total *t);

/* Counts the verdict, if its claim is of that kind; NULL: of any. */
void claim_total_count(struct claim_total *t, const struct verdict *v, const char *kind);

/*
 * A grid: a head, each kind that has claims, and those of a paper together, but not at settings of
 * the user (`yours`); with a column of errors where there are some. `totals` has one for each of
 * claim_kinds. The caller frees.
 */
struct text_grid;
struct text_grid *claims_total_rows(const struct claim_total *totals, bool yours);

/* A line for each verdict; verdicts_print_all() also says how many hold, by kind. */
void verdicts_print(const struct verdicts *all, FILE *out);
void verdicts_print_all(const struct verdicts *all, FILE *out);

/* In a format: JSON as claims.json has them, else a row for each. */
void verdicts_print_as(const struct verdicts *all, enum table_format format, FILE *out);

/* ---- judge.c ---- */

/*
 * Judges every claim. Filters see {"scale", "runs", "tables", "published", "tuning", "files"}; the
 * last three are the spec's, "files" as claims_read_files() put them there. No tables: NULL. The
 * verdicts borrow from the spec.
 */
struct verdicts *claims_judge(const cJSON *spec, const struct results *runs,
			      const struct tables *tables, const char *scale);

struct claim_way {              /* how a claim is judged */
	bool skip;              /* it is not: its verdict stays empty */
	struct look_levels level;
};

/* claims_judge(), claim i so as way[i] has it; NULL: all of them with 95 % intervals. */
struct verdicts *claims_judge_so(const cJSON *spec, const struct results *runs,
				 const struct tables *tables, const char *scale,
				 const struct claim_way *way);

/*
 * Why what was learnt is no test of the paper: the best test accuracy does not reach half of the
 * spec's "paper_accuracy". NULL: it is one, or nothing is known. The caller frees.
 */
char *claims_smoke(const cJSON *spec, double best_accuracy);

/* ---- fields.c: names in a claim that no run has: jq takes such a field for null ---- */

struct fields {                 /* of what filters read; of the caller */
	const cJSON *spec;
	const struct results *runs;
	const cJSON *tables;
};

/*
 * What is wrong with the first name in a filter that neither runs, tables nor the spec have, with
 * the nearest that they have: a field `.NAME` that the filter itself does not make, or the value in
 * `.SETTING == "VALUE"`. NULL: nothing, or there are no runs. The caller frees.
 */
char *fields_missing(const struct fields *in, const char *filter);

/* True when the filter names something that runs have, and nothing that is not in this input. */
bool fields_all_in(const cJSON *input, const char *filter);

/* The same as fields_missing() for the values of the rule of a claim. */
char *fields_missing_of_rule(const struct fields *in, const cJSON *rule);

#endif
