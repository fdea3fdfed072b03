/*
 * The oneDNN backend: opens a net's operators, and runs forward and backward passes. The team's
 * tasks are those of a stage, and the loads and stores of a level.
 */
#include "nets/onednn/onednn.h"

#include "core/base/clock.h"

#include <math.h>
#include <stdatomic.h>

int onednn_size(struct onednn *c, struct op *op, size_t n)
{
	if (op->sizes[n])
		return 0;
	op->sizes[n] = xcalloc((size_t)op->type->npasses, sizeof(struct pass));
	return op->type->size(c, op, op->sizes[n], n);
}

/* Makes the primitives for a batch of n, once. 0 or error(). */
static int onednn_prepare(struct onednn *c, size_t n)
{
	if (c->sized[n])
		return 0;
	for (int i = 0; i < c->nops; i++) {
		struct op *op = &c->ops[i];
		const size_t all = op->type->whole ? n : n * c->parts[op->level];
		const size_t chunk = op->type->whole ? n : onednn_chunk(c, op->level, n);

		if (op->type->size && (onednn_size(c, op, chunk)
				       || (all % chunk && onednn_size(c, op, all % chunk))))
			return -1;
	}
	c->sized[n] = true;
	return 0;
}

/* ---- stages ---- */

/* A stage in progress, or the loads or stores of its level. */
struct job {
	struct onednn *c;
	const struct plan *plan;
	const struct stage *stage;
	struct op *const *ops;          /* of the level */
	size_t parts, strips, chunk;    /* strips: of the batch */
	bool back;
};

/* Adds the time since `since` to the operator's layer; returns the present time. */
static double job_credit(const struct job *j, const struct op *op, double since)
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

static void onednn_release_lanes(struct onednn *c)
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

static void dnn_task(void *arg, int k, int lane)
{
	const struct job *j = arg;
	const struct step *step = j->plan->steps + j->stage->from;
	struct span s = { 0, j->c->n, 1, k, onednn_lane(j->c, lane) };
	const int threads = onednn_threads(1);
	double at = j->c->times ? clock_s() : 0;

	if (!j->stage->whole) {
		s.first = (size_t)k * j->chunk;
		s.n = size_least(j->strips - s.first, j->chunk);
		s.parts = j->parts;
	}
	for (int i = 0; i < j->stage->n; i++, step++) {
		if (!j->c->training && step->run == unit_measure)
			continue;
		step->run(j->c, step->op, s);
		if (j->c->times)
			at = job_credit(j, step->op, at);
	}
	onednn_threads(threads);
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
		job_credit(j, op, from);
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
		job_credit(j, op, from);
	onednn_threads(threads);
}

/* Runs the stages of a direction: of all levels, or of those on one side of the cut. */
static void plan_run(struct onednn *c, const struct plan *p, bool back, enum onednn_side side)
{
	for (int i = 0; i < p->nstages; i++) {
		const struct stage *t = &p->stages[i];
		const int from = t->level ? c->level_end[t->level - 1] : 0;
		const int ops = c->level_end[t->level] - from;
		struct job j = { .c = c, .plan = p, .stage = t, .ops = c->by_level + from,
				 .parts = c->parts[t->level],
				 .strips = c->n * c->parts[t->level],
				 .chunk = onednn_chunk(c, t->level, c->n), .back = back };

		/*
		 * The first dense layer is in a later level than its input: no level has both
		 * sides.
		 */
		if (side != ONEDNN_ALL
		    && (t->level > c->values[c->cut].level) != (side == ONEDNN_HEAD))
			continue;
		if (!i || t[-1].level != t->level)
			team_run(c->team, ops, load_task, &j);
		team_run(c->team, t->whole ? t->whole->type->panels(t->whole, back)
					   : (int)((j.strips + j.chunk - 1) / j.chunk),
			 dnn_task, &j);
		if (!back || (i + 1 < p->nstages && t[1].level == t->level))
			continue;
		team_run(c->team, ops, store_task, &j);
		/* Gradients that the level's operators have stored are final. */
		for (int k = ops - 1; k >= 0; k--)
			if (j.ops[k]->layer)
				layer_done(j.ops[k]->layer, c->hook);
	}
}

