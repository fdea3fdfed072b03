/* The worker of stochastic gradient push: sends shares of x and w, sums those received. */
#include "algos/common/peers/push_sum.h"

#include "algos/common/peers/boxes.h"
#include "algos/common/peers/peers.h"
#include "core/math/vec.h"
#include "core/run.h"

const char *const push_peers_names[] = { "one", "all", NULL };

struct push_sum_worker {
	int64_t round;          /* steps whose messages were added */
	float *w;               /* [1]; NULL in a timing-only run, where w is 1 */
	float *out;             /* [dim + 1] */
	bool computed;
	/* for each step, vectors [dim + 1] of p u followed by p w, in the order of senders */
	struct boxes boxes;
	struct partners near;
};

static float share_of(const struct push_sum_worker *w)
{
	return w->w ? *w->w : 1.0f;
}

/* True when a node with `peers` peers sends to peer i at `step`. */
static bool is_turn(const struct node *nd, int peers, int i, int64_t step)
{
	const struct push_conf *c = nd->conf;

	return c->peers == PUSH_ALL || i == (int)(step % peers);
}

static bool gives_to(const struct node *nd, struct ranks peers, int i)
{
	const struct push_sum_worker *w = nd->state;

	return is_turn(nd, peers.n, i, w->round) &&
	       partners_has(&w->near, ranks_at(peers, i), w->round);
}

static int push_sum_receivers(const struct node *nd)
{
	const struct ranks peers = peers_of(nd);
	int n = 0;

	for (int i = 0; i < peers.n; i++)
		n += gives_to(nd, peers, i);
	return n;
}

static bool sends_to_us(const struct node *nd, int from, int64_t step)
{
	const struct topology *t = node_topology(nd);
	const struct push_sum_worker *w = nd->state;

	return is_turn(nd, topology_out(t, from).n, topology_receiver(t, from, nd->rank), step) &&
	       partners_has(&w->near, from, step);
}

/* True if the box of that step (or NULL) has all messages that will come for it. */
static bool push_sum_complete(const struct node *nd, const struct box *b, int64_t step)
{
	const struct ranks in = topology_in(node_topology(nd), nd->rank);
	const struct push_sum_worker *w = nd->state;

	for (int k = 0; step >= 0 && k < in.n; k++)
		if (!(b && b->came[k]) && sends_to_us(nd, ranks_at(in, k), step))
			return false;
	return partners_all_known(&w->near);
}

/* ---- a step ---- */

/*
 * Splits u (which is in x here) and w into equal parts p u and p w: this node keeps one, each
 * receiver gets one.
 */
static void share_out(struct node *nd)
{
	struct push_sum_worker *w = nd->state;
	const struct ranks peers = peers_of(nd);
	const float p = 1.0f / (float)(1 + push_sum_receivers(nd));

	vec_scale(nd->dim, p, nd->x);
	vec_copy(nd->dim, nd->x, w->out);
	if (w->out)
		w->out[nd->dim] = *w->w *= p;
	for (int i = 0; i < peers.n; i++)
		if (gives_to(nd, peers, i))
			node_send(nd, ranks_at(peers, i), &(struct msg){
				.stamp = w->round, .vec = w->out, .n = nd->dim + 1 });
	vec_scale(nd->dim, 1.0f / share_of(w), nd->x);
}

/* Adds a message's p u and p w. */
static void push_sum_add(struct node *nd, const float *v)
{
	struct push_sum_worker *w = nd->state;

	vec_scale(nd->dim, share_of(w), nd->x);
	vec_axpy(nd->dim, 1.0f, v, nd->x);
	if (v)
		*w->w += v[nd->dim];
	vec_scale(nd->dim, 1.0f / share_of(w), nd->x);
}

/* Adds what came for a step, in the order of senders. */
static void push_sum_add_all(struct node *nd, const struct box *b)
{
	for (int i = 1; i < b->filled; i++)
		vec_axpy(nd->dim + 1, 1.0f, b->x[i], b->x[0]);
	push_sum_add(nd, b->x[0]);
}

static void end_step(struct node *nd)
{
	struct push_sum_worker *w = nd->state;

	w->computed = false;
	w->round++;
	node_grad(nd);
}

