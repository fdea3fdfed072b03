/*
 * What is the onednn backend's own: levels, chunks and shared buffers give what the
 * reference computes, whatever the net; contexts on several threads do not meet;
 * no thread is started without the test's knowledge.
 *
 * Tolerance: 1e-4 of the norm of the whole gradient, for each blob (as in
 * test_backends.c, wider: nets are deeper for their few samples), 5e-3 where a net
 * has some 10^5 ReLUs, of which a few may see their input on either side of 0.
 */
#include "core/math/rng.h"
#include "nets/onednn/onednn.h"
#include "nets/reference/reference.h"
#include "tests/support/check.h"
#include "tests/support/gradient_check.h"

#include <dirent.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>

/* The gradient at the first n samples of t is the reference's. */
static void check_grad(struct trial *t, void *ctx, size_t n, double tolerance)
{
	const struct graph *g = t->g;
	float *got = vec_new(g->dim);
	double *want = xcalloc(g->dim, sizeof(*want)), scale, loss, expected;

	for (size_t k = 0; k < g->dim; k++)
		got[k] = NAN;
	loss = backend_onednn.grad(ctx, t->x, n, t->images, t->labels, 3, t->use, got, NULL);
	expected = reference_grad(g, t->xd, n, t->imagesd, t->labels, 3, t->use, NULL, want);
	scale = distance(g->dim, NULL, want);
	assert_near(loss, expected, tolerance * fabs(expected));
	for (size_t b = 0; b < g->nblobs; b++) {
		const struct blob *blob = &g->blobs[b];
		double off = distance(blob->count, got + blob->offset, want + blob->offset);

		if (!(off <= tolerance * scale))
			fail_msg("%s, %zu samples, %s: off by %.3g of %.3g", g->name, n,
				 blob->name, off, scale);
	}
	free(got);
	free(want);
}

static void check_stats(struct trial *t, void *ctx, size_t n)
{
	float *got = vec_new(t->g->stats_dim), *logits = vec_new(n * (size_t)t->g->classes);
	double *want = xcalloc(t->g->stats_dim, sizeof(*want));
	double *expected = xcalloc(n * (size_t)t->g->classes, sizeof(*expected));

	backend_onednn.stats(ctx, t->x, n, t->images, got);
	reference_stats(t->g, t->xd, n, t->imagesd, want);
	assert_near(distance(t->g->stats_dim, got, want), 0,
		    1e-4 * (1 + distance(t->g->stats_dim, NULL, want)));
	backend_onednn.logits(ctx, t->x, got, n, t->images, logits);
	reference_logits(t->g, t->xd, want, n, t->imagesd, NULL, expected);
	assert_near(distance(n * (size_t)t->g->classes, logits, expected), 0,
		    1e-3 * (1 + distance(n * (size_t)t->g->classes, NULL, expected)));
	free(got);
	free(want);
	free(logits);
	free(expected);
}

/*
 * Stages of a residual net, about as large as for CIFAR: several chunks a level. No processor uses
 * Winograd's convolutions for 24 channels.
 */
static const struct netcase stage = { "stage", { 32, 32, 3 }, 5, 11,
	"{\"defaults\": {\"conv\": {\"kernel\": 3, \"pad\": 1, \"bias\": false}}, \"blocks\": {"
	"\"basic\": {\"params\": {\"out\": null, \"stride\": 1}, \"layers\": ["
	"{\"layer\": \"conv\", \"out\": \"$out\", \"stride\": \"$stride\"}, \"bn\", \"relu\","
	"{\"layer\": \"conv\", \"out\": \"$out\"}, \"bn\","
	"{\"layer\": \"shortcut\", \"in\": \"input\", \"out\": \"$out\", \"stride\": \"$stride\"},"
	"{\"layer\": \"add\", \"in\": [\"shortcut1\", \"bn2\"]}, \"relu\"]}}, \"layers\": ["
	"{\"layer\": \"conv\", \"out\": 24}, \"bn\", \"relu\","
	"{\"layer\": \"basic\", \"out\": 24, \"repeat\": 2},"
	"{\"layer\": \"basic\", \"out\": 32, \"stride\": 2},"
	"\"globalpool\", {\"layer\": \"dense\", \"out\": \"$classes\"}]}" };

