/* The backend of matrix products. */
#include "nets/openblas/openblas.h"
#include "nets/openblas/softmax.h"

#include "core/base/error.h"
#include "nets/peak.h"

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

/* The types of each pass over a convolution. */
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

/* Runs compute in f32 here, as on a processor without bf16. */
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

	ob_init();
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

/* What a pass over a batch must know before any layer. */
static void openblas_enter(struct ob *c, enum pass pass, const float *x, size_t n,
			   const float *images)
{
	c->pass = pass;
	c->x = x;
	c->n = n;
	c->parts = ob_partitions(c, n);
	c->y[0] = (float *)(uintptr_t)images;   /* read only: no layer lies over the input */
	c->back = false;
	if (c->products)
		c->products->begin(c->by, x);
}

/* Runs all layers over a batch; returns the logits[n][classes]. */
static float *openblas_forward(struct ob *c, enum pass pass, const float *x, size_t n,
			       const float *images)
{
	openblas_enter(c, pass, x, n, images);
	ob_pack(c);
	ob_run(c, &c->forward, OB_ALL);
	return c->y[c->g->n - 1];
}

static void openblas_backward(struct ob *c, enum ob_side side)
{
	for (int i = 0; i < c->g->n; i++)
		turn_reset(&c->turns[i]);
	ob_run(c, &c->backward, side);
}

static double ob_grad(void *ctx, const float *x, size_t n, const float *images,
		      const int32_t *labels, uint64_t seed, const uint64_t *use, float *g,
		      struct grad_hook *hook)
{
	struct ob *c = ctx;
	const int last = c->g->n - 1;
	const bool makes_loss = ob_op_of(c, last)->makes_loss;
	float *logits;
	double loss = 0.0;

	c->seed = seed;
	c->use = use;
	c->grad = g;
	c->hook = hook;
	c->labels = labels;
	ob_caffe_begin(c);
	logits = openblas_forward(c, PASS_TRAIN, x, n, images);
	if (c->g->tokens && !makes_loss)
		loss = softmax_tokens(c);
	else if (!makes_loss)
		loss = softmax_loss(n, c->g->classes, logits, labels, c->dy[last].whole);
	openblas_backward(c, OB_ALL);
	for (int k = 0; makes_loss && k < c->parts; k++)
		loss += c->losses[k];
	ob_caffe_end(c);
	return loss;
}

/* Both ways after the cut. */
static double openblas_head(struct ob *c, const struct stage_data *s, const int32_t *labels)
{
	const int last = c->g->n - 1;
	const size_t bytes = c->n * shape_count(c->g->layers[c->cut].os) * sizeof(float);
	double loss;

	memcpy(c->y[c->cut], s->in, bytes);
	ob_run(c, &c->forward, OB_HEAD);
	loss = softmax_loss(c->n, c->g->classes, c->y[last], labels, c->dy[last].whole);
	openblas_backward(c, OB_HEAD);
	memcpy(s->out, c->dy[c->cut].whole, bytes);
	return loss;
}

static double ob_stage_of(void *ctx, const struct stage_data *s, const float *x, size_t n,
			  const float *images, const int32_t *labels, uint64_t seed,
			  const uint64_t *use, float *g)
{
	struct ob *c = ctx;
	const size_t bytes = n * shape_count(c->g->layers[c->cut].os) * sizeof(float);
	double loss = 0.0;

	c->seed = seed;
	c->use = use;
	c->grad = g;
	c->hook = NULL;
	ob_caffe_begin(c);
	openblas_enter(c, PASS_TRAIN, x, n, images);
	if (s->stage == STAGE_HEAD) {
		loss = openblas_head(c, s, labels);
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
	ob_caffe_begin(c);
	openblas_forward(c, PASS_STATS, x, n, images);
	ob_caffe_end(c);
}

static void ob_logits(void *ctx, const float *x, const float *stats, size_t n,
		      const float *images, float *logits)
{
	struct ob *c = ctx;
	const int last = c->g->n - 1;
	const bool own = !ob_op_of(c, last)->makes_loss;
	float *y;

	c->stats_in = stats;
	if (!own)
		c->y[last] = logits;
	ob_caffe_begin(c);
	y = openblas_forward(c, PASS_EVAL, x, n, images);
	ob_caffe_end(c);
	if (own)
		memcpy(logits, y, n * c->rows * (size_t)c->g->classes * sizeof(*logits));
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
