/*
 * replay.h - the engine that repeats a trace: every node's handlers run again in their recorded
 * order.
 *
 * All nodes are in one process. A node's handlers run in the order in which they were recorded,
 * each as soon as its input is there: the next message of the recorded sender, the gradient asked
 * for, the all-reduce that all members have asked for, or a timer with the recorded token.
 * node_now() and node_epoch() return the recorded values. Since a handler is a function of its
 * events (core/node.h), models are bit-identical whatever the order between nodes.
 */
#ifndef SIM_REPLAY_REPLAY_H
#define SIM_REPLAY_REPLAY_H

#include "core/run.h"

struct replay_event {                   /* a handler of the trace */
	enum handler handler;
	int rank;
	int peer;                       /* MSG: its sender; TIMER: its token */
	double time;                    /* node_now() when it began */
	double step_s;                  /* seconds by which node_now() advanced with every step */
	int64_t gradients;              /* gradients from which node_epoch() was computed */
	double loss;                    /* GRAD: recorded loss; NaN matches NaN */
};

struct replay_result {
	uint64_t model;                 /* vec_digest() of the final model */
	float *x;                       /* [dim] that model; the caller frees */
	int64_t handlers, gradients, steps;
	/* The first gradient of some node whose loss differs from the recorded one; NULL: none. */
	const struct replay_event *differs;
	int64_t differs_index;          /* its minibatch's index, from 0 */
	double differs_loss;            /* its loss now */
};

/*
 * Replays n events. All-reduces add in the order of ranks or, if `ring` is true, in that of a ring
 * of real ranks (mpi/allreduce/real_allreduce.c), which differs from piece to piece. run->pool
 * computes, run->hooks see EV_GRAD alone, and the budget is ignored. Returns 0; 1 when
 * run->interrupted asked for the end; or error() naming the first event that cannot happen. *result
 * is filled in for 0 only.
 */
int replay_run(const struct run *run, const struct replay_event *event, size_t n, bool ring,
	       struct replay_result *result);

#endif
