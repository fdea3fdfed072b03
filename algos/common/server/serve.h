/*
 * serve.h - the worker of a parameter server, and functions that servers share.
 *
 * A worker with the role serve_worker computes a gradient at the model that it received last, sends
 * it with that model's clock, and waits for the next model:
 *
 *     worker  --- SERVE_GRAD, clock of its model --->  server
 *             <-- SERVE_MODEL, the server's clock ---
 *
 * So most asynchronous algorithms only define how the server handles a gradient.
 */
#ifndef ALGOS_COMMON_SERVER_SERVE_H
#define ALGOS_COMMON_SERVER_SERVE_H

#include "core/node.h"

enum serve_tag {
	SERVE_GRAD,
	SERVE_MODEL,
	SERVE_AGAIN             /* empty: asks for another gradient at the same model */
};

extern const struct role serve_worker;

/* serve_worker, but a new model cancels the gradient being computed, which would be of no use. */
extern const struct role serve_restarter;

struct served {                 /* in the state of a worker with a role of its own */
	int64_t stamp;          /* server's clock of the model at which it computes */
	bool computing;
};

/* facts.tolerates of an algorithm whose server waits for no worker. */
#define SERVE_TOLERATES "a worker that leaves: no worker waits for it"

/* Facts of an algorithm that differs from asgd only in the server's step; .memory is its own. */
#define SERVE_FACTS                                                                            \
	.waits = "no worker", .staleness = "about n - 1", .late = LATE_BY_WORKERS,             \
	.messages = "2: gradient up, model down; 2 m", .tolerates = SERVE_TOLERATES

/* Worker: computes a gradient at the model that it has. */
void serve_begin(struct node *nd, struct served *w);

/* Worker: sends v[dim], its gradient or a substitute for it, with the clock of its model. */
void serve_gradient(struct node *nd, struct served *w, const float *v);

/*
 * Worker: SERVE_MODEL: takes the model, and computes a gradient; SERVE_AGAIN: computes one at the
 * model that it has. A message that comes while it computes answers a gradient from before it was
 * away, and is ignored.
 */
void serve_take(struct node *nd, struct served *w, const struct msg *m);

/* Worker: was away, and now computes at the model that it has (m NULL), or at that of *m. */
void serve_back(struct node *nd, struct served *w, const struct msg *m);

/* Server: sends a worker its model x, or a substitute v[dim], with its clock. */
void serve_model(struct node *nd, int to);
void serve_vector(struct node *nd, int to, const float *v);

/*
 * Server: sends its model to all workers, beginning with another one each time: the first receiver
 * also finishes first, and so might be served first every time.
 */
void serve_all(struct node *nd);

/*
 * Server: answers a gradient with its model, or with SERVE_AGAIN if the sender has that model
 * already.
 */
void serve_newer(struct node *nd, const struct msg *m);

/*
 * Server: steps that the server has made since the model at which the message's gradient was taken.
 */
int64_t serve_staleness(const struct node *nd, const struct msg *m);

/*
 * Models that the workers have, a vector for each: copies of the node's x as it is now. [workers]
 * of [dim], or of NULL in a timing-only run.
 */
float **serve_copies(struct node *nd);

/* serve_copies(), but the vectors are zeros. */
float **serve_vectors(struct node *nd);

/* serve_copies(), but all workers share one vector. */
float **serve_shared(struct node *nd);

#endif
