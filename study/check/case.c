/* case.c - a net and a batch to check it on; the memory and the threads for it; its export. */
#include "study/check/check.h"

#include "core/base/clock.h"
#include "core/base/cores.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/base/thread.h"
#include "core/math/rng.h"
#include "core/math/vec.h"
#include "nets/nets.h"
#include "record/gradient_file.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { SIDE_LEAST = 28, TOKENS_LEAST = 16 };

/* Forward multiply-accumulates of the batch above which the input is made smaller. */
static const double macs_of_batch = 1.6e9;

/* ---- the net ---- */

static void error_ignore(enum severity sev, const char *fmt, va_list ap)
{
	(void)sev;
	(void)fmt;
	(void)ap;
}

/*
 * The net for the check: of the data's size; of the side that was asked for; or, while it costs too
 * much and still loads, at half its own input's side, or window of tokens, and half again. The
 * error of a half that does not load is ignored.
 */
static struct graph *case_graph(const struct check *c, const char *net, int64_t side, size_t n)
{
	const struct dataset *ds = c->data;
	struct graph *g, *other;
	error_routine old;
	int least;

	if (ds)
		return graph_load_for(net, ds);
	g = graph_load(net, (struct shape){ 0 }, 0);
	if (!g || (!side && c->full))
		return g;
	if (side) {
		other = graph_load(net, g->tokens
					? (struct shape){ (int)side, 1, 1 }
					: (struct shape){ (int)side, (int)side, g->input.c },
				   g->classes);
		graph_free(g);
		return other;
	}
	least = g->tokens ? TOKENS_LEAST : SIDE_LEAST;
	old = error_set_routine(error_ignore);
	while ((double)graph_macs(g) * (double)n > macs_of_batch) {
		const struct shape half = { g->input.h / 2, g->tokens ? 1 : g->input.w / 2,
					    g->input.c };

		other = half.h >= least && (g->tokens || half.w >= least)
				? graph_load(net, half, g->classes) : NULL;
		if (!other)
			break;
		graph_free(g);
		g = other;
	}
	error_set_routine(old);
	return g;
}

/* ---- the batch ---- */

/* Random memory: of a net that was made smaller, no more rows than its window. */
static void draw_memory(struct check *c, int64_t side)
{
	const size_t n = c->n * c->graph->carry.floats;
	const size_t all = c->graph->carry.rows, window = (size_t)c->graph->input.h;
	const bool whole = side || c->full || c->data || c->exported || all < window;
	float *v = vec_new(n + 1);
	struct rng r;

	rng_at(&r, c->seed, RNG_DATA, 1, 0);
	for (size_t k = 0; k < n; k++)
		v[k] = (float)rng_normal(&r);
	c->carried = (struct carried){ .in = v, .rows = whole ? all : window };
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
	struct graph *g = case_graph(c, net, side, n);
	struct rng r;
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
	c->labels = xcalloc(n * graph_labels(g), sizeof(*c->labels));
	c->use = xcalloc(n, sizeof(*c->use));
	for (size_t i = 0; i < n; i++)
		c->use[i] = i;
	/*
	 * Initial parameters, but none just 0 or 1: vectors (biases, gamma, beta) get a normal
	 * number of deviation 0.1 on top, so that no term of a gradient vanishes by itself.
	 */
	graph_init(g, c->seed, c->x);
	for (size_t b = 0; b < g->nblobs; b++) {
		if (g->blobs[b].rank != 1)
			continue;
		rng_at(&r, c->seed, RNG_NOISE, 0, b);
		for (size_t k = 0; k < g->blobs[b].count; k++)
			c->x[g->blobs[b].offset + k] += 0.1F * (float)rng_normal(&r);
	}
	draw_memory(c, side);
	if (c->data) {
		/* the first samples of the training set, as they are */
		int64_t *sample = xcalloc(n, sizeof(*sample));
		const struct batch b = { .n = n, .sample = sample, .seed = c->seed };
		int ret;

		for (size_t i = 0; i < n; i++)
			sample[i] = (int64_t)i % c->data->n[SPLIT_TRAIN];
		ret = dataset_fetch(c->data, SPLIT_TRAIN, &b, c->images, c->labels);
		free(sample);
		if (ret < 0)
			return -1;
	} else {
		graph_draw_batch(g, c->seed, n, c->images, c->labels);
	}
	c->xd = check_widen(c->x, g->dim);
	c->imagesd = check_widen(c->images, values);
	return 0;
}

void check_close(struct check *c)
{
	graph_free(c->graph);
	dataset_close(c->data);
	free_all(c->x, c->images, c->xd, c->imagesd, c->labels, c->use);
	free((float *)(uintptr_t)c->carried.in);
	free((double *)(uintptr_t)c->memory.in);
	free_all(c->grad, c->stats, c->reference.grad, c->reference.stats, c->reference.logits);
	for (int i = 0; i < c->ncomparisons; i++)
		free_all(c->comparisons[i].blobs, c->comparisons[i].rounding);
}

/* ---- memory ---- */

/*
 * Bytes for each parameter: it and the reference's gradient, both in double and in float, and the
 * gradients of two backends. A thread has a point and its gradient, in double.
 */
