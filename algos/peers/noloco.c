/*
 * noloco.c - rounds of local steps, then an exchange with one other worker only.
 *
 *     x_i <- optimiser(x_i, g_i)                   H times, from x_i = X_i
 *     m_i <- mu m_i + eta mean(x - X) + eta (mean(X) - X_i)
 *     X_i <- X_i + m_i;   x_i <- X_i
 *
 * The means are over worker i and its peer in this round. Peers are drawn for each round, by a
 * permutation that is equal on all workers, from the run's seed. If the number of workers is odd,
 * the last one in it has no peer. Every worker has its own X_i and m_i: the second term keeps the
 * X_i close to each other.
 *
 * Paper: Kolehmainen et al. 2025 (H = 50, eta = 0.7, mu = 0.5).
 */
#include "algos/common/outer.h"
#include "algos/common/peers/boxes.h"
#include "algos/common/rounds.h"
#include "core/math/rng.h"
#include "core/math/vec.h"

#include <math.h>

struct noloco_conf {
	struct outer_conf outer;
	int64_t period;
};

struct noloco_worker {
	struct round round;
	int64_t rounds;         /* rounds completed */
	struct outer outer;     /* X_i, m_i */
	float *ours;            /* [2 dim] X_i and x_i - X_i */
	struct boxes boxes;     /* X and x - X of peers, [2 dim], one for each round */
	int waits;              /* rank of the peer that it waits for, or NO_PEER */
};

/* The peer in a round: the two have neighbouring positions in the permutation of that round. */
static int noloco_peer(const struct node *nd, int64_t round)
{
	const uint64_t n = (uint64_t)nd->workers;
	const uint64_t seed = node_rand_common(nd, (uint64_t)round);
	const uint64_t other = rng_permute(seed, RNG_GRAPH, 0, n, (uint64_t)nd->rank) ^ 1;

	return other < n ? (int)rng_permute_back(seed, RNG_GRAPH, 0, n, other) : NO_PEER;
}

static void noloco_start(struct node *nd)
{
	const struct noloco_conf *c = nd->conf;
	struct noloco_worker *w = nd->state;

	outer_start(nd, &w->outer);
	w->ours = node_floats(nd, 2 * nd->dim);
	boxes_open(&w->boxes, 1, 1, 2 * nd->dim);
	w->waits = NO_PEER;
	round_begin(nd, &w->round, c->period);
}

/* theirs[2 dim]: the peer's X and x - X, or ours where there is no peer. */
static void noloco_outer(struct node *nd, struct noloco_worker *w, const float *theirs)
{
	const struct noloco_conf *c = nd->conf;
	const float eta = (float)c->outer.lr, mu = (float)c->outer.momentum;
	const size_t n = nd->dim;
	float *m = w->outer.m;

	vec_axpby(n, 0.5f * eta, w->ours ? w->ours + n : NULL, mu, m);
	vec_axpy(n, 0.5f * eta, theirs ? theirs + n : NULL, m);
	vec_axpy(n, 0.5f * eta, theirs, m);
	vec_axpy(n, -0.5f * eta, w->ours, m);
	vec_axpy(n, 1.0f, m, w->outer.x);
	vec_copy(n, w->outer.x, nd->x);
	w->rounds++;
	w->waits = NO_PEER;
	round_begin(nd, &w->round, c->period);
}

/* Takes the peer's message for this round, which has arrived. */
static void noloco_meet(struct node *nd, struct noloco_worker *w, struct box *b)
{
	noloco_outer(nd, w, b->x[0]);
	boxes_empty(&w->boxes, b);
}

static void noloco_grad(struct node *nd, const struct grad *g)
{
	struct noloco_worker *w = nd->state;
	struct box *b;
	int peer;

	if (!round_step(nd, &w->round, NULL, g))
		return;
	peer = noloco_peer(nd, w->rounds);
	vec_copy(nd->dim, w->outer.x, w->ours);
	if (w->ours) {
		vec_copy(nd->dim, nd->x, w->ours + nd->dim);
		vec_axpy(nd->dim, -1.0f, w->outer.x, w->ours + nd->dim);
	}
	if (peer == NO_PEER) {
		noloco_outer(nd, w, w->ours);
		return;
	}
	w->waits = peer;
	node_send(nd, peer, &(struct msg){ .stamp = w->rounds, .vec = w->ours,
					   .n = 2 * nd->dim });
	b = boxes_find(&w->boxes, w->rounds);
	if (b)
		noloco_meet(nd, w, b);
}

static void noloco_msg(struct node *nd, const struct msg *m)
{
	struct noloco_worker *w = nd->state;
	struct box *b = boxes_at(nd, &w->boxes, m->stamp);

	vec_copy(m->n, m->vec, b->x[0]);
	if (w->waits == m->from)
		noloco_meet(nd, w, b);
}

static const struct role noloco_worker = {
	.state_size = sizeof(struct noloco_worker),
	.start = noloco_start,
	.grad = noloco_grad,
	.msg = noloco_msg,
};

static const struct opt noloco_opts[] = { OPT_NUMBER(struct noloco_conf, period, "50",
						     "H, local steps before an exchange", "H", 1,
						     1e9),
					  OUTER_RATES(struct noloco_conf, outer, "0.7", "0.5"),
					  { 0 } };

/* In a round, one that waits makes another one wait; all of them in about 2 log2 n. */
static double noloco_settles(const void *conf, int workers)
{
	const struct noloco_conf *c = conf;

	return ceil(3.0 * log2(workers)) * (double)c->period;
}

const struct algo algo_noloco = {
	.plugin = { .name = "noloco",
		    .brief = "rounds of local steps, then an outer step with one random peer",
		    .cite = "Kolehmainen et al. 2025, arXiv 2506.10911",
		    .opts = noloco_opts,
		    .conf_size = sizeof(struct noloco_conf) },
	.facts = { .rule = "x_i <- optimiser(x_i, g_i);  after every H-th step, with a random "
			   "peer:\n"
			   "v_i <- mu_out v_i + eta_out mean(x - X) + eta_out (mean(X) - X_i);  "
			   "X_i <- X_i + v_i;  x_i <- X_i\n"
			   "mean: of worker i and its peer",
		   .departs = "the term that pulls X_i to the mean has the coefficient eta_out; "
			      "in the paper it has its own, gamma. If the number of workers is "
			      "odd, one worker has no peer in a round",
		   .gain = "eta_out / ((1 - mu_out) n) in the mean of all X_i",
		   .waits = "a worker for its peer, at every H-th step",
		   .staleness = "0",
		   .messages = "every H gradients two models to a peer; 2 m / H",
		   .memory = "- / 4, and 2 for each worker that is ahead" },
	.worker = &noloco_worker,
	.outer = "outer_lr",
	.gain = outer_gain_of_mean,
	.lockstep = true,
	.settles = noloco_settles,
	.round = "period",
	.order_fixed = order_always,
};
