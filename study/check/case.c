/* case.c - a net and a batch to check it on. */
#include "study/check/check.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/math/rng.h"
#include "nets/nets.h"

#include <math.h>
#include <stdlib.h>

enum { SIDE_LEAST = 28, TOKENS_LEAST = 16 };

/* Forward multiply-accumulates of the batch above which the input is made smaller. */
static const double macs_most = 1.6e9;

/* Half an image's side, or half a window of tokens; h = 0 where that would be too little. */
static struct shape check_case_half(const struct graph *g)
{
	const int least = g->tokens ? TOKENS_LEAST : SIDE_LEAST;
	struct shape half = { g->input.h / 2, g->tokens ? 1 : g->input.w / 2, g->input.c };

	if (half.h < least || (!g->tokens && half.w < least))
		half.h = 0;
	return half;
}

/*
 * The net at half its input's side, and half again, while it costs too much and still
 * loads; the error of one that does not is ignored.
 */
static void check_case_ignore(enum severity sev, const char *fmt, va_list ap)
{
	(void)sev;
	(void)fmt;
	(void)ap;
}

static struct graph *check_case_shrink(struct graph *g, const char *net, size_t n)
{
	error_routine old = error_set_routine(check_case_ignore);
	struct shape half;

	while ((double)graph_macs(g) * (double)n > macs_most && (half = check_case_half(g)).h > 0) {
		struct graph *smaller = graph_load(net, half, g->classes);

		if (!smaller)
			break;
		graph_free(g);
		g = smaller;
	}
	error_set_routine(old);
	return g;
}

static struct graph *check_case_load(const struct check *c, const char *net, int64_t side, size_t n)
{
	const struct dataset *ds = c->data;
	struct graph *g, *sized;

	if (ds)
		return graph_load(net, (struct shape){ ds->height, ds->width, ds->channels },
				  ds->classes);
	g = graph_load(net, (struct shape){ 0 }, 0);
	if (!g || (!side && c->full))
		return g;
	if (!side)
		return check_case_shrink(g, net, n);
	sized = graph_load(net, g->tokens ? (struct shape){ (int)side, 1, 1 }
					  : (struct shape){ (int)side, (int)side, g->input.c },
			   g->classes);
	graph_free(g);
	return sized;
}

/*
 * Initial parameters, but none just 0 or 1: vectors (biases, gamma, beta) get a normal
 * number of deviation 0.1 on top, so that no term of a gradient vanishes by itself.
 */
static void draw_parameters(struct check *c)
{
	const struct graph *g = c->graph;
	struct rng r;

	graph_init(g, c->seed, c->x);
	for (size_t b = 0; b < g->nblobs; b++) {
		if (g->blobs[b].rank != 1)
			continue;
		rng_at(&r, c->seed, RNG_NOISE, 0, b);
		for (size_t k = 0; k < g->blobs[b].count; k++)
			c->x[g->blobs[b].offset + k] += 0.1F * (float)rng_normal(&r);
	}
}

/* The first samples of the training set, as they are. */
static int fetch_batch(struct check *c)
{
	int64_t *sample = xcalloc(c->n, sizeof(*sample));
	const struct batch b = { .n = c->n, .sample = sample, .seed = c->seed };
	int ret;

	for (size_t i = 0; i < c->n; i++)
		sample[i] = (int64_t)i % c->data->n[SPLIT_TRAIN];
	ret = dataset_fetch(c->data, SPLIT_TRAIN, &b, c->images, c->labels);
	free(sample);
	return ret;
}

/* The rows of random memory: of a net that was made smaller, no more than its window. */
static size_t memory_rows(const struct check *c, int64_t side)
{
	const size_t all = c->graph->carry.rows, window = (size_t)c->graph->input.h;

	return side || c->full || c->data || c->exported || all < window ? all : window;
}

static void draw_memory(struct check *c, size_t rows)
{
	const size_t n = c->n * c->graph->carry.floats;
	float *v = vec_new(n + 1);
	struct rng r;

	rng_at(&r, c->seed, RNG_DATA, 1, 0);
	for (size_t k = 0; k < n; k++)
		v[k] = (float)rng_normal(&r);
	c->carried = (struct carried){ .in = v, .rows = rows };
	c->memory = (struct reference_memory){ check_widen(v, n), c->carried.rows, NULL };
}

void *check_context(const struct check *c, const struct backend *b, const struct backend_conf *conf)
{
	void *ctx = b->open(c->graph, conf, c->n, NULL);

	if (ctx && c->graph->carry.floats)
		b->carry(ctx, &c->carried);
	return ctx;
}

double *check_widen(const float *v, size_t n)
{
	double *d = xcalloc(n, sizeof(*d));

	for (size_t i = 0; i < n; i++)
		d[i] = (double)v[i];
	return d;
}

int check_open(struct check *c, const char *net, int64_t side, size_t n)
{
	struct graph *g = check_case_load(c, net, side, n);
	size_t values;

	if (!g)
		return -1;
	c->graph = g;
	if (c->data && graph_check_data(g, c->data->tokens, c->data->type->plugin.name))
		return -1;
	c->n = n;
	values = n * (size_t)g->input.h * (size_t)g->input.w * (size_t)g->input.c;
	c->x = vec_new(g->dim);
	c->images = vec_new(values);
	c->labels = xcalloc(n * (size_t)g->targets, sizeof(*c->labels));
	c->use = xcalloc(n, sizeof(*c->use));
	for (size_t i = 0; i < n; i++)
		c->use[i] = i;
	draw_parameters(c);
	draw_memory(c, memory_rows(c, side));
	if (c->data && fetch_batch(c) < 0)
		return -1;
	if (!c->data)
		graph_draw_batch(g, c->seed, n, c->images, c->labels);
	c->xd = check_widen(c->x, g->dim);
	c->imagesd = check_widen(c->images, values);
	return 0;
}

static void comparison_release(struct comparison *k)
{
	free(k->blobs);
	free(k->rounding);
}

void check_close(struct check *c)
{
	graph_free(c->graph);
	dataset_close(c->data);
	free(c->x);
	free(c->images);
	free(c->xd);
	free(c->imagesd);
	free(c->labels);
	free(c->use);
	free((float *)(uintptr_t)c->carried.in);
	free((double *)(uintptr_t)c->memory.in);
	free(c->grad);
	free(c->stats);
	free(c->reference.grad);
	free(c->reference.stats);
	free(c->reference.logits);
	for (int i = 0; i < c->ncomparisons; i++)
		comparison_release(&c->comparisons[i]);
}

struct comparison *check_add(struct check *c, const char *who, const char *against,
			     double tolerance)
{
	struct comparison *k = &c->comparisons[c->ncomparisons++];

	if (c->ncomparisons > COMPARISONS)
		BUG("more than %d comparisons", COMPARISONS);
	*k = (struct comparison){ .tolerance = tolerance, .tolerance_grad = tolerance,
				  .whole = (double)NAN, .loss = (double)NAN,
				  .stats = (double)NAN, .logits = (double)NAN };
	snprintf(k->who, sizeof(k->who), "%s", who);
	snprintf(k->against, sizeof(k->against), "%s", against);
	k->blobs = xcalloc(c->graph->nblobs, sizeof(*k->blobs));
	k->rounding = xcalloc(c->graph->nblobs, sizeof(*k->rounding));
	for (size_t b = 0; b < c->graph->nblobs; b++)
		k->blobs[b] = (double)NAN;
	return k;
}
