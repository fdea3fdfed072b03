/*
 * k_batch_async.c - asynchronous SGD whose steps use the first k minibatches, of any workers.
 *
 *     server, when k gradients are there:   x <- optimiser(x, 1/k sum g)
 *
 * A worker never waits: it is answered at once with the present model, and a fast one may
 * contribute several gradients to a step.
 *
 * Paper: Dutta et al. 2018 (K-batch-async SGD).
 */
#include "algos/common/server/gather.h"
#include "algos/common/server/serve.h"

struct k_batch_async_conf {
	int64_t k;
};

static void k_batch_async_server_msg(struct node *nd, const struct msg *m)
{
	const struct k_batch_async_conf *c = nd->conf;
	struct pile *p = nd->state;
	const int64_t k = c->k ? c->k : nd->workers;

	pile_gather(nd, p, 0, 1.0f, m->vec, k);
	serve_newer(nd, m);
}

static const struct role k_batch_async_server = {
	.state_size = sizeof(struct pile), .start = pile_start, .msg = k_batch_async_server_msg,
	.fetch = serve_model,
};

static const struct opt k_batch_async_opts[] = {
	OPT_NUMBER(struct k_batch_async_conf, k, "0",
		   "gradients that make a step; 0: as many as workers", "K", 0, 1 << 24),
	{ 0 }
};

const struct algo algo_k_batch_async = {
	.plugin = { .name = "k-batch-async",
		    .brief = "asynchronous: a step uses the first k minibatches of any workers",
		    .cite = "Dutta et al. 2018, arXiv 1803.01113",
		    .opts = k_batch_async_opts,
		    .conf_size = sizeof(struct k_batch_async_conf) },
	.facts = { .rule = "server, when k gradients of any age have come:\n"
			   "x <- optimiser(x, 1/k sum g)",
		   .departs = "the server does not send a model again to a worker that has it",
		   .waits = "no worker",
		   .staleness = "about (n - 1)/k",
		   .late = LATE,
		   .messages = "2: gradient up, model or an empty message down; m to 2 m",
		   .memory = "1 / 0",
		   .tolerates = SERVE_TOLERATES },
	.server = &k_batch_async_server,
	.worker = &serve_worker,
	.sends_gradients = true,
};
