/*
 * d_psgd.c - decentralised parallel SGD.
 *
 *     x_i <- sum_j W_ij x_j;   x_i <- optimiser(x_i, g_i),   g_i taken at the old x_i
 *
 * W is the mixing matrix of the topology: on a ring, 1/3 for i itself and for each of its two
 * neighbours. A worker exchanges with its neighbours only, and a round waits for all of them.
 *
 *     overlap=false   gradient, then exchange       (what the published times imply)
 *     overlap=true    exchange while computing      (the models sent are the same)
 *
 * A neighbour may be one round ahead: models are kept until their round.
 *
 * If a neighbour has left, its weight is added to the worker's own: W_ii + W_ij. Both ends of an
 * edge do so in the same rounds, so W stays symmetric and doubly stochastic.
 *
 * Paper: Lian et al. 2017, Algorithm 1. Departs from it in that weight decay
 * and momentum see the mixed model, as in Torch's optimisers.
 */
#include "algos/common/peers/boxes.h"
#include "algos/common/peers/partners.h"
#include "algos/common/peers/peers.h"
#include "core/math/vec.h"
#include "core/run.h"

struct d_psgd_conf {
	bool overlap;
};

struct d_psgd_worker {
	int64_t round;
	struct boxes boxes;     /* a model of each neighbour */
	struct partners near;
	float *g;               /* [dim] our gradient of this round */
	bool computed;
};

static void d_psgd_give(struct node *nd, int to)
{
	const struct d_psgd_worker *w = nd->state;

	node_send(nd, to, &(struct msg){ .stamp = w->round, .vec = nd->x, .n = nd->dim });
}

static void d_psgd_send_model(struct node *nd)
{
	const struct d_psgd_worker *w = nd->state;
	const struct ranks peers = peers_of(nd);

	for (int i = 0; i < peers.n; i++)
		if (partners_has(&w->near, ranks_at(peers, i), w->round))
			d_psgd_give(nd, ranks_at(peers, i));
}

static void d_psgd_begin_round(struct node *nd)
{
	const struct d_psgd_conf *c = nd->conf;

	if (c->overlap)
		d_psgd_send_model(nd);
	node_grad(nd);
}

static double d_psgd_weight(const struct node *nd, int of)
{
	return topology_weight(node_topology(nd), nd->rank, of);
}

/* True if the box of this round (or NULL) has all models that will come for it. */
static bool is_complete(const struct node *nd, const struct box *b)
{
	const struct d_psgd_worker *w = nd->state;
	const struct ranks peers = peers_of(nd);

	if (partners_never_lost(&w->near))
		return (b ? b->filled : 0) == peers.n;
	for (int i = 0; i < peers.n; i++)
		if (!(b && b->came[i]) && partners_has(&w->near, ranks_at(peers, i), w->round))
			return false;
	return partners_all_known(&w->near);
}

/* x <- W_ii x + sum of W_ij x_j over the models in the box; x itself for a missing x_j. */
static void d_psgd_mix(struct node *nd, const struct box *b)
{
	const struct ranks peers = peers_of(nd);
	double own = d_psgd_weight(nd, nd->rank);

	for (int i = 0; i < peers.n; i++)
		own += b && b->came[i] ? 0.0 : d_psgd_weight(nd, ranks_at(peers, i));
	vec_scale(nd->dim, (float)own, nd->x);
	for (int i = 0; b && i < peers.n; i++)
		if (b->came[i])
			vec_axpy(nd->dim, (float)d_psgd_weight(nd, ranks_at(peers, i)), b->x[i],
				 nd->x);
}

static void end_round_if_complete(struct node *nd)
{
	struct d_psgd_worker *w = nd->state;
	struct box *b = boxes_find(&w->boxes, w->round);

	if (!w->computed || !is_complete(nd, b))
		return;
	d_psgd_mix(nd, b);
	if (b)
		boxes_empty(&w->boxes, b);
	node_step(nd, w->g, 1.0f);
	w->computed = false;
	w->round++;
	d_psgd_begin_round(nd);
}

