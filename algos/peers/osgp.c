/*
 * osgp.c - overlap stochastic gradient push.
 *
 *     x_i <- p_ii optimiser(x_i, g_i) + sum_j p_ij (what j sent tau steps before)
 *
 * Stochastic gradient push whose messages may take tau steps: at step k a worker waits for what was
 * sent at step k - tau. The shares of the model and of the weight w that are in flight are missing
 * from all workers in proportion, and z = x / w corrects for that. tau = 0 is sgp.
 *
 * Paper: Assran, Loizou, Ballas, Rabbat 2019, Algorithm 2. There workers send
 * every tau steps only; here at every step, so that messages are as many as sgp's.
 */
#include "algos/common/peers/push_sum.h"

static const struct opt osgp_opts[] = {
	{ "tau", OPT_AT(INT, struct push_conf, overlap), "1", "steps that a message may take", "N",
	  0, 1024, NULL, 0 },
	PUSH_PEERS_OPT,
	{ 0 }
};

const struct algo algo_osgp = {
	.plugin = { .name = "osgp",
		    .brief = "decentralised: push-sum whose messages may take tau steps",
		    .cite = "Assran, Loizou, Ballas, Rabbat 2019, arXiv 1811.10792",
		    .opts = osgp_opts,
		    .conf_size = sizeof(struct push_conf) },
	.facts = { .rule = "x_i <- W_ii optimiser(x_i, g_i(x_i / w_i)) + sum_j W_ij (what "
			   "worker j sent tau steps before);  w_i likewise",
		   .departs = "a worker sends at every step; in the paper, at every tau-th. "
			      "Weight decay uses x, not x / w",
		   .waits = "a worker for what was sent to it tau steps before",
		   .staleness = "0 in the worker's own steps; models of others: tau steps old",
		   .messages = "one model to one peer; m; peers=all: to each peer; d m",
		   .memory = "- / 1, and 1 for each message that waits for its step",
		   .tolerates = PARTNERS_TOLERATES },
	.worker = &push_sum_worker,
	.lockstep = true,
	.order_fixed = order_always,
	.graph = "directed-exponential",
	.check = push_sum_check,
};
