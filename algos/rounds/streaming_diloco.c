/*
 * streaming_diloco.c - DiLoCo by fragments of the model, whose exchange overlaps with training.
 *
 *     x_i <- optimiser(x_i, g_i)                   at every step; a turn has H / P steps, and the
 *                                                  turns belong to the fragments p, one after
 *                                                  the other
 *     tau steps before the end of a turn:          D_i = X_p - x_i,p is sent to be added
 *     at its end:                                  D = 1/n sum_i D_i
 *         m_p <- mu m_p + D;   X_p <- X_p - eta (D + mu m_p)
 *         x_i,p <- alpha x_i,p + (1 - alpha) X_p
 *
 * X and m are equal on all workers, while each has its own x_i. An exchange may take tau steps;
 * after that workers wait for it. With tau = 0, alpha = 0 and one fragment, this is diloco. A codec
 * packs D_i: the paper's has 4 bits a float (e3m0), and decoded floats are added.
 *
 * n is the number of workers whose D_i the all-reduce has added. A worker that failed before is not
 * among them; when it returns, it continues at a member's position in the turn, with that member's
 * x_j, X, m and optimiser state.
 *
 * Paper: Douillard et al. 2025; turns and their traces are those of torchft.
 */
#include "algos/common/fragments.h"
#include "algos/common/join.h"
#include "algos/common/outer.h"
#include "core/base/error.h"
#include "core/math/vec.h"
#include "core/run.h"

struct streaming_diloco_conf {
	int64_t period, fragments, stripes, delay;
	double alpha;
	struct outer_conf outer;
};

struct streaming_diloco_worker {
	struct fragments fragments;
	size_t turn;            /* index of the fragment whose turn it is */
	int64_t steps;          /* of this turn */
	bool flying, waits;     /* an all-reduce is in flight; the worker waits for it */
	struct outer outer;     /* X and m in the order of fragments */
	float *delta;           /* [largest fragment] D_i, then the sum */
};

static void streaming_start(struct node *nd)
{
	const struct streaming_diloco_conf *c = nd->conf;
	struct streaming_diloco_worker *w = nd->state;
	size_t from;

	w->fragments = (struct fragments){ nd->dim, (size_t)c->fragments, (size_t)c->stripes };
	outer_start(nd, &w->outer);
	w->delta = node_floats(nd, fragment_largest(&w->fragments));
	for (size_t k = 0; nd->x && k < w->fragments.count; k++) {
		fragment_at(&w->fragments, k, &from);
		fragment_get(&w->fragments, k, nd->x, w->outer.x + from);
	}
	node_grad(nd);
}

static float *streaming_part(float *v, size_t from)
{
	return v ? v + from : NULL;
}

static void streaming_send(struct node *nd, struct streaming_diloco_worker *w)
{
	size_t from, n = fragment_at(&w->fragments, w->turn, &from);

	fragment_get(&w->fragments, w->turn, nd->x, w->delta);
	vec_axpby(n, 1.0f, streaming_part(w->outer.x, from), -1.0f, w->delta);
	w->flying = true;
	node_allreduce_part(nd, w->delta, from, n);
}

/* The all-reduce is done, and the turn is over: outer step, and next turn. */
static void streaming_merge(struct node *nd, struct streaming_diloco_worker *w)
{
	const struct streaming_diloco_conf *c = nd->conf;
	size_t from, n = fragment_at(&w->fragments, w->turn, &from);
	float *x = streaming_part(w->outer.x, from), *m = streaming_part(w->outer.m, from);

	vec_scale(n, 1.0f / (float)node_added(nd), w->delta);
	outer_step(&c->outer, n, w->delta, m, x);
	fragment_get(&w->fragments, w->turn, nd->x, w->delta);
	vec_axpby(n, (float)(1.0 - c->alpha), x, (float)c->alpha, w->delta);
	fragment_put(&w->fragments, w->turn, w->delta, nd->x);
	w->turn = (w->turn + 1) % w->fragments.count;
	w->steps = 0;
	w->waits = false;
	node_grad(nd);
}

static void streaming_grad(struct node *nd, const struct grad *g)
{
	const struct streaming_diloco_conf *c = nd->conf;
	const int64_t turn = c->period / c->fragments;
	struct streaming_diloco_worker *w = nd->state;

	node_step(nd, g->vec, 1.0f);
	w->steps++;
	if (w->steps == turn - c->delay)
		streaming_send(nd, w);
	w->waits = w->steps == turn && w->flying;
	if (w->steps < turn)
		node_grad_local(nd);
	else if (!w->waits)
		streaming_merge(nd, w);
}

static void streaming_allreduce(struct node *nd, float *v, size_t n)
{
	struct streaming_diloco_worker *w = nd->state;

	(void)v, (void)n;
	w->flying = false;
	if (w->waits)
		streaming_merge(nd, w);
}

static struct join streaming_join(const struct node *nd)
{
	const struct streaming_diloco_worker *w = nd->state;
	struct join j = join_of(nd);

	join_add(&j, w->outer.x, nd->dim);
	join_add(&j, w->outer.m, nd->dim);
	join_add(&j, w->delta, fragment_largest(&w->fragments));
	return j;
}

