/*
 * openblas.c - the backend of matrix products: lowering, and one BLAS thread.
 */
#include "nets/openblas.h"
#include "nets/layers.h"
#include "nets/peak.h"

#include <cblas.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

const struct ob_op *const ob_ops[] = {
	[LAYER_INPUT] = NULL,
	[LAYER_CONV] = &ob_conv,
	[LAYER_DENSE] = &ob_dense,
	[LAYER_BN] = &ob_bn,
	[LAYER_RELU] = &ob_relu,
	[LAYER_MAXPOOL] = &ob_maxpool,
	[LAYER_AVGPOOL] = &ob_avgpool,
	[LAYER_GLOBALPOOL] = &ob_globalpool,
	[LAYER_DROPOUT] = &ob_dropout,
	[LAYER_ADD] = &ob_add,
	[LAYER_SHORTCUT] = &ob_shortcut,
	[LAYER_LRN] = &ob_lrn,
	[LAYER_CONCAT] = &ob_concat,
};

/* Parallelism is across batches, so each product stays on the thread that asks for it. */
static void use_one_thread(void)
{
	openblas_set_num_threads(1);
}

static void *ob_open(const struct graph *g, const struct backend_conf *conf, size_t max_batch,
		     struct team *team)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct ob *c = xcalloc(1, sizeof(*c));

	(void)conf, (void)team;
	pthread_once(&once, use_one_thread);
	c->g = g;
	ob_plan(c, max_batch);
	return c;
}

static void ob_close(void *ctx)
{
	struct ob *c = ctx;

	if (!c)
		return;
	arena_release(&c->arena);
	free(c);
}

/* Runs all layers over a batch; returns the logits[n][classes]. */
static float *forward(struct ob *c, enum pass pass, const float *x, size_t n, const float *images)
{
	const int last = c->g->n - 1;

	c->pass = pass;
	c->x = x;
	c->n = n;
	c->y[0] = (float *)(uintptr_t)images;   /* read only: no layer lies over the input */
	for (int i = 1; i <= last; i++)
		ob_ops[c->g->layers[i].kind]->forward(c, i);
	return c->y[last];
}

static double ob_grad(void *ctx, const float *x, size_t n, const float *images,
		      const int32_t *labels, uint64_t seed, const uint64_t *use, float *g)
{
	struct ob *c = ctx;
	const int last = c->g->n - 1;
	float *logits;
	double loss;

	c->seed = seed;
	c->use = use;
	c->grad = g;
	logits = forward(c, PASS_TRAIN, x, n, images);
	loss = softmax_loss(n, c->g->classes, logits, labels, c->dy[last]);
	memset(c->filled, 0, (size_t)c->g->n * sizeof(*c->filled));
	for (int i = last; i > 0; i--)
		ob_ops[c->g->layers[i].kind]->backward(c, i);
	return loss;
}

static void ob_stats(void *ctx, const float *x, size_t n, const float *images, float *stats)
{
	struct ob *c = ctx;

	c->stats_out = stats;
	forward(c, PASS_STATS, x, n, images);
}

static void ob_logits(void *ctx, const float *x, const float *stats, size_t n,
		      const float *images, float *logits)
{
	struct ob *c = ctx;
	float *y;

	c->stats_in = stats;
	y = forward(c, PASS_EVAL, x, n, images);
	memcpy(logits, y, n * (size_t)c->g->classes * sizeof(*logits));
}

const struct backend backend_openblas = {
	.name = "openblas",
	.brief = "layers lowered to matrix products, through OpenBLAS",
	.open = ob_open,
	.grad = ob_grad,
	.stats = ob_stats,
	.logits = ob_logits,
	.close = ob_close,
	.peak = openblas_peak,
};