static const double bytes_all = 8 + 4 + 8 + 4 + 2 * 4, bytes_thread = 8 + 8;

int check_fits(struct check *c)
{
	const double there = memory_there_is(), all = bytes_all * (double)c->graph->dim;
	double outputs = 0, one;

	/* of all layers, and their gradients, in double */
	for (int i = 0; i < c->graph->n; i++) {
		const struct shape s = c->graph->layers[i].os;

		outputs += (double)s.h * s.w * s.c * (double)c->n;
	}
	one = bytes_thread * (double)c->graph->dim + 2 * sizeof(double) * outputs;
	if (all + one > there)
		return error("the check takes about %.1f GB of memory, and there are %.1f GB. "
			     "Make it smaller with --batch or --input%s.",
			     1e-9 * (all + one), 1e-9 * there,
			     c->full ? ", or leave out --full" : "");
	while (c->threads > 1 && all + c->threads * one > there)
		c->threads--;
	return 0;
}

/* ---- threads ---- */

struct check_job {
	void *(*work)(void *arg);
	void *arg;
	atomic_int left;                /* threads that have not ended */
};

static void *case_job_run(void *arg)
{
	struct check_job *job = arg;

	job->work(job->arg);
	atomic_fetch_sub(&job->left, 1);
	return NULL;
}

void check_work(struct check *c, int threads, void *(*work)(void *arg), void *arg)
{
	/* passes forward that all is worth: gradient, statistics and logits, differences */
	const double passes = 3 + 1 + (c->graph->stats_dim ? 1 : 0) + check_difference_passes(c) +
			      c->more_passes;
	const double macs = (double)graph_macs(c->graph) * (double)c->n * passes;
	struct check_job job = { .work = work, .arg = arg };
	scoped pthread_t *ids = xcalloc((size_t)threads, sizeof(*ids));

	atomic_init(&job.left, threads);
	for (int i = 0; i < threads; i++)
		if (thread_start(&ids[i], case_job_run, &job))
			die("cannot start a thread");
	while (atomic_load(&job.left) > 0) {
		progress_show(&c->progress, 0, fmin((double)reference_macs() / macs, 0.99), 0);
		clock_sleep(0.02);
	}
	for (int i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
}

/* ---- a gradient for another framework to check ---- */

int check_export(const struct check *c, const struct check_export *e)
{
	static const char *const precisions[] = { "f32", "bf16" };
	const struct backend *b = e->backend ? e->backend : backend_table[0];
	const struct backend_conf conf = { .precision = e->precision };
	const size_t dim = c->graph->dim;
	struct graph g = *c->graph;
	struct check trained = *c;
	float *x, *grad, *next, *stats, *logits;
	double loss, *losses;
	void *ctx;
	int ret = -1;

	/* layers have the distances and keys of training, so that logits of evaluation are its */
	g.layers = xcalloc((size_t)g.n, sizeof(*g.layers));
	for (int i = 0; i < g.n; i++) {
		g.layers[i] = c->graph->layers[i];
		g.layers[i].test_clamp = 0;
		g.layers[i].test_same_length = false;
	}
	trained.graph = &g;
	ctx = check_context(&trained, b, &conf);
	if (!ctx) {
		free(g.layers);
		return -1;
	}
	x = vec_new(dim);
	grad = vec_new(dim);
	next = vec_new(dim);
	stats = vec_new(g.stats_dim);
	logits = vec_new(check_logits(c));
	losses = xcalloc(e->steps, sizeof(*losses));
	/* without dropout logits of training are those of evaluation with the batch's statistics */
	loss = b->grad(ctx, c->x, c->n, c->images, c->labels, c->seed, NULL, grad, NULL);
	if (g.stats_dim)
		b->stats(ctx, c->x, c->n, c->images, stats);
	b->logits(ctx, c->x, stats, c->n, c->images, logits);
	vec_copy(dim, c->x, x);
	for (size_t k = 0; k < e->steps; k++) {
		losses[k] = b->grad(ctx, x, c->n, c->images, c->labels, c->seed, NULL, next, NULL);
		vec_axpy(dim, (float)-e->lr, next, x);
	}
	if (!backend_failed(b, ctx)) {
		const struct export out = {
			.net = g.name, .backend = b->name,
			.precision = precisions[b->precision(e->precision)],
			.seed = c->seed, .lr = e->lr, .blobs = g.blobs, .nblobs = g.nblobs,
			.params = c->x, .grads = grad, .n = c->n, .height = g.input.h,
			.width = g.input.w, .channels = g.input.c, .classes = g.classes,
			.targets = g.targets, .tokens = g.tokens, .loss_is = g.loss,
			.memory = c->carried.in, .memory_floats = g.carry.floats,
			.images = c->images, .labels = c->labels, .logits = logits, .loss = loss,
			.losses = e->steps ? losses : NULL, .steps = e->steps,
		};

		ret = export_write(&out, e->path);
	}
	b->close(ctx);
	free_all(x, grad, next, stats, logits, losses, g.layers);
	return ret;
}
