/* Workers and servers of parameter-server algorithms: send and receive gradients and models. */
#include "algos/common/server/serve.h"

#include "core/math/vec.h"

void serve_begin(struct node *nd, struct served *w)
{
	w->computing = true;
	node_grad(nd);
}

void serve_gradient(struct node *nd, struct served *w, const float *v)
{
	w->computing = false;
	node_send(nd, SERVER, &(struct msg){ .tag = SERVE_GRAD, .stamp = w->stamp, .vec = v,
					     .n = nd->dim, .codes = true });
}

void serve_take(struct node *nd, struct served *w, const struct msg *m)
{
	if (w->computing)
		return;
	if (m->tag == SERVE_MODEL) {
		vec_copy(nd->dim, m->vec, nd->x);
		w->stamp = m->stamp;
	}
	serve_begin(nd, w);
}

void serve_back(struct node *nd, struct served *w, const struct msg *m)
{
	w->computing = false;
	if (m)
		serve_take(nd, w, m);
	else
		serve_begin(nd, w);
}

static void serve_worker_start(struct node *nd)
{
	serve_begin(nd, nd->state);
}

static void serve_worker_back(struct node *nd, const struct msg *m)
{
	serve_back(nd, nd->state, m);
}

static void serve_worker_grad(struct node *nd, const struct grad *g)
{
	serve_gradient(nd, nd->state, g->vec);
}

static void serve_worker_msg(struct node *nd, const struct msg *m)
{
	serve_take(nd, nd->state, m);
}

static void restarter_msg(struct node *nd, const struct msg *m)
{
	struct served *w = nd->state;

	node_cancel(nd);
	w->computing = false;
	serve_take(nd, w, m);
}

const struct role serve_worker = {
	.state_size = sizeof(struct served), .start = serve_worker_start,
	.grad = serve_worker_grad, .msg = serve_worker_msg, .back = serve_worker_back,
};

const struct role serve_restarter = {
	.state_size = sizeof(struct served), .start = serve_worker_start,
	.grad = serve_worker_grad, .msg = restarter_msg, .back = serve_worker_back,
};

void serve_vector(struct node *nd, int to, const float *v)
{
	node_send(nd, to, &(struct msg){ .tag = SERVE_MODEL, .stamp = nd->step, .vec = v,
					 .n = nd->dim });
}

void serve_model(struct node *nd, int to)
{
	serve_vector(nd, to, nd->x);
}

void serve_all(struct node *nd)
{
	for (int i = 0; i < nd->workers; i++)
		serve_model(nd, (int)((nd->step + i) % nd->workers));
}

void serve_newer(struct node *nd, const struct msg *m)
{
	if (serve_staleness(nd, m) > 0)
		serve_model(nd, m->from);
	else
		node_send(nd, m->from, &(struct msg){ .tag = SERVE_AGAIN, .stamp = nd->step });
}

int64_t serve_staleness(const struct node *nd, const struct msg *m)
{
	return nd->step - m->stamp;
}

float **serve_vectors(struct node *nd)
{
	float **v = node_alloc(nd, (size_t)nd->workers, sizeof(*v));

	for (int i = 0; i < nd->workers; i++)
		v[i] = node_vec(nd);
	return v;
}

float **serve_copies(struct node *nd)
{
	float **v = serve_vectors(nd);

	for (int i = 0; i < nd->workers; i++)
		vec_copy(nd->dim, nd->x, v[i]);
	return v;
}

float **serve_shared(struct node *nd)
{
	float **v = node_alloc(nd, (size_t)nd->workers, sizeof(*v));

	v[0] = node_vec(nd);
	for (int i = 1; i < nd->workers; i++)
		v[i] = v[0];
	return v;
}
