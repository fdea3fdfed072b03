/*
 * spec_tune.h - a spec's "tune": settings chosen for each method of an experiment, by tuning runs.
 *
 * A method is what the axes in its "per" tell apart. Its tuning runs are a plan of
 * their own, next to the experiment's: every point of its grid, with every tuning seed. When all
 * of them are finished, the best point's settings override those of the method's runs, which until
 * then are `open`: resolved with the first point, and not to be run.
 */
#ifndef PLAN_SPEC_TUNE_H
#define PLAN_SPEC_TUNE_H

#include "plan/plan.h"

/* Choice of a point of a method's grid, and why, as docs/specs.md has it. */
struct tuning_choice {
	struct tuning_score {   /* of a point of the grid, in their order */
		double *values;         /* [nseeds] of the measure, NaN: a run has none; owned */
		double mean, badness;   /* higher is worse, HUGE_VAL where a run is lost */
		int n, diverged;        /* runs with a value; that diverged */
	} *scores;              /* [n]; NULL: some run has no result yet */
	size_t n, nseeds;
	size_t best;            /* the chosen point */
	struct grid_point chosen;
	char **edges;           /* [nedges] settings and options at the edge of the grid; owned */
	size_t nedges;
	char *reason;           /* why the first of several was taken; owned; NULL: best */
};

struct tuning_method {
	char *name;             /* its values of "per": "asgd", "asgd, 8"; owned */
	struct grid_point per;  /* owned */
	struct grid_point rest; /* what its tuning runs have besides: other axes, budget; owned */
	const struct grid_product *grid;     /* borrowed from the spec */
	bool used;              /* some run of the plan is of it */
	size_t first, n;        /* its tuning runs in tuning->plan: seeds within points */
	bool measured;          /* one of them is known to have the measure */
	struct tuning_choice choice;
};

struct tuning {
	struct plan plan;       /* the tuning runs, whose files are in DIR/tuning */
	struct tuning_method *methods;  /* [n] */
	size_t n;
	bool unmeasured;        /* a tuning run was found to have no such measure */
	struct results results; /* of the methods with a choice, with their points; owned */
};

/* Begins p->tuning where the spec has "tune". 0 or error(). */
int tuning_begin(struct plan *p);

/* The method of a point of the grid, which is new at its first point; PLAN_NONE after error(). */
size_t tuning_meet(struct plan *p, const struct grid_point *point);

/* Adds a run at a point of that method, which is taken over; it is open. 0 or error(). */
int tuning_add(struct plan *p, struct grid_point point, size_t method);

/* When all points are met: plans the tuning runs, and chooses where they are finished. */
int tuning_plan(struct plan *p, bool again);

/*
 * 0, or error() where a tuning run that is finished has no such measure, which then is no test of
 * its method. A run that diverged tells nothing of it.
 */
int tuning_check_measure(struct plan *p, const struct planned *r);

/*
 * After the tuning runs: chooses, looks which runs are finished, and has those failed that are
 * still open. 0 or error().
 */
int tuning_end(struct plan *p, bool again);

void tuning_release(struct tuning *t);

/* ---- spec_tune_report.c ---- */

/* Choices of all methods that have one, as tuning.json has them. The caller frees. */
cJSON *tuning_json(const struct plan *p);

/* The choices in a line for notes, or how many; NULL: none yet. The caller frees. */
char *tuning_text(const struct plan *p);

/* Choice for the method of a run, and among what; NULL: none. The caller frees. */
char *tuning_text_of(const struct plan *p, const struct planned *r);

/*
 * A spec with a table that has a row for each method and point, and plots of the measure over the
 * first setting, a line for each method, in as many plots as 16 lines each need. The caller frees.
 */
cJSON *tuning_report(const struct plan *p);

#endif
