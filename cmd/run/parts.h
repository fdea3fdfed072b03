/* What `convoy run` prints of an experiment and, of several, a line each. */
#ifndef CMD_RUN_PARTS_H
#define CMD_RUN_PARTS_H

#include "runner/results/outcome.h"

/* ---- print.c: what came of an experiment, on stdout ---- */

/* {"experiment","scale","runs","baseline","tuning","tables","claims","plots": paths}. */
void run_print_json(const struct plan *p, const struct outcome *o, const cJSON *plots);

/* Tables, or its runs where the spec has none; claims; the paths of pictures. */
void run_print_text(const struct plan *p, const struct outcome *o, const cJSON *plots);

/* ---- summary.c: what came of several experiments, a line each ---- */

struct run_row {
	const char *experiment, *scale; /* borrowed; scale NULL: none was found */
	bool planned;                   /* there is a plan, and its runs were counted */
	size_t done, failed;            /* runs */
	size_t left;                    /* runs that were not reached, or interrupted */
	bool judged;                    /* its claims were looked at */
	size_t holds, fails;            /* claims */
	size_t undecided, open;         /* open: without a verdict */
	double seconds;                 /* of the wall clock that it took */
};

/* The counts of a plan that was run, or not reached, with its tuning runs. */
void run_row_count(struct run_row *row, const struct plan *p);

/* The verdicts of its claims. */
void run_row_judge(struct run_row *row, const struct outcome *o);

/* A table on stdout, with the sums of its columns below. */
void run_summary_print(const struct run_row *rows, size_t n);

/*
 * {"summary": [{"experiment","scale","done","failed","left","claims": {"hold","fail",
 * "undecided","not_evaluated"},"seconds"}]} on stdout; null for what is not known.
 */
void run_summary_json(const struct run_row *rows, size_t n);

#endif
