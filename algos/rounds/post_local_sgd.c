/*
 * post_local_sgd.c - all-reduced gradients at first, then local steps and means of models.
 *
 *     x_i <- optimiser(x_i, 1/n sum_j g_j)         at each of the first s0 steps
 *     x_i <- optimiser(x_i, g_i)                   from then on
 *     x_i <- 1/n sum_j x_j                         after step k, from 0, where k >= s0 and
 *                                                  H divides k - s0
 *
 * So the first mean follows the first local step, as in PyTorch's PeriodicModelAverager. The
 * optimiser's state is equal on all workers until s0, and local from then on.
 *
 * n is the number of workers whose gradients, or models, the all-reduce has added. A worker that
 * failed before is not among them; when it returns, it begins with a member's model, optimiser
 * state and count of steps.
 *
 * Paper: Lin, Stich, Patel, Jaggi 2018.
 */
#include "algos/common/join.h"
#include "core/math/vec.h"

struct post_local_sgd_conf {
	int64_t start, period;
};

struct post_local_sgd_worker {
	float *allreduced;      /* [dim] sum of gradients, later of models */
};

static void post_local_sgd_ask(struct node *nd)
{
	const struct post_local_sgd_conf *c = nd->conf;
	struct post_local_sgd_worker *w = nd->state;

	if (nd->step < c->start)
		node_grad_allreduce(nd, w->allreduced);
	else
		node_grad(nd);
}

static void post_local_sgd_start(struct node *nd)
{
	struct post_local_sgd_worker *w = nd->state;

	w->allreduced = node_vec(nd);
	post_local_sgd_ask(nd);
}

static void post_local_sgd_grad(struct node *nd, const struct grad *g)
{
	const struct post_local_sgd_conf *c = nd->conf;
	struct post_local_sgd_worker *w = nd->state;
	const bool averages = (nd->step - c->start) % c->period == 0;

	node_step(nd, g->vec, 1.0f);
	if (!averages) {
		node_grad_local(nd);
		return;
	}
	vec_copy(nd->dim, nd->x, w->allreduced);
	node_allreduce(nd, w->allreduced, nd->dim);
}

static void post_local_sgd_allreduce(struct node *nd, float *v, size_t n)
{
	const struct post_local_sgd_conf *c = nd->conf;
	const float share = 1.0f / (float)node_added(nd);

	if (nd->step < c->start) {
		node_step(nd, v, share);
	} else {
		vec_copy(n, v, nd->x);
		vec_scale(n, share, nd->x);
	}
	post_local_sgd_ask(nd);
}

static void post_local_sgd_back(struct node *nd, const struct msg *m)
{
	join_take(nd, join_of(nd), m);
	post_local_sgd_ask(nd);
}

static void post_local_sgd_fetch(struct node *nd, int to)
{
	join_send(nd, to, join_of(nd), 0);
}

static const struct role post_local_sgd_worker = {
	.state_size = sizeof(struct post_local_sgd_worker),
	.start = post_local_sgd_start,
	.grad = post_local_sgd_grad,
	.allreduce = post_local_sgd_allreduce,
	.back = post_local_sgd_back,
	.fetch = post_local_sgd_fetch,
};

static const struct opt post_local_sgd_opts[] = {
	OPT_NUMBER(struct post_local_sgd_conf, start, "100",
		   "s0, steps with the mean gradient before local steps begin", "N", 0, 1e12),
	OPT_NUMBER(struct post_local_sgd_conf, period, "4",
		   "H, local steps between two means of the models", "H", 1, 1e9),
	{ 0 }
};

static int64_t post_local_sgd_first(const void *conf)
{
	const struct post_local_sgd_conf *c = conf;

	return c->start;
}

const struct algo algo_post_local_sgd = {
	.plugin = { .name = "post-local-sgd",
		    .brief = "synchronous: all-reduced gradients at first, then local SGD",
		    .cite = "Lin, Stich, Patel, Jaggi 2018, arXiv 1808.07217",
		    .opts = post_local_sgd_opts,
		    .conf_size = sizeof(struct post_local_sgd_conf) },
	.facts = { .rule = "until step s0: x <- optimiser(x, 1/n sum_i g_i);\n"
			   "then x_i <- optimiser(x_i, g_i), and after the first of these "
			   "steps and every H-th from it on x_i <- 1/n sum_j x_j",
		   .departs = "local steps begin after s0 steps; in the paper, when the "
			      "learning rate first falls",
		   .waits = "all workers for each other, at every step, later at every H-th",
		   .staleness = "0",
		   .messages = "an all-reduce of gradients, later one of models every H "
			       "gradients; 2 (n - 1)/n m, later divided by H, as a ring",
		   .memory = "- / 1",
		   .tolerates = JOIN_TOLERATES },
	.worker = &post_local_sgd_worker,
	.lockstep = true,
	.order_fixed = order_always,
	.round = "period",
	.first = post_local_sgd_first,
	.sends_gradients = true,
	.allreduces_gradients = true,
};
