/*
 * sgp.c - stochastic gradient push.
 *
 *     x_i <- sum_j p_ij (optimiser(x_j, g_j)),  w_i <- sum_j p_ij w_j,  z_i = x_i / w_i
 *
 * Synchronous and decentralised, on a directed graph: in each step, a worker sends half of its
 * model, and of its weight w, to the next of its peers in turn, and waits for the workers that send
 * to it in that step. Gradients are taken at z. On graphs in which every worker sends as much as it
 * receives, w stays 1.
 *
 * Paper: Assran, Loizou, Ballas, Rabbat 2019, Algorithm 1.
 */
#include "algos/common/peers/push_sum.h"

static const struct opt sgp_opts[] = {
	PUSH_PEERS_OPT,
	{ 0 }
};

const struct algo algo_sgp = {
	.plugin = { .name = "sgp",
		    .brief = "synchronous, decentralised: push-sum over a directed graph",
		    .also = "push-sum, stochastic-gradient-push",
		    .cite = "Assran, Loizou, Ballas, Rabbat 2019, arXiv 1811.10792",
		    .opts = sgp_opts,
		    .conf_size = sizeof(struct push_conf) },
	.facts = { .rule = "x_i <- sum_j W_ij optimiser(x_j, g_j(x_j / w_j));  w_i <- sum_j "
			   "W_ij w_j",
		   .departs = "weight decay uses x, not x / w",
		   .waits = "a worker for the workers that send to it, at every step",
		   .staleness = "0",
		   .messages = "one model to one peer; m; peers=all: to each peer; d m",
		   .memory = "- / 1, and 1 for each message that waits for its step",
		   .tolerates = PARTNERS_TOLERATES },
	.worker = &push_sum_worker,
	.lockstep = true,
	.order_fixed = order_always,
	.graph = "directed-exponential",
	.check = push_sum_check,
};
