/* Runs the stages of a call: their tasks, and the loads and stores of a level, are the team's. */
#include "nets/onednn/onednn.h"

#include "core/base/clock.h"

/* A stage under way, or the loads or stores of its level. */
struct job {
	struct onednn *c;
	const struct plan *plan;
	const struct stage *stage;
	struct op *const *ops;          /* of the level */
	size_t chunk;
	bool back;
};

/* Adds what passed since to the operator's layer; returns the time. */
static double onednn_run_credit(const struct job *j, const struct op *op, double since)
{
	struct layer_time *t = &j->c->times[op->id];
	const double until = clock_s();

	*(j->back ? &t->backward : &t->forward) += until - since;
	return until;
}

struct lane *onednn_lane(struct onednn *c, int lane)
{
	struct lane *w = c->lanes[lane];

	if (!w) {
		w = c->lanes[lane] = xcalloc(1, sizeof(*w));
		w->index = lane;
		w->failed = onednn_try(dnnl_stream_create(&w->stream, onednn_engine(),
							  dnnl_stream_default_flags),
				       "no stream") < 0;
	}
	onednn_grow(&w->block, &w->block_capacity, c->lane_bytes);
	onednn_grow(&w->temp, &w->temp_capacity, c->temp_bytes);
	onednn_grow(&w->scratch, &w->scratch_capacity, c->scratch_bytes);
	return w;
}

void onednn_release_lanes(struct onednn *c)
{
	for (int i = 0; i < team_lanes(c->team); i++) {
		struct lane *w = c->lanes[i];

		if (!w)
			continue;
		dnnl_stream_destroy(w->stream);
		free(w->block);
		free(w->temp);
		free(w->scratch);
		free(w);
	}
	free(c->lanes);
}

static struct span span_of(const struct job *j, int k, int lane)
{
	struct onednn *c = j->c;
	struct span s = { 0, c->n, k, onednn_lane(c, lane) };

	if (!j->stage->whole) {
		s.first = (size_t)k * j->chunk;
		s.n = c->n - s.first < j->chunk ? c->n - s.first : j->chunk;
	}
	return s;
}

static void run_task(void *arg, int k, int lane)
{
	const struct job *j = arg;
	const struct step *step = j->plan->steps + j->stage->from;
	const struct span s = span_of(j, k, lane);
	const int threads = onednn_threads(1);
	double at = j->c->times ? clock_s() : 0;

	for (int i = 0; i < j->stage->n; i++, step++) {
		if (!j->c->training && step->run == unit_measure)
			continue;
		step->run(j->c, step->op, s);
		if (j->c->times)
			at = onednn_run_credit(j, step->op, at);
	}
	onednn_threads(threads);
}

static void run_stage(struct job *j)
{
	const struct stage *t = j->stage;
	struct onednn *c = j->c;
	size_t tasks;

	j->chunk = onednn_chunk(c, t->level, c->n);
	tasks = (c->n + j->chunk - 1) / j->chunk;
	if (t->whole)
		tasks = (size_t)t->whole->type->panels(t->whole, j->back);
	team_run(c->team, (int)tasks, run_task, j);
}

static void load_task(void *arg, int k, int lane)
{
	const struct job *j = arg;
	struct op *op = j->ops[k];
	const int threads = onednn_threads(1);
	const double from = j->c->times ? clock_s() : 0;

	if (op->type->load)
		op->type->load(j->c, op, j->back, onednn_lane(j->c, lane));
	if (j->c->times)
		onednn_run_credit(j, op, from);
	onednn_threads(threads);
}

static void store_task(void *arg, int k, int lane)
{
	const struct job *j = arg;
	struct op *op = j->ops[k];
	const int threads = onednn_threads(1);
	const double from = j->c->times ? clock_s() : 0;

	if (op->type->store)
		op->type->store(j->c, op, onednn_lane(j->c, lane));
	if (j->c->times)
		onednn_run_credit(j, op, from);
	onednn_threads(threads);
}

/* The task for each operator of the level. */
static void for_level(struct job *j, void (*task)(void *arg, int k, int lane))
{
	struct onednn *c = j->c;
	const int level = j->stage->level, from = level ? c->level_end[level - 1] : 0;

	j->ops = c->by_level + from;
	team_run(c->team, c->level_end[level] - from, task, j);
}

/* Whatever of the gradient the level's operators have stored is final. */
static void report_level(const struct onednn *c, int level)
{
	for (int i = c->level_end[level] - 1; i >= (level ? c->level_end[level - 1] : 0); i--)
		if (c->by_level[i]->layer)
			layer_done(c->by_level[i]->layer, c->hook);
}

/* The first fully connected layer is of the level after its input's: no level has both sides. */
static bool level_is_of(const struct onednn *c, int level, enum onednn_side side)
{
	return side == ONEDNN_ALL || (level > c->values[c->cut].level) == (side == ONEDNN_HEAD);
}

static void onednn_run_run_plan(struct onednn *c, const struct plan *p, bool back,
				enum onednn_side side)
{
	for (int i = 0; i < p->nstages; i++) {
		const struct stage *t = &p->stages[i];
		struct job j = { .c = c, .plan = p, .stage = t, .back = back };

		if (!level_is_of(c, t->level, side))
			continue;
		if (!i || t[-1].level != t->level)
			for_level(&j, load_task);
		run_stage(&j);
		if (back && (i + 1 == p->nstages || t[1].level != t->level)) {
			for_level(&j, store_task);
			report_level(c, t->level);
		}
	}
}

void onednn_forward(struct onednn *c, enum onednn_side side)
{
	onednn_run_run_plan(c, &c->forward, false, side);
}

void onednn_backward(struct onednn *c, enum onednn_side side)
{
	onednn_run_run_plan(c, &c->backward, true, side);
}
