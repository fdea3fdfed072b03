/* The backend of matrix products: its stages, partitions and tasks. */
#include "nets/openblas/openblas.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/math/matrix.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static const struct ob_op *const ops[LAYER_KINDS] = {
#define LAYER(KIND, name) [LAYER_##KIND] = &ob_##name,
#include "nets/layers/list.h"
#undef LAYER
};

const struct ob_op *ob_op_of(const struct ob *c, int i)
{
	const struct layer *l = &c->g->layers[i];

	if (l->kind == LAYER_CONV && c->conf.lowering == LOWERING_CAFFE)
		return &ob_caffe;
	return l->kind == LAYER_EMBED && l->div > 1 ? &ob_embed_clusters : ops[l->kind];
}

/* Chooses the types for each pass of a convolution. */
static void choose_ways(struct ob *c)
{
	c->ways = arena_alloc(&c->arena, (size_t)c->g->n, sizeof(*c->ways));
	for (int i = 1; i < c->g->n; i++) {
		const enum lowering one = c->conf.lowering;
		enum lowering type[3] = { one, one, one };

		if (c->g->layers[i].kind != LAYER_CONV)
			continue;
		if (one == LOWERING_AUTO) {
			const struct ob_choice choice = ob_choose(&c->g->layers[i]);

			type[0] = choice.forward;
			type[1] = type[2] = choice.backward;
		}
		c->ways[i] = ob_ways_new(&c->arena, &c->g->layers[i], type,
					 c->conf.unfused ? c->max_batch : 0);
	}
}

static const char *ob_no_bf16(void)
{
	return "bf16 needs the backend onednn";
}

/* Precision of this backend: always f32, as on a processor without bf16. */
static enum precision ob_precision(enum precision asked)
{
	static atomic_bool said;

	if (asked != PRECISION_F32 && !atomic_exchange(&said, true))
		note("%s: openblas computes in f32", ob_no_bf16());
	return PRECISION_F32;
}

static const char *ob_cannot(enum precision p)
{
	return p == PRECISION_F32 ? NULL : ob_no_bf16();
}

void *ob_open_with(const struct graph *g, const struct backend_conf *conf, size_t max_batch,
		   struct team *team, const struct ob_products *products, void *by)
{
	struct ob *c = xcalloc(1, sizeof(*c));
	struct cut cut;

	matrix_one_thread();
	c->g = g;
	c->conf = conf ? *conf : (struct backend_conf){ 0 };
	c->products = products;
	c->by = by;
	c->max_batch = max_batch;
	c->rows = (size_t)g->targets;
	c->threads = team_lanes(team);
	c->team = c->conf.lowering == LOWERING_CAFFE ? NULL : team;
	c->dense = graph_cut(g, &cut);
	c->cut = c->dense ? g->layers[c->dense].in[0] : 0;
	choose_ways(c);
	ob_stages(c);
	ob_plan(c);
	return c;
}

static void *ob_open(const struct graph *g, const struct backend_conf *conf, size_t max_batch,
		     struct team *team)
{
	if (conf)
		ob_precision(conf->precision);
	return ob_open_with(g, conf, max_batch, team, NULL, NULL);
}

static void ob_close(void *ctx)
{
	struct ob *c = ctx;

	if (!c)
		return;
	for (int k = 0; k < team_lanes(c->team); k++) {
		free(c->lanes[k].cols);
		free(c->lanes[k].lifted);
		free(c->lanes[k].dw);
		free(c->lanes[k].dy);
		free(c->lanes[k].sums);
	}
	arena_release(&c->arena);
	free(c);
}

/* Sets what a pass over a batch needs before its first layer. */
static void openblas_enter(struct ob *c, enum pass pass, const float *x, size_t n,
			   const float *images)
{
	c->pass = pass;
	c->x = x;
	c->n = n;
	c->parts = ob_partitions(c, n);
	c->y[0] = (float *)(uintptr_t)images;   /* read only: no layer overwrites the input */
	c->back = false;
	ob_caffe_begin(c);
	if (c->products)
		c->products->begin(c->by, x, pass == PASS_TRAIN);
}

