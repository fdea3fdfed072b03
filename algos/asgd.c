/*
 * asgd.c - asynchronous SGD with a parameter server.
 *
 *     server, for every gradient that arrives:   x <- optimiser(x, g)
 *
 * A worker sends its gradient, waits for the model that it changed, and goes
 * on. Nobody waits for anybody else, so a gradient is applied to a model that
 * has moved on: by the number of updates in between, its staleness.
 *
 * Paper: Dean et al. 2012 (Downpour SGD with fetch and push every step).
 */
#include "core/node.h"
#include "core/vec.h"

enum { GRAD, MODEL };

struct worker {
	int64_t stamp;          /* server's clock of the model we compute at */
};

static void server_msg(struct node *nd, const struct msg *m)
{
	node_step(nd, m->vec, 1.0f);
	node_send(nd, m->from, &(struct msg){ .tag = MODEL, .stamp = nd->step, .vec = nd->x,
					      .n = nd->dim });
}

static void worker_start(struct node *nd)
{
	node_grad(nd);
}

static void worker_grad(struct node *nd, const struct grad *g)
{
	const struct worker *w = nd->state;

	node_send(nd, SERVER, &(struct msg){ .tag = GRAD, .stamp = w->stamp, .vec = g->vec,
					     .n = nd->dim });
}

static void worker_msg(struct node *nd, const struct msg *m)
{
	struct worker *w = nd->state;

	vec_copy(nd->dim, m->vec, nd->x);
	w->stamp = m->stamp;
	node_grad(nd);
}

static const struct role server = {
	.msg = server_msg,
};

static const struct role worker = {
	.state_size = sizeof(struct worker), .start = worker_start, .grad = worker_grad,
	.msg = worker_msg,
};

extern const struct algo algo_asgd;
const struct algo algo_asgd = {
	.plugin = { .name = "asgd",
		    .brief = "asynchronous: a parameter server applies gradients as they come",
		    .cite = "Dean et al. 2012" },
	.server = &server,
	.worker = &worker,
};
