/*
 * dynsgd.c - asynchronous SGD whose learning rate falls with the staleness of the worker's clock.
 *
 *     server, for every gradient:   x <- optimiser(x, g / (tau + 1))
 *
 *     clock=server   tau: the server's steps since the model that the gradient was taken at
 *     clock=worker   tau: gradients by which the fastest worker is ahead of this one
 *
 * clock=server is what public implementations do, and is close to staleness-aware. clock=worker
 * leaves equal workers unchanged, and reduces only the steps of workers that lag.
 *
 * Paper: Jiang, Cui, Zhang, Yu 2017. It also averages all updates of one version of the model again
 * when another of them comes, which is left out here.
 */
#include "algos/common/server/serve.h"
#include "algos/common/server/stale_gradient.h"

enum { CLOCK_SERVER, CLOCK_WORKER };

struct dynsgd_conf {
	int clock;
};

struct dynsgd_server {
	float *scratch;
	int64_t *clock;         /* [workers] gradients received from each */
	int64_t fastest;
};

static void dynsgd_server_start(struct node *nd)
{
	struct dynsgd_server *s = nd->state;

	s->scratch = node_vec(nd);
	s->clock = node_alloc(nd, (size_t)nd->workers, sizeof(*s->clock));
}

/*
 * Counts this gradient of the worker; returns by how many gradients the fastest worker is ahead of
 * it.
 */
static int64_t gradients_lag(struct dynsgd_server *s, int worker)
{
	const int64_t clock = ++s->clock[worker];

	if (clock > s->fastest)
		s->fastest = clock;
	return s->fastest - clock;
}

static void dynsgd_server_msg(struct node *nd, const struct msg *m)
{
	const struct dynsgd_conf *c = nd->conf;
	struct dynsgd_server *s = nd->state;
	const int64_t tau = c->clock == CLOCK_WORKER ? gradients_lag(s, m->from)
						     : serve_staleness(nd, m);

	stale_step(nd, m, 1.0 / (double)(tau + 1), s->scratch);
	serve_model(nd, m->from);
}

static const struct role dynsgd_server = {
	.state_size = sizeof(struct dynsgd_server), .start = dynsgd_server_start,
	.msg = dynsgd_server_msg, .fetch = serve_model,
};

static const char *const clocks[] = { "server", "worker", NULL };

static const struct opt dynsgd_opts[] = { OPT_CHOICE(struct dynsgd_conf, clock, "server",
						     "whose clock counts the staleness", "CLOCK",
						     clocks),
					  { 0 } };

const struct algo algo_dynsgd = {
	.plugin = { .name = "dynsgd",
		    .brief = "asgd with a learning rate that falls with the gradient's staleness",
		    .cite = "Jiang, Cui, Zhang, Yu 2017",
		    .opts = dynsgd_opts,
		    .conf_size = sizeof(struct dynsgd_conf) },
	.facts = { .rule = "server, for every gradient:  x <- optimiser(x, g / (staleness + 1))",
		   .departs = "in the paper, all updates that were computed at one version of "
			      "the model are averaged, and a new one changes this average; "
			      "convoy makes a separate step for every gradient. The factor also "
			      "scales weight decay, but not momentum",
		   SERVE_FACTS,
		   .memory = "1 / 0" },
	.server = &dynsgd_server,
	.worker = &serve_worker,
	.sends_gradients = true,
	.check = stale_check,
};
