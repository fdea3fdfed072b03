/*
 * times.h - compute times of workers: the grammar of the setting compute_s.
 *
 *     compute_s = SECONDS | clause { ";" clause }
 *     clause    = [ who ":" ] time
 *     who       = span { "," span }
 *     span      = RANK | RANK "-" RANK
 *     time      = SECONDS | "table:" KEY "=" VALUE { "," KEY "=" VALUE } | DEVICE
 *
 * A clause without ranks stands first, for all workers that no other clause names. SECONDS are
 * those of a minibatch of the setting batch.
 */
#ifndef PLAN_COMPUTE_TIMES_H
#define PLAN_COMPUTE_TIMES_H

#include "core/text/ranks.h"
#include "plan/compute/kinds.h"

struct times_clause {
	struct rank_list who;       /* none: all workers */
	double seconds;         /* of a minibatch; 0: the kind's */
	struct choice kind;     /* struct compute_kind */
	struct timetable points;
};

struct compute_times {
	struct times_clause *clause;    /* [n], owned; n = 0: one number says it all */
	size_t n;
	double batch;           /* samples that SECONDS are of */
};

/* True of a text that is more than a number. */
bool compute_times_has_clauses(const char *text);

/*
 * Parses such a text for so many workers with minibatches of `batch` samples of a net (NULL: one
 * that is not built in). A run of one worker has no others: clauses of other ranks are left out.
 * 0 or error(); release in either case.
 */
int compute_times_parse(struct compute_times *t, const char *text, int workers, int64_t batch,
			const char *net);
void compute_times_release(struct compute_times *t);

/* Seconds that a worker computes on so many samples. */
double compute_times_seconds(const struct compute_times *t, int rank, double samples);

/*
 * Which workers' times are of no measured batch: "0-7: batch 16 is outside the measured 32 to
 * 1024", or NULL. They are those of the setting batch and of the workers' slices of a round
 * (core/samples/slice.h; NULL: equal ones). The caller frees.
 */
char *compute_times_beyond(const struct compute_times *t, int workers, const int64_t *slice);

/* With tables as batches and seconds: reads back to the same. The caller frees. */
char *compute_times_format(const struct compute_times *t);

/* The same of one worker's time, without ranks; t->n is not 0. */
char *compute_times_format_worker(const struct compute_times *t, int rank);

/* The hash h, and what the clauses' points say. */
uint64_t compute_times_hash(uint64_t h, const struct compute_times *t);

#endif
