/*
 * ad_psgd.c - asynchronous decentralised parallel SGD.
 *
 *     snapshot x^ = x_i; meanwhile, atomically:  x_i, x_j <- (x_i + x_j) / 2
 *     x_i <- optimiser(x_i, g_i(x^))
 *
 * Averaging happens while the gradient is computed. The graph is bipartite: one side, with rank 0,
 * is passive, and the other active. In each iteration an active worker asks one passive neighbour,
 * and keeps its own model unchanged until it has the other's, s; a gradient that is ready earlier
 * waits.
 *
 * exchange=sequential: the question is the active worker's model. The passive worker answers s,
 * then averages:
 *
 *     active   |-- x_i -->|          |<-- s --|    x_i <- (x_i + s)/2
 *     passive             | answers s = x_j, then x_j <- (x_i + s)/2
 *
 * exchange=duplex: a short question is sent ahead of the model. The passive worker answers s as
 * soon as it has the question, so both models are in flight at once, which takes the time of one:
 *
 *     active   |-- ask, x_i ------>|       x_i <- (x_i + s)/2 when s is there
 *     passive      |<-- s = x_j ------|    x_j <- x_j + (x_i - s)/2 when x_i is there
 *
 * Until x_i arrives, the passive worker answers no other question; models that come with other
 * questions are kept, one for each neighbour. It continues to step, since it waits for no worker.
 *
 * Why duplex is as good as atomic. What the exchange adds to x_i and x_j is opposite, so the mean
 * of all models is preserved whatever happens in between. Say that an exchange happens when s is
 * taken: x_i is then what was sent, for the active worker keeps it until it has s, and x_j has all
 * exchanges before it, for the passive worker has one at a time. The steps that it takes between s
 * and x_i are additions to x_j, as is the exchange's, so their order does not matter: the models
 * are those of exchanges one after the other, to rounding, and bit by bit where no step came
 * between. Only what such a step reads, a snapshot or its weight decay, may lack the exchange
 * under way, which is the staleness that the algorithm allows. And no worker waits for ever: x_i
 * follows the question on the same way, whatever its sender does, so every exchange ends, and
 * questions are answered in their order.
 *
 * If a worker leaves, answers that it has sent count, for they still arrive. An active worker that
 * waits for another answer from it continues without, and does not ask it again until it is BACK.
 *
 * Paper: Lian, Zhang, Zhang, Liu 2018, Algorithm 1; the graph is that of the authors' code, as
 * others describe it. Momentum is local and never averaged.
 */
#include "algos/common/peers/boxes.h"
#include "algos/common/peers/peers.h"
#include "core/math/vec.h"
#include "core/run.h"

#include <string.h>

/* MODEL: in duplex, the model after an ASK; BACK: the sender may be asked again. */
enum { AD_PSGD_ASK, AD_PSGD_ANSWER, MODEL, AD_PSGD_BACK };

enum exchange { SEQUENTIAL, DUPLEX };

struct ad_psgd_conf {
	int exchange;
};

struct duplex {                 /* of a passive worker */
	float *sent;            /* [dim] s of the exchange in progress */
	int64_t sent_at;        /* its step when s was sent */
	int with;               /* index of the neighbour; -1: there is no exchange */
	struct boxes boxes;     /* models that came before their turn, by index and not by round */
	int *turn, nturn;       /* indices of those that have asked, in order */
};

struct ad_psgd_worker {
	float *g;               /* [dim] active: a gradient that waits for the answer */
	bool asking, computed;
	int asked;              /* rank asked, while waiting for its answer */
	struct absent absent;   /* absent neighbours among those that it may ask */
	struct duplex *duplex;  /* NULL: active, or exchange=sequential, or no neighbour */
};

static bool is_active(const struct node *nd)
{
	return node_topology(nd)->side[nd->rank] == 1;
}

static bool is_duplex(const struct node *nd)
{
	return ((const struct ad_psgd_conf *)nd->conf)->exchange == DUPLEX;
}

