/*
 * diloco.c - rounds of local steps, then an outer step of Nesterov's method along their mean.
 *
 *     x_i <- optimiser(x_i, g_i)                   H times, from x_i = X
 *     D   <- 1/n sum_i (X - x_i)
 *     m   <- mu m + D;   X <- X - eta (D + mu m);   x_i <- X
 *
 * X and m are equal on all workers, so each keeps its own copy. The optimiser's state is local: it
 * is kept between rounds and never exchanged. X - x_i is sent in the role of a gradient, which a
 * codec may pack. With H = 1, eta = 1, mu = 0 and plain SGD this is allreduce; with one worker and
 * outer_nesterov=false, mu = 0 it is Lookahead; with one worker it is SNOO, with --optim muon
 * MuLoCo.
 *
 * n is the number of workers whose X - x_i the all-reduce has added. A worker that failed before is
 * not among them, and its round is lost; when it returns, it begins a round from a member's X, with
 * that member's m and optimiser state.
 *
 * With drop = p, each D_i = X - x_i is lost with probability p. D is the mean of the others; if all
 * are lost, X and m stay. A worker whose D_i is lost continues from its own x_i. All workers draw
 * the same losses, so all keep the same X. No worker may be away then.
 *
 * Paper: Douillard et al. 2023 (AdamW within, H = 500, eta = 0.7, mu = 0.9).
 */
#include "algos/common/join.h"
#include "algos/common/outer.h"
#include "algos/common/rounds.h"
#include "core/base/error.h"
#include "core/codec.h"
#include "core/math/vec.h"

struct diloco_conf {
	struct outer_conf outer;
	int64_t period;
	double drop;
};

struct diloco_worker {
	struct round round;
	int64_t rounds;         /* rounds completed */
	struct outer outer;
	float *delta;           /* [dim] our X - x, then the sum of all */
};

static void diloco_start(struct node *nd)
{
	const struct diloco_conf *c = nd->conf;
	struct diloco_worker *w = nd->state;

	outer_start(nd, &w->outer);
	w->delta = node_vec(nd);
	round_begin(nd, &w->round, c->period);
}

/* True when this round's outer gradient of that worker is lost, by the option `drop`. */
static bool diloco_drops(const struct node *nd, const struct diloco_worker *w, int rank)
{
	const struct diloco_conf *c = nd->conf;
	const uint64_t index = (uint64_t)w->rounds * (uint64_t)nd->workers + (uint64_t)rank;

	return (double)(node_rand_common(nd, index) >> 11) * 0x1p-53 < c->drop;
}

/* Workers whose outer gradients are in the all-reduce. */
static int diloco_arrived(const struct node *nd, const struct diloco_worker *w)
{
	const struct diloco_conf *c = nd->conf;
	int n = node_added(nd);

	for (int i = 0; c->drop > 0.0 && i < nd->workers; i++)
		n -= diloco_drops(nd, w, i);
	return n;
}

static void diloco_grad(struct node *nd, const struct grad *g)
{
	struct diloco_worker *w = nd->state;

	if (!round_step(nd, &w->round, NULL, g))
		return;
	round_delta(nd, w->outer.x, w->delta);
	if (diloco_drops(nd, w, nd->rank))
		vec_scale(nd->dim, 0.0f, w->delta);
	node_allreduce_grads(nd, w->delta);
}

static void diloco_allreduce(struct node *nd, float *v, size_t n)
{
	const struct diloco_conf *c = nd->conf;
	struct diloco_worker *w = nd->state;
	const int arrived = diloco_arrived(nd, w);

	if (arrived) {
		vec_scale(n, 1.0f / (float)arrived, v);
		outer_step(&c->outer, n, v, w->outer.m, w->outer.x);
	}
	if (!diloco_drops(nd, w, nd->rank))
		vec_copy(n, w->outer.x, nd->x);
	w->rounds++;
	round_begin(nd, &w->round, c->period);
}

static void diloco_back(struct node *nd, const struct msg *m)
{
	const struct diloco_conf *c = nd->conf;
	struct diloco_worker *w = nd->state;

	join_take(nd, join_outer(nd, &w->outer), m);
	vec_copy(nd->dim, w->outer.x, nd->x);
	round_begin(nd, &w->round, c->period);
}

static void diloco_fetch(struct node *nd, int to)
{
	const struct diloco_worker *w = nd->state;

	join_send(nd, to, join_outer(nd, &w->outer), 0);
}

/* Refuses `drop` with error feedback, which needs the lost gradient, and with unequal shares. */
static int diloco_check(const struct run *run)
{
	const struct diloco_conf *c = run->algo_conf;
	const bool feeds_back = run->codec && (run->codec->feedback || run->codec->stage_memory);

	if (!(c->drop > 0.0) || (!run->slice && !feeds_back))
		return 0;
	return error("diloco: drop = %g needs equal shares, and a codec without error feedback. "
		     "Leave drop or the other setting out.", c->drop);
}

/* True when outer gradients may be lost: workers do not know which others are away. */
static bool diloco_needs_all(const void *conf)
{
	return ((const struct diloco_conf *)conf)->drop > 0.0;
}

static const struct role diloco_worker = {
	.state_size = sizeof(struct diloco_worker),
	.start = diloco_start,
	.grad = diloco_grad,
	.allreduce = diloco_allreduce,
	.back = diloco_back,
	.fetch = diloco_fetch,
};

static const struct opt diloco_opts[] = {
	OPT_NUMBER(struct diloco_conf, period, "50",
		   "H, local steps before an outer step; 500 in the paper", "H", 1, 1e9),
	OUTER_OPTS(struct diloco_conf, outer, "0.7", "0.9"),
	OPT_NUMBER(struct diloco_conf, drop, "0",
		   "probability that a worker's outer gradient is lost", "P", 0, 1),
	{ 0 }
};

const struct algo algo_diloco = {
	.plugin = { .name = "diloco",
		    .brief = "synchronous: rounds of local steps, then an outer Nesterov step",
		    .also = "opendiloco, lookahead, muloco, snoo",
		    .cite = "Douillard et al. 2023, arXiv 2311.08105",
		    .opts = diloco_opts,
		    .conf_size = sizeof(struct diloco_conf) },
	.facts = { .rule = "x_i <- optimiser(x_i, g_i);  after every H-th step:  D = 1/n sum_i "
			   "(X - x_i);\n"
			   "v <- mu_out v + D;  X <- X - eta_out (D + mu_out v);  x_i <- X",
		   .departs = "the local optimiser is the run's (--optim); the paper's is AdamW. "
			      "A worker whose outer gradient is lost (setting drop) sends zeros "
			      "in the all-reduce and continues from its own x_i. The mean is "
			      "over the others; if all are lost, X and v do not change",
		   .gain = "eta_out / ((1 - mu_out) n)",
		   .waits = "all workers for each other, at every H-th step",
		   .staleness = "0",
		   .messages = "an all-reduce of outer gradients every H gradients; 2 (n - 1)/n "
			       "m / H as a ring",
		   .memory = "- / 3",
		   .tolerates = JOIN_TOLERATES "; with the setting drop no worker may leave" },
	.worker = &diloco_worker,
	.check = diloco_check,
	.needs_all = diloco_needs_all,
	.lockstep = true,
	.order_fixed = order_always,
	.outer = "outer_lr",
	.gain = outer_gain_of_mean,
	.round = "period",
	.sends_gradients = true,
};
