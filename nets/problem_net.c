/* A problem from a net, a data set and a backend. */
#include "core/base/clock.h"
#include "core/base/cores.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/math/vec.h"
#include "core/samples/loader.h"
#include "nets/nets.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { MOST_LOADERS = 16 };     /* threads that read ahead */

struct net {
	struct graph *graph;            /* owned */
	struct graph *test;             /* the net with the window and the memory of evaluation */
	const struct backend *backend;
	struct backend_conf conf;
	const struct dataset *ds;       /* borrowed */
	struct dataset test_ds;         /* the data set with the windows of evaluation */
	struct loader *loader;          /* NULL if reading is fast */
	atomic_llong data_ns;           /* spent on getting batches, by all threads */
	atomic_bool failed;             /* a batch could not be read, or the backend failed */
};

struct scratch {
	void *ctx;                      /* the backend's context; NULL: it could not be opened */
	void *test_ctx;                 /* context of evaluation; ctx if the net is the same */
	size_t most, test_most;         /* samples that the backend computes at once */
	float *images, *logits;         /* [max][h][w][c], [test_most][targets][classes] */
	int32_t *labels;                /* [max][graph_labels()] */
	int64_t *sample;                /* [max] */
	float *term;                    /* [dim] gradient of a part; NULL: one call computes all */
	struct carried carried;         /* memory for the next gradient */
	float *memory[2];               /* of evaluation's only stream; NULL: the net has none */
};

/*
 * Tokens that a backend computes at once: a larger batch is computed in parts, so that memory does
 * not grow with it.
 */
enum { TOKENS_AT_ONCE = 2048 };

size_t problem_net_most(const struct graph *g, size_t batch)
{
	const size_t fit = TOKENS_AT_ONCE / (size_t)g->targets;

	return !g->tokens || batch < fit ? batch : fit < 1 ? 1 : fit;
}

static void net_init(const struct problem *p, uint64_t seed, float *x)
{
	graph_init(((const struct net *)p->priv)->graph, seed, x);
}

static void *net_context(const struct problem *p, const struct graph *g, size_t most,
			 struct team *team)
{
	struct net *net = p->priv;
	void *ctx = net->backend->open(g, &net->conf, most, team);

	if (ctx)
		return ctx;
	error("%s: cannot run batches of %zu on %s", p->name, most, net->backend->name);
	atomic_store(&net->failed, true);
	return NULL;
}

/* Samples of each of the parts of a batch that are computed one after the other. */
static size_t net_part(const struct problem *p, size_t batch)
{
	const size_t parts = p->accumulate > 1 ? (size_t)p->accumulate : 1;

	return (batch + parts - 1) / parts;
}

static void *net_scratch_new(const struct problem *p, size_t max, struct team *team)
{
	struct net *net = p->priv;
	const struct graph *g = net->graph, *test = net->test;
	const size_t h = (size_t)(g->input.h > test->input.h ? g->input.h : test->input.h);
	size_t once = max;
	struct scratch *s = xcalloc(1, sizeof(*s));

	/* Statistics are computed of the samples of an evaluation's job at once. */
	if (p->accumulate > 1)
		once = size_least(max, size_most(net_part(p, max), SCORE_MARKED));
	s->most = problem_net_most(g, once);
	if (net->loader)
		loader_add_reader(net->loader);
	s->ctx = net_context(p, g, s->most, team);
	/* With a memory, samples are evaluated one by one, each after the one before it. */
	s->test_most = test->carry.floats ? 1 : problem_net_most(test, once);
	s->test_ctx = test == g ? s->ctx : net_context(p, test, s->test_most, team);
	s->logits = vec_new(s->test_most * (size_t)test->targets * (size_t)test->classes);
	for (int k = 0; k < 2 && test->carry.floats; k++)
		s->memory[k] = vec_new(test->carry.floats);
	s->images = vec_new(max * h * (size_t)g->input.w * (size_t)g->input.c);
	s->labels = xcalloc(max * (g->tokens ? h : graph_labels(g)), sizeof(*s->labels));
	if (max > s->most || p->accumulate > 1)
		s->term = vec_new(p->dim);
	s->sample = xcalloc(max, sizeof(*s->sample));
	return s;
}

static void net_scratch_free(const struct problem *p, void *scratch)
{
	const struct net *net = p->priv;
	struct scratch *s = scratch;

	if (!s)
		return;
	if (s->test_ctx && s->test_ctx != s->ctx)
		net->backend->close(s->test_ctx);
	if (s->ctx)
		net->backend->close(s->ctx);
	free(s->memory[0]);
	free(s->memory[1]);
	free(s->images);
	free(s->logits);
	free(s->labels);
	free(s->sample);
	free(s->term);
	free(s);
}

static bool net_failed(const struct problem *p)
{
	const struct net *net = p->priv;

	return atomic_load(&net->failed) || loader_failed(net->loader);
}

