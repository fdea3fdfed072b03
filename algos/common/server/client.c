/* The worker of servers that gather the results of local steps. */
#include "algos/common/server/client.h"

#include "core/math/vec.h"

#include <math.h>

static const double tolerance = 0.1;    /* local steps, added before floor() */

static void client_begin(struct node *nd, struct client *w, int64_t steps)
{
	w->computing = true;
	w->steps = steps;
	w->began = node_now(nd);
	round_begin(nd, &w->round, steps);
}

void client_open(struct node *nd, struct client *w)
{
	const struct client_conf *c = nd->conf;

	w->model = node_vec(nd);
	w->delta = node_vec(nd);
	vec_copy(nd->dim, nd->x, w->model);
	client_begin(nd, w, c->period);
}

bool client_step(struct node *nd, struct client *w, const struct grad *g)
{
	if (!round_step(nd, &w->round, NULL, g))
		return false;
	w->computing = false;
	round_delta(nd, w->model, w->delta);
	return true;
}

float client_step_s(const struct node *nd, const struct client *w)
{
	return (float)((node_now(nd) - w->began) / (double)w->steps);
}

void client_send(struct node *nd, const struct client *w, int to)
{
	node_send(nd, to, &(struct msg){ .value = client_step_s(nd, w), .stamp = w->stamp,
					 .vec = w->delta, .n = nd->dim, .codes = true });
}

void client_take(struct node *nd, struct client *w, const struct msg *m)
{
	if (w->computing)
		return;
	vec_copy(nd->dim, m->vec, nd->x);
	vec_copy(nd->dim, m->vec, w->model);
	w->stamp = m->stamp;
	client_begin(nd, w, m->tag);
}

void client_return(struct node *nd, struct client *w, const struct msg *m)
{
	const struct client_conf *c = nd->conf;

	w->computing = false;
	if (m) {
		client_take(nd, w, m);
		return;
	}
	vec_copy(nd->dim, w->model, nd->x);
	client_begin(nd, w, c->period);
}

/* ---- the role ---- */

static void client_start(struct node *nd)
{
	client_open(nd, nd->state);
}

static void client_grad(struct node *nd, const struct grad *g)
{
	struct client *w = nd->state;

	if (client_step(nd, w, g))
		client_send(nd, w, SERVER);
}

static void client_msg(struct node *nd, const struct msg *m)
{
	client_take(nd, nd->state, m);
}

static void client_back(struct node *nd, const struct msg *m)
{
	client_return(nd, nd->state, m);
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

void client_answer(struct node *nd, int to)
{
	const struct client_conf *c = nd->conf;

	client_serve(nd, to, c->period);
}

double client_pace(const struct msg *m)
{
	return (double)m->value;
}

int64_t client_steps(int64_t period, const double *step_s, int n, int worker)
{
	double fastest = step_s[worker];

	if (fastest <= 0.0)
		return period;
	for (int i = 0; i < n; i++)
		if (step_s[i] > 0.0)
			fastest = fmin(fastest, step_s[i]);
	return (int64_t)fmax(floor((double)period * (fastest / step_s[worker]) + tolerance), 1.0);
}
