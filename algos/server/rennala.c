/*
 * rennala.c - Rennala SGD: minibatches gathered asynchronously, all computed at the present model.
 *
 *     server, when B gradients computed at x are there:   x <- optimiser(x, 1/B sum g)
 *
 * Every worker computes without a pause and is answered at once. Gradients at an older model are
 * left out. So a step equals that of a large minibatch, to which each worker contributes by its
 * speed; a worker that is too slow contributes nothing.
 *
 * Paper: Tyurin, Richtarik 2023 (optimal time complexity for fixed speeds).
 */
#include "algos/common/server/gather.h"
#include "algos/common/server/serve.h"

struct rennala_conf {
	int64_t batch;
};

static void rennala_server_msg(struct node *nd, const struct msg *m)
{
	const struct rennala_conf *c = nd->conf;
	struct pile *p = nd->state;

	if (serve_staleness(nd, m) > 0)
		node_ignore(nd);
	else
		pile_gather(nd, p, 0, 1.0f, m->vec, c->batch ? c->batch : nd->workers);
	serve_newer(nd, m);
}

static const struct role rennala_server = {
	.state_size = sizeof(struct pile), .start = pile_start, .msg = rennala_server_msg,
	.fetch = serve_model,
};

static const struct opt rennala_opts[] = {
	OPT_NUMBER(struct rennala_conf, batch, "0",
		   "gradients that make a step; 0: as many as workers", "B", 0, 1 << 24),
	{ 0 }
};

const struct algo algo_rennala = {
	.plugin = { .name = "rennala",
		    .brief = "asynchronous: a step uses B gradients computed at the current model",
		    .cite = "Tyurin, Richtarik 2023, arXiv 2305.12387",
		    .opts = rennala_opts,
		    .conf_size = sizeof(struct rennala_conf) },
	.facts = { .rule = "server, when B gradients at x have come:  x <- optimiser(x, 1/B sum g)",
		   .departs = "the server does not send a model again to a worker that has it",
		   .waits = "no worker",
		   .staleness = "0; older gradients are left out",
		   .messages = "2: gradient up, model or an empty message down; m to 2 m",
		   .memory = "1 / 0",
		   .tolerates = SERVE_TOLERATES },
	.server = &rennala_server,
	.worker = &serve_worker,
	.sends_gradients = true,
};
