/*
 * softsync.c - n-softsync: the server makes n steps while lambda workers send a gradient each.
 *
 *     server, when c = floor(lambda / n) gradients are there:
 *         x <- optimiser(x, 1/c sum_l w_l g_l)
 *
 *     modulate=false   w_l = 1
 *     modulate=true    w_l = 1 / max(tau_l, 1),   tau_l the staleness of g_l
 *
 * Workers never wait. Staleness is about n: n = 1 is nearly synchronous, n = lambda is asynchronous
 * SGD. With modulate=true, stale gradients have a smaller weight, as if each had a learning rate of
 * its own.
 *
 * Paper: Zhang, Gupta, Lian, Liu 2016.
 */
#include "algos/common/server/gather.h"
#include "algos/common/server/serve.h"
#include "core/run.h"

struct softsync_conf {
	int64_t n;
	bool modulate;
};

static float softsync_weight(const struct node *nd, const struct msg *m)
{
	const struct softsync_conf *c = nd->conf;
	const int64_t tau = serve_staleness(nd, m);

	return c->modulate && tau > 1 ? 1.0f / (float)tau : 1.0f;
}

static void softsync_server_msg(struct node *nd, const struct msg *m)
{
	const struct softsync_conf *conf = nd->conf;
	struct pile *p = nd->state;
	const int64_t c = nd->workers / conf->n;

	pile_gather(nd, p, 0, softsync_weight(nd, m), m->vec, c);
	serve_newer(nd, m);
}

static int softsync_check(const struct run *run)
{
	const struct softsync_conf *c = run->algo_conf;

	return gather_check(run, "n", c->n);
}

static const struct role softsync_server = {
	.state_size = sizeof(struct pile), .start = pile_start, .msg = softsync_server_msg,
	.fetch = serve_model,
};

static const struct opt softsync_opts[] = {
	OPT_NUMBER(struct softsync_conf, n, "1",
		   "server steps in a round of gradients; about the staleness", "N", 1, 1 << 24),
	OPT_FLAG(struct softsync_conf, modulate, "divide each gradient by its staleness"),
	{ 0 }
};

const struct algo algo_softsync = {
	.plugin = { .name = "softsync",
		    .brief = "asynchronous: several steps in a round of gradients",
		    .cite = "Zhang, Gupta, Lian, Liu 2016, arXiv 1511.05950",
		    .opts = softsync_opts,
		    .conf_size = sizeof(struct softsync_conf) },
	.facts = { .rule = "server, when k gradients have come:  x <- optimiser(x, 1/k sum g);\n"
			   "k = floor(n / softsync:n);  with modulate:  g / max(staleness, 1) "
			   "instead of g",
		   .departs = "there is one server. It does not send a model again to a worker "
			      "that has it. modulate divides gradients, not the weight decay of "
			      "a step",
		   .waits = "no worker",
		   .staleness = "about softsync:n",
		   .late = LATE,
		   .messages = "2: gradient up, model or an empty message down; m to 2 m",
		   .memory = "1 / 0",
		   .tolerates = SERVE_TOLERATES },
	.check = softsync_check,
	.server = &softsync_server,
	.worker = &serve_worker,
	.sends_gradients = true,
};
