/*
 * k_batch_sync.c - synchronous SGD that waits for the first k minibatches, of any workers.
 *
 *     server, when k gradients of this step are there:   x <- optimiser(x, 1/k sum g)
 *
 * A worker that is done early computes another gradient at the same model; so fast workers
 * contribute several to a step. Gradients that are unfinished when the new model comes are dropped:
 *
 *     worker 0   |--g--|--g--|-x|--g--|--g--|-x|
 *     worker 1   |-------g------|-------g------|     k = 3
 *
 * Paper: Dutta et al. 2018 (K-batch-sync SGD). Departs from it in that the server tells a worker to
 * continue: an empty message for each gradient.
 */
#include "algos/common/server/gather.h"
#include "algos/common/server/serve.h"

struct k_batch_sync_conf {
	int64_t k;
};

static void k_batch_sync_server_msg(struct node *nd, const struct msg *m)
{
	const struct k_batch_sync_conf *c = nd->conf;
	struct pile *p = nd->state;
	const int64_t k = c->k ? c->k : nd->workers;

	if (serve_staleness(nd, m) > 0) {
		node_ignore(nd);
		return;
	}
	if (pile_gather(nd, p, 0, 1.0f, m->vec, k))
		serve_all(nd);
	else
		serve_newer(nd, m);
}

static const struct role k_batch_sync_server = {
	.state_size = sizeof(struct pile), .start = pile_start, .msg = k_batch_sync_server_msg,
	.fetch = serve_model,
};

static const struct opt k_batch_sync_opts[] = {
	OPT_NUMBER(struct k_batch_sync_conf, k, "0",
		   "gradients that a step waits for; 0: as many as workers", "K", 0, 1 << 24),
	{ 0 }
};

const struct algo algo_k_batch_sync = {
	.plugin = { .name = "k-batch-sync",
		    .brief = "synchronous: a step waits for the first k minibatches of any workers",
		    .cite = "Dutta et al. 2018, arXiv 1803.01113",
		    .opts = k_batch_sync_opts,
		    .conf_size = sizeof(struct k_batch_sync_conf) },
	.facts = { .rule = "server, when k gradients at x have come:  x <- optimiser(x, 1/k sum g)",
		   .departs = "after each gradient a worker waits for the server's message, "
			      "which is empty, before it continues. Minibatches of gradients "
			      "that were given up are not used again in that epoch",
		   .waits = "no worker; at every step, workers give up unfinished gradients",
		   .staleness = "0",
		   .messages = "1 gradient up, n/k models and an empty message down; (1 + n/k) m",
		   .memory = "1 / 0",
		   .tolerates = "workers that leave, as long as one with the newest model is "
				"there" },
	.server = &k_batch_sync_server,
	.worker = &serve_restarter,
	.sends_gradients = true,
};