static void chunks(void **state)
{
	static const size_t sizes[] = { 11, 4, 5, 1, 9 };
	struct trial t;
	void *ctx;

	trial_open(&t, &stage);
	ctx = backend_onednn.open(t.g, NULL, 11, NULL);
	assert_non_null(ctx);
	assert_within(onednn_chunk(ctx, 1, 11), 2, 10);
	for (int i = 0; i < 5; i++)
		check_grad(&t, ctx, sizes[i], 5e-3);
	check_stats(&t, ctx, 9);
	backend_onednn.close(ctx);
	trial_close(&t);
}

/* A projection: two normalisations end in one addition, which only one of them takes in. */
static const struct netcase projection = { "projection", { 6, 6, 3 }, 5, 7,
	"{\"defaults\": {\"conv\": {\"kernel\": 3, \"pad\": 1}}, \"layers\": ["
	"{\"layer\": \"conv\", \"out\": 4}, \"bn\", \"relu\","
	"{\"layer\": \"conv\", \"out\": 6}, \"bn\","
	"{\"layer\": \"conv\", \"in\": \"relu1\", \"out\": 6, \"kernel\": 1, \"pad\": 0}, \"bn\","
	"{\"layer\": \"add\", \"in\": [\"bn2\", \"bn3\"]}, \"relu\","
	"\"globalpool\", {\"layer\": \"dense\", \"out\": \"$classes\"}]}" };

/* The sum is normalised, and read again further on. */
static const struct netcase preactivation = { "pre-activation", { 6, 6, 3 }, 5, 7,
	"{\"defaults\": {\"conv\": {\"kernel\": 3, \"pad\": 1}}, \"layers\": ["
	"{\"layer\": \"conv\", \"out\": 4}, \"bn\", \"relu\", {\"layer\": \"conv\", \"out\": 4},"
	"{\"layer\": \"add\", \"in\": [\"conv1\", \"conv2\"]}, \"bn\", \"relu\","
	"{\"layer\": \"conv\", \"out\": 4}, {\"layer\": \"add\", \"in\": [\"conv3\", \"add1\"]},"
	"\"bn\", \"relu\", \"globalpool\", {\"layer\": \"dense\", \"out\": \"$classes\"}]}" };

static void residual_kinds(void **state)
{
	static const struct netcase *const cases[] = { &projection, &preactivation };

	for (int i = 0; i < 2; i++) {
		struct trial t;
		void *ctx;

		trial_open(&t, cases[i]);
		ctx = onednn_open_chunked(t.g, NULL, 7, NULL, 1);
		assert_non_null(ctx);
		check_grad(&t, ctx, 7, 1e-4);
		check_stats(&t, ctx, 7);
		backend_onednn.close(ctx);
		trial_close(&t);
	}
}

/* A sample larger than a chunk, through blocks whose outer convolutions are of single pixels. */
static const struct netcase bottleneck = { "bottleneck", { 12, 5, 3 }, 5, 7,
	"{\"defaults\": {\"conv\": {\"kernel\": 1, \"bias\": false}}, \"layers\": ["
	"{\"layer\": \"conv\", \"out\": 16, \"kernel\": 3, \"pad\": 1}, \"bn\", \"relu\","
	"{\"layer\": \"conv\", \"out\": 4}, \"bn\", \"relu\","
	"{\"layer\": \"conv\", \"out\": 4, \"kernel\": 3, \"pad\": 1}, \"bn\", \"relu\","
	"{\"layer\": \"conv\", \"out\": 16}, \"bn\","
	"{\"layer\": \"add\", \"in\": [\"relu1\", \"bn4\"]}, \"relu\","
	"{\"layer\": \"conv\", \"out\": 8, \"stride\": 2}, \"bn\","
	"{\"layer\": \"conv\", \"in\": \"relu4\", \"out\": 8, \"stride\": 2}, \"bn\","
	"{\"layer\": \"add\", \"in\": [\"bn5\", \"bn6\"]}, \"relu\","
	"\"globalpool\", {\"layer\": \"dense\", \"out\": \"$classes\"}]}" };

/* Levels that compute pixel by pixel go through samples in strips; those of windows do not. */
static void strips(void **state)
{
	static const size_t wanted[] = { 1, 4, 1, 4, 3 };
	struct trial t;
	struct onednn *c;

	trial_open(&t, &bottleneck);
	c = onednn_open_chunked(t.g, NULL, 7, NULL, 1 << 10);
	assert_non_null(c);
	for (int k = 0; k < 5; k++)
		assert_int_equal(c->parts[k], wanted[k]);
	assert_int_equal(onednn_chunk(c, 1, 7), 1);
	check_grad(&t, c, 7, 1e-4);
	check_grad(&t, c, 2, 1e-4);
	check_stats(&t, c, 5);
	backend_onednn.close(c);
	trial_close(&t);
}

