/*
 * staleness_aware.c - asynchronous SGD whose learning rate is divided by the staleness.
 *
 *     server, for every gradient:   x <- optimiser(x, g / max(tau, 1))
 *
 * tau counts the server's steps since the model at which the gradient was taken. The optimiser's
 * momentum, if any, is the server's and is not divided; weight decay is.
 *
 * Paper: Zhang, Gupta, Lian, Liu 2016, with a server that steps at every gradient (their
 * n-softsync with as many n as workers). The momentum is as in Barkai et al. 2019, who compare
 * with it.
 */
#include "algos/common/server/serve.h"
#include "algos/common/server/stale_gradient.h"

struct staleness_aware_server {
	float *scratch;
};

static void staleness_aware_server_start(struct node *nd)
{
	struct staleness_aware_server *s = nd->state;

	s->scratch = node_vec(nd);
}

static void staleness_aware_server_msg(struct node *nd, const struct msg *m)
{
	struct staleness_aware_server *s = nd->state;
	const int64_t tau = serve_staleness(nd, m);

	stale_step(nd, m, tau > 1 ? 1.0 / (double)tau : 1.0, s->scratch);
	serve_model(nd, m->from);
}

static const struct role staleness_aware_server = {
	.state_size = sizeof(struct staleness_aware_server),
	.start = staleness_aware_server_start, .msg = staleness_aware_server_msg,
	.fetch = serve_model,
};

const struct algo algo_staleness_aware = {
	.plugin = { .name = "staleness-aware",
		    .brief = "asgd with the learning rate divided by the gradient's staleness",
		    .cite = "Zhang, Gupta, Lian, Liu 2016, arXiv 1511.05950" },
	.facts = { .rule = "server, for every gradient:  x <- optimiser(x, g / max(staleness, "
			   "1))",
		   .departs = "the division also scales weight decay, but not momentum (as in "
			      "Barkai et al. 2019)",
		   SERVE_FACTS,
		   .memory = "1 / 0" },
	.server = &staleness_aware_server,
	.worker = &serve_worker,
	.sends_gradients = true,
	.check = stale_check,
};
