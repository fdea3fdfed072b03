/*
 * tuning.h - settings that are chosen for each method of an experiment, by runs of their own.
 *
 * A method is what the axes "per" of the spec's "tune" tell apart. Its tuning runs are a plan of
 * their own, next to the experiment's: every point of its grid, with every tuning seed. When all
 * of them are finished, the best point's settings override those of the method's runs, which until
 * then are `open`: resolved with the first point, and not to be run.
 */
#ifndef PLAN_TUNING_H
#define PLAN_TUNING_H

#include "plan/plan.h"

struct tuning_method {
	char *name;             /* its values of "per": "asgd", "asgd, 8"; owned */
	cJSON *per;             /* {setting: value}; owned */
	cJSON *rest;            /* what its tuning runs have besides: other axes, budget; owned */
	const cJSON *grid;      /* {setting: [value, ...]}; borrowed from the spec */
	bool used;              /* some run of the plan is of it */
	size_t first, n;        /* its tuning runs in tuning->plan: seeds within points */
	bool measured;          /* one of them is known to have the measure */
	cJSON *chosen;          /* {setting: value}; owned; NULL: some run has no result yet */
};

struct tuning {
	struct plan plan;       /* the tuning runs, whose files are in DIR/tuning */
	struct tuning_method *methods;  /* [n] */
	size_t n;
	bool unmeasured;        /* a tuning run was found to have no such measure */
	cJSON *results;         /* run objects of the methods with a choice, with "point"; owned */
	cJSON *chosen;          /* what was chosen and why, as docs/specs.md has it; owned */
};

/* Leaves the settings of the command line out of the spec's "tune", and says so. 0 or error(). */
int tuning_leave_out(struct plan *p, const cJSON *set);

/* Begins p->tuning where the spec has "tune". 0 or error(). */
int tuning_begin(struct plan *p);

/* The method of a point of the grid, which is new at its first point; PLAN_NONE after error(). */
size_t tuning_meet(struct plan *p, const cJSON *point);

/* Adds a run at a point of that method, which is taken over; it is open. 0 or error(). */
int tuning_add(struct plan *p, cJSON *point, size_t method);

/* Resolves the open runs of the methods that are chosen. 0 or error(). */
int tuning_close(struct plan *p);

/* When all points are met: plans the tuning runs, and chooses where they are finished. */
int tuning_plan(struct plan *p, bool again);

/* ---- tuning_check.c ---- */

/* 0, or error() where a table or plot of the spec has the name of those of tuning runs. */
int tuning_check_names(const struct spec *s);

/* 0, or error(): the tuning runs differ, have seeds of their own, and can have the measure. */
int tuning_check_runs(struct plan *p);

/*
 * 0, or error() where a tuning run that is finished has no such measure, which then is no test of
 * its method. A run that diverged tells nothing of it.
 */
int tuning_check_measure(struct plan *p, const struct planned *r);

/* Warns of grids of no method, and of one point. */
void tuning_warn(const struct plan *p);

/*
 * tuning_choice.c: chooses for the methods whose tuning runs are finished, and resolves their runs
 * again; "tuning" of the spec's JSON, which claims read, is what was chosen. 0, or error() where no
 * run has the measure.
 */
int tuning_choose(struct plan *p);

/*
 * After the tuning runs: chooses, looks which runs are finished, and has those failed that are
 * still open. 0 or error().
 */
int tuning_end(struct plan *p, bool again);

/* "0.05, 0.1": the values of an array or an object, joined; the caller frees. */
char *tuning_values_text(const cJSON *values);

/* What was chosen for all methods, in a line for notes; NULL: nothing yet. The caller frees. */
char *tuning_text(const struct plan *p);

/* What was chosen for the method of a run, and among what; NULL: nothing. The caller frees. */
char *tuning_text_of(const struct plan *p, const struct planned *r);

/*
 * tuning_report.c: a spec with a table that has a row for each method and point, and plots of the
 * measure over the first setting, a line for each method, in as many plots as 16 lines each need.
 * The caller frees the first, which the second completes when the methods are known.
 */
cJSON *tuning_report(const struct spec *s);
void tuning_report_fill(struct plan *p);

void tuning_release(struct tuning *t);

#endif
