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

#include "algos/common/rounds.h"

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
 * steps; client_answer() for one of as many as the first.
 */
void client_answer(struct node *nd, int to);
void client_serve(struct node *nd, int to, int64_t steps);
void client_serve_vector(struct node *nd, int to, const float *v, int64_t steps);

/*
 * Server: mean seconds of a local step in the sender's round, without the message's way to the
 * server.
 */
double client_pace(const struct msg *m);

/*
 * Server: local steps of a worker's next round, fewer for a slow one: H_w = floor(H min_j s_j / s_w
 * + 0.1), at least 1. step_s[n] are the s_j, seconds of a local step; 0: not known yet. The 0.1
 * absorbs inexact times: without it, equal workers would make H or H - 1 steps.
 */
int64_t client_steps(int64_t period, const double *step_s, int n, int worker);

/* ---- workers with a role of their own ---- */

struct client {                 /* in the worker's state */
	struct round round;
	float *model;           /* [dim] X as received */
	int64_t stamp;          /* server's clock of that model */
	float *delta;           /* [dim] D */
	int64_t steps;          /* local steps of the round ... */
	double began;           /* ... and its start, seconds */
	bool computing;
};

/* Begins the first round, from the node's model. */
void client_open(struct node *nd, struct client *w);

/* Makes a local step; true after the last one of the round, with D in w->delta. */
bool client_step(struct node *nd, struct client *w, const struct grad *g);

/* Sends D to rank `to`; client_step_s() are the seconds of a step that go with it. */
void client_send(struct node *nd, const struct client *w, int to);
float client_step_s(const struct node *nd, const struct client *w);

/*
 * Begins a round from the model *m. One that comes while it computes answers a message from before
 * the worker was away: ignored.
 */
void client_take(struct node *nd, struct client *w, const struct msg *m);

/* Was away: begins a round from *m; m NULL: again from the model that the worker had. */
void client_return(struct node *nd, struct client *w, const struct msg *m);

#endif
