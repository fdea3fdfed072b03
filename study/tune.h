/*
 * tune.h - the optimiser of Omnivore: how many compute groups, which momentum, which learning rate.
 *
 * Every update is of one batch, which a group splits over its workers. Probes are runs like all
 * others: their files are found finished when the same search is made again.
 */
#ifndef STUDY_TUNE_H
#define STUDY_TUNE_H

#include "core/text/opt.h"
#include "runner/estimate/estimate.h"
#include "runner/plan_run.h"

#include <time.h>

enum { TUNE_UPDATES = 1000 };   /* of the fewest groups, in a budget that is not given */

struct trial {                  /* settings that are searched */
	int64_t groups;
	double momentum, lr;
};

enum tune_phase { TUNE_COLD, TUNE_REFINED, TUNE_TUNED, TUNE_UNTUNED, TUNE_STEADY, TUNE_STEADY_RUN,
		  TUNE_EXHAUSTIVE };
extern const char *const tune_phase_names[];

struct attempt {                /* a run that was made */
	struct trial trial;
	enum tune_phase phase;
	double loss;            /* mean of the last rows of its curve; infinite: diverged */
	double time_s, gradients, samples;      /* that it took */
	char *file;             /* of its result; owned */
	size_t rows;            /* of its curve: the mean loss until there, and the time; owned */
	double *loss_at, *time_at;
};

struct tune {
	/* Asked: */
	const char *out;        /* folder of all results */
	struct opt_doubles rates, momenta;      /* borrowed; rates falling, momenta rising */
	double budget;          /* simulated seconds of the run that is tuned for; 0: chosen */
	double share;           /* of it, that a probe takes */
	bool refine, exhaustive;
	int64_t rounds;         /* of the steady state */
	struct pool_conf conf;
	/* Called when update_s is known, and for each attempt; may be NULL. */
	void (*ready)(const struct tune *t);
	void (*made)(const struct attempt *a);

	/* Read by tune_open(): */
	struct grid_point base; /* settings of every run; owned */
	int64_t workers, batch, accumulate;     /* an update has batch x accumulate samples */
	double compute_s;       /* of one worker on a batch; 0: the cluster's */
	double samples;         /* of an epoch */
	struct choice optim;    /* owned */
	struct trial untuned;   /* of the command line */
	int64_t *groups;        /* [ngroups] ascending; owned */
	size_t ngroups;

	/* Found: */
	double *update_s;       /* [ngroups] seconds of an update; owned */
	struct attempt *all;    /* [n] in the order in which they were made; owned */
	size_t n;
	double timing_s, timing_gradients;      /* that update_s took to find ... */
	size_t timing_runs;                     /* ... in so many runs */
	time_t began;           /* when the command was started */
	size_t before;          /* results of earlier commands that were used */

	/* Indices of attempts; SIZE_MAX: none. */
	size_t chosen;          /* by the cold start */
	size_t tuned, untuned_run;      /* the runs of the budget */
	size_t steady;          /* the last run of the steady state */
	size_t saturated;       /* index in groups of the first that is not worth it, or ngroups */
};

/*
 * Reads the settings of the command line, and the range "FROM..TO" of groups; NULL: all. Sorts the
 * lists. 0 or error(); tune_release() either way.
 */
int tune_open(struct tune *t, const char *groups, const cJSON *set);
void tune_release(struct tune *t);

/* Makes all runs. An exit code. */
int tune_search(struct tune *t);

/* ---- sums of what was found ---- */

struct cost {
	double seconds, gradients, samples;     /* of both kinds of runs */
	size_t runs, timing;                    /* that train, and timing-only ones */
};

/* The cost of all probes with the timing-only runs, or of the exhaustive search. */
struct cost tune_cost(const struct tune *t, bool exhaustive);

/* The best attempt of the exhaustive search; NULL: all diverged. */
const struct attempt *tune_exhaustive_best(const struct tune *t);

/*
 * The loss that the tuned and the untuned run both reach, or where one diverged the other's; and
 * when. Infinite: never.
 */
struct race {
	double loss, tuned_s, untuned_s;
};
struct race tune_race(const struct tune *t);

/* ---- before any run is made ---- */

struct foresight {
	bool timed;             /* all timing-only runs are finished: t->update_s is known */
	size_t timing_runs, timing_finished;
	struct trial *first;    /* [t->rates.n] the first probes; owned */
	struct plan plan;       /* of those that are not finished; owned */
	struct estimate estimate;       /* of these */
	/* Training runs at most. */
	size_t cold, refined, tuned, steady, exhaustive, all;
};

/* Looks which runs a search would make; makes none. 0 or error(); release either way. */
int tune_foresee(struct tune *t, struct foresight *f);
void foresight_release(struct foresight *f);

#endif