/* ---- calls ---- */

/* Prepares a call. 0, or error(): c->failed. */
static int onednn_begin(struct onednn *c, const float *x, size_t n, const float *images, bool back)
{
	if (n < 1 || n > c->max_batch)
		BUG("a batch of %zu in a context for up to %zu", n, c->max_batch);
	if (!c->failed && onednn_prepare(c, n)) {
		error("net %s: no primitives for a batch of %zu", c->graph->name, n);
		c->failed = true;
	}
	if (c->failed)
		return -1;
	if (c->arranged != n || (back && !c->arranged_back))
		onednn_placement(c, n, back);
	c->x = x;
	c->n = n;
	c->images = images;
	c->training = true;
	c->stats = NULL;
	c->use = NULL;
	/* Images are never written. */
	if (!c->values[0].maker)
		c->values[0].act.base = (char *)(uintptr_t)images;
	for (int i = 0; i < c->nops; i++)
		for (int j = 0; j < 2; j++)
			turn_reset(&c->ops[i].turn[j]);
	return 0;
}

/* Copies the result to c->logits, unless a dense layer has written it there. It is contiguous. */
static void onednn_forward(struct onednn *c, enum onednn_side side)
{
	const struct value *r = &c->values[c->result];

	plan_run(c, &c->forward, false, side);
	if (!r->maker || r->maker->type != &op_dense)
		c->simd->widen(c->n * r->count, r->act.base, c->logits);
}

static void onednn_backward(struct onednn *c, enum onednn_side side)
{
	const struct value *r = &c->values[c->result];

	if (r->wanted)
		c->simd->narrow(c->n * r->count, c->dlogits, r->grad.base);
	plan_run(c, &c->backward, true, side);
}

static double onednn_grad(void *ctx, const float *x, size_t n, const float *images,
			  const int32_t *labels, uint64_t seed, const uint64_t *use, float *g,
			  struct grad_hook *hook)
{
	struct onednn *c = ctx;
	int threads;
	double loss;

	if (c->tokens)
		return backend_openblas.grad(c->tokens, x, n, images, labels, seed, use, g, hook);
	threads = onednn_threads(1);
	if (onednn_begin(c, x, n, images, true) < 0)
		return (double)NAN;
	c->seed = seed;
	c->use = use;
	c->g = g;
	c->hook = hook;
	onednn_forward(c, ONEDNN_ALL);
	loss = loss_of(c->graph, n, c->logits, labels, c->dlogits);
	onednn_backward(c, ONEDNN_ALL);
	onednn_threads(threads);
	return loss;
}

static double onednn_stage(void *ctx, const struct stage_data *s, const float *x, size_t n,
			   const float *images, const int32_t *labels, uint64_t seed,
			   const uint64_t *use, float *g)
{
	struct onednn *c = ctx;
	const size_t floats = n * c->values[c->cut].count;
	const int threads = onednn_threads(1);
	struct span batch;
	double loss = 0.0;

	if (onednn_begin(c, x, n, images, true) < 0)
		return (double)NAN;
	batch = (struct span){ .n = n, .parts = 1 };    /* the whole batch, outside of stages */
	c->seed = seed;
	c->use = use;
	c->g = g;
	c->hook = NULL;
	if (s->stage == STAGE_HEAD) {           /* forward and backward after the cut */
		c->simd->narrow(floats, s->in, value_act(c, c->cut, batch));
		onednn_forward(c, ONEDNN_HEAD);
		loss = loss_of(c->graph, n, c->logits, labels, c->dlogits);
		onednn_backward(c, ONEDNN_HEAD);
		c->simd->widen(floats, value_grad(c, c->cut, batch), s->out);
	} else {
		plan_run(c, &c->forward, false, ONEDNN_BEFORE);
	}
	if (s->stage == STAGE_FORWARD)
		c->simd->widen(floats, value_act(c, c->cut, batch), s->out);
	if (s->stage == STAGE_BACKWARD) {
		c->simd->narrow(floats, s->in, value_grad(c, c->cut, batch));
		plan_run(c, &c->backward, true, ONEDNN_BEFORE);
	}
	onednn_threads(threads);
	return loss;
}

