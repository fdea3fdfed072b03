/*
 * elastic.h - elastic averaging: a spring between each worker's model and a centre.
 *
 * At every tau-th step, the first one too, a worker asks for the centre c, which is the
 * server's model. In the order of the authors' code:
 *
 *     u_i <- alpha (w_i - c)                   sent at once;  server: c <- c + u_i
 *     x_i <- optimiser(x_i, g_i(x_i))          the local step, as at any other time
 *     x_i <- x_i - u_i
 *
 *     worker  --- ASK --->  server
 *             <-- SERVE_MODEL, c, its clock ---
 *             --- FORCE, u_i --->               c <- c + u_i
 *
 * The worker loses exactly what the centre gains, bit for bit. w_i is the worker's model
 * without the look-ahead of Nesterov's momentum, which convoy's optimisers keep in x_i:
 *
 *     w_i = x_i + lr mu v_i   with Nesterov's momentum mu;   w_i = x_i   without
 *
 *     form=async   the server applies each force as it comes
 *     form=sync    c <- c + sum_i u_i, when all have come; meanwhile no worker gets the next c
 *
 * Paper: Zhang, Choromanska, LeCun 2015. alpha = beta / workers, beta = 0.9, is theirs.
 */
#ifndef ALGOS_COMMON_SERVER_ELASTIC_H
#define ALGOS_COMMON_SERVER_ELASTIC_H

#include "core/node.h"

enum elastic_form { ELASTIC_ASYNC, ELASTIC_SYNC };

struct elastic_conf {
	double alpha;           /* moving rate; 0: beta / workers */
	int64_t tau;
	int form;               /* enum elastic_form */
};

/* Facts of both algorithms, whose local steps differ. */
#define ELASTIC_FACTS                                                                          \
	.waits = "a worker for the server, at every tau-th step; form=sync: also for the "     \
		 "forces of all others",                                                       \
	.staleness = "gradients: 0; forces: n - 1 at most",                                    \
	.messages = "every tau gradients a question and a force up, a model down; 2 m / tau",  \
	.memory = "1 / 1, and a second optimiser state",                                       \
	.tolerates = "a worker that leaves: no worker waits for it; form=sync: a worker that " \
		     "returns: the others wait for it"

extern const struct opt elastic_opts[];
extern const struct role elastic_server, elastic_worker;

/* 0, or error() for an alpha at which the synchronous centre overshoots more at every exchange. */
int elastic_check(const struct run *run);

#endif
