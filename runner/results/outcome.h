/*
 * outcome.h - what the finished runs of a plan amount to: run objects, tables,
 * plots, claims.
 */
#ifndef RUNNER_RESULTS_OUTCOME_H
#define RUNNER_RESULTS_OUTCOME_H

#include "plan/plan.h"
#include "report/claims/claims.h"
#include "report/table/table.h"

struct outcome {                /* all owned */
	struct results runs;    /* finished runs, with their points */
	struct results baselines;       /* those that are finished */
	struct tables tables;
	struct verdicts *claims;
	char *gap;              /* plan_gap() */
	cJSON *made;            /* outcome_made(), once it was asked for */
};

/*
 * Reads every finished run of the plan and builds tables and claims. Where runs
 * are missing or settings differ from the spec, the tables' notes say so. Without all of the
 * spec's own runs the claims get no verdict but a "reason". 0 or error().
 */
int outcome_read(struct outcome *o, const struct plan *p);
void outcome_release(struct outcome *o);

/* Releases it, and reads it after more runs, without the warnings that it has given before. */
int outcome_read_again(struct outcome *o, const struct plan *p);

/*
 * Has the result files say which runs are baselines, and the speedups of the others. 0 or
 * error().
 */
int outcome_mark(const struct outcome *o, const struct plan *p);

/*
 * Writes tables/, claims.json, runs.json, baselines.json, tuning.json and made.json of the plan's
 * folder, and marks the result files. 0 or error().
 */
int outcome_write(struct outcome *o, const struct plan *p);

/*
 * {what: text} of how the runs were made: their number, scale and seeds, versions,
 * machines, first and last moment ("made"), wall time. Read from the result files once, and
 * borrowed from the outcome.
 */
const cJSON *outcome_made(struct outcome *o);

/* Warns of runs that are not finished, and of settings that are not the spec's. */
void outcome_missing(const struct plan *p);

/*
 * The runs as --json shows them: without curves and nodes; runs that have no
 * result are there too, with their status and nulls.
 */
cJSON *outcome_runs(const struct outcome *o, const struct plan *p);

/* A run that is not finished, or failed: its settings and its status; result_release(). */
struct result outcome_no_result(const struct plan *p, const struct planned *planned);

/* Prints JSON and a newline on stdout, and frees it. */
void json_print_own(cJSON *json);

/* Prints all tables in a format, an empty line between. */
void outcome_print_tables(const struct tables *tables, enum table_format format);

#endif