/* s->images, s->labels <- the batch. False when reading it, or an earlier call, has failed. */
static bool net_fetch(const struct problem *p, struct scratch *s, enum split split,
		      const struct batch *b)
{
	struct net *net = p->priv;
	const bool other = split == SPLIT_TEST && net->ds->tokens;
	double began;
	int ret;

	if (net_failed(p))
		return false;
	began = clock_s();
	if (net->loader)
		ret = loader_fetch(net->loader, split, b, s->images, s->labels);
	else
		ret = dataset_fetch(other ? &net->test_ds : net->ds, split, b, s->images,
				    s->labels);
	atomic_fetch_add(&net->data_ns, (long long)(1e9 * (clock_s() - began)));
	if (ret < 0)
		atomic_store(&net->failed, true);
	return ret == 0;
}

static void net_note_failure(const struct problem *p, const void *ctx)
{
	struct net *net = p->priv;

	if (backend_failed(net->backend, ctx))
		atomic_store(&net->failed, true);
}

static bool net_expect(const struct problem *p, enum split split, const struct batch *b,
		       bool sure)
{
	return loader_expect(((const struct net *)p->priv)->loader, split, b, sure);
}

static double net_data_s(const struct problem *p)
{
	return 1e-9 * (double)atomic_load(&((struct net *)p->priv)->data_ns);
}

static void net_carry(const struct problem *p, void *scratch, const struct carried *carried)
{
	(void)p;
	((struct scratch *)scratch)->carried = *carried;
}

/* Gives the backend the memory of the batch's streams from `at` on. */
static void net_carry_part(const struct net *net, const struct scratch *s, size_t at)
{
	const size_t floats = at * net->graph->carry.floats;
	struct carried c = s->carried;

	if (!net->graph->carry.floats)
		return;
	c.in = c.rows ? c.in + floats : NULL;
	c.out = c.out ? c.out + floats : NULL;
	net->backend->carry(s->ctx, &c);
}

struct net_adder {              /* adds the last part of a batch as it is computed */
	struct grad_hook hook;  /* first member: the hook's address is that of the struct */
	struct grad_hook *next;
	float *g;               /* [dim] total of the parts before */
	const float *term;      /* [dim] of the last one */
	float part;             /* its share of the samples */
};

static void net_add_last(struct grad_hook *h, size_t from, size_t to)
{
	struct net_adder *a = (struct net_adder *)h;

	vec_axpy(to - from, a->part, a->term + from, a->g + from);
	grad_done(a->next, from, to);
}

/* g <- mean over all samples, computed in parts of `most` samples; the last one calls the hook. */
static double net_grad_parts(const struct problem *p, struct scratch *s, const float *x,
			     const struct batch *b, size_t most, float *g, struct grad_hook *hook)
{
	const struct net *net = p->priv;
	const struct shape in = net->graph->input;
	const size_t values = (size_t)in.h * (size_t)in.w * (size_t)in.c, dim = net->graph->dim;
	const size_t labels = net->graph->tokens ? values : graph_labels(net->graph);
	double loss = 0.0;

	for (size_t at = 0, n; at < b->n; at += n) {
		double part;

		struct net_adder last = { { net_add_last }, hook, g, s->term, 0.0f };
		bool adds;

		n = b->n - at < most ? b->n - at : most;
		part = (double)n / (double)b->n;
		last.part = (float)part;
		adds = hook && p->accumulate > 1 && at + n == b->n;
		net_carry_part(net, s, at);
		loss += part * net->backend->grad(s->ctx, x, n, s->images + at * values,
						  s->labels + at * labels, b->seed,
						  b->use ? b->use + at : NULL, at ? s->term : g,
						  adds ? &last.hook : NULL);
		if (adds)
			break;
		if (at)
			vec_axpy(dim, (float)part, s->term, g);
		else
			vec_scale(dim, (float)part, g);
	}
	net_note_failure(p, s->ctx);
	if (p->accumulate <= 1)
		grad_done(hook, 0, dim);
	return loss;
}

static double net_grad(const struct problem *p, void *scratch, const float *x,
		       const struct batch *b, float *g, struct grad_hook *hook)
{
	const struct net *net = p->priv;
	struct scratch *s = scratch;
	const size_t most = size_least(net_part(p, b->n), s->most);
	double loss;

	if (!net_fetch(p, s, SPLIT_TRAIN, b))
		return (double)NAN;
	if (b->n > most)
		return net_grad_parts(p, s, x, b, most, g, hook);
	net_carry_part(net, s, 0);
	loss = net->backend->grad(s->ctx, x, b->n, s->images, s->labels, b->seed, b->use, g,
				  hook);
	net_note_failure(p, s->ctx);
	return loss;
}

