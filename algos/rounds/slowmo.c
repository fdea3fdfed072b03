/*
 * slowmo.c - local SGD with a slow momentum over the means of the models.
 *
 *     x_i <- optimiser(x_i, g_i)                   at every step
 *     x_i <- 1/n sum_j x_j                         after every b-th (average), if asked for
 *     xb  <- 1/n sum_j x_j                         after every tau-th (period):
 *     u   <- beta u + (X - xb) / lr;   X <- X - alpha lr u;   x_i <- X
 *
 * X is the model at which all workers began the tau steps, and lr the learning rate of the first of
 * them. u is in units of gradients, so that a change of lr does not affect earlier terms. alpha =
 * 1, beta = 0 is local SGD. The optimiser's state is local and kept.
 *
 * n is the number of workers whose models the all-reduce has added. A worker that failed before is
 * not among them, and its steps since the last mean are lost; when it returns, it begins with a
 * member's x, X, u and optimiser state.
 *
 * Paper: Wang, Tantia, Ballas, Rabbat 2020; the option average, tau = 48, alpha = 1 and beta = 0.5
 * are those of its authors' code in fairscale.
 */
#include "algos/common/join.h"
#include "algos/common/outer.h"
#include "algos/common/rounds.h"
#include "core/base/error.h"
#include "core/math/vec.h"
#include "core/run.h"

struct slowmo_conf {
	int64_t period, average;
	double alpha, beta;
};

struct slowmo_worker {
	struct round round;
	struct outer outer;     /* X, u */
	int64_t steps;          /* of this period */
	float *allreduced;      /* [dim] sum of all models */
};

static int64_t slowmo_stretch(const struct slowmo_conf *c)
{
	return c->average ? c->average : c->period;
}

/* Begins the next local steps, up to the next mean: of a new period, or of the same one. */
static void slowmo_begin(struct node *nd, struct slowmo_worker *w)
{
	w->round.left = slowmo_stretch(nd->conf);
	if (w->steps == 0)
		node_grad(nd);
	else
		node_grad_local(nd);
}

static void slowmo_start(struct node *nd)
{
	struct slowmo_worker *w = nd->state;

	outer_start(nd, &w->outer);
	w->allreduced = node_vec(nd);
	slowmo_begin(nd, w);
}

static void slowmo_grad(struct node *nd, const struct grad *g)
{
	struct slowmo_worker *w = nd->state;

	if (!round_step(nd, &w->round, NULL, g))
		return;
	vec_copy(nd->dim, nd->x, w->allreduced);
	node_allreduce(nd, w->allreduced, nd->dim);
}

/*
 * u <- beta u + (X - mean) / lr;  X <- X - alpha lr u. If lr has fallen to 0, takes the limit: X <-
 * X - alpha (X - mean).
 */
static void slowmo_outer(struct node *nd, const struct outer *o, const float *mean)
{
	const struct slowmo_conf *c = nd->conf;
	const double lr = node_lr_since(nd, (c->period - 1) * node_added(nd));

	if (lr <= 0.0) {
		vec_axpby(nd->dim, (float)c->alpha, mean, (float)(1.0 - c->alpha), o->x);
		return;
	}
	vec_axpby(nd->dim, (float)(1.0 / lr), o->x, (float)c->beta, o->m);
	vec_axpy(nd->dim, (float)(-1.0 / lr), mean, o->m);
	vec_axpy(nd->dim, (float)(-c->alpha * lr), o->m, o->x);
}

static void slowmo_allreduce(struct node *nd, float *v, size_t n)
{
	const struct slowmo_conf *c = nd->conf;
	struct slowmo_worker *w = nd->state;

	vec_scale(n, 1.0f / (float)node_added(nd), v);
	w->steps += slowmo_stretch(c);
	if (w->steps == c->period) {
		w->steps = 0;
		slowmo_outer(nd, &w->outer, v);
		v = w->outer.x;
	}
	vec_copy(n, v, nd->x);
	slowmo_begin(nd, w);
}

/* State that is equal on all workers after an average: model, optimiser state, X and m. */
static struct join slowmo_join(const struct node *nd)
{
	const struct slowmo_worker *w = nd->state;
	struct join j = join_of(nd);

	join_add(&j, w->outer.x, nd->dim);
	join_add(&j, w->outer.m, nd->dim);
	return j;
}

static void slowmo_back(struct node *nd, const struct msg *m)
{
	struct slowmo_worker *w = nd->state;

	if (m) {
		join_take(nd, slowmo_join(nd), m);
		w->steps = m->tag;
	}
	slowmo_begin(nd, w);
}

static void slowmo_fetch(struct node *nd, int to)
{
	const struct slowmo_worker *w = nd->state;

	join_send(nd, to, slowmo_join(nd), (int)w->steps);
}

static int slowmo_check(const struct run *run)
{
	const struct slowmo_conf *c = run->algo_conf;

	if (c->period % slowmo_stretch(c) == 0)
		return 0;
	return error("slowmo: average = %lld does not divide period = %lld, after which the slow "
		     "momentum moves the mean. Choose a divisor, or 0 for no other means.",
		     (long long)c->average, (long long)c->period);
}

static const struct role slowmo_worker = {
	.state_size = sizeof(struct slowmo_worker),
	.start = slowmo_start,
	.grad = slowmo_grad,
	.allreduce = slowmo_allreduce,
	.back = slowmo_back,
	.fetch = slowmo_fetch,
};

static const struct opt slowmo_opts[] = {
	OPT_NUMBER(struct slowmo_conf, period, "48",
		   "H, steps before the slow momentum moves the model", "H", 1, 1e9),
	OPT_NUMBER(struct slowmo_conf, average, "0",
		   "b, steps between the other means of the models, a divisor of period; 0: none",
		   "B", 0, 1e9),
	OPT_NUMBER(struct slowmo_conf, alpha, "1",
		   "slow learning rate, in units of the learning rate", "ALPHA", 0, 1e6),
	OPT_NUMBER(struct slowmo_conf, beta, "0.5", "slow momentum", "BETA", 0, 0.999999),
	{ 0 }
};

/* Gain if alpha is 1. */
static double slowmo_gain(const void *conf, int workers)
{
	const struct slowmo_conf *c = conf;

	return 1.0 / ((1.0 - c->beta) * (double)workers);
}

const struct algo algo_slowmo = {
	.plugin = { .name = "slowmo",
		    .brief = "synchronous: local SGD with a slow momentum of the models' means",
		    .also = "slow-momentum",
		    .cite = "Wang, Tantia, Ballas, Rabbat 2020, arXiv 1910.00643",
		    .opts = slowmo_opts,
		    .conf_size = sizeof(struct slowmo_conf) },
	.facts = { .rule = "x_i <- optimiser(x_i, g_i);  after every H-th step:\n"
			   "v <- beta v + (X - 1/n sum_i x_i) / eta;  X <- X - alpha eta v;  "
			   "x_i <- X",
		   .departs = "the local steps are those of local SGD. The optimiser's state is "
			      "kept, not reset",
		   .gain = "alpha / ((1 - beta) n)",
		   .waits = "all workers for each other, at every H-th step; average=b: at "
			    "every b-th",
		   .staleness = "0",
		   .messages = "an all-reduce of models every H gradients (average=b: every b); "
			       "2 (n - 1)/n m / H as a ring",
		   .memory = "- / 3",
		   .tolerates = JOIN_TOLERATES },
	.worker = &slowmo_worker,
	.check = slowmo_check,
	.lockstep = true,
	.order_fixed = order_always,
	.outer = "alpha",
	.gain = slowmo_gain,
	.round = "period",
};
