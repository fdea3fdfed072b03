/* Gradients in stages, and parts of a model that step alone. */
#include "core/stages.h"

#include "core/engine/engine.h"
#include "core/math/vec.h"

#include <math.h>

const struct cut *node_cut(const struct node *nd)
{
	return &nd->run->cut;
}

size_t node_cut_floats(const struct node *nd)
{
	return nd->run->batch * nd->run->cut.width;
}

void node_open_stages(struct node *nd)
{
	const struct run *run = nd->run;

	if (!run->algo->staged || !run->algo->staged(run->algo_conf))
		return;
	nd->stages = nd->engine->alloc(nd, 1, sizeof(*nd->stages));
	nd->stages->in = node_floats(nd, node_stage_floats(nd));
}

static void stage_ask(struct node *nd, const struct stage_asked *asked)
{
	if (!nd->stages)
		algo_mistake(nd->run, "rank %d asks for a stage of a gradient, and has not said "
				      "that it would", nd->rank);
	if (asked->stage != STAGE_HEAD)
		node_only_workers(nd, "a gradient");
	nd->adds = false;
	nd->stages->asked = *asked;
	nd->engine->grad(nd);
}

void node_forward(struct node *nd)
{
	stage_ask(nd, &(struct stage_asked){ .stage = STAGE_FORWARD });
}

void node_head(struct node *nd, int rank, int64_t index, const float *activations)
{
	stage_ask(nd,
		  &(struct stage_asked){
			  .stage = STAGE_HEAD, .rank = rank, .index = index, .in = activations });
}

void node_backward(struct node *nd, const float *v, double loss)
{
	stage_ask(nd, &(struct stage_asked){ .stage = STAGE_BACKWARD, .in = v, .loss = loss });
}

/* ---- the engine's side ---- */

void node_stage_take(struct node *nd, int64_t index)
{
	struct stages *st = nd->stages;
	const bool own = st->asked.stage != STAGE_HEAD;

	st->taken = st->asked;
	st->taken.rank = own ? nd->rank : st->asked.rank;
	st->taken.index = own ? index : st->asked.index;
	st->taken.in = NULL;
	vec_copy(node_stage_floats(nd), st->asked.in, st->in);
}

struct job node_stage_job(struct node *nd, const float *x, float *g)
{
	struct stages *st = nd->stages;

	st->data = (struct stage_data){ st->taken.stage, st->in, g + nd->dim };
	return (struct job){ .kind = JOB_GRAD,
			     .x = x,
			     .rank = st->taken.rank,
			     .index = st->taken.index,
			     .out = g,
			     .stage = &st->data };
}

void node_stage_deliver(struct node *nd, const float *g, double loss)
{
	const struct stages *st = nd->stages;
	const bool head = st->taken.stage == STAGE_HEAD;

	nd->role->stage(nd, &(struct staged){ .vec = g ? g + nd->dim : NULL,
					      .n = node_stage_floats(nd),
					      .head = head && g ? g + nd->run->cut.at : NULL,
					      .loss = head ? loss : (double)NAN,
					      .rank = st->taken.rank,
					      .index = st->taken.index });
}

/* ---- parts of x ---- */

/* Sets the layers of the part, with offsets from its beginning. */
static void node_submodel_layers(struct node *nd, struct submodel *p)
{
	const struct blob *all;
	const size_t n = node_layers(nd, &all);

	if (!n)
		return;
	p->layers = nd->engine->alloc(nd, n, sizeof(*p->layers));
	for (size_t i = 0; i < n; i++) {
		if (all[i].offset < p->from || all[i].offset >= p->from + p->n)
			continue;
		p->layers[p->nlayers] = all[i];
		p->layers[p->nlayers++].offset -= p->from;
	}
}

struct submodel node_submodel(struct node *nd, size_t from, size_t n)
{
	struct submodel p = { .from = from, .n = n, .before = -1 };

	p.optim = node_floats(nd, optim_floats(nd->run->optim, n));
	node_submodel_layers(nd, &p);
	return p;
}

void node_submodel_begin(const struct node *nd, struct submodel *p)
{
	p->before = nd->engine->gradients(nd);
}

void node_step_submodel(struct node *nd, struct submodel *p, const float *g, float w,
			int64_t staleness)
{
	const struct run *run = nd->run;
	struct stepping s = { .w = w,
			      .step = p->step,
			      .staleness = staleness,
			      .workers = run->workers,
			      .nblobs = p->nlayers,
			      .blobs = p->layers };

	p->lr = p->before < 0 ? node_lr(nd) : stepsize_at(&run->lr, run_epochs(run, p->before));
	p->before = -1;
	s.lr = (float)p->lr;
	if (nd->x && g)
		run->optim->step(run->optim_conf, &s, p->n, g, nd->x + p->from, p->optim);
	p->step++;
}

void node_moved_head(struct node *nd, const struct submodel *p, int64_t staleness)
{
	run_emit(nd->run, &(struct event){ .kind = EV_HEAD,
					   .time = nd->engine->now(nd),
					   .epoch = nd->engine->epoch(nd),
					   .gradients = nd->engine->gradients(nd),
					   .node = nd,
					   .peer = NO_PEER,
					   .staleness = staleness,
					   .lr = p->lr });
}
