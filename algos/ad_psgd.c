/*
 * ad_psgd.c - asynchronous decentralised parallel SGD.
 *
 *     snapshot x^ = x_i; meanwhile, atomically:  x_i, x_j <- (x_i + x_j) / 2
 *     x_i <- optimiser(x_i, g_i(x^))
 *
 * Averaging happens while the gradient is computed. To keep it atomic and free
 * of deadlock the graph is bipartite: odd ranks are active and ask, even ranks
 * are passive and answer at once. An active worker does not touch its model
 * between asking and hearing, so the two end with the same mean:
 *
 *     active  |-- x_i -->|          |<-- x_j --|  x_i <- (x_i + x_j)/2
 *     passive            | answers x_j, then x_j <- (x_i + x_j)/2
 *
 *     graph=exponential   partners at hops +-1, +-3, +-5, +-9, ... (2^k + 1)
 *     graph=ring          at +-1
 *     graph=complete      any passive rank
 *
 * Paper: Lian, Zhang, Zhang, Liu 2018, Algorithm 1; the graph is that of the
 * authors' code as others describe it. Momentum is local and never averaged.
 */
#include "core/node.h"
#include "core/vec.h"

enum { ASK, ANSWER };
enum { EXPONENTIAL, RING, COMPLETE };
enum { MAX_PARTNERS = 64 };

struct conf {
	int graph;
};

struct worker {
	int partner[MAX_PARTNERS];      /* the passive ranks that an active one may ask */
	int partners;
	float *g;                       /* [dim] a gradient that waits for the answer */
	bool asking, computed;
};

static bool is_active(const struct node *nd)
{
	return nd->rank % 2 == 1;
}

static int passive_ranks(const struct node *nd)
{
	return (nd->workers + 1) / 2;
}

static int choose_partner(struct node *nd)
{
	const struct worker *w = nd->state;
	const struct conf *c = nd->conf;

	if (c->graph == COMPLETE)
		return 2 * (int)(node_rand(nd) % (uint64_t)passive_ranks(nd));
	return w->partner[node_rand(nd) % (uint64_t)w->partners];
}

static void begin_iteration(struct node *nd)
{
	struct worker *w = nd->state;

	if (is_active(nd)) {
		w->asking = true;
		node_send(nd, choose_partner(nd), &(struct msg){ .tag = ASK, .stamp = nd->step,
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

/* x <- (x + theirs) / 2 */
static void average(struct node *nd, const struct msg *m)
{
	vec_axpby(nd->dim, 0.5f, m->vec, 0.5f, nd->x);
}

static void passive_hears(struct node *nd, const struct msg *m)
{
	node_send(nd, m->from, &(struct msg){ .tag = ANSWER, .stamp = nd->step, .vec = nd->x,
					      .n = nd->dim });
	average(nd, m);
}

static void active_hears(struct node *nd, const struct msg *m)
{
	struct worker *w = nd->state;

	average(nd, m);
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

/* Adds the rank at a hop when it is passive and not there yet. */
static void add_partner(struct node *nd, int hop)
{
	struct worker *w = nd->state;
	const int n = nd->workers;
	const int rank = ((nd->rank + hop) % n + n) % n;

	for (int i = 0; i < w->partners; i++)
		if (w->partner[i] == rank)
			return;
	if (rank % 2 == 0 && w->partners < MAX_PARTNERS)
		w->partner[w->partners++] = rank;
}

static void meet_partners(struct node *nd)
{
	const struct conf *c = nd->conf;

	add_partner(nd, 1);
	add_partner(nd, -1);
	for (int step = 2; c->graph == EXPONENTIAL && step < nd->workers - 1; step *= 2) {
		add_partner(nd, step + 1);
		add_partner(nd, -step - 1);
	}
}

static void start(struct node *nd)
{
	struct worker *w = nd->state;

	if (is_active(nd)) {
		w->g = node_vec(nd);
		meet_partners(nd);
	}
	begin_iteration(nd);
}

static const struct role worker = {
	.state_size = sizeof(struct worker), .start = start, .grad = grad, .msg = msg,
};

static const char *const graphs[] = { "exponential", "ring", "complete", NULL };

static const struct opt opts[] = {
	{ "graph", OPT_ENUM, offsetof(struct conf, graph), "exponential",
	  "whom an active worker may ask", "GRAPH", 0, 0, graphs, 0 },
	{ 0 }
};

extern const struct algo algo_ad_psgd;
const struct algo algo_ad_psgd = {
	.plugin = { .name = "ad-psgd",
		    .brief = "asynchronous, decentralised: average with one neighbour meanwhile",
		    .cite = "Lian, Zhang, Zhang, Liu 2018, arXiv 1710.06952",
		    .opts = opts, .conf_size = sizeof(struct conf) },
	.facts = { .rule = "meanwhile, atomically: x_i, x_j <- (x_i + x_j)/2;  "
			   "x_i <- optimiser(x_i, g_i(snapshot))",
		   .departs = "an active worker averages once in each of its iterations",
		   .waits = "an active worker for the one it asked; passive ones for nobody",
		   .staleness = "0 of the worker's own steps; averagings in between",
		   .messages = "2 models for each active gradient; m on average",
		   .memory = "- / 1" },
	.worker = &worker,
};