/*
 * Single pixels' weights larger than the cache: the data's gradient is a convolution back. With a
 * stride the pixels between are left out, in a convolution with groups too.
 */
static void large_weights(void **state)
{
	static const struct netcase net = { "large-weights", { 5, 3, 3 }, 5, 4,
		"{\"defaults\": {\"conv\": {\"kernel\": 1}}, \"layers\": ["
		"{\"layer\": \"conv\", \"out\": 520}, \"bn\", \"relu\","
		"{\"layer\": \"conv\", \"out\": 530},"
		"{\"layer\": \"conv\", \"in\": \"relu1\", \"out\": 530},"
		"{\"layer\": \"add\", \"in\": [\"conv2\", \"conv3\"]}, \"relu\","
		"{\"layer\": \"conv\", \"out\": 530, \"stride\": 2},"
		"{\"layer\": \"conv\", \"in\": \"relu2\", \"out\": 530, \"stride\": 2,"
		" \"groups\": 2}, {\"layer\": \"add\", \"in\": [\"conv4\", \"conv5\"]},"
		"\"globalpool\", {\"layer\": \"dense\", \"out\": \"$classes\"}]}" };
	struct trial t;
	void *ctx;

	trial_open(&t, &net);
	ctx = backend_onednn.open(t.g, NULL, 4, NULL);
	assert_non_null(ctx);
	check_grad(&t, ctx, 4, 1e-4);
	check_grad(&t, ctx, 3, 1e-4);
	backend_onednn.close(ctx);
	trial_close(&t);
}

/* ---- random nets: any order of layers, any of them read by several ---- */

enum { SIDE = 4, LAYERS = 14, CLASSES = 3 };

struct writer {
	char text[8192];
	size_t used;
	struct rng r;
	int n;                          /* layers so far; 0 is the input */
	int c[LAYERS + 1];              /* channels */
	bool read[LAYERS + 1];
};

static void put(struct writer *w, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	w->used += (size_t)vsnprintf(w->text + w->used, sizeof(w->text) - w->used, fmt, ap);
	va_end(ap);
	assert_true(w->used < sizeof(w->text));
}

static int pick(struct writer *w, int n)
{
	return (int)rng_below(&w->r, (uint64_t)n);
}

/* "l3", or "input", which is read from now on. */
static void put_in(struct writer *w, int l)
{
	w->read[l] = true;
	if (l)
		put(w, "\"l%d\"", l);
	else
		put(w, "\"input\"");
}

/* Some layer with l's channels, rather one that no layer reads; maybe itself. */
static int partner(struct writer *w, int l)
{
	int i, tries = 20;

	do
		i = pick(w, w->n + 1);
	while (w->c[i] != w->c[l] || (w->read[i] && tries-- > 0));
	return i;
}

/*
 * One more layer, as often on top of the last one as of any. Convolutions often keep the
 * channels, so that there is something to add.
 */
static void put_layer(struct writer *w)
{
	static const char *const kinds[] = {
		"conv", "conv", "conv", "conv", "bn", "bn", "relu", "relu", "add", "add", "add",
		"add", "shortcut", "dropout", "maxpool"
	};
	const char *kind = kinds[pick(w, 15)];
	int from = pick(w, 2) ? w->n : pick(w, w->n + 1), c = w->c[from];

	put(w, "{\"layer\": \"%s\", \"name\": \"l%d\", \"in\": ", kind, w->n + 1);
	if (!strcmp(kind, "add"))
		put(w, "[");
	put_in(w, from);
	if (!strcmp(kind, "add")) {
		put(w, ", ");
		put_in(w, partner(w, from));
		put(w, "]");
	} else if (!strcmp(kind, "conv"))
		put(w, ", \"kernel\": 3, \"pad\": 1, \"out\": %d",
		    c = pick(w, 2) ? c : 1 + pick(w, 18));
	else if (!strcmp(kind, "maxpool"))
		put(w, ", \"kernel\": 3, \"stride\": 1, \"pad\": 1");
	else if (!strcmp(kind, "shortcut"))
		put(w, ", \"out\": %d", c += pick(w, 2));
	else if (!strcmp(kind, "bn"))   /* a channel of zeros is not to be blown up */
		put(w, ", \"eps\": 0.1");
	put(w, "},\n");
	w->c[++w->n] = c;
}