static void ad_psgd_send_model(struct node *nd, int to, int tag)
{
	node_send(nd, to, &(struct msg){ .tag = tag, .stamp = nd->step, .vec = nd->x,
					 .n = nd->dim });
}

static void begin_iteration(struct node *nd)
{
	struct ad_psgd_worker *w = nd->state;

	if (is_active(nd)) {
		w->asked = peers_draw_present(nd, &w->absent);
		w->asking = w->asked != NO_PEER;
	}
	if (w->asking && is_duplex(nd))
		node_send(nd, w->asked, &(struct msg){ .tag = AD_PSGD_ASK, .stamp = nd->step });
	if (w->asking)
		ad_psgd_send_model(nd, w->asked, is_duplex(nd) ? MODEL : AD_PSGD_ASK);
	node_grad(nd);
}

static void ad_psgd_apply(struct node *nd, const float *g)
{
	node_step(nd, g, 1.0f);
	begin_iteration(nd);
}

static void ad_psgd_grad(struct node *nd, const struct grad *g)
{
	struct ad_psgd_worker *w = nd->state;

	if (!w->asking) {
		ad_psgd_apply(nd, g->vec);
		return;
	}
	vec_copy(nd->dim, g->vec, w->g);
	w->computed = true;
}

/* ---- passive ---- */

static struct duplex *duplex_of(const struct node *nd)
{
	return ((struct ad_psgd_worker *)nd->state)->duplex;
}

/* x <- x + (other - s)/2, which is the mean of x and other if x still equals s. */
static void add_difference(struct node *nd, const float *other)
{
	struct duplex *d = duplex_of(nd);

	d->with = -1;
	if (nd->step == d->sent_at) {
		peers_average(nd, other);
		return;
	}
	vec_axpby(nd->dim, 0.5f, other, -0.5f, d->sent);
	vec_axpy(nd->dim, 1.0f, d->sent, nd->x);
}

/* Begins the next exchange if none is in progress, and ends it if its model has arrived. */
static void answer_next(struct node *nd)
{
	struct duplex *d = duplex_of(nd);

	while (d->with < 0 && d->nturn > 0) {
		struct box *b = boxes_find(&d->boxes, d->turn[0]);

		d->with = d->turn[0];
		d->nturn--;
		memmove(d->turn, d->turn + 1, (size_t)d->nturn * sizeof(*d->turn));
		d->sent_at = nd->step;
		vec_copy(nd->dim, nd->x, d->sent);
		ad_psgd_send_model(nd, ranks_at(peers_of(nd), d->with), AD_PSGD_ANSWER);
		if (b) {
			add_difference(nd, b->x[0]);
			boxes_empty(&d->boxes, b);
		}
	}
}

static void passive_receives_duplex(struct node *nd, const struct msg *m)
{
	struct duplex *d = duplex_of(nd);
	const int which = topology_receiver(node_topology(nd), nd->rank, m->from);

	if (m->tag == AD_PSGD_ASK) {
		d->turn[d->nturn++] = which;
	} else if (which == d->with) {
		add_difference(nd, m->vec);
	} else {
		vec_copy(nd->dim, m->vec, boxes_at(nd, &d->boxes, which)->x[0]);
	}
	answer_next(nd);
}

static void passive_receives(struct node *nd, const struct msg *m)
{
	if (is_duplex(nd)) {
		passive_receives_duplex(nd, m);
		return;
	}
	ad_psgd_send_model(nd, m->from, AD_PSGD_ANSWER);
	peers_average(nd, m->vec);
}

/* ---- active ---- */

static void active_goes_on(struct node *nd)
{
	struct ad_psgd_worker *w = nd->state;

	w->asking = false;
	if (w->computed) {
		w->computed = false;
		ad_psgd_apply(nd, w->g);
	}
}

static void active_receives(struct node *nd, const struct msg *m)
{
	struct ad_psgd_worker *w = nd->state;

	if (m->tag == AD_PSGD_BACK) {
		absent_remove(nd, &w->absent, m->from);
		return;
	}
	peers_average(nd, m->vec);
	active_goes_on(nd);
}

