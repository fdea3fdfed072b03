/*
 * gossip_push.c - gossiping SGD in which a worker pushes its model to a neighbour.
 *
 *     x_i <- optimiser(x_i, g_i);   every tau steps x_i goes to a random neighbour j, where
 *     x_j <- (x_j + x_i)/2
 *
 * No worker answers or waits. Only j moves, so the mean of all models is preserved on average, but
 * not exactly; and a slow worker receives more often than it sends.
 *
 *     order=meanwhile   averages a model when it comes, also while a gradient is computed
 *     order=first       keeps models that come; before it computes, averages all n of them with its
 *                       own, x_i <- (x_i + sum of n)/(1 + n), and takes the gradient there
 *
 * The effective learning rate. A model is sent directly after its sender's step, when the receiver
 * has made half a step less on average. Averaging adds half of that, so a step moves the mean of
 * all models by 5/4 of the learning rate, if tau is 1 and workers are equally fast. With
 * order=first the receiver has stepped when it averages, and the factor is below 1. To compare
 * methods, tune their learning rates separately, or push at 4/5 of all-reduce's.
 *
 * Paper: Jin, Yuan, Iandola, Keutzer 2016. With order=meanwhile each model is averaged when it
 * arrives. We could not verify that the paper's blocking worker averages first.
 */
#include "algos/common/peers/peers.h"
#include "core/math/vec.h"

enum gossip_push_order { GOSSIP_PUSH_MEANWHILE, GOSSIP_PUSH_FIRST };

struct gossip_push_conf {
	int64_t tau;
	int order;
};

struct gossip_push_worker {     /* order=first: models received since its last gradient was begun */
	float *sum;             /* [dim] */
	int n;
};

static bool gossip_push_is_average_first(const struct node *nd)
{
	return ((const struct gossip_push_conf *)nd->conf)->order == GOSSIP_PUSH_FIRST;
}

static void gossip_push_give(struct node *nd, int to)
{
	node_send(nd, to, &(struct msg){ .stamp = nd->step, .vec = nd->x, .n = nd->dim });
}

static void average_what_came(struct node *nd)
{
	struct gossip_push_worker *w = nd->state;

	if (w->n == 0)
		return;
	vec_axpy(nd->dim, 1.0f, w->sum, nd->x);
	vec_scale(nd->dim, 1.0f / (float)(1 + w->n), nd->x);
	w->n = 0;
}

static void push(struct node *nd)
{
	const int peer = peers_draw(nd);

	if (peer != NO_PEER)
		gossip_push_give(nd, peer);
}

static void gossip_push_grad(struct node *nd, const struct grad *g)
{
	const struct gossip_push_conf *c = nd->conf;

	node_step(nd, g->vec, 1.0f);
	if (nd->step % c->tau == 0)
		push(nd);
	average_what_came(nd);
	node_grad(nd);
}

static void gossip_push_msg(struct node *nd, const struct msg *m)
{
	struct gossip_push_worker *w = nd->state;

	if (!gossip_push_is_average_first(nd)) {
		peers_average(nd, m->vec);
		return;
	}
	if (w->n++ == 0)
		vec_copy(nd->dim, m->vec, w->sum);
	else
		vec_axpy(nd->dim, 1.0f, m->vec, w->sum);
}

static void gossip_push_back(struct node *nd, const struct msg *m)
{
	struct gossip_push_worker *w = nd->state;

	if (m)
		vec_copy(nd->dim, m->vec, nd->x);
	w->n = 0;
	node_grad(nd);
}

static void gossip_push_start(struct node *nd)
{
	struct gossip_push_worker *w = nd->state;

	if (gossip_push_is_average_first(nd))
		w->sum = node_vec(nd);
	node_grad(nd);
}

static int gossip_push_check(const struct run *run)
{
	return graph_check(run, 0);
}

static const struct role gossip_push_worker = {
	.state_size = sizeof(struct gossip_push_worker),
	.start = gossip_push_start,
	.grad = gossip_push_grad,
	.msg = gossip_push_msg,
	.back = gossip_push_back,
	.fetch = gossip_push_give,
};

static const char *const gossip_push_orders[] = { "meanwhile", "first", NULL };

static const struct opt gossip_push_opts[] = {
	OPT_NUMBER(struct gossip_push_conf, tau, "1", "steps between two exchanges", "N", 1,
		   1 << 30),
	OPT_CHOICE(struct gossip_push_conf, order, "meanwhile",
		   "average models as they come, or before a gradient, all at once", "WHEN",
		   gossip_push_orders),
	{ 0 }
};

const struct algo algo_gossip_push = {
	.plugin = { .name = "gossip-push",
		    .brief = "asynchronous, decentralised: send the model to a random neighbour",
		    .also = "gossip, gossip-sgd",
		    .cite = "Jin et al. 2016, arXiv 1611.04581",
		    .opts = gossip_push_opts,
		    .conf_size = sizeof(struct gossip_push_conf) },
	.facts = { .rule = "x_i <- optimiser(x_i, g_i);  every tau steps:  x_j <- (x_j + "
			   "x_i)/2, j a random neighbour",
		   .departs = "models that arrive together are averaged with x_j one after the "
			      "other; with order=first x_j becomes the mean of itself and all of "
			      "them",
		   .waits = "no worker",
		   .staleness = "0 in the worker's own steps; averages change its model while "
				"it computes; order=first: 0",
		   .messages = "a model every tau gradients; m / tau",
		   .memory = "- / 0; order=first: 1",
		   .tolerates = "a worker that leaves: no worker waits for it" },
	.worker = &gossip_push_worker,
	.graph = "complete",
	.check = gossip_push_check,
};
