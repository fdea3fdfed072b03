/*
 * des_loc.c - local steps of Adam; models and both moments are averaged at periods of their own.
 *
 *     x_i, m_i, v_i <- adam(x_i, m_i, v_i, g_i)    at every step
 *     x_i <- 1/n sum_j x_j                         after every H-th
 *     m_i <- 1/n sum_j m_j                         after every H_m-th (3 H by default)
 *     v_i <- 1/n sum_j v_j                         after every H_v-th (6 H)
 *
 * The moments change slowly, v slower than m, so their means may be older. What is due after the
 * same step is one all-reduce: 1 + 1/3 + 1/6 = 1.5 models for every H steps, where local-adam sends
 * 3. Equal periods are local-adam. An optimiser whose state is not two moments, as Adam's and
 * muon's, keeps it local: only models are averaged, and it is local-sgd.
 *
 * Where a worker's v_i is 0, as its own gradient has always been, and the mean of m is not, a step
 * is m / eps: with rare features, as of dead units or rare tokens, Adam's eps must not be tiny, or
 * H_v not above H_m.
 *
 * n is the number of workers whose vectors the all-reduce has added. A worker that failed before is
 * not among them, and its steps since the last means are lost; when it returns, it continues at a
 * member's step, with that member's model and optimiser state.
 *
 * Paper: Iacob et al. 2025.
 */
#include "algos/common/join.h"
#include "core/math/vec.h"
#include "core/optim.h"
#include "core/run.h"

enum { DUE_X = 1, DUE_M = 2, DUE_V = 4 };
enum { MOMENTS = 2 };           /* Adam's state begins with m and v */

struct des_loc_conf {
	int64_t period;
	int64_t moment, square; /* H_m, H_v; 0: 3 and 6 times the period */
};

struct des_loc_worker {
	bool moments;           /* the optimiser has m and v */
	float *optim;           /* [2 dim + ...] its state: m, v and more */
	float *allreduced;      /* [3 dim] of x, m, v those that are due: ours, then the sums */
};

/* Averages that are due after the worker's latest step. */
static int des_loc_due(const struct node *nd)
{
	const struct des_loc_conf *c = nd->conf;
	const struct des_loc_worker *w = nd->state;
	const int64_t moment = c->moment ? c->moment : 3 * c->period;
	const int64_t square = c->square ? c->square : 6 * c->period;

	return (nd->step % c->period == 0 ? DUE_X : 0) |
	       (w->moments && nd->step % moment == 0 ? DUE_M : 0) |
	       (w->moments && nd->step % square == 0 ? DUE_V : 0);
}

/* v + from; NULL in a timing-only run, where v is NULL. */
static float *des_loc_at(float *v, size_t from)
{
	return v ? v + from : NULL;
}

/*
 * Vectors that are due: at[] <- the node's own. Returns their number, in the order x, m, v.
 */
static size_t des_loc_vectors(struct node *nd, float *at[3])
{
	const struct des_loc_worker *w = nd->state;
	const int due = des_loc_due(nd);
	size_t n = 0;

	if (due & DUE_X)
		at[n++] = nd->x;
	if (due & DUE_M)
		at[n++] = w->optim;
	if (due & DUE_V)
		at[n++] = des_loc_at(w->optim, nd->dim);
	return n;
}

static void des_loc_start(struct node *nd)
{
	struct des_loc_worker *w = nd->state;

	w->moments = node_optim_vectors(nd) == MOMENTS;
	w->optim = node_optim(nd);
	w->allreduced = node_floats(nd, (w->moments ? 3 : 1) * nd->dim);
	node_grad(nd);
}

static void des_loc_grad(struct node *nd, const struct grad *g)
{
	struct des_loc_worker *w = nd->state;
	float *at[3];
	size_t n;

	node_step_with(nd, w->optim, g->vec, 1.0f);
	n = des_loc_vectors(nd, at);
	if (n == 0) {
		node_grad_local(nd);
		return;
	}
	for (size_t i = 0; i < n; i++)
		vec_copy(nd->dim, at[i], des_loc_at(w->allreduced, i * nd->dim));
	node_allreduce(nd, w->allreduced, n * nd->dim);
}