static void ad_psgd_msg(struct node *nd, const struct msg *m)
{
	if (is_active(nd))
		active_receives(nd, m);
	else
		passive_receives(nd, m);
}

/* ---- a worker that leaves ---- */

static void ad_psgd_lost(struct node *nd, int rank)
{
	struct ad_psgd_worker *w = nd->state;

	if (!is_active(nd))
		return;
	absent_add(nd, &w->absent, rank);
	if (w->asking && w->asked == rank)
		active_goes_on(nd);
}

/* A worker returns: all exchanges that it was in are over, or will never end. */
static void ad_psgd_back(struct node *nd, const struct msg *m)
{
	struct ad_psgd_worker *w = nd->state;
	struct duplex *d = w->duplex;

	if (m)
		vec_copy(nd->dim, m->vec, nd->x);
	w->asking = w->computed = false;
	absent_clear(nd, &w->absent);
	if (d) {
		d->with = -1;
		d->nturn = 0;
		boxes_empty_all(&d->boxes);
	}
	if (!is_active(nd))
		peers_announce(nd, AD_PSGD_BACK);
	begin_iteration(nd);
}

static void ad_psgd_give(struct node *nd, int to)
{
	ad_psgd_send_model(nd, to, AD_PSGD_ANSWER);
}

static int ad_psgd_check(const struct run *run)
{
	return graph_check(run, GRAPH_UNDIRECTED | GRAPH_BIPARTITE);
}

static void open_passive(struct node *nd, int neighbours)
{
	struct duplex *d = node_alloc(nd, 1, sizeof(*d));

	d->with = -1;
	d->sent = node_vec(nd);
	boxes_open(&d->boxes, 1, 1, nd->dim);
	d->turn = node_alloc(nd, (size_t)neighbours, sizeof(*d->turn));
	((struct ad_psgd_worker *)nd->state)->duplex = d;
}

static void ad_psgd_start(struct node *nd)
{
	struct ad_psgd_worker *w = nd->state;
	const int neighbours = peers_of(nd).n;

	if (is_active(nd))
		w->g = node_vec(nd);
	else if (is_duplex(nd) && neighbours)
		open_passive(nd, neighbours);
	begin_iteration(nd);
}

static const struct role ad_psgd_worker = {
	.state_size = sizeof(struct ad_psgd_worker),
	.start = ad_psgd_start,
	.grad = ad_psgd_grad,
	.msg = ad_psgd_msg,
	.back = ad_psgd_back,
	.fetch = ad_psgd_give,
	.lost = ad_psgd_lost,
};

static const char *const exchanges[] = { "sequential", "duplex", NULL };

static const struct opt ad_psgd_opts[] = {
	OPT_CHOICE(struct ad_psgd_conf, exchange, "sequential",
		   "how the two models cross: one after the other, or both at once", "HOW",
		   exchanges),
	{ 0 }
};

const struct algo algo_ad_psgd = {
	.plugin = { .name = "ad-psgd",
		    .brief = "asynchronous, decentralised: average with a neighbour while "
			     "computing",
		    .also = "async-decentralized",
		    .cite = "Lian, Zhang, Zhang, Liu 2018, arXiv 1710.06952",
		    .opts = ad_psgd_opts,
		    .conf_size = sizeof(struct ad_psgd_conf) },
	.facts = { .rule = "while g_i is computed at a copy of x_i:  x_i, x_j <- (x_i + x_j)/2, "
			   "as one operation;  x_i <- optimiser(x_i, g_i)",
		   .departs = "an active worker averages exactly once for each of its gradients",
		   .waits = "an active worker for the passive neighbour that it asked; a passive "
			    "worker for no worker",
		   .staleness = "0 in the worker's own steps; averages change its model while "
				"it computes",
		   .messages = "2 models for each gradient of an active worker; m on average",
		   .memory = "- / 1, and with exchange=duplex 1 for each model "
			     "that waits for its turn",
		   .tolerates = "a worker that leaves: a worker that waits for its answer "
				"detects the absence, and asks others until it returns" },
	.worker = &ad_psgd_worker,
	.graph = "bipartite-exponential",
	.check = ad_psgd_check,
};
