/*
 * tune.h - the optimiser of Omnivore: how many compute groups, which momentum, which learning rate.
 *
 * Every update is of one batch, which a group splits over its workers. Probes are runs like all
 * others: their files are found finished when the same search is made again.
 */
#ifndef STUDY_TUNE_TUNE_H
#define STUDY_TUNE_TUNE_H

#include "core/text/opt.h"
#include "runner/worker_pool.h"

#include <time.h>

enum { TUNE_UPDATES = 1000 };   /* of the fewest groups, in a budget that is not given */

struct trial {                  /* what is searched */
	int64_t groups;
	double momentum, lr;
};

struct attempt {                /* a run that was made */
	struct trial trial;
	const char *phase;      /* "cold", "refined", "steady", "tuned", "untuned", "exhaustive" */
	double seconds;         /* that it was given */
	double loss;            /* mean of the last rows of its curve; infinite: diverged */
	double time_s, gradients, samples;      /* that it took */
	cJSON *run;             /* run object; owned */
};

struct tune {
	cJSON *base;            /* settings of every run; owned */
	const char *out;        /* folder of all results */
	int64_t workers, batch; /* batch: samples of an update */
	double compute_s;       /* of one worker on all of them; 0: the cluster's */
	double samples;         /* of an epoch */
	struct choice optim;    /* owned */
	struct trial untuned;   /* what the command line says */
	int64_t *groups;        /* [ngroups] ascending; owned */
	double *update_s;       /* [ngroups] seconds of an update; owned */
	size_t ngroups;
	struct opt_doubles rates, momenta;      /* borrowed; rates falling, momenta rising */
	double budget;          /* simulated seconds of the run that is tuned for */
	double share;           /* of it, that a probe takes */
	bool refine, exhaustive;
	bool text;              /* attempts are printed as they are made */
	int64_t rounds;         /* of the steady state */
	struct pool_conf conf;
	struct attempt *all;    /* [n] in the order in which they were made; owned */
	size_t n;
	double timing_s, timing_gradients;      /* what update_s took to find */
	time_t began;           /* when the command was started */
	size_t before;          /* results of earlier commands that were used */
	size_t timed;           /* runs for update_s that tune_timed() found, two each */
};

/* ---- try.c: runs, made and read back. Each gives an exit code ---- */

/* Counts in t->timed the finished runs for t->update_s; makes none. 0 or error(). */
int tune_timed(struct tune *t);

/* Fills t->update_s and, where it is 0, t->budget, from timing-only runs. */
int tune_hardware(struct tune *t);

/*
 * Adds an attempt of so many simulated seconds; from: the result file whose final model it begins
 * at, or NULL; keep: its own is kept in its file.
 */
struct request {
	const char *phase;
	double seconds;
	const char *from;
	bool keep;
};
int tune_try(struct tune *t, const struct trial *trial, const struct request *r);

/* The settings of its run; the caller frees. Needs t->update_s. */
cJSON *tune_point(const struct tune *t, const struct trial *trial, const struct request *r);

/*
 * Those of a run that costs what a probe of the cold start does: as many updates, or its seconds
 * as long as t->update_s, that would tell them, is not known. The caller frees.
 */
cJSON *tune_point_alike(const struct tune *t, const struct trial *trial);

/* Adds an attempt for every combination of groups, momenta and rates, as long as the budget. */
int tune_grid(struct tune *t);

/* Simulated seconds until the mean of the last rows is at most `loss`; HUGE_VAL: never. */
double attempt_time_to(const struct attempt *a, double loss);

/* ---- search.c ---- */

/* The indices of attempts; SIZE_MAX: none. */
struct search {
	size_t chosen;          /* by the cold start */
	size_t tuned, untuned;  /* the runs of the budget */
	size_t steady;          /* the last run of the steady state */
	size_t saturated;       /* index in groups of the first that is not worth it, or ngroups */
	size_t probes;          /* attempts that were the cold start: the first ones */
};

/* From one group upwards: learning rate, then momentum and learning rate for more groups. */
int tune_cold(struct tune *t, struct search *s);

/* From the last run's model on: probes, and one more run. */
int tune_steady(struct tune *t, struct search *s);

/* The attempt of the least loss in [from, to) with that phase; SIZE_MAX: all diverged. */
size_t tune_best(const struct tune *t, const char *phase, size_t from, size_t to);

/* ---- dry.c ---- */

/* Prints what would be tried, and for how long; makes and writes nothing. An exit code. */
int tune_dry_run(struct tune *t);

/* ---- print.c ---- */

struct cost {
	double seconds, gradients, samples;
	size_t runs;
};

/* What is searched, in two lines; update_s; both, above the attempts. */
void tune_print_lists(const struct tune *t);
void tune_print_updates(const struct tune *t);
void tune_print_plan(const struct tune *t);

/* {"groups","momentum","lr"}; the caller frees. */
cJSON *tune_trial_json(const struct trial *a);
void tune_print_attempt(const struct attempt *a);
void tune_print(const struct tune *t, const struct search *s, double wall_s);
void tune_print_json(const struct tune *t, const struct search *s, double wall_s);

#endif
