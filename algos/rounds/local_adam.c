/*
 * local_adam.c - local steps of Adam, then the mean of all models and moments.
 *
 *     x_i, m_i, v_i <- adam(x_i, m_i, v_i, g_i)    at every step
 *     x_i <- 1/n sum_j x_j                         after every H-th; moments=true: too
 *     m_i <- 1/n sum_j m_j;   v_i <- 1/n sum_j v_j
 *
 * With moments=false the moments stay local, and it is local-sgd with Adam.
 *
 * n is the number of workers whose models the all-reduce has added. A worker that failed before is
 * not among them, and its steps since the last mean are lost; when it returns, it begins with a
 * member's model and moments.
 *
 * Paper: Cheng, Glasgow 2024.
 */
#include "algos/common/join.h"
#include "algos/common/rounds.h"
#include "core/base/error.h"
#include "core/math/vec.h"
#include "core/run.h"

enum { MOMENTS = 2 };           /* the optimiser's state begins with m and v */

struct local_adam_conf {
	int64_t period;
	bool moments;
};

struct local_adam_worker {
	struct round round;
	float *optim;           /* [2 dim + ...] optimiser state: m, v and more */
	float *allreduced;      /* [3 dim] x, m, v: ours, then the sums of all */
};

static size_t local_adam_moments(const struct node *nd)
{
	const struct local_adam_conf *c = nd->conf;

	return c->moments ? MOMENTS * nd->dim : 0;
}

static void local_adam_start(struct node *nd)
{
	const struct local_adam_conf *c = nd->conf;
	struct local_adam_worker *w = nd->state;

	w->optim = node_optim(nd);
	w->allreduced = node_floats(nd, nd->dim + local_adam_moments(nd));
	round_begin(nd, &w->round, c->period);
}

static void local_adam_grad(struct node *nd, const struct grad *g)
{
	struct local_adam_worker *w = nd->state;
	const size_t moments = local_adam_moments(nd);

	if (!round_step(nd, &w->round, w->optim, g))
		return;
	vec_copy(nd->dim, nd->x, w->allreduced);
	vec_copy(moments, w->optim, w->allreduced ? w->allreduced + nd->dim : NULL);
	node_allreduce(nd, w->allreduced, nd->dim + moments);
}

static void local_adam_allreduce(struct node *nd, float *v, size_t n)
{
	const struct local_adam_conf *c = nd->conf;
	struct local_adam_worker *w = nd->state;

	vec_scale(n, 1.0f / (float)node_added(nd), v);
	vec_copy(nd->dim, v, nd->x);
	vec_copy(n - nd->dim, v ? v + nd->dim : NULL, w->optim);
	round_begin(nd, &w->round, c->period);
}

static struct join local_adam_join(const struct node *nd)
{
	const struct local_adam_worker *w = nd->state;
	struct join j = { 0 };

	join_add(&j, nd->x, nd->dim);
	join_add(&j, w->optim, node_optim_floats(nd));
	return j;
}

static void local_adam_back(struct node *nd, const struct msg *m)
{
	const struct local_adam_conf *c = nd->conf;
	struct local_adam_worker *w = nd->state;

	join_take(nd, local_adam_join(nd), m);
	round_begin(nd, &w->round, c->period);
}

static void local_adam_fetch(struct node *nd, int to)
{
	join_send(nd, to, local_adam_join(nd), 0);
}

static int local_adam_check(const struct run *run)
{
	if (run->optim->vectors == MOMENTS)
		return 0;
	return error("local-adam averages the two moments of Adam, which optimiser '%s' does not "
		     "have. Use --optim adam, or local-sgd.", run->optim->plugin.name);
}

static int local_adam_vectors(const struct run *run)
{
	const struct local_adam_conf *c = run->algo_conf;

	return 1 + (c->moments ? MOMENTS : 0);
}

static const struct role local_adam_worker = {
	.state_size = sizeof(struct local_adam_worker),
	.start = local_adam_start,
	.grad = local_adam_grad,
	.allreduce = local_adam_allreduce,
	.back = local_adam_back,
	.fetch = local_adam_fetch,
};

static const struct opt local_adam_opts[] = {
	OPT_NUMBER(struct local_adam_conf, period, "8", "H, local steps before the means", "H", 1,
		   1e9),
	{ "moments", OPT_AT(BOOL, struct local_adam_conf, moments), "true",
	  "average the optimiser's two moments too, for three times the bytes", NULL, 0, 0, NULL,
	  0 },
	{ 0 }
};

const struct algo algo_local_adam = {
	.plugin = { .name = "local-adam",
		    .brief = "synchronous: local Adam steps, then the mean of models and moments",
		    .cite = "Cheng, Glasgow 2024, arXiv 2409.13155",
		    .opts = local_adam_opts,
		    .conf_size = sizeof(struct local_adam_conf) },
	.facts = { .rule = "x_i and its two moments <- adam(x_i, moments, g_i);  after every "
			   "H-th step: each is the mean over all workers",
		   .departs = "the bias of the moments is corrected by the count of steps, as "
			      "in Adam",
		   .waits = "all workers for each other, at every H-th step",
		   .staleness = "0",
		   .messages = "an all-reduce of models and moments every H gradients; 6 (n - "
			       "1)/n m / H as a ring; moments=false: of models; 2 (n - 1)/n m / H",
		   .memory = "- / 3, and a second optimiser state; moments=false: - / 1, and that",
		   .tolerates = JOIN_TOLERATES },
	.worker = &local_adam_worker,
	.check = local_adam_check,
	.allreduced_vectors = local_adam_vectors,
	.lockstep = true,
	.order_fixed = order_always,
	.round = "period",
};
