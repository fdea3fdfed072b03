/*
 * learnt.h - all that a simulated run has learnt, node by node, for runs in the same order.
 *
 * A run in the same order as a trained one (run_result.order) learns the same: each node has the
 * same losses and measures in the same order, whatever the times, and whatever nodes do meanwhile
 * that know nothing of it. So such a run is simulated without gradients, and run_emit() puts what
 * was learnt into its events: hooks see those of a training run, bit for bit.
 */
#ifndef CORE_LEARNT_H
#define CORE_LEARNT_H

#include "core/run.h"
#include "core/samples/correct.h"
#include "core/watch.h"

enum learnt_kind {              /* of a node's numbers */
	LEARNT_LOSS,            /* of each gradient; after the last, of one that was dropped */
	LEARNT_NORM, LEARNT_GAP, LEARNT_MOMENTUM, LEARNT_PUBLISHED,     /* of each step */
	LEARNT_KINDS
};

/* Of each evaluation. */
enum learnt_mark { LEARNT_TEST_LOSS, LEARNT_TEST_ACCURACY, LEARNT_SPREAD, LEARNT_MARKS };

struct numbers_learnt {
	double *v;              /* [n] */
	size_t n;
	size_t next;            /* to be shown */
};

struct learnt {
	int nodes;              /* the server last */
	struct numbers_learnt (*node)[LEARNT_KINDS];    /* [nodes] */
	struct numbers_learnt mark[LEARNT_MARKS];
	struct measured measured;       /* of the event that is shown */
	size_t total;           /* numbers so far ... */
	bool full;              /* ... which were too many: it has no more */
	/* ---- of a run that is shown ---- */
	char *by;               /* the hash of the run that was trained; owned */
	uint64_t model;         /* digest of its final one */
	bool tokens;            /* its net is of tokens */
	size_t dim;
	int64_t samples;
	struct correct correct; /* test samples at the last evaluation; owned */
	int64_t tested;         /* test samples that accuracies are of; 0: not known */
};

/* Of a run with so many nodes. */
struct learnt *learnt_new(int nodes);
void learnt_free(struct learnt *l);

/* Adds a number; too many are forgotten, all of them. */
void learnt_add(struct learnt *l, struct numbers_learnt *to, double x);

/* Adds what an event of the training run has: GRAD, DROP, STEP, GATHER. */
void learnt_event(struct learnt *l, const struct event *ev);

/* Adds an evaluation. */
void learnt_evaluation(struct learnt *l, const double mark[LEARNT_MARKS]);

/* Puts into an event what was learnt by then. */
void learnt_show(struct learnt *l, struct event *ev);

/*
 * False where a run whose nodes have so many gradients needs more losses than were learnt: its last
 * round, which was not whole, had others. gradients[nodes]
 */
bool learnt_suffices(const struct learnt *l, const int64_t *gradients);

/* Whether the evaluation that was shown last is the last one. */
bool learnt_all_evaluated(const struct learnt *l);

/* Of the evaluation that was shown last; NaN: there was none. */
double learnt_evaluated(const struct learnt *l, enum learnt_mark what);

#endif