static void openblas_train(struct ob *c, uint64_t seed, const uint64_t *use,
			   const int32_t *labels, float *g, struct grad_hook *hook)
{
	c->seed = seed;
	c->use = use;
	c->labels = labels;
	c->grad = g;
	c->hook = hook;
}

static void openblas_backward(struct ob *c, enum ob_side side)
{
	for (int i = 0; i < c->g->n; i++)
		for (int k = 0; k < OB_TURNS; k++)
			turn_reset(&c->turns[i][k]);
	ob_run(c, &c->backward, side);
}

static double ob_grad(void *ctx, const float *x, size_t n, const float *images,
		      const int32_t *labels, uint64_t seed, const uint64_t *use, float *g,
		      struct grad_hook *hook)
{
	struct ob *c = ctx;
	const int last = c->g->n - 1;
	const bool makes_loss = ob_op_of(c, last)->makes_loss;
	double loss = 0.0;

	openblas_train(c, seed, use, labels, g, hook);
	openblas_enter(c, PASS_TRAIN, x, n, images);
	ob_pack(c);
	ob_run(c, &c->forward, OB_ALL);
	if (c->g->tokens && !makes_loss)
		loss = softmax_tokens(c);
	else if (!makes_loss)
		loss = loss_of(c->g, n, c->y[last], labels, c->dy[last].whole);
	openblas_backward(c, OB_ALL);
	for (int k = 0; makes_loss && k < c->parts; k++)
		loss += c->losses[k];
	ob_caffe_end(c);
	return loss;
}

static double ob_stage_of(void *ctx, const struct stage_data *s, const float *x, size_t n,
			  const float *images, const int32_t *labels, uint64_t seed,
			  const uint64_t *use, float *g)
{
	struct ob *c = ctx;
	const int last = c->g->n - 1;
	const size_t bytes = n * shape_count(c->g->layers[c->cut].os) * sizeof(float);
	double loss = 0.0;

	openblas_train(c, seed, use, labels, g, NULL);
	openblas_enter(c, PASS_TRAIN, x, n, images);
	if (s->stage == STAGE_HEAD) {   /* forward and backward after the cut */
		memcpy(c->y[c->cut], s->in, bytes);
		ob_run(c, &c->forward, OB_HEAD);
		loss = loss_of(c->g, n, c->y[last], labels, c->dy[last].whole);
		openblas_backward(c, OB_HEAD);
		memcpy(s->out, c->dy[c->cut].whole, bytes);
	} else {
		ob_pack(c);
		ob_run(c, &c->forward, OB_BEFORE);
	}
	if (s->stage == STAGE_FORWARD)
		memcpy(s->out, c->y[c->cut], bytes);
	if (s->stage == STAGE_BACKWARD) {
		memcpy(c->dy[c->cut].whole, s->in, bytes);
		openblas_backward(c, OB_BEFORE);
	}
	ob_caffe_end(c);
	return loss;
}

static void ob_stats(void *ctx, const float *x, size_t n, const float *images, float *stats)
{
	struct ob *c = ctx;

	c->stats_out = stats;
	openblas_enter(c, PASS_STATS, x, n, images);
	ob_pack(c);
	ob_run(c, &c->forward, OB_ALL);
	ob_caffe_end(c);
}

static void ob_logits(void *ctx, const float *x, const float *stats, size_t n,
		      const float *images, float *logits)
{
	struct ob *c = ctx;
	const int last = c->g->n - 1;
	const bool own = !ob_op_of(c, last)->makes_loss;

	c->stats_in = stats;
	if (!own)
		c->y[last] = logits;
	openblas_enter(c, PASS_EVAL, x, n, images);
	ob_pack(c);
	ob_run(c, &c->forward, OB_ALL);
	ob_caffe_end(c);
	if (own)
		memcpy(logits, c->y[last], n * c->rows * (size_t)c->g->classes * sizeof(*logits));
}

static void ob_carry(void *ctx, const struct carried *carried)
{
	((struct ob *)ctx)->carried = *carried;
}

const struct backend backend_openblas = {
	.name = "openblas",
	.brief = "layers lowered to matrix products, through OpenBLAS",
	.open = ob_open,
	.grad = ob_grad,
	.stage = ob_stage_of,
	.stats = ob_stats,
	.logits = ob_logits,
	.carry = ob_carry,
	.close = ob_close,
	.precision = ob_precision,
	.no_bf16 = ob_no_bf16,
	.cannot = ob_cannot,
	.peak = openblas_peak,
};

