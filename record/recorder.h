/* A run as the recorder has seen it so far, and the file made of it. */
#ifndef RECORD_RECORDER_H
#define RECORD_RECORDER_H

#include "core/metric.h"
#include "core/samples/correct.h"
#include "record/layout.h"
#include "record/record.h"

#include <math.h>

/*
 * A sum in twice the digits (Knuth's two-sum): rounded to a double it is the same in any order of
 * its terms, also where ranks' events come in another order each time.
 */
struct sum {
	double high, low;
};

struct mean {                   /* over samples: by gradients, each weighed by its own */
	struct sum sum, weight;
};

struct seen {                   /* of a measure of steps */
	struct sum sum;
	double max, last;
	int64_t n;
};
enum seen_measure { SEEN_STALENESS, SEEN_GLOBAL, SEEN_GAP, SEEN_NORM, SEEN_MOMENTUM,
		    SEEN_PUBLISHED, SEEN_HEAD, SEEN_MEASURES };

struct timed {                  /* where the time per epoch begins: after the warm-up */
	bool begun;
	double time, epoch;
};

struct rounds {                 /* of a worker */
	int64_t delivered;      /* gradients so far */
	int64_t n, counted;     /* rounds that are over; gradients in them */
	int64_t timed;          /* 1: the rest is known: its first request after the warm-up ... */
	int64_t from_n, from_delivered;
	double from;
	int64_t to_delivered;   /* ... and its latest one, that begin a round */
	double to;
};

struct round_end {              /* of a round that some workers have ended, and others not */
	int64_t workers;                /* that have; ... */
	int64_t gradients;              /* ... in it */
	double latest;                  /* end of the latest of them */
};

struct ends {                   /* in lockstep: of rounds that all workers have ended */
	int64_t n;                      /* so many; ... */
	double time;                    /* ... the end of the latest; of 0: its begin */
	int64_t timed, gradients;       /* rounds after the warm-up, and gradients in them ... */
	double from;                    /* ... and when the first of them began */
	struct round_end *ahead;        /* [nahead] rounds n + 1 and later; owned */
	int64_t nahead;
};

struct reached {                /* what a checkpoint has of a recorder just as it is */
	int64_t version;                /* set at a checkpoint, as are elapsed and workers */
	double lr;                      /* of the latest step */
	struct mean train_loss, eval_loss;      /* since the last row of each curve */
	struct timed timed;
	double train_every;             /* epochs of a window: longer when there are too many */
	int64_t train_rows;             /* windows that are over */
	int64_t marked;                 /* gradients at the last row of eval; -1: none */
	int64_t marks, marks_each;      /* so far; every so many of them have a row of their own */
	int64_t diverged;               /* 1: a loss was not finite */
	int64_t steps;                  /* of all workers */
	double elapsed;                 /* real seconds */
	struct seen window[SEEN_MEASURES], whole[SEEN_MEASURES];      /* since the last row; all */
	struct ends ends;
	int64_t workers;
};

struct recorder {
	struct hook hook;               /* first: the engine hands us its address */
	const struct run *run;          /* borrowed until close */
	struct record_info info;        /* with copies of our own */
	struct setting *settings, *assumed;     /* [info.nsettings], [info.nassumed], owned */
	char *path, *part, *command;
	char started[32];
	double began, next_save;        /* seconds of the monotonic clock */
	double eval_s;          /* real seconds that evaluations took */
	bool failed;                    /* to save in between; only the end tries again */
	bool stopped;                   /* no more gradients will be delivered */
	bool cut;                       /* by recorder_cut(): what was reached stays */
	struct reached at;
	struct rounds *rounds;          /* [workers] */
	double train_due;               /* no row before that epoch */
	struct column train[TRAIN_COLUMNS], nodes[NODE_COLUMNS];
	struct column eval[EVAL_COLUMNS + METRICS_MOST];        /* after those of the layout, ... */
	int evals;                      /* ... the problem's metrics: so many columns in all */
	struct column faults[FAULT_COLUMNS];
	struct column wall[WALL_COLUMNS];
	struct tally staleness, gaps;
	int64_t *updates;               /* [workers] steps by the gradients of each */
	int64_t *read;                  /* [workers] steps of all at the snapshot of each */
	struct learnt *learnt;          /* for runs in the same order; NULL: not kept */
	float *model;                   /* [dim] the final one, where it is kept; owned */
	struct correct correct;         /* test samples, at the last row of eval; owned */
	struct ledger total;            /* of all nodes; times of the workers only */
};

/*
 * Builds the file from all that is known and puts it at `path`. result NULL: the
 * run goes on. 0 or error().
 */
int record_save(const struct recorder *r, const char *path, const struct run_result *result,
		const char *status);

/* a / b; NaN if b is not positive. */
static inline double record_ratio(double a, double b)
{
	return b > 0 ? a / b : (double)NAN;
}

/* The figures of a run that has ended. */
struct record_figures record_figures(const struct recorder *r, const struct run_result *result);

/* ---- recorder_rounds.c ---- */

/* A worker asked for a gradient that is delivered, dropped or refused now. */
void record_asked(struct recorder *r, const struct event *ev);

/* Rounds that all workers end are known: in lockstep, unless one may be away. */
bool rounds_are_common(const struct recorder *r);

/* Over whole rounds, after the warm-up; NaN: there are too few. result: NULL while it runs. */
double record_time_per_epoch(const struct recorder *r, const struct run_result *result);

/*
 * Seconds of all workers together, after the run's last gradient, until the exchanges of the rounds
 * that it ended are done.
 */
double record_after_end(const struct recorder *r, const struct run_result *result);

/* Share of the workers' time that was waiting, the exchange after the end included in this time. */
double record_wait_share(const struct recorder *r, const struct run_result *result);

/* Share of what workers sent after rounds that the server left out, as it came late. */
double record_late(const struct recorder *r);

/*
 * Rounds by which the fastest worker got further ahead of the slowest after the warm-up, for each
 * round that it made there, where the algorithm bounds how far it may get, so that only the start
 * of a run is so; 0: hardly any.
 */
double record_lead_growth(const struct recorder *r);

/*
 * What keeps the finished run from being compared: it sent nothing, made no step, is too short to
 * time, the network carried less than was sent, or much was left out of the model. The caller
 * frees; NULL: nothing.
 */
char *record_remark(const struct recorder *r, const struct run_result *result);

/* ---- recorder.c ---- */

/* Frees what a checkpoint has, but for r->at: rows, tallies, counts and what was learnt. */
void record_release(struct recorder *r);

/* True where each worker has a model that the others do not step. */
static inline bool record_is_gossip(const struct run *run)
{
	return !run->algo->server && !run->algo->lockstep && !run->algo->shared;
}

static inline double sum_value(const struct sum *s)
{
	return isfinite(s->high) ? s->high + s->low : s->high;
}

static inline double seen_mean(const struct seen *s)
{
	return s->n ? sum_value(&s->sum) / (double)s->n : (double)NAN;
}

static inline double seen_max(const struct seen *s)
{
	return s->n ? s->max : (double)NAN;
}

/* Appends the lower ends of ranges of gaps, and how many lie in each. */
void record_gaps(const struct recorder *r, struct column *at_least, struct column *count);

#endif
