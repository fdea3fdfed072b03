/*
 * replay.h - the engine of recorded order: every node's handlers again, as they were.
 *
 * All nodes live in one process. A node's handlers run in the order in which they were
 * recorded, each as soon as what it receives is there: the next message of that sender, the
 * gradient asked for, the all-reduce that all have asked for, a timer with that token. node_now()
 * and node_epoch() say what they said then. Since a handler is a function of its events
 * (core/node.h), models are bit-identical whatever the order between nodes.
 */
#ifndef SIM_REPLAY_REPLAY_H
#define SIM_REPLAY_REPLAY_H

#include "core/run.h"

struct replay_event {                   /* one handler */
	enum handler handler;
	int rank;
	int peer;                       /* MSG: its sender; TIMER: its token */
	double time;                    /* what node_now() was as it began */
	double step_s;                  /* what node_now() advanced by with every step */
	int64_t gradients;              /* what node_epoch() went by */
	double loss;                    /* GRAD: as it was; NaN matches NaN */
};

struct replay_result {
	uint64_t model;                 /* vec_digest() of the final model */
	float *x;                       /* [dim] that model; the caller frees */
	int64_t handlers, gradients, steps;
	/* The first gradient of some node whose loss is not as recorded; NULL: none. */
	const struct replay_event *differs;
	int64_t differs_index;          /* which minibatch of that worker; from 0 */
	double differs_loss;            /* what it is now */
};

/*
 * Replays n events; all-reduces add in the order of ranks, or, when `ring` is true, in that of
 * the ring of real ranks (mpi/allreduce/ring.c), which differs from piece to piece. run->pool
 * computes, run->hooks see EV_GRAD alone, and the budget counts for nothing. Returns 0; 1
 * when run->interrupted asked for the end; or error() naming the first event that cannot
 * happen. *result is filled for 0 only.
 */
int replay_run(const struct run *run, const struct replay_event *event, size_t n, bool ring,
	       struct replay_result *result);

#endif
