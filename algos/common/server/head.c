/* Fully connected layers that the server computes itself (head=apart). */
#include "algos/common/server/head.h"

#include "core/base/error.h"
#include "core/codec.h"
#include "core/math/vec.h"
#include "core/run.h"

#include <math.h>

int head_check(const struct run *run)
{
	const char *name = run->algo->plugin.name;

	if (!run->cut.at)
		return error("%s: head=apart needs a net with fully connected layers after "
			     "others, and this one has none: use head=joined", name);
	if (codec_packs(run))
		return error("%s: head=apart sends parts of a gradient, which no codec packs: use "
			     "codec=none", name);
	return 0;
}

/* ---- the server ---- */

void head_open(struct node *nd, struct head_server *h, int size)
{
	const struct cut *cut = node_cut(nd);
	const size_t workers = (size_t)nd->workers;

	*h = (struct head_server){ .floats = node_cut_floats(nd), .size = size,
				   .groups = nd->workers / size };
	h->rest = node_submodel(nd, 0, cut->at);
	h->own = node_submodel(nd, cut->at, nd->dim - cut->at);
	h->v = node_alloc(nd, workers, sizeof(*h->v));
	h->index = node_alloc(nd, workers, sizeof(*h->index));
	h->there = node_alloc(nd, workers, sizeof(*h->there));
	h->queue = node_alloc(nd, (size_t)h->groups, sizeof(*h->queue));
	if (!nd->x)
		return;
	h->sum = node_floats(nd, h->own.n);
	for (int i = 0; i < nd->workers; i++)
		h->v[i] = node_floats(nd, h->floats + 1);
}

/* Computes the head for the next member of the first group in the queue. */
static void head_compute(struct node *nd, struct head_server *h)
{
	const int worker = h->queue[h->first] * h->size + h->at;

	if (h->at == 0)
		h->seen = h->own.step;
	node_head(nd, worker, h->index[worker], h->v[worker]);
}

static bool head_is_complete(const struct head_server *h, int group)
{
	for (int i = 0; i < h->size; i++)
		if (!h->there[group * h->size + i])
			return false;
	return true;
}

void head_msg(struct node *nd, struct head_server *h, const struct msg *m)
{
	const int group = m->from / h->size;

	vec_copy(h->floats, m->vec, h->v[m->from]);
	h->index[m->from] = m->stamp;
	h->there[m->from] = true;
	if (!head_is_complete(h, group))
		return;
	for (int i = 0; i < h->size; i++)
		h->there[group * h->size + i] = false;
	h->queue[(h->first + h->queued++) % h->groups] = group;
	if (h->queued == 1)
		head_compute(nd, h);
}

static void head_answer(struct node *nd, const struct head_server *h, int worker)
{
	node_send(nd, worker, &(struct msg){ .tag = HEAD_GRADIENT, .stamp = h->index[worker],
					     .vec = h->v[worker], .n = h->floats + 1 });
}

/* The head is computed for all members of the first group: steps, and answers them. */
static void head_step(struct node *nd, struct head_server *h)
{
	const int64_t staleness = h->own.step - h->seen;
	const int group = h->queue[h->first];

	node_step_submodel(nd, &h->own, h->sum, 1.0f / (float)h->size, staleness);
	node_moved_head(nd, &h->own, staleness);
	for (int i = 0; i < h->size; i++)
		head_answer(nd, h, group * h->size + i);
	h->at = 0;
	h->first = (h->first + 1) % h->groups;
	h->queued--;
}

void head_stage(struct node *nd, struct head_server *h, const struct staged *s)
{
	vec_copy(s->n, s->vec, h->v[s->rank]);
	if (s->vec)
		h->v[s->rank][s->n] = (float)s->loss;
	if (h->at == 0) {
		node_submodel_begin(nd, &h->own);
		vec_copy(h->own.n, s->head, h->sum);
	} else {
		vec_axpy(h->own.n, 1.0f, s->head, h->sum);
	}
	if (++h->at == h->size)
		head_step(nd, h);
	if (h->queued)
		head_compute(nd, h);
}

void head_model(struct node *nd, int to)
{
	node_send(nd, to, &(struct msg){ .tag = SERVE_MODEL, .stamp = nd->step, .vec = nd->x,
					 .n = node_cut(nd)->at });
}

/* ---- a worker ---- */

void head_begin(struct node *nd, struct head_worker *w, const struct msg *m)
{
	if (m) {
		vec_copy(m->n, m->vec, nd->x);
		w->stamp = m->stamp;
	}
	w->computing = true;
	node_forward(nd);
}

void head_forward(struct node *nd, struct head_worker *w, const struct staged *s)
{
	w->computing = false;
	w->index = s->index;
	node_send(nd, SERVER, &(struct msg){ .tag = HEAD_ACTIVATIONS, .stamp = s->index,
					     .vec = s->vec, .n = s->n });
}

void head_gradient(struct node *nd, struct head_worker *w, const struct grad *g)
{
	w->computing = false;
	node_send(nd, SERVER, &(struct msg){ .tag = SERVE_GRAD, .stamp = w->stamp, .vec = g->vec,
					     .n = node_cut(nd)->at });
}

/*
 * Ignores answers to what the worker sent before it was away: they come while a gradient is being
 * computed, or have the index of another minibatch.
 */
void head_take(struct node *nd, struct head_worker *w, const struct msg *m)
{
	if (w->computing)
		return;
	if (m->tag == SERVE_MODEL) {
		head_begin(nd, w, m);
	} else if (m->stamp == w->index) {
		w->computing = true;
		node_backward(nd, m->vec, m->vec ? (double)m->vec[m->n - 1] : (double)NAN);
	}
}