static void end_step_if_complete(struct node *nd)
{
	const struct push_conf *c = nd->conf;
	struct push_sum_worker *w = nd->state;
	const int64_t due = w->round - c->overlap;
	struct box *b = w->computed ? boxes_find(&w->boxes, due) : NULL;

	if (!w->computed || !push_sum_complete(nd, b, due))
		return;
	if (b) {
		push_sum_add_all(nd, b);
		boxes_empty(&w->boxes, b);
	}
	end_step(nd);
}

static void push_sum_start(struct node *nd)
{
	struct push_sum_worker *w = nd->state;
	const int senders = topology_in(node_topology(nd), nd->rank).n;

	w->w = node_floats(nd, 1);
	if (w->w)
		*w->w = 1.0f;
	w->out = node_floats(nd, nd->dim + 1);
	boxes_open(&w->boxes, senders, senders, 0);
	node_grad(nd);
}

static void push_sum_grad(struct node *nd, const struct grad *g)
{
	struct push_sum_worker *w = nd->state;

	vec_scale(nd->dim, share_of(w), nd->x);
	node_step(nd, g->vec, 1.0f);
	share_out(nd);
	w->computed = true;
	end_step_if_complete(nd);
}

/* Inserts the message by its sender; most steps have few, so vectors are allocated when needed. */
static void push_sum_keep(struct node *nd, const struct msg *m)
{
	struct push_sum_worker *w = nd->state;
	struct box *b = boxes_at(nd, &w->boxes, m->stamp);
	const int sender = topology_sender(node_topology(nd), nd->rank, m->from);
	float *x = b->x[b->filled];
	int at = 0;

	for (int k = 0; k < sender; k++)
		at += b->came[k];
	for (int i = b->filled++; i > at; i--)
		b->x[i] = b->x[i - 1];
	if (b->filled > b->owned) {
		b->owned = b->filled;
		x = node_floats(nd, m->n);
	}
	b->x[at] = x;
	vec_copy(m->n, m->vec, b->x[at]);
	b->came[sender] = true;
}

/* ---- neighbours that leave and come back ---- */

static void push_sum_go_on(struct node *nd)
{
	struct push_sum_worker *w = nd->state;

	if (partners_start(nd, &w->near, &w->round))
		node_grad(nd);
	end_step_if_complete(nd);
}

static void push_sum_msg(struct node *nd, const struct msg *m)
{
	struct push_sum_worker *w = nd->state;

	if (!partners_receive(nd, &w->near, m, w->round))
		push_sum_keep(nd, m);
	push_sum_go_on(nd);
}

static void push_sum_lost(struct node *nd, int rank)
{
	struct push_sum_worker *w = nd->state;

	partners_lose(nd, &w->near, rank);
	push_sum_go_on(nd);
}

/* Adds back x and w of a message that a worker which left has not received: sums stay. */
static void push_sum_returned(struct node *nd, const struct msg *m)
{
	if (m->tag == 0)
		push_sum_add(nd, m->vec);
}

/* Returns with the weight that it left with, and all messages received: the sum of w stays. */
static void push_sum_back(struct node *nd, const struct msg *m)
{
	struct push_sum_worker *w = nd->state;

	w->computed = false;
	for (const struct box *b = w->boxes.used; b; b = b->next)
		push_sum_add_all(nd, b);
	boxes_empty_all(&w->boxes);
	if (m)
		vec_copy(nd->dim, m->vec, nd->x);
	partners_join(nd, &w->near, w->round);
	push_sum_go_on(nd);
}

/* Sends the model to a worker that returns. */
static void push_sum_give(struct node *nd, int to)
{
	const struct push_sum_worker *w = nd->state;

	vec_copy(nd->dim, nd->x, w->out);
	node_send(nd, to, &(struct msg){ .stamp = w->round, .vec = w->out, .n = nd->dim });
}

const struct role push_sum_worker = {
	.state_size = sizeof(struct push_sum_worker),
	.start = push_sum_start,
	.grad = push_sum_grad,
	.msg = push_sum_msg,
	.back = push_sum_back,
	.fetch = push_sum_give,
	.lost = push_sum_lost,
	.returned = push_sum_returned,
};

int push_sum_check(const struct run *run)
{
	return graph_check(run, 0);
}
