/*
 * d_psgd.c - decentralised parallel SGD.
 *
 *     x_i <- sum_j W_ij x_j;   x_i <- optimiser(x_i, g_i),   g_i taken at the old x_i
 *
 * W is the mixing matrix of the graph: on a ring, 1/3 for i itself and its two
 * neighbours. A worker knows of no more than its neighbours, but a round still waits
 * for all of them.
 *
 *     overlap=false   gradient, then exchange       (what the published times imply)
 *     overlap=true    exchange while computing      (the models sent are the same)
 *
 * A neighbour may be one round ahead, never two: its models go into one of two
 * boxes by the parity of the round.
 *
 * Paper: Lian et al. 2017, Algorithm 1. Departs from it in that weight decay
 * and momentum see the mixed model, as in Torch's optimisers.
 */
#include "algos/common/peers.h"
#include "core/math/vec.h"
#include "core/run.h"

struct conf {
	bool overlap;
};

struct box {                    /* what came for one round */
	float **x;              /* [neighbours] of [dim]: their models */
	int filled;
};

struct worker {
	struct box box[2];
	float *g;               /* [dim] our gradient of this round */
	bool computed;
};

static void send_model(struct node *nd)
{
	const struct ranks peers = peers_of(nd);

	for (int i = 0; i < peers.n; i++)
		node_send(nd, peers.rank[i], &(struct msg){ .stamp = nd->step, .vec = nd->x,
							    .n = nd->dim });
}

static void begin_round(struct node *nd)
{
	const struct conf *c = nd->conf;

	if (c->overlap)
		send_model(nd);
	node_grad(nd);
}

static float d_psgd_weight(const struct node *nd, int of)
{
	return (float)topology_weight(node_topology(nd), nd->rank, of);
}

/* x <- W_ii x + sum of W_ij times what is in the box */
static void d_psgd_mix(struct node *nd, struct box *b)
{
	const struct ranks peers = peers_of(nd);

	vec_scale(nd->dim, d_psgd_weight(nd, nd->rank), nd->x);
	for (int i = 0; i < peers.n; i++)
		vec_axpy(nd->dim, d_psgd_weight(nd, peers.rank[i]), b->x[i], nd->x);
	b->filled = 0;
}

static void end_round_if_complete(struct node *nd)
{
	struct worker *w = nd->state;
	struct box *b = &w->box[nd->step % 2];

	if (!w->computed || b->filled < peers_of(nd).n)
		return;
	d_psgd_mix(nd, b);
	node_step(nd, w->g, 1.0f);
	w->computed = false;
	begin_round(nd);
}

static void meet_neighbours(struct node *nd)
{
	struct worker *w = nd->state;
	const int n = peers_of(nd).n;

	w->g = node_vec(nd);
	for (int parity = 0; parity < 2; parity++) {
		w->box[parity].x = node_alloc(nd, (size_t)n, sizeof(float *));
		for (int i = 0; i < n; i++)
			w->box[parity].x[i] = node_vec(nd);
	}
}

static void d_psgd_start(struct node *nd)
{
	meet_neighbours(nd);
	begin_round(nd);
}

static void d_psgd_grad(struct node *nd, const struct grad *g)
{
	const struct conf *c = nd->conf;
	struct worker *w = nd->state;

	vec_copy(nd->dim, g->vec, w->g);
	w->computed = true;
	if (!c->overlap)
		send_model(nd);
	end_round_if_complete(nd);
}

static void d_psgd_msg(struct node *nd, const struct msg *m)
{
	struct worker *w = nd->state;
	struct box *b = &w->box[m->stamp % 2];

	vec_copy(nd->dim, m->vec, b->x[topology_receiver(node_topology(nd), nd->rank, m->from)]);
	b->filled++;
	end_round_if_complete(nd);
}

static int d_psgd_check(const struct run *run)
{
	return graph_check(run, GRAPH_UNDIRECTED);
}

static const struct role worker = {
	.state_size = sizeof(struct worker),
	.start = d_psgd_start,
	.grad = d_psgd_grad,
	.msg = d_psgd_msg,
};

static const struct opt opts[] = {
	{ "overlap", OPT_AT(BOOL, struct conf, overlap), "false",
	  "exchange models while the gradient is computed", NULL, 0, 0, NULL, 0 },
	{ 0 }
};

extern const struct algo algo_d_psgd;
const struct algo algo_d_psgd = {
	.plugin = { .name = "d-psgd",
		    .brief = "synchronous, decentralised: average models with neighbours",
		    .cite = "Lian et al. 2017, arXiv 1705.09056",
		    .opts = opts, .conf_size = sizeof(struct conf) },
	.facts = { .rule = "x_i <- sum_j W_ij x_j;  x_i <- optimiser(x_i, g_i), g_i at the old x_i",
		   .departs = "weight decay and momentum see the mixed model, as in Torch",
		   .waits = "a worker for its neighbours, at every step",
		   .staleness = "0",
		   .messages = "one model to each neighbour; 2 m on a ring",
		   .memory = "- / 1 and 2 for each neighbour" },
	.worker = &worker,
	.lockstep = true,
	.graph = "ring",
	.check = d_psgd_check,
};
