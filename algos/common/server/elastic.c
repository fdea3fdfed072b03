/* Worker and server of elastic averaging: each exchange pulls model and centre together. */
#include "algos/common/server/elastic.h"

#include "algos/common/server/serve.h"
#include "core/base/error.h"
#include "core/math/vec.h"
#include "core/run.h"

enum { ELASTIC_ASK, FORCE };

static const double BETA = 0.9;

/* ---- worker ---- */

struct elastic_worker {
	float *optim;           /* state of the local optimiser; v comes first */
	float *force;           /* [dim] u_i */
	bool pulled;            /* u_i has not been subtracted from x yet */
	bool asking;
};

static void begin_step(struct node *nd)
{
	const struct elastic_conf *c = nd->conf;
	struct elastic_worker *w = nd->state;

	w->asking = nd->step % c->tau == 0;
	if (w->asking)
		node_send(nd, SERVER, &(struct msg){ .tag = ELASTIC_ASK });
	else
		node_grad_local(nd);
}

static void elastic_worker_start(struct node *nd)
{
	struct elastic_worker *w = nd->state;

	w->optim = node_optim(nd);
	w->force = node_vec(nd);
	begin_step(nd);
}

/* force <- alpha (w_i - centre) */
static void elastic_stretch(struct node *nd, const float *centre)
{
	const struct elastic_conf *c = nd->conf;
	const struct momentum m = node_momentum(nd);
	const double alpha = c->alpha > 0.0 ? c->alpha : BETA / nd->workers;
	struct elastic_worker *w = nd->state;

	vec_copy(nd->dim, nd->x, w->force);
	if (m.nesterov && m.mu != 0.0)
		vec_axpy(nd->dim, (float)(node_lr(nd) * m.mu), w->optim, w->force);
	vec_axpby(nd->dim, (float)-alpha, centre, (float)alpha, w->force);
}

static void elastic_worker_msg(struct node *nd, const struct msg *m)
{
	struct elastic_worker *w = nd->state;

	if (!w->asking)         /* an answer to a request from before the worker was away */
		return;
	elastic_stretch(nd, m->vec);
	w->asking = false;
	w->pulled = true;
	node_send(nd, SERVER, &(struct msg){ .tag = FORCE, .stamp = m->stamp, .vec = w->force,
					     .n = nd->dim });
	node_grad(nd);
}

static void elastic_worker_grad(struct node *nd, const struct grad *g)
{
	struct elastic_worker *w = nd->state;

	node_step_with(nd, w->optim, g->vec, 1.0f);
	if (w->pulled)
		vec_axpy(nd->dim, -1.0f, w->force, nd->x);
	w->pulled = false;
	begin_step(nd);
}

/* Completes a step whose force the server has (pulled), unless the worker gets a new model. */
static void elastic_worker_back(struct node *nd, const struct msg *m)
{
	struct elastic_worker *w = nd->state;

	if (m) {
		vec_copy(nd->dim, m->vec, nd->x);
		w->pulled = false;
	}
	if (w->pulled)
		node_grad(nd);
	else
		begin_step(nd);
}

const struct role elastic_worker = {
	.state_size = sizeof(struct elastic_worker), .start = elastic_worker_start,
	.grad = elastic_worker_grad, .msg = elastic_worker_msg, .back = elastic_worker_back,
};

/* ---- server ---- */

struct elastic_server {         /* form=sync */
	float *sum;             /* [dim] of the forces of this round */
	int came;
	bool *gave;             /* [workers] its force of this round was received */
	bool *asks;             /* [workers] it waits for the centre of the next round */
};

static void elastic_server_start(struct node *nd)
{
	struct elastic_server *s = nd->state;

	s->sum = node_vec(nd);
	s->gave = node_alloc(nd, (size_t)nd->workers, sizeof(*s->gave));
	s->asks = node_alloc(nd, (size_t)nd->workers, sizeof(*s->asks));
}

/* c <- c + u */
static void elastic_apply(struct node *nd, const float *u)
{
	vec_axpy(nd->dim, 1.0f, u, nd->x);
	node_moved(nd);
}

static void end_round(struct node *nd)
{
	struct elastic_server *s = nd->state;

	vec_axpy(nd->dim, 1.0f, s->sum, nd->x);
	node_moved_gathered(nd);
	vec_scale(nd->dim, 0.0f, s->sum);
	s->came = 0;
	for (int i = 0; i < nd->workers; i++) {
		s->gave[i] = false;
		if (s->asks[i])
			serve_model(nd, i);
		s->asks[i] = false;
	}
}

static void receive_ask(struct node *nd, int from)
{
	struct elastic_server *s = nd->state;

	if (s->gave[from])
		s->asks[from] = true;
	else
		serve_model(nd, from);
}

static void receive_force(struct node *nd, const struct msg *m)
{
	const struct elastic_conf *c = nd->conf;
	struct elastic_server *s = nd->state;

	if (c->form == ELASTIC_ASYNC) {
		elastic_apply(nd, m->vec);
		return;
	}
	node_gather(nd, NULL);
	vec_axpy(nd->dim, 1.0f, m->vec, s->sum);
	s->gave[m->from] = true;
	if (++s->came == nd->workers)
		end_round(nd);
}

static void elastic_server_msg(struct node *nd, const struct msg *m)
{
	if (m->tag == ELASTIC_ASK)
		receive_ask(nd, m->from);
	else
		receive_force(nd, m);
}

const struct role elastic_server = {
	.state_size = sizeof(struct elastic_server), .start = elastic_server_start,
	.msg = elastic_server_msg, .fetch = serve_model,
};

/* ---- settings ---- */

static const char *const elastic_forms[] = { "async", "sync", NULL };

const struct opt elastic_opts[] = {
	OPT_NUMBER(struct elastic_conf, alpha, "0",
		   "moving rate, the spring's share of the distance; 0: 0.9 / workers", "ALPHA", 0,
		   1),
	OPT_NUMBER(struct elastic_conf, tau, "10",
		   "local steps between two exchanges with the centre", "N", 1, 1e9),
	OPT_CHOICE(struct elastic_conf, form, "async",
		   "the centre moves for each worker, or once for all", "FORM", elastic_forms),
	{ 0 }
};

/*
 * Without gradients the distance of the workers' mean from the centre is multiplied by
 * 1 - alpha (workers + 1) in every synchronous round.
 */
int elastic_check(const struct run *run)
{
	const struct elastic_conf *c = run->algo_conf;

	if (c->form == ELASTIC_SYNC && c->alpha * (run->workers + 1) > 2.0)
		return error("%s: alpha = %g is too large for %d workers in form=sync: the centre "
			     "would overshoot ever more; at most 2 / (workers + 1) = %.4g",
			     run->algo->plugin.name, c->alpha, run->workers,
			     2.0 / (run->workers + 1));
	return 0;
}
