/* The worker of servers that gather the results of local steps. */
#include "algos/common/server/client.h"

#include "algos/common/rounds.h"
#include "core/math/vec.h"

struct client {
	struct round round;
	float *model;           /* [dim] X as received */
	int64_t stamp;          /* server's clock of that model */
	float *delta;           /* [dim] */
	int64_t steps;          /* local steps of the round ... */
	double began;           /* ... and its start, seconds */
	bool computing;
};

static void client_begin(struct node *nd, struct client *w, int64_t steps)
{
	w->computing = true;
	w->steps = steps;
	w->began = node_now(nd);
	round_begin(nd, &w->round, steps);
}

static void client_start(struct node *nd)
{
	const struct client_conf *c = nd->conf;
	struct client *w = nd->state;

	w->model = node_vec(nd);
	w->delta = node_vec(nd);
	vec_copy(nd->dim, nd->x, w->model);
	client_begin(nd, w, c->period);
}

static void client_grad(struct node *nd, const struct grad *g)
{
	struct client *w = nd->state;

	if (!round_step(nd, &w->round, NULL, g))
		return;
	w->computing = false;
	round_delta(nd, w->model, w->delta);
	node_send(nd, SERVER, &(struct msg){
		.value = (float)((node_now(nd) - w->began) / (double)w->steps), .stamp = w->stamp,
		.vec = w->delta, .n = nd->dim, .codes = true });
}

/*
 * A model that comes while it computes answers a message from before the worker was away: ignored.
 */
static void client_msg(struct node *nd, const struct msg *m)
{
	struct client *w = nd->state;

	if (w->computing)
		return;
	vec_copy(nd->dim, m->vec, nd->x);
	vec_copy(nd->dim, m->vec, w->model);
	w->stamp = m->stamp;
	client_begin(nd, w, m->tag);
}

/* Without a new model, the round begins again from the model that the worker had. */
static void client_back(struct node *nd, const struct msg *m)
{
	const struct client_conf *c = nd->conf;
	struct client *w = nd->state;

	w->computing = false;
	if (m) {
		client_msg(nd, m);
		return;
	}
	vec_copy(nd->dim, w->model, nd->x);
	client_begin(nd, w, c->period);
}

const struct role client_worker = {
	.state_size = sizeof(struct client),
	.start = client_start,
	.grad = client_grad,
	.msg = client_msg,
	.back = client_back,
};

void client_serve_vector(struct node *nd, int to, const float *v, int64_t steps)
{
	node_send(nd, to, &(struct msg){ .tag = (int)steps, .stamp = nd->step, .vec = v,
					 .n = nd->dim });
}

void client_serve(struct node *nd, int to, int64_t steps)
{
	client_serve_vector(nd, to, nd->x, steps);
}

double client_pace(const struct msg *m)
{
	return (double)m->value;
}
