/* export.c - a gradient for another framework to check. */
#include "study/check/check.h"

#include "core/base/mem.h"
#include "core/math/vec.h"
#include "record/export.h"

#include <stdlib.h>

struct made {
	float *x, *grad, *next, *stats, *logits;
	double loss, *losses;
};

/* Without dropout the logits of training are those of evaluation with the batch's statistics. */
static void check_export_make(const struct check *c, const struct check_export *e, void *ctx,
			      struct made *m)
{
	const struct backend *b = e->backend;

	m->loss = b->grad(ctx, c->x, c->n, c->images, c->labels, c->seed, NULL, m->grad, NULL);
	if (c->graph->stats_dim)
		b->stats(ctx, c->x, c->n, c->images, m->stats);
	b->logits(ctx, c->x, m->stats, c->n, c->images, m->logits);
	vec_copy(c->graph->dim, c->x, m->x);
	for (size_t k = 0; k < e->steps; k++) {
		m->losses[k] = b->grad(ctx, m->x, c->n, c->images, c->labels, c->seed, NULL,
				       m->next, NULL);
		vec_axpy(c->graph->dim, (float)-e->lr, m->next, m->x);
	}
}

static int check_export_write(const struct check *c, const struct check_export *e,
			      const struct made *m)
{
	static const char *const precisions[] = { "f32", "bf16" };
	const enum precision computed = e->backend->precision(e->precision);
	const struct graph *g = c->graph;
	const struct export out = {
		.net = g->name, .backend = e->backend->name, .precision = precisions[computed],
		.seed = c->seed, .lr = e->lr, .blobs = g->blobs, .nblobs = g->nblobs,
		.params = c->x, .grads = m->grad, .n = c->n, .height = g->input.h,
		.width = g->input.w, .channels = g->input.c, .classes = g->classes,
		.targets = g->targets, .tokens = g->tokens,
		.memory = c->carried.in, .memory_floats = g->carry.floats,
		.images = c->images, .labels = c->labels, .logits = m->logits, .loss = m->loss,
		.losses = e->steps ? m->losses : NULL, .steps = e->steps,
	};

	return export_write(&out, e->path);
}

/* A layer has the distances and keys of training, so that logits of evaluation are training's. */
static struct layer *layers_as_trained(const struct graph *g)
{
	struct layer *layers = xcalloc((size_t)g->n, sizeof(*layers));

	for (int i = 0; i < g->n; i++) {
		layers[i] = g->layers[i];
		layers[i].test_clamp = 0;
		layers[i].test_same_length = false;
	}
	return layers;
}

static int check_export_with(const struct check *c, const struct check_export *e)
{
	const struct backend_conf conf = { .precision = e->precision };
	const struct graph *g = c->graph;
	void *ctx = check_context(c, e->backend, &conf);
	struct made m;
	int ret;

	if (!ctx)
		return -1;
	m = (struct made){ .x = vec_new(g->dim), .grad = vec_new(g->dim), .next = vec_new(g->dim),
			   .stats = vec_new(g->stats_dim),
			   .logits = vec_new(check_logits(c)),
			   .losses = xcalloc(e->steps, sizeof(double)) };
	check_export_make(c, e, ctx, &m);
	ret = backend_failed(e->backend, ctx) ? -1 : check_export_write(c, e, &m);
	e->backend->close(ctx);
	free(m.x);
	free(m.grad);
	free(m.next);
	free(m.stats);
	free(m.logits);
	free(m.losses);
	return ret;
}

int check_export(const struct check *c, const struct check_export *e)
{
	struct check_export with = *e;
	struct graph trained = *c->graph;
	struct check as_trained = *c;
	int ret;

	if (!with.backend)
		with.backend = backend_table[0];
	trained.layers = layers_as_trained(c->graph);
	as_trained.graph = &trained;
	ret = check_export_with(&as_trained, &with);
	free(trained.layers);
	return ret;
}
