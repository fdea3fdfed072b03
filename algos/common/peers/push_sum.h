/*
 * push_sum.h - the worker of stochastic gradient push, waiting for its messages or not.
 *
 *     u_i <- optimiser(x_i, g_i),   g_i taken at z_i = x_i / w_i
 *     x_i <- p_i u_i + sum_j p_j u_j,   w_i <- p_i w_i + sum_j p_j w_j
 *
 * The node's model is z_i at all times, also while the worker waits, so that an evaluation may read
 * it. x_i = z_i w_i of the equation is formed in place during a step, and divided by w_i at its
 * end.
 *
 * The sum over j is over the nodes that sent to i `overlap` steps before. p_j is 1 over the number
 * of nodes among which j divides x_j and w_j, itself included. So the sums of x and of w over all
 * workers and messages are constant in any graph; w corrects for nodes that receive more than they
 * give. A worker that has left neither gives nor receives: senders take back what it did not
 * receive, and it keeps its weight until it returns.
 *
 *     i, step k   |-- gradient --| step | p u_i, p w_i -->  to its peers of step k
 *                                       |<-- those of step k - overlap, waited for
 */
#ifndef ALGOS_COMMON_PEERS_PUSH_SUM_H
#define ALGOS_COMMON_PEERS_PUSH_SUM_H

#include "algos/common/peers/partners.h"

enum push_peers { PUSH_ONE, PUSH_ALL }; /* the graph's next one in turn at each step, or all */

struct push_conf {
	int peers;              /* enum push_peers */
	int64_t overlap;        /* steps that a message may take */
};

extern const char *const push_peers_names[];    /* by enum push_peers, NULL-ended */

#define PUSH_PEERS_OPT                                                                         \
	OPT_CHOICE(struct push_conf, peers, "one",                                             \
		   "receivers of a step: one of the peers, in turn, or all", "PEERS",          \
		   push_peers_names)

extern const struct role push_sum_worker;       /* its conf is a struct push_conf */

/* algo.check: accepts any connected graph, directed or not. */
int push_sum_check(const struct run *run);

#endif
