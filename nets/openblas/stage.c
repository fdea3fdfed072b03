/* What is done between two joins, and who does it. */
#include "nets/openblas/openblas.h"

#include "core/base/clock.h"

/* Of all convolutions, a sample. */
static int64_t conv_macs(const struct graph *g)
{
	int64_t macs = 0;

	for (int i = 1; i < g->n; i++)
		macs += g->layers[i].kind == LAYER_CONV ? g->layers[i].macs : 0;
	return macs;
}

/* ---- the lists ---- */

static struct ob_stage *stage_new(struct ob_stages *s)
{
	struct ob_stage *stage = &s->v[s->n++];

	stage->first = s->n > 1 ? stage[-1].first + stage[-1].n : 0;
	return stage;
}

static void step_add(struct ob_stages *s, ob_step_fn run, int layer)
{
	struct ob_stage *stage = &s->v[s->n - 1];

	s->steps[stage->first + stage->n++] = (struct ob_step){ run, layer };
}

/* Adds layer i to the list of one direction. */
static void list_layer(const struct ob *c, struct ob_stages *s, int i, bool back)
{
	const struct ob_op *op = ob_op_of(c, i);
	const ob_step_fn gather = back ? op->gather_back : op->gather;
	const bool was_panels = s->v[s->n - 1].panels > 0;

	if ((op->panels || was_panels) && s->v[s->n - 1].n)
		stage_new(s);
	if (op->panels)
		s->v[s->n - 1].panels = c->conf.lowering == LOWERING_CAFFE
			? 1 : op->panels(&c->g->layers[i]);
	if (gather) {
		struct ob_stage *stage;

		step_add(s, gather, i);
		stage = stage_new(s);
		stage->panels = stage[-1].panels;
		stage->settle = back ? op->settle_back : op->settle;
		stage->layer = i;
	}
	step_add(s, back ? op->backward : op->forward, i);
}

static void list_all(struct ob *c, struct ob_stages *s, bool back)
{
	const int n = c->g->n;

	s->v = arena_alloc(&c->arena, 2 * (size_t)n + 1, sizeof(*s->v));
	s->steps = arena_alloc(&c->arena, 2 * (size_t)n, sizeof(*s->steps));
	stage_new(s);
	for (int k = 1; k < n; k++)
		list_layer(c, s, back ? n - k : k, back);
}

void ob_stages(struct ob *c)
{
	c->macs = conv_macs(c->g);
	list_all(c, &c->forward, false);
	list_all(c, &c->backward, true);
}

/* ---- running them ---- */

void ob_step(struct ob *c, const struct ob_step *s, const struct ob_part *p)
{
	double from;

	if (!c->conf.times) {
		s->run(c, s->layer, p);
		return;
	}
	from = clock_s();
	s->run(c, s->layer, p);
	*(c->back ? &c->conf.times[s->layer].backward : &c->conf.times[s->layer].forward)
		+= clock_s() - from;
}

struct task {
	struct ob *c;
	const struct ob_stages *list;
	const struct ob_stage *stage;
};

static int openblas_stage_tasks(const struct ob *c, const struct ob_stage *s)
{
	return s->panels ? s->panels : c->parts;
}

static void run_task(void *arg, int k, int lane)
{
	const struct task *t = arg;
	struct ob *c = t->c;
	struct ob_part p = {
		.k = k, .of = openblas_stage_tasks(c, t->stage), .lane = lane,
		.n = c->n * c->rows
	};

	if (!t->stage->panels) {
		p.first = (size_t)k * c->n * c->rows / (size_t)p.of;
		p.n = (size_t)(k + 1) * c->n * c->rows / (size_t)p.of - p.first;
	}
	for (int s = 0; s < t->stage->n; s++)
		ob_step(c, &t->list->steps[t->stage->first + s], &p);
}

/* A layer's part of the gradient is final when all partitions have finished its backward pass. */
static void report_stage(const struct ob *c, const struct ob_stage *s)
{
	for (int k = s->first; k < s->first + s->n; k++) {
		const struct ob_step *step = &c->backward.steps[k];

		if (step->run == ob_op_of(c, step->layer)->backward)
			layer_done(&c->g->layers[step->layer], c->hook);
	}
}

/* The first fully connected layer is a stage of its own: no stage has layers of both sides. */
static bool stage_is_of(const struct ob *c, const struct ob_stages *list,
			const struct ob_stage *s, enum ob_side side)
{
	return side == OB_ALL || (list->steps[s->first].layer >= c->dense) == (side == OB_HEAD);
}

void ob_run(struct ob *c, const struct ob_stages *list, enum ob_side side)
{
	c->back = list == &c->backward;
	for (int k = 0; k < list->n; k++) {
		const struct ob_stage *s = &list->v[k];
		struct task t = { c, list, s };

		if (!stage_is_of(c, list, s, side))
			continue;
		if (s->settle)
			s->settle(c, s->layer);
		team_run(c->team, openblas_stage_tasks(c, s), run_task, &t);
		if (c->back)
			report_stage(c, s);
	}
}

void ob_wait(struct ob *c, int i, const struct ob_part *p)
{
	turn_wait(&c->turns[i], p->k);
}

void ob_pass(struct ob *c, int i)
{
	turn_pass(&c->turns[i]);
}
