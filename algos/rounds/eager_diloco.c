/*
 * eager_diloco.c - DiLoCo whose all-reduces take a whole round, except for the worker's own part.
 *
 * The all-reduce of round r runs while round r + 1 is computed. At the end of round r, worker i has
 * its own D_i,r and, of the other workers, the D_j of the round before:
 *
 *     D   <- 1/n (sum_j D_j,r-1 - D_i,r-1 + D_i,r)         form=eager
 *     D   <- 1/n sum_j D_j,r-1                             form=naive
 *     m_i <- mu m_i + D;   X_i <- X_i - eta (D + mu m_i);   x_i <- X_i
 *
 * where D_j,r = X_j - x_j after the H local steps, and 0 before the first round. Workers differ in
 * X_i and in m_i, and never become equal again.
 *
 * n is the number of workers in the all-reduce of round r - 1. A worker that failed is not among
 * them once the others have detected it, and the D it sent is lost. When it returns, it begins a
 * round from a member's X_j, with that member's m_j, optimiser state, D_j of the round before and
 * sum of all D. If X_j has that sum already, the next all-reduce is in progress: the worker takes
 * part in it at once, with D = 0, as all workers do before the first round.
 *
 * Paper: Kale, Douillard, Donchev 2025.
 */
#include "algos/common/join.h"
#include "algos/common/outer.h"
#include "algos/common/rounds.h"
#include "core/math/vec.h"

enum { EAGER_DILOCO_EAGER, NAIVE };

struct eager_diloco_conf {
	struct outer_conf outer;
	int64_t period;
	int form;
};

struct eager_diloco_worker {
	struct round round;
	struct outer outer;
	bool flying, waits;     /* an all-reduce is in flight; the worker waits for it */
	float *allreduced;      /* [dim] sum of all workers' D of the round before */
	float *own;             /* [dim] our D in that sum */
};

static void eager_start(struct node *nd)
{
	const struct eager_diloco_conf *c = nd->conf;
	struct eager_diloco_worker *w = nd->state;

	outer_start(nd, &w->outer);
	w->allreduced = node_vec(nd);
	w->own = node_vec(nd);
	round_begin(nd, &w->round, c->period);
}

/* The round is over, and the all-reduce of the one before done: outer step, next round. */
static void eager_end_round(struct node *nd, struct eager_diloco_worker *w)
{
	const struct eager_diloco_conf *c = nd->conf;

	if (c->form == EAGER_DILOCO_EAGER)
		vec_axpy(nd->dim, -1.0f, w->own, w->allreduced);
	round_delta(nd, w->outer.x, w->own);
	if (c->form == EAGER_DILOCO_EAGER)
		vec_axpy(nd->dim, 1.0f, w->own, w->allreduced);
	vec_scale(nd->dim, 1.0f / (float)node_added(nd), w->allreduced);
	outer_step(&c->outer, nd->dim, w->allreduced, w->outer.m, w->outer.x);
	vec_copy(nd->dim, w->outer.x, nd->x);
	vec_copy(nd->dim, w->own, w->allreduced);
	w->waits = false;
	w->flying = true;
	node_allreduce_grads(nd, w->allreduced);
	round_begin(nd, &w->round, c->period);
}

static void eager_grad(struct node *nd, const struct grad *g)
{
	struct eager_diloco_worker *w = nd->state;

	if (!round_step(nd, &w->round, NULL, g))
		return;
	w->waits = w->flying;
	if (!w->waits)
		eager_end_round(nd, w);
}

static void eager_allreduce(struct node *nd, float *v, size_t n)
{
	struct eager_diloco_worker *w = nd->state;

	(void)v, (void)n;
	w->flying = false;
	if (w->waits)
		eager_end_round(nd, w);
}

static struct join eager_join(const struct node *nd)
{
	const struct eager_diloco_worker *w = nd->state;
	struct join j = join_outer(nd, &w->outer);

	join_add(&j, w->own, nd->dim);
	join_add(&j, w->allreduced, nd->dim);
	return j;
}

static void eager_back(struct node *nd, const struct msg *m)
{
	const struct eager_diloco_conf *c = nd->conf;
	struct eager_diloco_worker *w = nd->state;

	join_take(nd, eager_join(nd), m);
	vec_copy(nd->dim, w->outer.x, nd->x);
	w->waits = false;
	w->flying = !m || m->tag;
	if (w->flying) {
		vec_scale(nd->dim, 0.0f, w->own);
		vec_scale(nd->dim, 0.0f, w->allreduced);
		node_allreduce_grads(nd, w->allreduced);
	}
	round_begin(nd, &w->round, c->period);
}

static void eager_fetch(struct node *nd, int to)
{
	const struct eager_diloco_worker *w = nd->state;

	join_send(nd, to, eager_join(nd), w->flying);
}

static const struct role eager_diloco_worker = {
	.state_size = sizeof(struct eager_diloco_worker),
	.start = eager_start,
	.grad = eager_grad,
	.allreduce = eager_allreduce,
	.back = eager_back,
	.fetch = eager_fetch,
};

static const char *const eager_diloco_forms[] = { "eager", "naive", NULL };

static const struct opt eager_diloco_opts[] = {
	OPT_NUMBER(struct eager_diloco_conf, period, "30",
		   "H, local steps before an outer step, and of an exchange", "H", 1, 1e9),
	OPT_CHOICE(struct eager_diloco_conf, form, "eager",
		   "the worker's own outer gradient is of this round, or of the one before as the "
		   "others'",
		   "FORM", eager_diloco_forms),
	OUTER_OPTS(struct eager_diloco_conf, outer, "0.4", "0.9"),
	{ 0 }
};

const struct algo algo_eager_diloco = {
	.plugin = { .name = "eager-diloco",
		    .brief = "DiLoCo whose all-reduces overlap with the next round of local "
			     "steps",
		    .also = "eager",
		    .cite = "Kale, Douillard, Donchev 2025, arXiv 2502.12996",
		    .opts = eager_diloco_opts,
		    .conf_size = sizeof(struct eager_diloco_conf) },
	.facts = { .rule = "x_i <- optimiser(x_i, g_i);  after every H-th step:  D_i = X_i - "
			   "x_i;\n"
			   "D = 1/n (D_i + sum over the other workers of their D_j of the round "
			   "before);\n"
			   "v_i <- mu_out v_i + D;  X_i <- X_i - eta_out (D + mu_out v_i);  x_i "
			   "<- X_i",
		   .departs = "an exchange sends the whole model, not fragments. A worker "
			      "subtracts its own outer gradient of the round before from the "
			      "all-reduce. With a codec it subtracts the uncompressed one, "
			      "although the all-reduce contains the compressed one: the "
			      "difference stays in D",
		   .gain = "eta_out / ((1 - mu_out) n)",
		   .waits = "all workers for each other's outer gradients of the round before",
		   .staleness = "0; outer gradients of the others: one round old",
		   .messages = "an all-reduce of outer gradients every H gradients; 2 (n - 1)/n "
			       "m / H as a ring",
		   .memory = "- / 4",
		   .tolerates = JOIN_TOLERATES },
	.worker = &eager_diloco_worker,
	.lockstep = true,
	.order_fixed = order_always,
	.outer = "outer_lr",
	.gain = outer_gain_of_mean,
	.round = "period",
	.sends_gradients = true,
};
