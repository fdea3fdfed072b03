#include "algos/serve.h"

#include "core/vec.h"

void serve_gradient(struct node *nd, const struct served *w, const float *v)
{
	node_send(nd, SERVER, &(struct msg){ .tag = SERVE_GRAD, .stamp = w->stamp, .vec = v,
					     .n = nd->dim, .codes = true });
}

void serve_take(struct node *nd, struct served *w, const struct msg *m)
{
	if (m->tag == SERVE_MODEL) {
		vec_copy(nd->dim, m->vec, nd->x);
		w->stamp = m->stamp;
	}
	node_grad(nd);
}

static void worker_start(struct node *nd)
{
	node_grad(nd);
}

static void worker_grad(struct node *nd, const struct grad *g)
{
	serve_gradient(nd, nd->state, g->vec);
}

static void worker_msg(struct node *nd, const struct msg *m)
{
	serve_take(nd, nd->state, m);
}

static void restarter_msg(struct node *nd, const struct msg *m)
{
	node_cancel(nd);
	worker_msg(nd, m);
}

const struct role serve_worker = {
	.state_size = sizeof(struct served), .start = worker_start, .grad = worker_grad,
	.msg = worker_msg,
};

const struct role serve_restarter = {
	.state_size = sizeof(struct served), .start = worker_start, .grad = worker_grad,
	.msg = restarter_msg,
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
