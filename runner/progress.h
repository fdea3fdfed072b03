/*
 * progress.h - one line on stderr: how far, how fast, how long still.
 *
 * On a terminal the line is redrawn in place; elsewhere a line is written now
 * and then. Work that takes under two seconds shows nothing.
 */
#ifndef RUNNER_PROGRESS_H
#define RUNNER_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

struct progress {
	bool quiet, tty, drawn;
	const char *unit;       /* what is counted; NULL: gradients */
	size_t runs;            /* to do in all */
	size_t before;          /* runs that were finished before */
	size_t processes;       /* that make runs; from 2 on all runs and processes are shown */
	const char *position;   /* before all, borrowed; NULL: nothing */
	double after_s;         /* seconds of what comes after all this; 0: nothing; NaN: unknown */
	double began, shown;    /* seconds of the wall clock */
	double first_s;         /* after began: the first unit was done, of the first run */
	double first_fraction, first_gradients;
};

void progress_start(struct progress *p, size_t runs, bool quiet);

/* done of the runs are finished; fraction in [0, 1] of all the work; `gradients` units so far. */
void progress_show(struct progress *p, size_t done, double fraction, double gradients);

/* Wipes the line, if one was drawn. */
void progress_end(struct progress *p);

/* Seconds since progress_start(). */
double progress_elapsed(const struct progress *p);

/* 75 -> "1:15", 3700 -> "1:01:40" */
void progress_span(double seconds, char *text, size_t size);

#endif
