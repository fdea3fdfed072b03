/*
 * ia2sgd.c - incremental aggregated asynchronous SGD: steps along each worker's latest gradient.
 *
 *     server, for every gradient g of worker i:
 *         G_i <- g
 *         if all G had a gradient before:   x <- optimiser(x, 1/n sum_j G_j)
 *
 * At first the server only fills G, with gradients at the first model. From then on every gradient
 * makes a step, to which all workers' data contribute equally, though slow workers' gradients are
 * old. DuDe-ASGD (arXiv 2405.16966) has this rule, and so has ACE (arXiv 2511.19066) with one local
 * step.
 *
 * Paper: Maranjyan, Richtarik 2025, where it is a baseline.
 */
#include "algos/common/server/serve.h"
#include "algos/common/server/table.h"

static void ia2sgd_start(struct node *nd)
{
	table_open(nd, nd->state);
}

static void ia2sgd_msg(struct node *nd, const struct msg *m)
{
	struct table *t = nd->state;
	const bool steps = t->filled == nd->workers;

	table_replace(nd, t, m->from, m->vec);
	if (steps)
		node_step(nd, t->sum, 1.0f / (float)nd->workers);
	else
		node_gather(nd, m->vec);
	serve_newer(nd, m);
}

static const struct role ia2sgd_server = {
	.state_size = sizeof(struct table), .start = ia2sgd_start, .msg = ia2sgd_msg,
	.fetch = serve_model,
};

const struct algo algo_ia2sgd = {
	.plugin = { .name = "ia2sgd",
		    .brief = "asynchronous, for unequal data: steps along all workers' latest "
			     "gradients",
		    .also = "dude-asgd, dude, ace",
		    .cite = "DuDe-ASGD, arXiv 2405.16966; Maranjyan, Richtarik 2025, arXiv "
			    "2509.22860" },
	.facts = { .rule = "server, for every gradient g of worker i:  G_i <- g;\n"
			   "if all G had a gradient before:  x <- optimiser(x, 1/n sum_j G_j)",
		   .departs = "momentum and weight decay are those of --optim. The server does "
			      "not send a model again to a worker that has it, at first",
		   .waits = "no worker; the first step waits for a gradient of every worker",
		   .staleness = "of the gradient that comes: about n - 1; of the others in a step: "
				"more, the slower the worker",
		   .late = LATE_BY_WORKERS,
		   .messages = "2: gradient up, model down; 2 m",
		   .memory = "n + 1 / 0",
		   .tolerates = "a worker that leaves after its first gradient: no worker waits "
				"for it, and its last gradient stays in all steps" },
	.server = &ia2sgd_server,
	.worker = &serve_worker,
	.sends_gradients = true,
};
