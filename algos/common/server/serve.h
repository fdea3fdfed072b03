/*
 * serve.h - what parameter servers and their workers have in common.
 *
 * A worker of serve_worker computes a gradient at the model it was given last,
 * sends it with that model's clock, and waits for the next one:
 *
 *     worker  --- SERVE_GRAD, clock of its model --->  server
 *             <-- SERVE_MODEL, the server's clock ---
 *
 * So the server's handler of a gradient is all that most asynchronous
 * algorithms consist of.
 */
#ifndef ALGOS_COMMON_SERVER_SERVE_H
#define ALGOS_COMMON_SERVER_SERVE_H

#include "core/node.h"

enum serve_tag {
	SERVE_GRAD,
	SERVE_MODEL,
	SERVE_AGAIN             /* empty: another gradient, please, at the model you have */
};

extern const struct role serve_worker;

/* The same, but a model ends the gradient being computed, which it makes useless. */
extern const struct role serve_restarter;

struct served {                 /* for a worker of another kind, in its state */
	int64_t stamp;          /* server's clock of the model that it computes at */
	bool computing;
};

/* facts.tolerates of an algorithm whose server waits for no worker. */
#define SERVE_TOLERATES "a worker that leaves: no worker waits for it"

/* Worker: computes a gradient at the model that it has. */
void serve_begin(struct node *nd, struct served *w);

/* Worker: sends v[dim], its gradient or what stands for it, with that clock. */
void serve_gradient(struct node *nd, struct served *w, const float *v);

/*
 * Worker: takes the model of a SERVE_MODEL, and computes a gradient; SERVE_AGAIN: only that. What
 * comes while it computes answers a gradient from before it was away, and is not taken.
 */
void serve_take(struct node *nd, struct served *w, const struct msg *m);

/* Worker: was away, and computes at the model that it has, or at that of *m. */
void serve_back(struct node *nd, struct served *w, const struct msg *m);

/* Server: sends its model x, or what stands for it, v[dim], with its clock to a worker. */
void serve_model(struct node *nd, int to);
void serve_vector(struct node *nd, int to, const float *v);

/*
 * Server: sends its model to all workers, each time first to another one: who receives first is
 * done first, and first come may be first served.
 */
void serve_all(struct node *nd);

/* Server: answers a gradient with its model, or SERVE_AGAIN where the sender has that already. */
void serve_newer(struct node *nd, const struct msg *m);

/* Server: how many of its steps the message's gradient is old. */
int64_t serve_staleness(const struct node *nd, const struct msg *m);

/*
 * A vector for each worker, copies of the node's x as it is now: the models that the workers
 * have. [workers] of [dim], or of NULL in a timing-only run.
 */
float **serve_copies(struct node *nd);

/* The same of zeros. */
float **serve_vectors(struct node *nd);

/* The same, but one and the same vector for all of them. */
float **serve_shared(struct node *nd);

#endif
