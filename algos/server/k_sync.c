/*
 * k_sync.c - synchronous SGD that waits for the fastest k workers only.
 *
 *     server, when k gradients of this step are there:   x <- optimiser(x, 1/k sum g)
 *
 * The new model is sent to all. A worker that was not done drops its gradient and begins again, so
 * every gradient was computed at the model to which it is applied:
 *
 *     worker 0   |---g---|........|---g---|
 *     worker 1   |-----g----|.....|----g---|         k = 2 of 3
 *     worker 2   |---------------x|-------x|
 *
 * A gradient that is in flight when the step is made comes too late, and is left out.
 *
 * Paper: Dutta et al. 2018 (K-sync SGD).
 */
#include "algos/common/server/gather.h"
#include "algos/common/server/serve.h"
#include "core/run.h"

struct k_sync_conf {
	int64_t k;
};

static int64_t k_sync_wanted(const struct node *nd)
{
	const struct k_sync_conf *c = nd->conf;

	return c->k ? c->k : (nd->workers + 1) / 2;
}

static void k_sync_server_msg(struct node *nd, const struct msg *m)
{
	struct pile *p = nd->state;

	if (serve_staleness(nd, m) > 0 || pile_has(p, m->from)) {
		node_ignore(nd);
		return;
	}
	if (pile_gather(nd, p, m->from, 1.0f, m->vec, k_sync_wanted(nd)))
		serve_all(nd);
}

static int k_sync_check(const struct run *run)
{
	const struct k_sync_conf *c = run->algo_conf;

	return gather_check(run, "k", c->k);
}

static const struct role k_sync_server = {
	.state_size = sizeof(struct pile), .start = pile_start_round, .msg = k_sync_server_msg,
	.fetch = serve_model,
};

static const struct opt k_sync_opts[] = {
	OPT_NUMBER(struct k_sync_conf, k, "0",
		   "workers that a step waits for; 0: half of them, rounded up", "K", 0, 1 << 24),
	{ 0 }
};

const struct algo algo_k_sync = {
	.plugin = { .name = "k-sync",
		    .brief = "synchronous: a step waits for the fastest k, the others restart",
		    .also = "sync-ps=k-sync:k=WORKERS, ps-sync=k-sync:k=WORKERS",
		    .cite = "Dutta et al. 2018, arXiv 1803.01113",
		    .opts = k_sync_opts,
		    .conf_size = sizeof(struct k_sync_conf) },
	.facts = { .rule = "server, when k gradients at x have come:  x <- optimiser(x, 1/k sum g)",
		   .departs = "momentum and weight decay are those of --optim; minibatches of "
			      "gradients that were given up are not used again in that epoch",
		   .waits = "the fastest k workers for each other, at every step",
		   .staleness = "0",
		   .messages = "1 gradient up, n/k models down; (1 + n/k) m",
		   .memory = "n / 0",
		   .tolerates = "workers that leave, as long as k with the newest model are "
				"there" },
	.check = k_sync_check,
	.server = &k_sync_server,
	.worker = &serve_restarter,
	.sends_gradients = true,
};
