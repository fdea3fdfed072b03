/*
 * local_sgd.c - local SGD: local steps, and after every H-th the mean of all models.
 *
 *     x_i <- optimiser(x_i, g_i)           at every step
 *     x_i <- 1/n sum_j x_j                 after every H-th
 *
 * With post = E this is post-local SGD: H is 1 until epoch E. Models, not gradients, are averaged
 * then too. For optimisers that are linear in gradient and model, as sgd with any momentum and
 * weight decay, a mean of models after every step equals a step by the mean gradient, except for
 * rounding; for others (LARS, Adam) it does not. Momentum is local and never averaged.
 *
 * n is the number of workers whose models the all-reduce has added. A worker that failed before is
 * not among them, and its steps since the last mean are lost; when it returns, it begins with a
 * member's model, optimiser state and length of the round.
 *
 * Papers: Stich 2018, arXiv 1805.09767; post: Lin, Stich, Patel, Jaggi 2018, arXiv 1808.07217.
 */
#include "algos/common/join.h"
#include "algos/common/rounds.h"
#include "core/math/vec.h"

struct local_sgd_conf {
	int64_t period;
	double post;
};

struct local_sgd_worker {
	struct round round;
	int64_t steps;          /* of this round */
	float *allreduced;      /* [dim] our model, then the sum of all */
};

/*
 * All workers have the count of gradients from the all-reduce, so their rounds have equal lengths.
 */
static void local_sgd_begin_round(struct node *nd)
{
	const struct local_sgd_conf *c = nd->conf;
	struct local_sgd_worker *w = nd->state;

	w->steps = node_epoch(nd) < c->post ? 1 : c->period;
	round_begin(nd, &w->round, w->steps);
}

static void local_sgd_start(struct node *nd)
{
	struct local_sgd_worker *w = nd->state;

	w->allreduced = node_vec(nd);
	local_sgd_begin_round(nd);
}

static void local_sgd_grad(struct node *nd, const struct grad *g)
{
	struct local_sgd_worker *w = nd->state;

	if (!round_step(nd, &w->round, NULL, g))
		return;
	vec_copy(nd->dim, nd->x, w->allreduced);
	node_allreduce(nd, w->allreduced, nd->dim);
}

static void local_sgd_allreduce(struct node *nd, float *v, size_t n)
{
	vec_copy(n, v, nd->x);
	vec_scale(n, 1.0f / (float)node_added(nd), nd->x);
	local_sgd_begin_round(nd);
}

static void local_sgd_back(struct node *nd, const struct msg *m)
{
	struct local_sgd_worker *w = nd->state;

	if (!m) {
		local_sgd_begin_round(nd);
		return;
	}
	join_take(nd, join_of(nd), m);
	w->steps = m->tag;
	round_begin(nd, &w->round, w->steps);
}

static void local_sgd_fetch(struct node *nd, int to)
{
	const struct local_sgd_worker *w = nd->state;

	join_send(nd, to, join_of(nd), (int)w->steps);
}

static const struct role local_sgd_worker = {
	.state_size = sizeof(struct local_sgd_worker),
	.start = local_sgd_start,
	.grad = local_sgd_grad,
	.allreduce = local_sgd_allreduce,
	.back = local_sgd_back,
	.fetch = local_sgd_fetch,
};

static const struct opt local_sgd_opts[] = {
	OPT_NUMBER(struct local_sgd_conf, period, "8",
		   "H, local steps before the models are averaged", "H", 1, 1e9),
	OPT_NUMBER(struct local_sgd_conf, post, "0",
		   "epochs at the beginning in which every step is averaged", "E", 0, 1e9),
	{ 0 }
};

const struct algo algo_local_sgd = {
	.plugin = { .name = "local-sgd",
		    .brief = "synchronous: local steps, then the mean of all models",
		    .also = "fedavg, periodic-averaging, model-averaging",
		    .cite = "Stich 2018, arXiv 1805.09767; Lin, Stich, Patel, Jaggi 2018, "
			    "arXiv 1808.07217",
		    .opts = local_sgd_opts,
		    .conf_size = sizeof(struct local_sgd_conf) },
	.facts = { .rule = "x_i <- optimiser(x_i, g_i);  after every H-th step: "
			   "x_i <- 1/n sum_j x_j",
		   .departs = "until epoch E (setting post), the models are averaged after "
			      "every step, instead of the gradients; for sgd this is the same "
			      "up to rounding",
		   .waits = "all workers for each other, at every H-th step",
		   .staleness = "0",
		   .messages = "an all-reduce of models every H gradients; 2 (n - 1)/n m / H as "
			       "a ring",
		   .memory = "- / 1",
		   .tolerates = JOIN_TOLERATES },
	.worker = &local_sgd_worker,
	.lockstep = true,
	.order_fixed = order_always,
	.round = "period",
};