static void onednn_stats(void *ctx, const float *x, size_t n, const float *images, float *stats)
{
	struct onednn *c = ctx;
	int threads;

	if (c->tokens) {
		backend_openblas.stats(c->tokens, x, n, images, stats);
		return;
	}
	threads = onednn_threads(1);
	if (onednn_begin(c, x, n, images, false) < 0)
		return;
	onednn_forward(c, ONEDNN_ALL);
	for (int i = 0; i < c->nops; i++)
		if (op_is_norm(&c->ops[i]))
			unit_report(&c->ops[i], stats);
	onednn_threads(threads);
}

static void onednn_logits(void *ctx, const float *x, const float *stats, size_t n,
			  const float *images, float *logits)
{
	struct onednn *c = ctx;
	int threads;

	if (c->tokens) {
		backend_openblas.logits(c->tokens, x, stats, n, images, logits);
		return;
	}
	threads = onednn_threads(1);
	if (onednn_begin(c, x, n, images, false) < 0)
		return;
	c->training = false;
	c->stats = stats;
	onednn_forward(c, ONEDNN_ALL);
	memcpy(logits, c->logits, n * (size_t)c->graph->classes * sizeof(*logits));
	onednn_threads(threads);
}

/* Called for a net of tokens only. */
static void onednn_carry(void *ctx, const struct carried *carried)
{
	backend_openblas.carry(((struct onednn *)ctx)->tokens, carried);
}

static bool onednn_failed(const void *ctx)
{
	const struct onednn *c = ctx;
	bool failed = c->failed;

	for (int i = 0; i < team_lanes(c->team); i++)
		failed |= c->lanes[i] && c->lanes[i]->failed;
	return failed;
}

static void onednn_close(void *ctx)
{
	struct onednn *c = ctx;

	if (c->tokens)
		products_close(c);
	for (int i = 0; i < c->nops; i++) {
		struct op *op = &c->ops[i];

		if (op->priv && op->type->close)
			op->type->close(op);
		for (size_t n = 0; n < op->nsizes; n++) {
			for (int k = 0; op->sizes[n] && k < op->type->npasses; k++)
				pass_close(&op->sizes[n][k]);
			free(op->sizes[n]);
		}
		free(op->sizes);
		free(op->priv);
	}
	onednn_release_lanes(c);
	for (int v = 0; c->values && v < c->graph->n; v++)
		free(c->values[v].readers);
	free(c->forward.steps);
	free(c->forward.stages);
	free(c->backward.steps);
	free(c->backward.stages);
	free(c->block);
	free(c->values);
	free(c->ops);
	free(c->by_level);
	free(c->level_end);
	free(c->parts);
	free(c->chunk);
	free(c->sized);
	free(c->logits);
	free(c->dlogits);
	free(c);
}

void onednn_temp(struct onednn *c, size_t bytes)
{
	c->temp_bytes = bytes > c->temp_bytes ? bytes : c->temp_bytes;
}

/* Makes plans, and primitives for the largest batch; 0 or error(). */
static int open_ops(struct onednn *c)
{
	struct cut cut;
	const int dense = graph_cut(c->graph, &cut);

	onednn_fuse(c);
	c->cut = -1;
	for (int i = 0; dense && i < c->nops; i++)
		if (c->ops[i].layer == &c->graph->layers[dense])
			c->cut = c->ops[i].in[0];
	onednn_plan(c);
	onednn_share(c);
	for (int i = 0; i < c->nops; i++) {
		struct op *op = &c->ops[i];

		op->nsizes = (op->type->whole ? c->max_batch : c->chunk[op->level]) + 1;
		op->sizes = xcalloc(op->nsizes, sizeof(*op->sizes));
		if (op->type->open && op->type->open(c, op))
			return -1;
	}
	return onednn_prepare(c, c->max_batch);
}

