/*
 * palsgd.c - DiLoCo whose workers pull their models to the common one, instead of some gradients.
 *
 *     x_i <- optimiser(x_i, g_i), lr / (1 - p) in place of lr      with probability 1 - p
 *     x_i <- x_i - lr a / p (x_i - X)                              with probability p: no gradient
 *     after H of such steps, of both kinds:
 *         D <- 1/n sum_i (X - x_i);   m <- mu m + D;   X <- X - eta (D + mu m);   x_i <- X
 *
 * On average a step is x - lr g - lr a (x - X), a gradient step of the loss and a penalty of the
 * distance to X. Each worker draws for itself, so workers compute unequal numbers of gradients: a
 * step that pulls costs no time, and a comparison by steps flatters this rule.
 *
 * With warmup=true, the first H steps are those of allreduce. p = 0 and warmup=false is diloco.
 *
 * n is the number of workers whose X - x_i the all-reduce has added. A worker that failed before is
 * not among them, and its round is lost; when it returns, it begins a round from a member's X, with
 * that member's m and optimiser state.
 *
 * Gain: that of diloco, eta / ((1 - mu) n).
 *
 * Paper: Naganuma et al. 2025 (p = 0.2, a from 0.5 to 1, H from 32 to 100, eta = 0.1; mu is that of
 * DiLoCo).
 */
#include "algos/common/join.h"
#include "algos/common/outer.h"
#include "algos/common/rounds.h"
#include "core/math/vec.h"

struct palsgd_conf {
	struct outer_conf outer;
	int64_t period;
	double pull, strength;  /* p, a */
	bool warmup;
};

struct palsgd_worker {
	int64_t left;           /* steps to go in this round */
	int64_t warm;           /* steps to go until the rounds begin */
	bool began;             /* a gradient of this round was requested */
	struct outer outer;     /* X, m */
	float *delta;           /* [dim] what is added; within a round: x_i before a step */
};

/* Makes the steps that need no gradient; then requests a gradient, or at the end the exchange. */
static void palsgd_continue(struct node *nd, struct palsgd_worker *w)
{
	const struct palsgd_conf *c = nd->conf;

	while (w->left > 0 && c->pull > 0.0 &&
	       (double)(node_rand(nd) >> 11) * 0x1p-53 < c->pull) {
		const double part = node_lr(nd) * c->strength / c->pull;

		vec_axpby(nd->dim, (float)part, w->outer.x, (float)(1.0 - part), nd->x);
		w->left--;
	}
	if (w->left == 0) {
		round_delta(nd, w->outer.x, w->delta);
		node_allreduce_grads(nd, w->delta);
	} else if (w->began) {
		node_grad_local(nd);
	} else {
		w->began = true;
		node_grad(nd);
	}
}

/* Begins a round, or requests the next gradient of the warm-up. */
static void palsgd_begin(struct node *nd, struct palsgd_worker *w)
{
	const struct palsgd_conf *c = nd->conf;

	w->left = c->period;
	w->began = false;
	if (w->warm > 0)
		node_grad(nd);
	else
		palsgd_continue(nd, w);
}

/* Steps that are those of allreduce. */
static int64_t palsgd_warm(const void *conf)
{
	const struct palsgd_conf *c = conf;

	return c->warmup ? c->period : 0;
}

static void palsgd_start(struct node *nd)
{
	const struct palsgd_conf *c = nd->conf;
	struct palsgd_worker *w = nd->state;

	outer_start(nd, &w->outer);
	w->delta = node_vec(nd);
	w->warm = palsgd_warm(c);
	palsgd_begin(nd, w);
}

static void palsgd_grad(struct node *nd, const struct grad *g)
{
	const struct palsgd_conf *c = nd->conf;
	const double longer = 1.0 / (1.0 - c->pull);
	struct palsgd_worker *w = nd->state;

	if (w->warm > 0) {
		vec_copy(nd->dim, g->vec, w->delta);
		node_allreduce_grads(nd, w->delta);
		return;
	}
	vec_copy(nd->dim, nd->x, w->delta);
	node_step(nd, g->vec, 1.0f);
	vec_axpby(nd->dim, (float)(1.0 - longer), w->delta, (float)longer, nd->x);
	w->left--;
	palsgd_continue(nd, w);
}

