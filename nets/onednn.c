#include "nets/onednn.h"
#include "nets/peak.h"

static void run_chunks(struct onednn *c, const struct step *steps, int n, int level)
{
	size_t chunk = onednn_chunk(c, level, c->n);

	for (size_t first = 0; first < c->n; first += chunk) {
		struct span s = { first, c->n - first < chunk ? c->n - first : chunk };

		for (int i = 0; i < n; i++)
			if (c->training || steps[i].run != unit_measure)
				steps[i].run(c, steps[i].op, s);
	}
}

/* The normalisations whose input was made in that level now know their mean and variance. */
static void settle(struct onednn *c, int level)
{
	for (int i = 0; i < c->nops; i++)
		if (op_is_norm(&c->ops[i]) && c->values[c->ops[i].in[0]].level == level)
			unit_settle(c, &c->ops[i]);
}

static void forward(struct onednn *c, const float *images)
{
	/* Nothing writes to the images. */
	c->values[0].act = (float *)(uintptr_t)images;
	for (int i = 0; i < c->nops; i++)
		if (c->ops[i].type->load)
			c->ops[i].type->load(c, &c->ops[i]);
	for (int k = 0, from = 0; k < c->levels; from = c->forward_end[k++]) {
		run_chunks(c, c->forward + from, c->forward_end[k] - from, k);
		settle(c, k);
	}
}

static void backward(struct onednn *c)
{
	for (int k = c->levels - 1, from = 0; k >= 0; from = c->backward_end[k--]) {
		run_chunks(c, c->backward + from, c->backward_end[k] - from, k);
		for (int i = 0; i < c->nops; i++)
			if (c->ops[i].level == k && c->ops[i].type->store)
				c->ops[i].type->store(c, &c->ops[i]);
	}
}

static void begin(struct onednn *c, const float *x, size_t n)
{
	if (n < 1 || n > c->max_batch)
		BUG("a batch of %zu in a context for up to %zu", n, c->max_batch);
	c->x = x;
	c->n = n;
	c->training = true;
	c->stats = NULL;
	c->use = NULL;
}

static double onednn_grad(void *ctx, const float *x, size_t n, const float *images,
			  const int32_t *labels, uint64_t seed, const uint64_t *use, float *g)
{
	struct onednn *c = ctx;
	struct value *r = &c->values[c->result];
	int threads = onednn_threads(1);
	double loss;

	begin(c, x, n);
	c->seed = seed;
	c->use = use;
	c->g = g;
	forward(c, images);
	loss = softmax_loss(n, c->graph->classes, r->act, labels, r->grad);
	backward(c);
	onednn_threads(threads);
	return loss;
}

static void onednn_stats(void *ctx, const float *x, size_t n, const float *images, float *stats)
{
	struct onednn *c = ctx;
	int threads = onednn_threads(1);

	begin(c, x, n);
	forward(c, images);
	for (int i = 0; i < c->nops; i++)
		if (op_is_norm(&c->ops[i]))
			unit_report(&c->ops[i], stats);
	onednn_threads(threads);
}

static void onednn_logits(void *ctx, const float *x, const float *stats, size_t n,
			  const float *images, float *logits)
{
	struct onednn *c = ctx;
	const struct value *r = &c->values[c->result];
	int threads = onednn_threads(1);

	begin(c, x, n);
	c->training = false;
	c->stats = stats;
	forward(c, images);
	memcpy(logits, r->act, n * r->count * sizeof(*logits));
	onednn_threads(threads);
}

static void onednn_close(void *ctx)
{
	struct onednn *c = ctx;

	for (int i = 0; i < c->nops; i++)
		if (c->ops[i].type->close)
			c->ops[i].type->close(&c->ops[i]);
	free(c->block);
	dnnl_stream_destroy(c->stream);
	free(c->scratch);
	free(c->values);
	free(c->ops);
	free(c->chunk);
	free(c->forward);
	free(c->backward);
	free(c->forward_end);
	free(c->backward_end);
	free(c);
}

static void open_ops(struct onednn *c)
{
	onednn_fuse(c);
	onednn_plan(c);
	onednn_memory(c);
	for (int i = 0; i < c->nops; i++)
		if (c->ops[i].type->open)
			c->ops[i].type->open(c, &c->ops[i]);
}

static bool can_run(const struct graph *g, size_t max_batch)
{
	if (g->n < 2 || max_batch < 1) {
		error("net %s: nothing to compute", g->name);
		return false;
	}
	for (int i = 1; i < g->n; i++)
		if (g->layers[i].kind > LAYER_SHORTCUT) {
			error("net %s: onednn does not know the kind of layer %s", g->name,
			      g->layers[i].name);
			return false;
		}
	return true;
}

void *onednn_open_chunked(const struct graph *g, size_t max_batch, size_t chunk_bytes)
{
	struct onednn *c;
	int threads;

	if (!can_run(g, max_batch))
		return NULL;
	threads = onednn_threads(1);
	c = xcalloc(1, sizeof(*c));
	c->graph = g;
	c->simd = simd_best();
	c->max_batch = max_batch;
	c->chunk_bytes = chunk_bytes;
	onednn_must(dnnl_stream_create(&c->stream, onednn_engine(), dnnl_stream_default_flags),
		    "no stream");
	open_ops(c);
	onednn_threads(threads);
	return c;
}

/* An activation, its neighbours and the weights should fit a core's L2 together. */
static void *onednn_open(const struct graph *g, const struct backend_conf *conf, size_t max_batch,
			 struct team *team)
{
	(void)conf, (void)team;
	return onednn_open_chunked(g, max_batch, 256 << 10);
}

const struct backend backend_onednn = {
	.name = "onednn",
	.brief = "oneDNN's convolutions, fused and cache-blocked; one thread",
	.open = onednn_open,
	.grad = onednn_grad,
	.stats = onednn_stats,
	.logits = onednn_logits,
	.close = onednn_close,
	.peak = onednn_peak,
};
