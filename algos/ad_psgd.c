/*
 * ad_psgd.c - asynchronous decentralised parallel SGD.
 *
 *     snapshot x^ = x_i; meanwhile, atomically:  x_i, x_j <- (x_i + x_j) / 2
 *     x_i <- optimiser(x_i, g_i(x^))
 *
 * Averaging happens while the gradient is computed. To keep it atomic and free
 * of deadlock the graph is bipartite: one side, with rank 0, is passive and
 * answers at once; the other is active and asks. An active worker does not touch
 * its model between asking and hearing, so the two end with the same mean:
 *
 *     active  |-- x_i -->|          |<-- x_j --|  x_i <- (x_i + x_j)/2
 *     passive            | answers x_j, then x_j <- (x_i + x_j)/2
 *
 * Paper: Lian, Zhang, Zhang, Liu 2018, Algorithm 1; the graph is that of the
 * authors' code as others describe it. Momentum is local and never averaged.
 */
#include "algos/peers.h"
#include "core/run.h"
#include "core/vec.h"

enum { ASK, ANSWER };

struct worker {
	float *g;                       /* [dim] a gradient that waits for the answer */
	bool asking, computed;
};

static bool is_active(const struct node *nd)
{
	return nd->run->graph->side[nd->rank] == 1;
}

static void begin_iteration(struct node *nd)
{
	struct worker *w = nd->state;

	if (is_active(nd)) {
		w->asking = true;
		node_send(nd, peers_draw(nd), &(struct msg){ .tag = ASK, .stamp = nd->step,
							     .vec = nd->x, .n = nd->dim });
	}
	node_grad(nd);
}

static void apply(struct node *nd, const float *g)
{
	node_step(nd, g, 1.0f);
	begin_iteration(nd);
}

static void grad(struct node *nd, const struct grad *g)
{
	struct worker *w = nd->state;

	if (!w->asking) {
		apply(nd, g->vec);
		return;
	}
	vec_copy(nd->dim, g->vec, w->g);
	w->computed = true;
}

static void passive_hears(struct node *nd, const struct msg *m)
{
	node_send(nd, m->from, &(struct msg){ .tag = ANSWER, .stamp = nd->step, .vec = nd->x,
					      .n = nd->dim });
	peers_average(nd, m->vec);
}

static void active_hears(struct node *nd, const struct msg *m)
{
	struct worker *w = nd->state;

	peers_average(nd, m->vec);
	w->asking = false;
	if (w->computed) {
		w->computed = false;
		apply(nd, w->g);
	}
}

static void msg(struct node *nd, const struct msg *m)
{
	if (m->tag == ASK)
		passive_hears(nd, m);
	else
		active_hears(nd, m);
}

static int check(const struct run *run)
{
	return graph_check(run, GRAPH_UNDIRECTED | GRAPH_BIPARTITE);
}

static void start(struct node *nd)
{
	struct worker *w = nd->state;

	if (is_active(nd))
		w->g = node_vec(nd);
	begin_iteration(nd);
}

static const struct role worker = {
	.state_size = sizeof(struct worker), .start = start, .grad = grad, .msg = msg,
};

extern const struct algo algo_ad_psgd;
const struct algo algo_ad_psgd = {
	.plugin = { .name = "ad-psgd",
		    .brief = "asynchronous, decentralised: average with one neighbour meanwhile",
		    .cite = "Lian, Zhang, Zhang, Liu 2018, arXiv 1710.06952" },
	.facts = { .rule = "meanwhile, atomically: x_i, x_j <- (x_i + x_j)/2;  "
			   "x_i <- optimiser(x_i, g_i(snapshot))",
		   .departs = "an active worker averages once in each of its iterations",
		   .waits = "an active worker for the one it asked; passive ones for nobody",
		   .staleness = "0 of the worker's own steps; averagings in between",
		   .messages = "2 models for each active gradient; m on average",
		   .memory = "- / 1" },
	.worker = &worker,
	.graph = "bipartite-exponential",
	.check = check,
};
