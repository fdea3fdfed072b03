/* The oneDNN backend: opens a net's operators, and runs forward and backward passes. */
#include "nets/onednn/onednn.h"

#include "nets/peak.h"

#include <math.h>
#include <stdatomic.h>

/* Primitives for a batch of n; those of one size are made once. 0 or error(). */
static int onednn_prepare(struct onednn *c, size_t n)
{
	if (c->sized[n])
		return 0;
	for (int i = 0; i < c->nops; i++) {
		struct op *op = &c->ops[i];
		const size_t chunk = onednn_chunk(c, op->level, n);

		if (!op->type->size)
			continue;
		if (op->type->whole) {
			if (op->type->size(c, op, n))
				return -1;
		} else if (op->type->size(c, op, chunk)
			   || (n % chunk && op->type->size(c, op, n % chunk))) {
			return -1;
		}
	}
	c->sized[n] = true;
	return 0;
}

/* 0, or error(): c->failed. */
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
	onednn_placement(c, n, back);
	c->x = x;
	c->n = n;
	c->images = images;
	c->training = true;
	c->stats = NULL;
	c->use = NULL;
	/* Nothing writes to the images. */
	if (!c->values[0].maker)
		c->values[0].act.base = (char *)(uintptr_t)images;
	for (int i = 0; i < c->nops; i++)
		for (int j = 0; j < 2; j++)
			turn_reset(&c->ops[i].turn[j]);
	return 0;
}

/* The whole batch, outside of stages. */
static struct span batch_of(const struct onednn *c)
{
	return (struct span){ 0, c->n, 0, NULL };
}

/* c->logits, where no dense layer has written them. All of the result lies at one address. */
static void forward(struct onednn *c, enum onednn_side side)
{
	const struct value *r = &c->values[c->result];

	onednn_forward(c, side);
	if (!r->maker || r->maker->type != &op_dense)
		c->simd->widen(c->n * r->count, r->act.base, c->logits);
}

static void backward(struct onednn *c, enum onednn_side side)
{
	const struct value *r = &c->values[c->result];

	if (r->wanted)
		c->simd->narrow(c->n * r->count, c->dlogits, r->grad.base);
	onednn_backward(c, side);
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
	forward(c, ONEDNN_ALL);
	loss = softmax_loss(n, c->graph->classes, c->logits, labels, c->dlogits);
	backward(c, ONEDNN_ALL);
	onednn_threads(threads);
	return loss;
}

/* Both ways after the cut. */
static double onednn_head(struct onednn *c, const struct stage_data *s, const int32_t *labels)
{
	const size_t floats = c->n * c->values[c->cut].count;
	double loss;

	c->simd->narrow(floats, s->in, value_act(c, c->cut, batch_of(c)));
	forward(c, ONEDNN_HEAD);
	loss = softmax_loss(c->n, c->graph->classes, c->logits, labels, c->dlogits);
	backward(c, ONEDNN_HEAD);
	c->simd->widen(floats, value_grad(c, c->cut, batch_of(c)), s->out);
	return loss;
}

static double onednn_stage(void *ctx, const struct stage_data *s, const float *x, size_t n,
			   const float *images, const int32_t *labels, uint64_t seed,
			   const uint64_t *use, float *g)
{
	struct onednn *c = ctx;
	const size_t floats = n * c->values[c->cut].count;
	const int threads = onednn_threads(1);
	double loss = 0.0;

	if (onednn_begin(c, x, n, images, true) < 0)
		return (double)NAN;
	c->seed = seed;
	c->use = use;
	c->g = g;
	c->hook = NULL;
	if (s->stage == STAGE_HEAD)
		loss = onednn_head(c, s, labels);
	else
		onednn_forward(c, ONEDNN_BEFORE);
	if (s->stage == STAGE_FORWARD)
		c->simd->widen(floats, value_act(c, c->cut, batch_of(c)), s->out);
	if (s->stage == STAGE_BACKWARD) {
		c->simd->narrow(floats, s->in, value_grad(c, c->cut, batch_of(c)));
		onednn_backward(c, ONEDNN_BEFORE);
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
	forward(c, ONEDNN_ALL);
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
	forward(c, ONEDNN_ALL);
	memcpy(logits, c->logits, n * (size_t)c->graph->classes * sizeof(*logits));
	onednn_threads(threads);
}

/* Asked of a net of tokens only. */
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

static void plan_free(struct plan *p)
{
	free(p->steps);
	free(p->stages);
}

static void onednn_close(void *ctx)
{
	struct onednn *c = ctx;

	if (c->tokens)
		products_close(c);
	for (int i = 0; i < c->nops; i++)
		if (c->ops[i].type->close)
			c->ops[i].type->close(&c->ops[i]);
	onednn_release_lanes(c);
	for (int v = 0; c->values && v < c->graph->n; v++)
		free(c->values[v].readers);
	plan_free(&c->forward);
	plan_free(&c->backward);
	free(c->block);
	free(c->values);
	free(c->ops);
	free(c->by_level);
	free(c->level_end);
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

/* What the first layer after the cut reads. */
static int value_at_cut(const struct onednn *c)
{
	struct cut cut;
	const int dense = graph_cut(c->graph, &cut);

	for (int i = 0; dense && i < c->nops; i++)
		if (c->ops[i].layer == &c->graph->layers[dense])
			return c->ops[i].in[0];
	return -1;
}

/* Plans and primitives for the largest batch; 0 or error(). */
static int open_ops(struct onednn *c)
{
	onednn_fuse(c);
	c->cut = value_at_cut(c);
	onednn_plan(c);
	onednn_share(c);
	for (int i = 0; i < c->nops; i++)
		if (c->ops[i].type->open && c->ops[i].type->open(c, &c->ops[i]))
			return -1;
	return onednn_prepare(c, c->max_batch);
}

/* Whatever reads the settings has refused a variable that says neither on nor off. */
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

/* An activation, its neighbours and the weights should fit a core's L2 together. */
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