/* A worker that returns and is alone repeats the all-reduce of its fragment, which was lost. */
static void streaming_back(struct node *nd, const struct msg *m)
{
	const struct streaming_diloco_conf *c = nd->conf;
	const int64_t turn = c->period / c->fragments;
	struct streaming_diloco_worker *w = nd->state;

	if (m) {
		join_take(nd, streaming_join(nd), m);
		w->turn = (size_t)m->tag;
		w->steps = nd->step % turn;
		w->flying = w->waits = false;
	}
	if (w->flying)
		streaming_send(nd, w);
	if (w->steps < turn)
		node_grad(nd);
}

static void streaming_fetch(struct node *nd, int to)
{
	const struct streaming_diloco_worker *w = nd->state;

	join_send(nd, to, streaming_join(nd), (int)w->turn);
}

static int streaming_check(const struct run *run)
{
	const struct streaming_diloco_conf *c = run->algo_conf;
	const int64_t turn = c->period / c->fragments;

	if (c->period % c->fragments != 0)
		return error("streaming-diloco: fragments = %lld does not divide period = %lld: "
			     "every fragment has a turn of as many steps. Choose a divisor.",
			     (long long)c->fragments, (long long)c->period);
	if (c->delay >= turn)
		return error("streaming-diloco: delay = %lld, and a fragment's turn has %lld steps "
			     "(period / fragments): at most %lld, so that one exchange is done "
			     "before the next begins.", (long long)c->delay, (long long)turn,
			     (long long)turn - 1);
	if ((size_t)(c->fragments * c->stripes) > run->dim)
		return error("streaming-diloco: fragments = %lld of stripes = %lld stretches each, "
			     "and the model has %zu floats. Choose fewer.",
			     (long long)c->fragments, (long long)c->stripes, run->dim);
	return 0;
}

static const struct role streaming_diloco_worker = {
	.state_size = sizeof(struct streaming_diloco_worker),
	.start = streaming_start,
	.grad = streaming_grad,
	.allreduce = streaming_allreduce,
	.back = streaming_back,
	.fetch = streaming_fetch,
};

static const struct opt streaming_diloco_opts[] = {
	OPT_NUMBER(struct streaming_diloco_conf, period, "30",
		   "H, local steps between two exchanges of a fragment", "H", 1, 1e9),
	OPT_NUMBER(struct streaming_diloco_conf, fragments, "3",
		   "P, parts of the model, a divisor of H", "P", 1, 1 << 20),
	OPT_NUMBER(struct streaming_diloco_conf, stripes, "1",
		   "stretches of the model that make a fragment", "S", 1, 1 << 20),
	OPT_NUMBER(struct streaming_diloco_conf, delay, "1",
		   "T, steps that an exchange may take; less than H / P", "T", 0, 1e9),
	OPT_NUMBER(struct streaming_diloco_conf, alpha, "0.5",
		   "the worker's share of the merged fragment", "ALPHA", 0, 1),
	OUTER_OPTS(struct streaming_diloco_conf, outer, "0.4", "0.9"),
	{ 0 }
};

/*
 * Let z be how far the workers' mean is ahead of X when they send. A worker's D adds D / n to it, X
 * moves along it by a z over all time, a = eta / (1 - mu), and a merge keeps alpha of what is left.
 * So sum(z) = D / n + alpha (sum(z) - a sum(z)), and X moves by a sum(z) = a D / (n (1 - alpha +
 * alpha a)): for small a by a D / (n (1 - alpha)), and never by more than D / (alpha n).
 */
static double streaming_diloco_gain(const void *conf, int workers)
{
	const struct streaming_diloco_conf *c = conf;

	return outer_gain(&c->outer) / ((double)workers * (1.0 - c->alpha));
}

static double streaming_diloco_gain_limit(const void *conf, int workers)
{
	const struct streaming_diloco_conf *c = conf;

	return 1.0 / ((double)workers * c->alpha);
}

const struct algo algo_streaming_diloco = {
	.plugin = { .name = "streaming-diloco",
		    .brief = "DiLoCo by fragments of the model, exchanged while training "
			     "continues",
		    .also = "streaming",
		    .cite = "Douillard et al. 2025, arXiv 2501.18512",
		    .opts = streaming_diloco_opts,
		    .conf_size = sizeof(struct streaming_diloco_conf) },
	.facts = { .rule = "x_i <- optimiser(x_i, g_i);  every H / P steps, for the next of P "
			   "fragments, index p:\n"
			   "D = 1/n sum_i (X_p - x_ip), as it was T steps before;\n"
			   "v_p <- mu_out v_p + D;  X_p <- X_p - eta_out (D + mu_out v_p);\n"
			   "x_ip <- alpha x_ip + (1 - alpha) X_p",
		   .departs = "fragments are parts of equal length, not whole layers. They are "
			      "exchanged in turn, at equal intervals",
		   .gain = "a / (n (1 - alpha + alpha a)) with a = eta_out / (1 - mu_out), at "
			   "most 1 / (alpha n); of the T local steps after D was sent, alpha "
			   "times that",
		   .waits = "all workers for each other's fragment, T steps after they sent "
			    "theirs",
		   .staleness = "0; outer gradients: T steps old",
		   .messages = "an all-reduce of 1/P of the outer gradients every H / P "
			       "gradients; 2 (n - 1)/n m / H as a ring",
		   .memory = "- / 2, and 1/P",
		   .tolerates = JOIN_TOLERATES },
	.worker = &streaming_diloco_worker,
	.check = streaming_check,
	.lockstep = true,
	.order_fixed = order_always,
	.outer = "outer_lr",
	.gain = streaming_diloco_gain,
	.gain_limit = streaming_diloco_gain_limit,
	.round = "period",
	.sends_gradients = true,
	.allreduces_parts = true,
};
