#include "core/node.h"

#include "core/engine.h"
#include "core/rng.h"


void node_grad(struct node *nd)
{
	nd->engine->grad(nd);
}

void node_cancel(struct node *nd)
{
	nd->engine->cancel(nd);
}

void node_send(struct node *nd, int to, const struct msg *m)
{
	nd->engine->send(nd, to, m);
}

void node_sum(struct node *nd, float *v, size_t n)
{
	nd->engine->sum(nd, v, n);
}

void node_after(struct node *nd, double seconds, int token)
{
	nd->engine->after(nd, seconds, token);
}

void node_stop(struct node *nd)
{
	nd->engine->stop(nd);
}

double node_now(const struct node *nd)
{
	return nd->engine->now(nd);
}

double node_epoch(const struct node *nd)
{
	return nd->engine->epoch(nd);
}

uint64_t node_rand(struct node *nd)
{
	struct rng r;

	rng_at(&r, nd->run->seed, RNG_ALGO, (uint32_t)nd->rank, nd->draws++);
	return rng_u64(&r);
}

void *node_alloc(struct node *nd, size_t n, size_t size)
{
	return nd->engine->alloc(nd, n, size);
}

float *node_vec(struct node *nd)
{
	return nd->x ? nd->engine->alloc(nd, nd->dim, sizeof(float)) : NULL;
}

/* How many steps old the gradient being applied is; 0 when it carries no clock. */
static int64_t staleness(const struct node *nd)
{
	return nd->stamp < 0 ? 0 : nd->step - nd->stamp;
}

void node_step(struct node *nd, const float *g, float w)
{
	const struct run *run = nd->run;
	const double epoch = node_epoch(nd);
	const double lr = stepsize_at(&run->lr, epoch);

	if (nd->x && g)
		run->optim->step(run->optim_conf, nd->dim, (float)lr, w, g, nd->x, nd->optim,
				 nd->step);
	run_emit(run, &(struct event){ .kind = EV_STEP,
				       .time = node_now(nd),
				       .epoch = epoch,
				       .gradients = nd->engine->gradients(nd),
				       .node = nd,
				       .staleness = staleness(nd),
				       .lr = lr });
	nd->step++;
	nd->ledger.steps++;
	if (nd->engine->stepped)
		nd->engine->stepped(nd);
}
