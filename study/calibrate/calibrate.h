/* Between the parts of `convoy calibrate`. */
#ifndef STUDY_CALIBRATE_CALIBRATE_H
#define STUDY_CALIBRATE_CALIBRATE_H

#include "study/calibrate/probe.h"
#include "plan/resolve/setup.h"

enum { SIZES_MAX = 16, LEVELS_MAX = 32 };

struct findings {               /* of process 0 */
	int ranks, threads;
	int workers;            /* of the ranks: as many compute at once */
	const char *hosts;      /* a line each, borrowed */
	/* Seconds between gradients of one worker, `level[i]` of them computing at once. */
	int level[LEVELS_MAX];
	size_t levels;
	struct times periods[LEVELS_MAX];
	/*
	 * Batches of samples that a process had not used before, and of samples that it had: some
	 * data sets make a sample when it is first used.
	 */
	struct fetching first, known;
	int64_t epoch;          /* gradients of a worker */
	int64_t seen;           /* gradients of a worker of which every process knows the samples */
	struct times steps;     /* of the optimiser, while all compute */
	struct times passes;    /* of handlers, a float read or written */
	struct times receiving; /* as periods of the last level, with a message received in each */
	/* Messages and all-reduces by size; sizes 0: there is one rank. */
	size_t floats[SIZES_MAX], sizes;
	struct times messages[SIZES_MAX], allreduces[SIZES_MAX];
};

void findings_release(struct findings *f);

/* Writes the cluster file whole. 0 or error(). */
int calibrate_write(struct findings *f, const struct setup *su, const char *path);

/* What was found, a line a figure, on stdout. */
void calibrate_print(struct findings *f);

#endif
