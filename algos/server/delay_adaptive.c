/*
 * delay_adaptive.c - asynchronous SGD that reduces the weight of gradients with unusual staleness.
 *
 *     server, for every gradient:   x <- optimiser(x, w(tau) g)
 *
 *     rule=scale   w = n / max(n, tau)
 *     rule=drop    w = 1 if tau <= n; otherwise the gradient is discarded, without a step
 *
 * tau counts the server's steps since the model at which the gradient was taken, and n is the
 * number of workers, unless `delay` is given: among n equal workers tau is n - 1, and all weights
 * are 1.
 *
 * Papers: Mishchenko, Bach, Even, Woodworth 2022, the scaling of their published code; Koloskova,
 * Stich, Jaggi 2022 allow any smaller step for a long delay, 0 too. The bound that the theorems
 * put on the learning rate itself, by the function's smoothness, is the user's to choose (--lr).
 */
#include "algos/common/server/serve.h"
#include "algos/common/server/stale_gradient.h"

enum { RULE_SCALE, RULE_DROP };

struct delay_adaptive_conf {
	int rule;
	int64_t delay;
};

struct delay_adaptive_server {
	float *scratch;
};

static void delay_adaptive_server_start(struct node *nd)
{
	struct delay_adaptive_server *s = nd->state;

	s->scratch = node_vec(nd);
}

static void delay_adaptive_server_msg(struct node *nd, const struct msg *m)
{
	const struct delay_adaptive_conf *c = nd->conf;
	struct delay_adaptive_server *s = nd->state;
	const int64_t usual = c->delay ? c->delay : nd->workers, tau = serve_staleness(nd, m);

	if (tau <= usual)
		stale_step(nd, m, 1.0, s->scratch);
	else if (c->rule == RULE_SCALE)
		stale_step(nd, m, (double)usual / (double)tau, s->scratch);
	else
		node_ignore(nd);
	serve_model(nd, m->from);
}

static const struct role delay_adaptive_server = {
	.state_size = sizeof(struct delay_adaptive_server), .start = delay_adaptive_server_start,
	.msg = delay_adaptive_server_msg, .fetch = serve_model,
};

static const char *const rules[] = { "scale", "drop", NULL };

static const struct opt delay_adaptive_opts[] = {
	OPT_CHOICE(struct delay_adaptive_conf, rule, "scale",
		   "what becomes of a gradient with a longer delay", "RULE", rules),
	OPT_NUMBER(struct delay_adaptive_conf, delay, "0",
		   "the longest usual delay in steps; 0: the number of workers", "STEPS", 0, 1e9),
	{ 0 }
};

const struct algo algo_delay_adaptive = {
	.plugin = { .name = "delay-adaptive",
		    .brief = "asgd with smaller steps, or none, for unusually stale gradients",
		    .cite = "Mishchenko, Bach, Even, Woodworth 2022, arXiv 2206.07638",
		    .opts = delay_adaptive_opts,
		    .conf_size = sizeof(struct delay_adaptive_conf) },
	.facts = { .rule = "server, for every gradient:  x <- optimiser(x, n / max(n, "
			   "staleness) g)",
		   .departs = "the paper's bound on the learning rate is not enforced. The "
			      "factor also scales weight decay, but not momentum",
		   SERVE_FACTS,
		   .memory = "1 / 0" },
	.server = &delay_adaptive_server,
	.worker = &serve_worker,
	.sends_gradients = true,
	.check = stale_check,
};