static void d_psgd_start(struct node *nd)
{
	struct d_psgd_worker *w = nd->state;
	const int n = peers_of(nd).n;

	w->g = node_vec(nd);
	boxes_open(&w->boxes, n, n, nd->dim);
	d_psgd_begin_round(nd);
}

static void d_psgd_grad(struct node *nd, const struct grad *g)
{
	const struct d_psgd_conf *c = nd->conf;
	struct d_psgd_worker *w = nd->state;

	vec_copy(nd->dim, g->vec, w->g);
	w->computed = true;
	if (!c->overlap)
		d_psgd_send_model(nd);
	end_round_if_complete(nd);
}

static void d_psgd_keep(struct node *nd, const struct msg *m)
{
	struct d_psgd_worker *w = nd->state;
	struct box *b = boxes_at(nd, &w->boxes, m->stamp);
	const int from = topology_receiver(node_topology(nd), nd->rank, m->from);

	vec_copy(nd->dim, m->vec, b->x[from]);
	b->came[from] = true;
	b->filled++;
}

/* Continues after a change of the neighbours that take part. */
static void d_psgd_go_on(struct node *nd)
{
	struct d_psgd_worker *w = nd->state;

	if (partners_start(nd, &w->near, &w->round))
		d_psgd_begin_round(nd);
	end_round_if_complete(nd);
}

static void d_psgd_msg(struct node *nd, const struct msg *m)
{
	struct d_psgd_worker *w = nd->state;

	if (!partners_receive(nd, &w->near, m, w->round))
		d_psgd_keep(nd, m);
	d_psgd_go_on(nd);
}

static void d_psgd_lost(struct node *nd, int rank)
{
	struct d_psgd_worker *w = nd->state;

	partners_lose(nd, &w->near, rank);
	d_psgd_go_on(nd);
}

static void d_psgd_back(struct node *nd, const struct msg *m)
{
	struct d_psgd_worker *w = nd->state;

	if (m)
		vec_copy(nd->dim, m->vec, nd->x);
	boxes_empty_all(&w->boxes);
	w->computed = false;
	partners_join(nd, &w->near, w->round);
	d_psgd_go_on(nd);
}

static int d_psgd_check(const struct run *run)
{
	return graph_check(run, GRAPH_UNDIRECTED);
}

static const struct role d_psgd_worker = {
	.state_size = sizeof(struct d_psgd_worker),
	.start = d_psgd_start,
	.grad = d_psgd_grad,
	.msg = d_psgd_msg,
	.back = d_psgd_back,
	.fetch = d_psgd_give,
	.lost = d_psgd_lost,
};

static const struct opt d_psgd_opts[] = {
	OPT_FLAG(struct d_psgd_conf, overlap, "exchange models while the gradient is computed"),
	{ 0 }
};

const struct algo algo_d_psgd = {
	.plugin = { .name = "d-psgd",
		    .brief = "synchronous, decentralised: average models with neighbours",
		    .also = "dsgd, decentralized, decentralised",
		    .cite = "Lian et al. 2017, arXiv 1705.09056",
		    .opts = d_psgd_opts,
		    .conf_size = sizeof(struct d_psgd_conf) },
	.facts = { .rule = "x_i <- sum_j W_ij x_j;  x_i <- optimiser(x_i, g_i), g_i at the old x_i",
		   .departs = "the exchange follows the gradient, as published times imply; with "
			      "overlap=true both run in parallel, as the paper allows, to the "
			      "same models. Weight decay and momentum are applied to the "
			      "averaged model, as Torch's optimisers would do after the average",
		   .waits = "a worker for its neighbours, at every step",
		   .staleness = "0",
		   .messages = "one model to each neighbour; d m",
		   .memory = "- / 1 + 2 d",
		   .tolerates = PARTNERS_TOLERATES },
	.worker = &d_psgd_worker,
	.lockstep = true,
	.order_fixed = order_always,
	.graph = "ring",
	.check = d_psgd_check,
};