/* All layers that no other reads end in the logits. */
static void put_end(struct writer *w)
{
	int heads = 0;

	for (int l = 1; l <= w->n; l++) {
		if (w->read[l])
			continue;
		put(w, "{\"layer\": \"dense\", \"name\": \"d%d\", \"in\": \"l%d\", \"out\": %d},\n",
		    ++heads, l, CLASSES);
		if (heads > 1)
			put(w, "{\"layer\": \"add\", \"name\": \"s%d\","
			    "\"in\": [\"%c%d\", \"d%d\"]},\n", heads,
			    heads > 2 ? 's' : 'd', heads - 1, heads);
	}
	w->used -= 2;                   /* the last comma */
	put(w, "]}");
}

static void write_net(struct writer *w, uint64_t index)
{
	*w = (struct writer){ .c = { 1 } };
	rng_at(&w->r, 11, RNG_DATA, 7, index);
	w->c[0] = 1 + pick(w, 17);
	put(w, "{\"layers\": [\n");
	for (int i = 4 + pick(w, LAYERS - 4); i; i--)
		put_layer(w);
	put_end(w);
}

/* Chunks of one sample up to the whole batch. */
static void random_nets(void **state)
{
	struct writer w;

	for (uint64_t i = 0; i < 200; i++) {
		struct netcase c = { "random", { SIDE, SIDE, 0 }, CLASSES, 5, w.text };
		struct trial t;
		void *ctx;

		write_net(&w, i);
		c.input.c = w.c[0];
		trial_open(&t, &c);
		ctx = onednn_open_chunked(t.g, NULL, 6, NULL, (size_t)256 << 2 * (i % 5));
		assert_non_null(ctx);
		check_grad(&t, ctx, 5, 1e-4);
		check_grad(&t, ctx, 3, 1e-4);
		check_stats(&t, ctx, 5);
		backend_onednn.close(ctx);
		trial_close(&t);
	}
}

/* ---- threads ---- */

struct runner {
	struct trial *t;
	float *g;
	double loss;
	int threads;            /* of the process while both contexts are open */
	pthread_barrier_t *both;
};

static int count_threads(void)
{
	DIR *d = opendir("/proc/self/task");
	int n = 0;

	if (!d)
		return 0;
	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

static void *run_thread(void *arg)
{
	struct runner *r = arg;
	struct trial *t = r->t;
	void *ctx;

	pthread_barrier_wait(r->both);
	ctx = backend_onednn.open(t->g, NULL, 12, NULL);
	for (int i = 0; i < 5; i++)
		r->loss = backend_onednn.grad(ctx, t->x, 11, t->images, t->labels, 3, t->use, r->g,
					      NULL);
	pthread_barrier_wait(r->both);
	r->threads = count_threads();
	pthread_barrier_wait(r->both);
	backend_onednn.close(ctx);
	return NULL;
}

static void threads(void **state)
{
	pthread_barrier_t both;
	struct runner r[2];
	pthread_t id[2];
	struct trial t;
	int before;

	trial_open(&t, &stage);
	pthread_barrier_init(&both, NULL, 2);
	before = count_threads();
	for (int i = 0; i < 2; i++) {
		r[i] = (struct runner){ &t, vec_new(t.g->dim), 0, 0, &both };
		assert_int_equal(pthread_create(&id[i], NULL, run_thread, &r[i]), 0);
	}
	for (int i = 0; i < 2; i++)
		pthread_join(id[i], NULL);
	assert_int_equal(r[0].threads, before ? before + 2 : 0);
	assert_int_equal(r[1].threads, r[0].threads);
	assert_true(r[0].loss == r[1].loss);
	assert_memory_equal(r[0].g, r[1].g, t.g->dim * sizeof(float));
	pthread_barrier_destroy(&both);
	free(r[0].g);
	free(r[1].g);
	trial_close(&t);
}

/* The second pass of one unit and the sum of gradients into another use one buffer. */
static void buffers_are_shared(void **state)
{
	struct trial t;
	struct onednn *c;
	int shared = 0, extras = 0;

	trial_open(&t, &stage);
	c = backend_onednn.open(t.g, NULL, 11, NULL);
	for (int i = 0; i < c->nops; i++) {
		shared += c->ops[i].shares[1];
		extras += c->values[c->ops[i].out].more;
	}
	assert_int_equal(c->levels, 9);
	assert_int_equal(shared, 3);
	assert_int_equal(extras, 3);
	backend_onednn.close(c);
	trial_close(&t);
}

RUN_ALL(chunks, residual_kinds, strips, large_weights, random_nets, threads, buffers_are_shared)