/* An invalid CONVOY_BF16 was refused when settings were read. */
static const char *onednn_no_bf16_here(void)
{
	const int wish = bf16_wish();

	return onednn_no_bf16(wish < 0 ? BF16_AUTO : (enum bf16_wish)wish);
}

static enum precision onednn_precision(enum precision asked)
{
	static atomic_bool said;
	const char *why = asked == PRECISION_F32 ? NULL : onednn_no_bf16_here();

	if (why && !atomic_exchange(&said, true))
		note("%s: computing in f32", why);
	return why ? PRECISION_F32 : asked;
}

static const char *onednn_cannot(enum precision p)
{
	const int wish = bf16_wish();

	if (p == PRECISION_F32)
		return wish == BF16_ON ? "CONVOY_BF16=on" : NULL;
	return onednn_no_bf16(wish == BF16_OFF ? BF16_OFF : BF16_ON);
}

static struct onednn *context_new(const struct graph *g, const struct backend_conf *conf,
				  size_t max_batch, struct team *team)
{
	struct onednn *c = xcalloc(1, sizeof(*c));
	bool half;

	c->graph = g;
	c->precision = conf ? conf->precision : PRECISION_F32;
	if (!conf || !conf->decided)
		c->precision = onednn_precision(c->precision);
	half = c->precision == PRECISION_BF16;
	c->type = half ? dnnl_bf16 : dnnl_f32;
	c->simd32 = simd_all()[0];
	c->simd = half ? simd_all_bf16()[0] : c->simd32;
	c->size = c->simd->size;
	c->max_batch = max_batch;
	c->team = team;
	c->times = conf ? conf->times : NULL;
	c->lanes = xcalloc((size_t)team_lanes(team), sizeof(*c->lanes));
	return c;
}

void *onednn_open_chunked(const struct graph *g, const struct backend_conf *conf,
			  size_t max_batch, struct team *team, size_t chunk_bytes)
{
	struct onednn *c;
	int threads, bad;

	if (g->n < 2 || max_batch < 1) {
		error("net %s: nothing to compute", g->name);
		return NULL;
	}
	threads = onednn_threads(1);
	c = context_new(g, conf, max_batch, team);
	c->sized = xcalloc(max_batch + 1, sizeof(*c->sized));
	c->logits = vec_new(max_batch * (size_t)g->classes);
	c->dlogits = vec_new(max_batch * (size_t)g->classes);
	c->chunk_bytes = chunk_bytes;
	bad = open_ops(c);
	if (bad)
		onednn_close(c);
	onednn_threads(threads);
	return bad ? NULL : c;
}

/*
 * Opens a net; an activation, its neighbours and the weights should fit a core's L2 cache together.
 */
static void *onednn_open(const struct graph *g, const struct backend_conf *conf, size_t max_batch,
			 struct team *team)
{
	struct onednn *c;

	if (!g->tokens)
		return onednn_open_chunked(g, conf, max_batch, team, 256 << 10);
	c = context_new(g, conf, max_batch, team);
	products_open(c, conf);
	return c;
}

const struct backend backend_onednn = {
	.name = "onednn",
	.brief = "oneDNN's products, fused and cache-blocked, in f32 or bf16",
	.open = onednn_open,
	.grad = onednn_grad,
	.stage = onednn_stage,
	.stats = onednn_stats,
	.logits = onednn_logits,
	.carry = onednn_carry,
	.failed = onednn_failed,
	.close = onednn_close,
	.precision = onednn_precision,
	.no_bf16 = onednn_no_bf16_here,
	.cannot = onednn_cannot,
	.peak = onednn_peak,
};
