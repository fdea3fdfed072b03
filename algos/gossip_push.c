/*
 * gossip_push.c - gossiping SGD, the pushing kind.
 *
 *     x_i <- optimiser(x_i, g_i);   every tau steps x_i goes to a random neighbour j, where
 *     x_j <- (x_j + x_i)/2
 *
 * No worker answers or waits. Only j moves, so the mean of all models stays
 * where it is on average, not exactly; and a worker that is slow receives more often
 * than it speaks.
 *
 * Paper: Jin, Yuan, Iandola, Keutzer 2016. What arrives is averaged at once, one
 * model after the other.
 */
#include "algos/common/peers.h"
#include "core/math/vec.h"

struct conf {
	int64_t tau;
};

static void gossip_push_give(struct node *nd, int to)
{
	node_send(nd, to, &(struct msg){ .stamp = nd->step, .vec = nd->x, .n = nd->dim });
}

static void push(struct node *nd)
{
	const int peer = peers_draw(nd);

	if (peer != NO_PEER)
		gossip_push_give(nd, peer);
}

static void gossip_push_grad(struct node *nd, const struct grad *g)
{
	const struct conf *c = nd->conf;

	node_step(nd, g->vec, 1.0f);
	if (nd->step % c->tau == 0)
		push(nd);
	node_grad(nd);
}

static void gossip_push_msg(struct node *nd, const struct msg *m)
{
	peers_average(nd, m->vec);
}

static void gossip_push_back(struct node *nd, const struct msg *m)
{
	if (m)
		vec_copy(nd->dim, m->vec, nd->x);
	node_grad(nd);
}

static int gossip_push_check(const struct run *run)
{
	return graph_check(run, 0);
}

static const struct role worker = {
	.start = node_grad,
	.grad = gossip_push_grad,
	.msg = gossip_push_msg,
	.back = gossip_push_back,
	.fetch = gossip_push_give,
};

static const struct opt opts[] = {
	{ "tau", OPT_AT(INT, struct conf, tau), "1", "steps between two exchanges", "N", 1,
	  1 << 30, NULL, 0 },
	{ 0 }
};

extern const struct algo algo_gossip_push;
const struct algo algo_gossip_push = {
	.plugin = { .name = "gossip-push",
		    .brief = "asynchronous, decentralised: send the model to a random neighbour",
		    .cite = "Jin et al. 2016, arXiv 1611.04581",
		    .opts = opts, .conf_size = sizeof(struct conf) },
	.facts = { .rule = "x_i <- optimiser(x_i, g_i);  every tau steps:  "
			   "x_j <- (x_j + x_i)/2, j random",
		   .departs = "models that arrive together are averaged in one after the other",
		   .waits = "no worker",
		   .staleness = "0 of the worker's own steps; averagings in between",
		   .messages = "a model every tau gradients; m / tau",
		   .memory = "- / 0",
		   .tolerates = "a worker that leaves: no worker waits for it" },
	.worker = &worker,
	.graph = "complete",
	.check = gossip_push_check,
};