static void des_loc_allreduce(struct node *nd, float *v, size_t n)
{
	float *at[3];
	const size_t vectors = des_loc_vectors(nd, at);

	vec_scale(n, 1.0f / (float)node_added(nd), v);
	for (size_t i = 0; i < vectors; i++)
		vec_copy(nd->dim, des_loc_at(v, i * nd->dim), at[i]);
	if (des_loc_due(nd) & DUE_X)
		node_grad(nd);
	else
		node_grad_local(nd);
}

static struct join des_loc_join(const struct node *nd)
{
	const struct des_loc_worker *w = nd->state;
	struct join j = { 0 };

	join_add(&j, nd->x, nd->dim);
	join_add(&j, w->optim, node_optim_floats(nd));
	return j;
}

static void des_loc_back(struct node *nd, const struct msg *m)
{
	join_take(nd, des_loc_join(nd), m);
	node_grad(nd);
}

static void des_loc_fetch(struct node *nd, int to)
{
	join_send(nd, to, des_loc_join(nd), 0);
}

/* All are due together at some step. */
static int des_loc_most(const struct run *run)
{
	return 1 + (run->optim->vectors == MOMENTS ? MOMENTS : 0);
}

static const struct role des_loc_worker = {
	.state_size = sizeof(struct des_loc_worker),
	.start = des_loc_start,
	.grad = des_loc_grad,
	.allreduce = des_loc_allreduce,
	.back = des_loc_back,
	.fetch = des_loc_fetch,
};

static const struct opt des_loc_opts[] = {
	OPT_NUMBER(struct des_loc_conf, period, "8", "H, local steps before the mean of models",
		   "H", 1, 1e9),
	OPT_NUMBER(struct des_loc_conf, moment, "0",
		   "H_m, steps before the mean of Adam's first moments; 0: three periods", "H", 0,
		   1e9),
	OPT_NUMBER(struct des_loc_conf, square, "0",
		   "H_v, steps before the mean of Adam's second moments; 0: six periods", "H", 0,
		   1e9),
	{ 0 }
};

const struct algo algo_des_loc = {
	.plugin = { .name = "des-loc",
		    .brief = "synchronous: local Adam; rarer means of the moments than of models",
		    .also = "desynced-low-communication-adam",
		    .cite = "Iacob et al. 2025, arXiv 2505.22549",
		    .opts = des_loc_opts,
		    .conf_size = sizeof(struct des_loc_conf) },
	.facts = { .rule = "x_i and its two moments <- adam(x_i, moments, g_i);  x_i is the mean "
			   "over all workers after\n"
			   "every H-th step, the first moment after every H_m-th, the second after "
			   "every H_v-th",
		   .departs = "the bias of the moments is corrected by the count of steps, as in "
			      "Adam. With an optimiser other than Adam and muon only models are "
			      "averaged. Where a worker's second moment is 0 and the mean of the "
			      "first is not, a step is as large as 1 / eps: choose a larger eps "
			      "(--optim adam:eps=1e-4)",
		   .waits = "all workers for each other, at every H-th, H_m-th and H_v-th step",
		   .staleness = "0",
		   .messages = "all-reduces of models every H gradients, of moments every H_m and "
			       "H_v; 2 (n - 1)/n m (1/H + 1/H_m + 1/H_v) as a ring; optimisers "
			       "other than adam and muon: of models; 2 (n - 1)/n m / H",
		   .memory = "- / 3, and a second optimiser state; optimisers other than adam "
			     "and muon: - / 1, and that",
		   .tolerates = JOIN_TOLERATES },
	.worker = &des_loc_worker,
	.allreduced_vectors = des_loc_most,
	.lockstep = true,
	.order_fixed = order_always,
	.round = "period",
};