static double net_stage(const struct problem *p, void *scratch, const struct stage_data *stage,
			const float *x, const struct batch *b, float *g)
{
	const struct net *net = p->priv;
	struct scratch *s = scratch;
	double loss;

	if (!net_fetch(p, s, SPLIT_TRAIN, b))
		return (double)NAN;
	loss = net->backend->stage(s->ctx, stage, x, b->n, s->images, s->labels, b->seed, b->use,
				   g);
	net_note_failure(p, s->ctx);
	return loss;
}

static void net_stats(const struct problem *p, void *scratch, const float *x,
		      const struct batch *b, float *stats)
{
	const struct net *net = p->priv;
	struct scratch *s = scratch;

	if (!net_fetch(p, s, SPLIT_TRAIN, b))
		return;
	net->backend->stats(s->ctx, x, b->n, s->images, stats);
	net_note_failure(p, s->ctx);
}

static struct score net_score(const struct problem *p, void *scratch, const float *x,
			      const float *stats, enum split split, int64_t first, size_t n)
{
	const struct net *net = p->priv;
	const struct carry *memory = &net->test->carry;
	const size_t values = shape_count(net->test->input);
	const size_t rows = (size_t)net->test->targets, labels = graph_labels(net->test);
	struct scratch *s = scratch;
	struct batch b = { .n = n, .sample = s->sample };
	struct score score = { 0 };

	for (size_t i = 0; i < n; i++)
		s->sample[i] = first + (int64_t)i;
	if (!net_fetch(p, s, split, &b))
		return score;
	for (size_t at = 0, part; at < n; at += part) {
		part = size_least(n - at, s->test_most);
		if (memory->floats)     /* each sample reads its predecessor's memory */
			net->backend->carry(s->test_ctx, &(struct carried){
				.in = s->memory[at % 2], .out = s->memory[1 - at % 2],
				.rows = size_least(at * memory->step, memory->rows) });
		net->backend->logits(s->test_ctx, x, stats, part, s->images + at * values,
				     s->logits);
		loss_score(net->graph, part * rows, s->logits, s->labels + at * labels, &score);
	}
	net_note_failure(p, s->test_ctx);
	return score;
}

static void net_close(struct problem *p)
{
	scoped struct net *net = p->priv;

	loader_free(net->loader);
	if (net->test != net->graph)
		graph_free(net->test);
	graph_free(net->graph);
	free(p);
}

static void net_merge(const struct problem *p, int n, const float *const *each, float *stats)
{
	graph_merge_stats(((const struct net *)p->priv)->graph, n, each, stats);
}

static const struct problem_ops net_ops = {
	.init = net_init, .scratch_new = net_scratch_new, .scratch_free = net_scratch_free,
	.grad = net_grad, .carry = net_carry, .stage = net_stage, .stats = net_stats,
	.merge = net_merge, .score = net_score, .expect = net_expect,
	.data_s = net_data_s, .failed = net_failed, .close = net_close,
};

struct problem *problem_net(const char *name, const struct backend *backend,
			    const struct backend_conf *conf, const struct dataset *ds)
{
	const int cores = cores_allowed();
	struct graph *g = graph_load_for(name, ds), *test = NULL;
	struct problem *p;
	struct net *net;
	void *ctx = NULL;

	if (g && !graph_check_data(g, ds->tokens, ds->type->plugin.name))
		ctx = backend->open(g, conf, 1, NULL);  /* to find out if it can run */
	if (ctx)
		backend->close(ctx);
	if (!ctx || !(test = graph_for_test(name, g, ds)) || graph_check_memory(g, test, ds)) {
		if (test != g)
			graph_free(test);
		graph_free(g);
		return NULL;
	}
	p = xcalloc(1, sizeof(*p));
	net = xcalloc(1, sizeof(*net));
	*net = (struct net){ .graph = g, .test = test, .backend = backend, .ds = ds,
			     .test_ds = *ds };
	if (conf)
		net->conf = *conf;
	/*
	 * Threads that read ahead, in proportion to the cores; they sleep when batches are ready.
	 */
	if (ds->ahead && ds->type->view)
		net->loader = loader_new(ds, cores > MOST_LOADERS ? MOST_LOADERS : cores);
	net->test_ds.height = test->input.h;
	*p = (struct problem){
		.ops = &net_ops, .dim = g->dim, .stats_dim = g->stats_dim,
		.n = { ds->n[SPLIT_TRAIN], ds->n[SPLIT_TEST] },
		.tokens = g->tokens, .data = g->tokens ? 0 : ds->digest,
		.streams = ds->streams, .carry = g->carry,
		.ahead = net->loader ? ds->ahead : 0,
		.nblobs = g->nblobs, .blobs = g->blobs, .priv = net,
	};
	graph_cut(g, &p->cut);
	snprintf(p->name, sizeof(p->name), "%s", g->name);
	return p;
}
