/*
 * diloco.c - rounds of local steps, then an outer step of Nesterov along their mean.
 *
 *     x_i <- optimiser(x_i, g_i)                   H times, from x_i = X
 *     D   <- 1/n sum_i (X - x_i)
 *     m   <- mu m + D;   X <- X - eta (D + mu m);   x_i <- X
 *
 * X and m are the same on all workers, so each keeps its own. The optimiser's state is local: it
 * outlives the rounds and is never exchanged. What travels, X - x_i, stands for a gradient, which
 * a codec may pack. With H = 1, eta = 1, mu = 0 and plain SGD it is allreduce; with one worker
 * and outer_nesterov=false, mu = 0 it is Lookahead.
 *
 * Paper: Douillard et al. 2023 (AdamW within, H = 500, eta = 0.7, mu = 0.9).
 */
#include "algos/common/rounds.h"
#include "core/math/vec.h"

struct conf {
	int64_t period;
	struct outer_conf outer;
};

struct worker {
	struct round round;
	struct outer outer;
	float *delta;           /* [dim] our X - x, then the sum of all */
};

static void diloco_start(struct node *nd)
{
	const struct conf *c = nd->conf;
	struct worker *w = nd->state;

	outer_start(nd, &w->outer);
	w->delta = node_vec(nd);
	round_begin(nd, &w->round, c->period);
}

static void diloco_grad(struct node *nd, const struct grad *g)
{
	struct worker *w = nd->state;

	if (!round_step(nd, &w->round, NULL, g))
		return;
	round_delta(nd, w->outer.x, w->delta);
	node_sum_grads(nd, w->delta);
}

static void diloco_sum(struct node *nd, float *v, size_t n)
{
	const struct conf *c = nd->conf;
	struct worker *w = nd->state;

	vec_scale(n, 1.0f / (float)nd->workers, v);
	outer_step(&c->outer, n, v, w->outer.m, w->outer.x);
	vec_copy(n, w->outer.x, nd->x);
	round_begin(nd, &w->round, c->period);
}

static const struct role worker = {
	.state_size = sizeof(struct worker),
	.start = diloco_start,
	.grad = diloco_grad,
	.sum = diloco_sum,
};

static const struct opt opts[] = {
	{ "period", OPT_AT(INT, struct conf, period), "50",
	  "H, local steps before an outer step; 500 in the paper", "H", 1, 1e9, NULL, 0 },
	OUTER_OPTS(struct conf, outer, "0.7", "0.9"),
	{ 0 }
};

extern const struct algo algo_diloco;
const struct algo algo_diloco = {
	.plugin = { .name = "diloco",
		    .brief = "synchronous: rounds of local steps, then an outer Nesterov step",
		    .cite = "Douillard et al. 2023, arXiv 2311.08105",
		    .opts = opts, .conf_size = sizeof(struct conf) },
	.facts = { .rule = "x_i <- optimiser(x_i, g_i);  after every H-th step:  "
			   "D = 1/n sum_i (X - x_i);\n"
			   "m <- mu m + D;  X <- X - eta (D + mu m);  x_i <- X",
		   .departs = "the inner optimiser is the run's: the paper's is AdamW",
		   .waits = "all workers for each other, at every H-th step",
		   .staleness = "0",
		   .messages = "an all-reduce of outer gradients every H gradients; "
			       "2 (n-1)/n m / H as a ring",
		   .memory = "- / 3" },
	.worker = &worker,
	.lockstep = true,
	.sends_gradients = true,
};
