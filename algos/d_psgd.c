/*
 * d_psgd.c - decentralised parallel SGD on a ring.
 *
 *     x_i <- sum_j W_ij x_j;   x_i <- optimiser(x_i, g_i),   g_i taken at the old x_i
 *
 * W_ij = 1/3 for i itself and its two neighbours (1/2 when there are two
 * workers, which are one neighbour to each other). Nobody hears of more than
 * two others, but a round still waits for both.
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
#include "core/node.h"
#include "core/vec.h"

enum { LEFT, RIGHT, SIDES };

struct conf {
	bool overlap;
};

struct box {                    /* what came for one round */
	float *x[SIDES];        /* [dim] the neighbours' models */
	int filled;
};

struct worker {
	int neighbours;         /* distinct ones: 0, 1 or 2 */
	int peer[SIDES];
	struct box box[2];
	float *g;               /* [dim] our gradient of this round */
	bool computed;
};

static void send_model(struct node *nd)
{
	const struct worker *w = nd->state;

	for (int i = 0; i < w->neighbours; i++)
		node_send(nd, w->peer[i], &(struct msg){ .stamp = nd->step, .vec = nd->x,
							 .n = nd->dim });
}

static void begin_round(struct node *nd)
{
	const struct conf *c = nd->conf;

	if (c->overlap)
		send_model(nd);
	node_grad(nd);
}

/* x <- mean of x and what is in the box, left before right */
static void mix(struct node *nd, struct box *b)
{
	const struct worker *w = nd->state;
	const float share = 1.0f / (float)(w->neighbours + 1);

	vec_scale(nd->dim, share, nd->x);
	for (int i = 0; i < w->neighbours; i++)
		vec_axpy(nd->dim, share, b->x[i], nd->x);
	b->filled = 0;
}

static void end_round_if_complete(struct node *nd)
{
	struct worker *w = nd->state;
	struct box *b = &w->box[nd->step % 2];

	if (!w->computed || b->filled < w->neighbours)
		return;
	mix(nd, b);
	node_step(nd, w->g, 1.0f);
	w->computed = false;
	begin_round(nd);
}

static void meet_neighbours(struct node *nd)
{
	struct worker *w = nd->state;
	const int left = (nd->rank + nd->workers - 1) % nd->workers;
	const int right = (nd->rank + 1) % nd->workers;

	w->neighbours = nd->workers > 2 ? 2 : nd->workers - 1;
	w->peer[LEFT] = left;
	w->peer[RIGHT] = right;
	w->g = node_vec(nd);
	for (int parity = 0; parity < 2; parity++)
		for (int i = 0; i < w->neighbours; i++)
			w->box[parity].x[i] = node_vec(nd);
}

static void start(struct node *nd)
{
	meet_neighbours(nd);
	begin_round(nd);
}

static void grad(struct node *nd, const struct grad *g)
{
	const struct conf *c = nd->conf;
	struct worker *w = nd->state;

	vec_copy(nd->dim, g->vec, w->g);
	w->computed = true;
	if (!c->overlap)
		send_model(nd);
	end_round_if_complete(nd);
}

static void msg(struct node *nd, const struct msg *m)
{
	struct worker *w = nd->state;
	struct box *b = &w->box[m->stamp % 2];

	vec_copy(nd->dim, m->vec, b->x[m->from == w->peer[LEFT] ? LEFT : RIGHT]);
	b->filled++;
	end_round_if_complete(nd);
}

static const struct role worker = {
	.state_size = sizeof(struct worker), .start = start, .grad = grad, .msg = msg,
};

static const struct opt opts[] = {
	{ "overlap", OPT_BOOL, offsetof(struct conf, overlap), "false",
	  "exchange models while the gradient is computed", NULL, 0, 0, NULL, 0 },
	{ 0 }
};

extern const struct algo algo_d_psgd;
const struct algo algo_d_psgd = {
	.plugin = { .name = "d-psgd",
		    .brief = "synchronous, decentralised: average models with ring neighbours",
		    .cite = "Lian et al. 2017, arXiv 1705.09056",
		    .opts = opts, .conf_size = sizeof(struct conf) },
	.facts = { .rule = "x_i <- sum_j W_ij x_j;  x_i <- optimiser(x_i, g_i), g_i at the old x_i",
		   .departs = "weight decay and momentum see the mixed model, as in Torch",
		   .waits = "a worker for its neighbours, at every step",
		   .staleness = "0",
		   .messages = "one model to each neighbour; 2 m on a ring",
		   .memory = "- / 1 and 2 for each neighbour" },
	.worker = &worker,
};
