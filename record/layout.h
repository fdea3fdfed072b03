/*
 * layout.h - the names in a result file: what the recorder writes and result_load() expects.
 *
 * A change of meaning raises LAYOUT_VERSION, and so does one of random draws: then no run of an
 * older version counts as finished. docs/results.md is the contract.
 */
#ifndef RECORD_LAYOUT_H
#define RECORD_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LAYOUT_FORMAT "convoy run"
enum { LAYOUT_VERSION = 4, LAYOUT_OLDEST = 4 };       /* written; read */

#define STATUS_RUNNING "running"                /* or killed: no outcome yet */
#define STATUS_INTERRUPTED "interrupted"
#define STATUS_DONE "done"
#define STATUS_DIVERGED "diverged"
#define STATUS_STALLED "stalled"

enum {
	TRAIN_GRADIENTS, TRAIN_EPOCH, TRAIN_TIME, TRAIN_LOSS, TRAIN_LR, TRAIN_STALENESS,
	TRAIN_STALENESS_MAX, TRAIN_GAP, TRAIN_GAP_MAX, TRAIN_NORM, TRAIN_NORM_MAX,
	TRAIN_MOMENTUM, TRAIN_COLUMNS
};
enum {
	EVAL_EPOCH, EVAL_TIME, EVAL_GRADIENTS, EVAL_TRAIN_LOSS, EVAL_TEST_LOSS,
	EVAL_TEST_ACCURACY, EVAL_SPREAD, EVAL_BYTES_SENT, EVAL_COLUMNS
};
enum {
	NODE_RANK, NODE_COMPUTE, NODE_COMMUNICATE, NODE_WAIT, NODE_GRADIENTS, NODE_DROPPED,
	NODE_STEPS, NODE_MESSAGES, NODE_BYTES_SENT, NODE_BYTES_RECEIVED, NODE_UPDATES, NODE_COLUMNS
};
enum { WALL_TRAIN, WALL_EVAL, WALL_COLUMNS };
enum { STALENESS_VALUE, STALENESS_COUNT, STALENESS_COLUMNS };
enum { GAP_AT_LEAST, GAP_COUNT, GAP_COLUMNS };
enum { FAULT_TIME, FAULT_KIND, FAULT_OVER, FAULT_RANK, FAULT_PEER, FAULT_COLUMNS };

/* 0 for a file of a version from oldest to newest, else error() that names it. */
int layout_check(const char *path, int64_t version, int oldest, int newest);

struct layout_column {
	const char *name;       /* NULL ends a table */
	bool integer;
};

extern const struct layout_column layout_train[TRAIN_COLUMNS + 1];
extern const struct layout_column layout_eval[EVAL_COLUMNS + 1];
/* Columns of /environment: real seconds since the run began, for each of the two curves. */
extern const struct layout_column layout_wall[WALL_COLUMNS + 1];
extern const struct layout_column layout_nodes[NODE_COLUMNS + 1];
extern const struct layout_column layout_staleness[STALENESS_COLUMNS + 1];
extern const struct layout_column layout_gap[GAP_COLUMNS + 1];
extern const struct layout_column layout_faults[FAULT_COLUMNS + 1];

/* ---- growing columns of numbers: what a dataset of a result file is made of ---- */

struct column {
	const char *name;       /* of the dataset */
	bool integer;           /* int64_t, else double */
	size_t n, capacity;
	union {
		double *real;           /* [n] */
		int64_t *whole;         /* [n] */
	} v;                            /* owned */
};

/* Memory for n values in all, of a column that is empty. */
void column_reserve(struct column *c, size_t n);

/* Append one value to a column of that type. */
void column_real(struct column *c, double x);
void column_whole(struct column *c, int64_t x);

/* The last value of a column of doubles; NaN when there is none. */
double column_final(const struct column *c);

void column_release(struct column *c);

/* How often each value occurred, for values of any range. {0} is empty. */
struct tally {
	int64_t *few;           /* [few_capacity] of 0, 1, 2, ...: most values are small */
	size_t few_capacity;
	int64_t *value, *count; /* [capacity] of others, open addressing; count 0: free */
	size_t n, capacity;
	int64_t total;          /* occurrences */
	double sum;             /* of all values */
};

/* The value occurred so many times more. */
void tally_add(struct tally *t, int64_t value, int64_t times);

/* Appends the values in ascending order, and their counts. */
void tally_columns(const struct tally *t, struct column *value, struct column *count);

void tally_release(struct tally *t);

#endif
