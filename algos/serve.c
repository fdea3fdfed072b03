#include "algos/serve.h"

#include "core/vec.h"

struct worker {
	int64_t stamp;          /* server's clock of the model we compute at */
};

static void worker_start(struct node *nd)
{
	node_grad(nd);
}

static void worker_grad(struct node *nd, const struct grad *g)
{
	const struct worker *w = nd->state;

	node_send(nd, SERVER, &(struct msg){ .tag = SERVE_GRAD, .stamp = w->stamp, .vec = g->vec,
					     .n = nd->dim, .codes = true });
}

static void worker_msg(struct node *nd, const struct msg *m)
{
	struct worker *w = nd->state;

	vec_copy(nd->dim, m->vec, nd->x);
	w->stamp = m->stamp;
	node_grad(nd);
}

const struct role serve_worker = {
	.state_size = sizeof(struct worker), .start = worker_start, .grad = worker_grad,
	.msg = worker_msg,
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
