/* The worker of stochastic gradient push: sends shares of x and w, sums those received. */
#include "algos/common/push_sum.h"

#include "algos/common/peers.h"
#include "core/math/vec.h"
#include "core/run.h"

const char *const push_peers_names[] = { "one", "all", NULL };

struct box {                    /* what came for one step */
	struct box *next;
	int64_t step;
	int filled;
	float *sum;             /* [dim + 1] of p u, and of p w after */
};

struct worker {
	int64_t round;          /* steps whose messages were taken in */
	float w;
	float *out;             /* [dim + 1] */
	bool computed;
	struct box *boxes, *spare;
};

/* The model [dim], and w after it; NULL in a timing-only run. */
static float *node_pair(struct node *nd)
{
	return nd->x ? node_alloc(nd, nd->dim + 1, sizeof(float)) : NULL;
}

/* Whether `from` sends to its i-th peer at that step, and to how many it does. */
static bool is_turn(const struct node *nd, int peers, int i, int64_t step)
{
	const struct push_conf *c = nd->conf;

	return c->peers == PUSH_ALL || i == (int)(step % peers);
}

static int push_sum_receivers(const struct node *nd)
{
	const struct push_conf *c = nd->conf;
	const int peers = peers_of(nd).n;

	return c->peers == PUSH_ONE && peers > 1 ? 1 : peers;
}

static bool sends_to_us(const struct node *nd, int from, int64_t step)
{
	const struct topology *t = node_topology(nd);

	return is_turn(nd, topology_out(t, from).n, topology_receiver(t, from, nd->rank), step);
}

static int messages_of(const struct node *nd, int64_t step)
{
	const struct ranks in = topology_in(node_topology(nd), nd->rank);
	int n = 0;

	for (int k = 0; step >= 0 && k < in.n; k++)
		n += sends_to_us(nd, in.rank[k], step);
	return n;
}

/* ---- boxes: a sender may be some steps ahead ---- */

static struct box *new_box(struct node *nd)
{
	struct worker *w = nd->state;
	struct box *b = w->spare;

	if (b) {
		w->spare = b->next;
		return b;
	}
	b = node_alloc(nd, 1, sizeof(*b));
	b->sum = node_pair(nd);
	return b;
}

static struct box *box_of(struct node *nd, int64_t step)
{
	struct worker *w = nd->state;
	struct box *b = w->boxes;

	while (b && b->step != step)
		b = b->next;
	if (b)
		return b;
	b = new_box(nd);
	b->step = step;
	b->filled = 0;
	vec_scale(nd->dim + 1, 0.0f, b->sum);
	b->next = w->boxes;
	w->boxes = b;
	return b;
}

static void push_sum_empty(struct worker *w, struct box *b)
{
	struct box **at = &w->boxes;

	while (*at != b)
		at = &(*at)->next;
	*at = b->next;
	b->next = w->spare;
	w->spare = b;
}

/* ---- a step ---- */

/* Keeps p of x and w, sends p of both to each receiver. */
static void share_out(struct node *nd)
{
	struct worker *w = nd->state;
	const struct ranks peers = peers_of(nd);
	const float p = 1.0f / (float)(1 + push_sum_receivers(nd));

	vec_scale(nd->dim, p, nd->x);
	w->w *= p;
	vec_copy(nd->dim, nd->x, w->out);
	if (w->out)
		w->out[nd->dim] = w->w;
	for (int i = 0; i < peers.n; i++)
		if (is_turn(nd, peers.n, i, w->round))
			node_send(nd, peers.rank[i], &(struct msg){
				.stamp = w->round, .vec = w->out, .n = nd->dim + 1 });
}

static void take_in(struct node *nd, struct box *b)
{
	struct worker *w = nd->state;

	vec_axpy(nd->dim, 1.0f, b->sum, nd->x);
	if (b->sum)
		w->w += b->sum[nd->dim];
	push_sum_empty(w, b);
}

/* x becomes the model again, x / w, until the next gradient has come. */
static void end_step(struct node *nd)
{
	struct worker *w = nd->state;

	vec_scale(nd->dim, 1.0f / w->w, nd->x);
	w->computed = false;
	w->round++;
	node_grad(nd);
}

static void end_step_if_complete(struct node *nd)
{
	const struct push_conf *c = nd->conf;
	struct worker *w = nd->state;
	const int64_t due = w->round - c->overlap;
	const int n = w->computed ? messages_of(nd, due) : 0;

	if (!w->computed || (n && box_of(nd, due)->filled < n))
		return;
	if (n)
		take_in(nd, box_of(nd, due));
	end_step(nd);
}

static void push_sum_start(struct node *nd)
{
	struct worker *w = nd->state;

	w->w = 1.0f;
	w->out = node_pair(nd);
	node_grad(nd);
}

static void push_sum_grad(struct node *nd, const struct grad *g)
{
	struct worker *w = nd->state;

	vec_scale(nd->dim, w->w, nd->x);
	node_step(nd, g->vec, 1.0f);
	share_out(nd);
	w->computed = true;
	end_step_if_complete(nd);
}

static void push_sum_msg(struct node *nd, const struct msg *m)
{
	struct box *b = box_of(nd, m->stamp);

	vec_axpy(m->n, 1.0f, m->vec, b->sum);
	b->filled++;
	end_step_if_complete(nd);
}

const struct role push_sum_worker = {
	.state_size = sizeof(struct worker),
	.start = push_sum_start,
	.grad = push_sum_grad,
	.msg = push_sum_msg,
};

int push_sum_check(const struct run *run)
{
	return graph_check(run, 0);
}
