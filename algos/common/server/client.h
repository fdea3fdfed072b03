/*
 * client.h - workers that make local steps from a server's model and send back how far they came.
 *
 *     worker  x <- X;  x <- optimiser(x, g)  H times
 *             --- D = X - x, clock of X, seconds of a step --->   server
 *             <-- X, its clock, H ---
 *
 * No worker waits for another. The optimiser's state is the worker's own and outlives the rounds.
 * An algorithm's settings begin with a struct client_conf.
 */
#ifndef ALGOS_COMMON_SERVER_CLIENT_H
#define ALGOS_COMMON_SERVER_CLIENT_H

#include "core/node.h"

struct client_conf {
	int64_t period;         /* H of the first round */
};

/* Row of an option table; `member` is the struct client_conf within struct `conf`. */
#define CLIENT_OPTS(conf, member, steps)                                                       \
	{ "period", OPT_AT(INT, conf, member.period), steps,                             \
	  "H, local steps before a worker sends what they changed", "H", 1, 1e9, NULL, 0 }

extern const struct role client_worker;

/*
 * Server: sends its model, or a substitute v[dim], to worker `to`, for a round of `steps` local
 * steps.
 */
void client_serve(struct node *nd, int to, int64_t steps);
void client_serve_vector(struct node *nd, int to, const float *v, int64_t steps);

/*
 * Server: mean seconds of a local step in the sender's round, without the message's way to the
 * server.
 */
double client_pace(const struct msg *m);

#endif
