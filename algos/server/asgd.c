/*
 * asgd.c - asynchronous SGD with a parameter server.
 *
 *     server, for every gradient that arrives:   x <- optimiser(x, g)
 *
 * A worker sends its gradient, waits for the model after the step with it, and continues. No worker
 * waits for another. So a gradient is applied to a model that has changed since; the number of
 * updates in between is its staleness.
 *
 * Paper: Dean et al. 2012 (Downpour SGD with fetch and push every step).
 */
#include "algos/common/server/serve.h"

static void asgd_server_msg(struct node *nd, const struct msg *m)
{
	node_step(nd, m->vec, 1.0f);
	serve_model(nd, m->from);
}

static const struct role asgd_server = {
	.msg = asgd_server_msg,
	.fetch = serve_model,
};

const struct algo algo_asgd = {
	.plugin = { .name = "asgd",
		    .brief = "asynchronous: a parameter server applies gradients as they come",
		    .also = "ps, parameter-server, async, param-server, asynchronous, async-sgd, "
			    "async-ps, dist-async, asp",
		    .cite = "Dean et al. 2012" },
	.facts = { .rule = "server, for every gradient:  x <- optimiser(x, g)",
		   .departs = "one server, not shards; each worker sends its gradient and "
			      "fetches the model at every step",
		   .waits = "no worker",
		   .staleness = "about n - 1",
		   .late = LATE_BY_WORKERS,
		   .messages = "2: gradient up, model down; 2 m",
		   .memory = "0 / 0",
		   .tolerates = SERVE_TOLERATES },
	.server = &asgd_server,
	.worker = &serve_worker,
	.sends_gradients = true,
};