static void palsgd_allreduce(struct node *nd, float *v, size_t n)
{
	const struct palsgd_conf *c = nd->conf;
	struct palsgd_worker *w = nd->state;

	if (w->warm > 0) {
		node_step(nd, v, 1.0f / (float)node_added(nd));
		vec_copy(n, nd->x, w->outer.x);
		w->warm--;
	} else {
		vec_scale(n, 1.0f / (float)node_added(nd), v);
		outer_step(&c->outer, n, v, w->outer.m, w->outer.x);
		vec_copy(n, w->outer.x, nd->x);
	}
	palsgd_begin(nd, w);
}

static void palsgd_back(struct node *nd, const struct msg *m)
{
	struct palsgd_worker *w = nd->state;

	if (m) {
		join_take(nd, join_outer(nd, &w->outer), m);
		w->warm = m->tag;
	}
	vec_copy(nd->dim, w->outer.x, nd->x);
	palsgd_begin(nd, w);
}

static void palsgd_fetch(struct node *nd, int to)
{
	const struct palsgd_worker *w = nd->state;

	join_send(nd, to, join_outer(nd, &w->outer), (int)w->warm);
}

static const struct role palsgd_worker = {
	.state_size = sizeof(struct palsgd_worker),
	.start = palsgd_start,
	.grad = palsgd_grad,
	.allreduce = palsgd_allreduce,
	.back = palsgd_back,
	.fetch = palsgd_fetch,
};

static const struct opt palsgd_opts[] = {
	OPT_NUMBER(struct palsgd_conf, period, "32",
		   "H, steps of both kinds before an outer step", "H", 1, 1e9),
	OPT_NUMBER(struct palsgd_conf, pull, "0.2",
		   "p, probability that a step pulls instead of computing a gradient", "P", 0,
		   0.99),
	OPT_NUMBER(struct palsgd_conf, strength, "0.5",
		   "a, of the pull to the common model, in units of the learning rate", "A", 0,
		   1e6),
	{ "warmup", OPT_AT(BOOL, struct palsgd_conf, warmup), "true",
	  "the first H steps are those of allreduce", NULL, 0, 0, NULL, 0 },
	OUTER_OPTS(struct palsgd_conf, outer, "0.1", "0.9"),
	{ 0 }
};

const struct algo algo_palsgd = {
	.plugin = { .name = "palsgd",
		    .brief = "DiLoCo; some local steps pull to the common model, without gradient",
		    .also = "pseudo-asynchronous-local-sgd",
		    .cite = "Naganuma et al. 2025, arXiv 2504.18454",
		    .opts = palsgd_opts,
		    .conf_size = sizeof(struct palsgd_conf) },
	.facts = { .rule = "with probability 1 - p:  x_i <- optimiser(x_i, g_i) by eta / (1 - p);  "
			   "else:  x_i <- x_i - eta a / p (x_i - X);\n"
			   "after every H-th step:  D = 1/n sum_i (X - x_i);  v <- mu_out v + D;\n"
			   "X <- X - eta_out (D + mu_out v);  x_i <- X",
		   .departs = "the outer momentum is that of DiLoCo. Steps are counted and drawn "
			      "for each worker",
		   .gain = "eta_out / ((1 - mu_out) n) of D, which pulls have shortened",
		   .waits = "all workers for each other, at every H-th step",
		   .staleness = "0",
		   .messages = "an all-reduce of outer gradients every (1 - p) H gradients; 2 (n - "
			       "1)/n m / ((1 - p) H) as a ring; with warmup=true (the default), "
			       "the first H gradients are all-reduced too",
		   .memory = "- / 3",
		   .tolerates = JOIN_TOLERATES },
	.worker = &palsgd_worker,
	.order_fixed = order_always,
	.outer = "outer_lr",
	.gain = outer_gain_of_mean,
	.round = "period",
	.first = palsgd_warm,
	.sends_gradients = true,
};
