/*
 * script.h - the engine in which a test plays the network by hand.
 *
 * One node, alone. The test hands it events and reads what it asked for, in
 * order. Nothing happens by itself.
 */
#ifndef TESTS_SUPPORT_SCRIPT_H
#define TESTS_SUPPORT_SCRIPT_H

#include "core/base/mem.h"
#include "core/engine/engine.h"

enum ask { ASK_NONE, ASK_GRAD, ASK_CANCEL, ASK_SEND, ASK_ALLREDUCE, ASK_TIMER, ASK_STOP };

enum { SCRIPT_DIM = 2, SCRIPT_ASKS = 64, SCRIPT_FLOATS = 10 };

struct asked {
	enum ask what;
	int to;                 /* SEND */
	struct msg msg;         /* SEND; vec points to vec below */
	size_t n;               /* ALLREDUCE: floats */
	/* SEND, ALLREDUCE: first floats of the vector when asked; GRAD: of the snapshot */
	float vec[SCRIPT_FLOATS];
	int token;              /* TIMER ... */
	double seconds;         /* ... and how long */
};

struct script {
	struct node nd;
	struct run run;
	struct choice algo, optim, graph;
	struct topology topology;
	struct arena arena;
	struct asked asked[SCRIPT_ASKS];
	int n, read;
	float *allreduced;      /* the vector borrowed by node_allreduce() */
	double now, epoch;
	int64_t counted;        /* gradients of all workers, who all have equally many */
};

/*
 * Makes a node of `rank` among `workers` in a run of an algorithm ("asgd", "d-psgd:overlap=true"),
 * with plain SGD of learning rate lr and x = {x0, x1}, on the algorithm's default topology, if it
 * has one; calls start().
 */
void script_open(struct script *s, const char *algo, int workers, int rank, double lr, float x0,
		 float x1);

/* script_open() with another topology. */
void script_open_on(struct script *s, const char *graph, const char *algo, int workers, int rank,
		    double lr, float x0, float x1);

/* script_open() with another optimiser ("sgd:momentum=0.5"). */
void script_open_with(struct script *s, const char *algo, const char *optim, int workers,
		      int rank, double lr, float x0, float x1);
void script_close(struct script *s);

/* Asserts that the algorithm's check() refuses the run with a message that contains `why`. */
void script_refuses(const struct script *s, const char *why);

/* Next request of the node, in order; ASK_NONE when there is none. */
const struct asked *script_next(struct script *s);

/* Asserts that the only request since then is to send {x0, x1} with that clock. */
void script_sends(struct script *s, int to, int64_t stamp, double x0, double x1);

/* Gives the node an event. */
void script_grad(struct script *s, float g0, float g1);
void script_msg(struct script *s, int from, int tag, int64_t stamp, float v0, float v1);
/* Gives the node a message of any length, without a tag. */
void script_vec(struct script *s, int from, int64_t stamp, size_t n, const float *v);
void script_allreduce(struct script *s, float v0, float v1);
/* Gives the node an all-reduce of any length. */
void script_allreduce_of(struct script *s, size_t n, const float *v);

/* Asserts that the next request is for a gradient at (x0, x1). */
void script_grads(struct script *s, double x0, double x1);
/* Asserts that the next request is the all-reduce of v[n]. */
void script_allreduces(struct script *s, size_t n, const double *v);

#endif