/* ---- partitions ---- */

/* Most partitions of a batch. */
enum { PARTITIONS = 16 };
static const int64_t TASK_MACS = 50 * 1000 * 1000;

/* Least tokens of a partition in a small batch, and of two partitions in a larger one. */
enum { PART_ROWS = 128, PAIR_ROWS = 384 };

/*
 * Partitions of a batch of tokens: an even number of at least 192 tokens, so that two threads have
 * equal shares, and weights, and their gradients, pass through the cache rarely; in a small batch
 * fewer tokens.
 */
static size_t token_partitions(size_t rows)
{
	return rows < PAIR_ROWS ? rows / PART_ROWS : 2 * (rows / PAIR_ROWS);
}

int ob_partitions(const struct ob *c, size_t n)
{
	int64_t parts = c->conf.partitions;

	if (c->g->tokens) {
		const size_t rows = n * c->rows, wanted = (size_t)parts;
		const size_t some = wanted ? wanted : token_partitions(rows);

		return (int)size_most(1, size_least(some, wanted ? rows : PARTITIONS));
	}
	if (c->conf.lowering == LOWERING_CAFFE)
		return 1;
	if (!parts)
		parts = c->macs > TASK_MACS / (int64_t)n * PARTITIONS
			? PARTITIONS : c->macs * (int64_t)n / TASK_MACS;
	return parts > (int64_t)n ? (int)n : parts < 1 ? 1 : (int)parts;
}

/* ---- stages ---- */

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
	for (int i = 1; i < c->g->n; i++)
		c->macs += c->g->layers[i].kind == LAYER_CONV ? c->g->layers[i].macs : 0;
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
	int of;                 /* number of tasks in the stage */
};

static void openblas_task(void *arg, int k, int lane)
{
	const struct task *t = arg;
	struct ob *c = t->c;
	struct ob_part p = { .k = k, .of = t->of, .lane = lane, .n = c->n * c->rows };

	if (!t->stage->panels) {
		const struct ob_share rows = ob_share(&p, p.n);

		p.first = rows.first;
		p.n = rows.n;
	}
	for (int s = 0; s < t->stage->n; s++)
		ob_step(c, &t->list->steps[t->stage->first + s], &p);
}

void ob_run(struct ob *c, const struct ob_stages *list, enum ob_side side)
{
	c->back = list == &c->backward;
	for (int k = 0; k < list->n; k++) {
		const struct ob_stage *s = &list->v[k];
		const struct ob_step *step = &list->steps[s->first];
		struct task t = { c, list, s, s->panels ? s->panels : c->parts };

		/* The first dense layer begins a stage: no stage has layers of both sides. */
		if (side != OB_ALL && (step->layer >= c->dense) != (side == OB_HEAD))
			continue;
		if (s->settle)
			s->settle(c, s->layer);
		team_run(c->team, t.of, openblas_task, &t);
		/* A layer's gradient is final when all partitions have finished its backward. */
		for (; c->back && step < &list->steps[s->first + s->n]; step++)
			if (step->run == ob_op_of(c, step->layer)->backward)
				layer_done(&c->g->layers[step->layer], c->hook);
	}
}

void ob_wait_panel(struct ob *c, int i, int k, const struct ob_part *p)
{
	turn_wait(&c->turns[i][k], p->k);
}

void ob_pass_panel(struct ob *c, int i, int k)
{
	turn_pass(&c->turns[i][k]);
}

void ob_back_in_turn(struct ob *c, int i, const struct ob_part *p,
		     void (*weights)(struct ob *c, int i, const struct ob_part *p),
		     void (*input)(struct ob *c, int i, const struct ob_part *p))
{
	const bool waits = !turn_is(&c->turns[i][0], p->k);

	if (waits)
		input(c, i, p);
	weights(c, i, p);
	if (!waits)
		input(c, i, p);
}

void ob_wait(struct ob *c, int i, const struct ob_part *p)
{
	ob_wait_panel(c, i, 0, p);
}

void ob_pass(struct ob *c, int i)
{
	ob_pass_panel(c, i, 0);
}
