/* Attention with a memory: against differences, the reference, and one long window. */
#include "core/base/mem.h"
#include "core/math/rng.h"
#include "nets/reference/reference.h"
#include "tests/support/check.h"
#include "tests/support/gradient_check.h"
#include "tests/support/helpers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BEGIN "{'layers': [{'layer': 'embed', 'name': 'e', 'out': 8, 'scaled': true}," \
	"{'layer': 'dropout', 'name': 'd', 'rate': 0.1},"
#define HEADS(name, in, settings) "{'layer': 'linear', 'name': '" name "q', 'in': '" in "'," \
	"'out': 36, 'bias': false}," \
	"{'layer': 'relative', 'name': '" name "', 'in': ['" name "q', '" in "'], " settings "}," \
	"{'layer': 'linear', 'name': '" name "o', 'out': 8}," \
	"{'layer': 'add', 'name': '" name "a', 'in': ['" name "o', '" in "']}," \
	"{'layer': 'layernorm', 'name': '" name "n', 'init_value': 0.02},"
#define LAST "{'layer': 'unembed', 'name': 'z', 'in': ['bn', 'e'], 'bias': true}]}"

static const struct netcase cases[] = {
	{ "short", { 5, 1, 1 }, 6, 3,
	  BEGIN HEADS("a", "d", "'heads': 2, 'memory': 7, 'test_clamp': 9,"
			       "'test_same_length': true, 'rate': 0.3, 'position_rate': 0.2")
	  HEADS("b", "an", "'heads': 2, 'memory': 7") LAST },
	{ "untied", { 6, 1, 1 }, 6, 3,
	  BEGIN HEADS("a", "d", "'heads': 3, 'memory': 2")
	  HEADS("b", "an", "'heads': 2, 'memory': 5, 'untied': true") LAST },
	/* More than two tiles of queries, and a last one that is not full; no memory in one. */
	{ "tiles", { 70, 1, 1 }, 6, 2,
	  BEGIN HEADS("a", "d", "'heads': 2, 'memory': 45, 'rate': 0.1")
	  HEADS("b", "an", "'heads': 2") LAST },
	{ "one", { 1, 1, 1 }, 6, 4,
	  BEGIN HEADS("a", "d", "'heads': 1, 'memory': 3") HEADS("b", "an", "'heads': 1") LAST },
	{ .name = NULL }
};

/* A batch with a memory, in float and the same in double; what a call leaves. */
struct memory {
	float *in, *out;
	double *ind, *outd;
	size_t n;
};

static struct memory memory_new(const struct trial *t)
{
	struct memory m = { .n = t->n * t->g->carry.floats };
	struct rng r;

	m.in = vec_new(m.n + 1);
	m.out = vec_new(m.n + 1);
	m.ind = xcalloc(m.n + 1, sizeof(double));
	m.outd = xcalloc(m.n + 1, sizeof(double));
	rng_at(&r, 7, RNG_DATA, 3, 0);
	for (size_t k = 0; k < m.n; k++)
		m.ind[k] = (double)(m.in[k] = (float)rng_normal(&r));
	return m;
}

static void memory_free(struct memory *m)
{
	free(m->in);
	free(m->out);
	free(m->ind);
	free(m->outd);
}

static const char *const stages[] = { "no memory yet", "half of a memory", "a full memory" };

static size_t rows_of(const struct trial *t, int k)
{
	return (size_t)k * t->g->carry.rows / 2;
}

/* ---- the reference ---- */

static void differences(void **state)
{
	struct trial t;
	struct memory m;

	trial_open(&t, *state);
	m = memory_new(&t);
	for (int k = 0; k < 3; k += 2) {
		const struct reference_memory memory = { m.ind, rows_of(&t, k), m.outd };

		grad_check_slopes(&(struct grad_check){ &t, NULL, stages[k], &memory }, t.g->blobs,
				  t.g->nblobs);
	}
	memory_free(&m);
	trial_close(&t);
}

/* ---- backends ---- */

static void check_grad(const struct backend *b, const struct trial *t, struct memory *m, int stage,
		       void *ctx, const uint64_t *use, float *got)
{
	const struct carried carried = { m->in, rows_of(t, stage), m->out };
	const struct reference_memory memory = { m->ind, rows_of(t, stage), m->outd };
	const struct grad_check on = { t, b, stages[stage], &memory };

	memset(m->out, 0, m->n * sizeof(*m->out));
	memset(m->outd, 0, m->n * sizeof(*m->outd));
	b->carry(ctx, &carried);
	grad_check_backend(&on, ctx, use, got);
	grad_check_vector(&on, "memory", m->n, m->out, m->outd, 1e-6);
}

static void check_logits(const struct backend *b, const struct trial *t,
			 const struct memory *m, int stage, void *ctx)
{
	const struct reference_memory memory = { m->ind, rows_of(t, stage), NULL };

	b->carry(ctx, &(struct carried){ m->in, memory.rows, NULL });
	grad_check_logits(&(struct grad_check){ t, b, stages[stage], &memory }, ctx,
			  NULL);
}

/* Partitions that begin within samples; alone and with help: right, and bit-identical. */
static void check_backend(const struct backend *b, const struct netcase *nc)
{
	for (int k = 0; k < 6; k++) {
		const struct backend_conf conf = { .partitions = k < 3 ? 0 : 5 };
		struct helpers h;
		struct memory m;
		struct trial t;
		float *alone, *helped;
		void *ctx;

		trial_open(&t, nc);
		m = memory_new(&t);
		helpers_start(&h, 1);
		alone = vec_new(t.g->dim);
		helped = vec_new(t.g->dim);
		ctx = b->open(t.g, &conf, t.n, &h.team);
		check_grad(b, &t, &m, k % 3, ctx, NULL, helped);
		check_logits(b, &t, &m, k % 3, ctx);
		check_grad(b, &t, &m, k % 3, ctx, t.use, helped);
		b->close(ctx);
		ctx = b->open(t.g, &conf, t.n + 2, NULL);
		check_grad(b, &t, &m, k % 3, ctx, t.use, alone);
		assert_memory_equal(alone, helped, t.g->dim * sizeof(*alone));
		b->close(ctx);
		free(alone);
		free(helped);
		helpers_stop(&h);
		memory_free(&m);
		trial_close(&t);
	}
}

static void against_reference(void **state)
{
	for (int b = 0; backend_table[b]; b++)
		check_backend(backend_table[b], *state);
}

/* ---- what a memory is ---- */

/*
 * A memory as long as a window: the second half of a window of 12, and a window of 6 with what the
 * first half left, see the same tokens at the same distances through any number of layers.
 */
static void two_windows_are_one(void **state)
{
	static const char net[] = "{\"layers\": [{\"layer\": \"embed\", \"out\": 4},"
		"{\"layer\": \"linear\", \"out\": 12, \"bias\": false},"
		"{\"layer\": \"relative\", \"in\": [\"linear1\", \"embed1\"], \"memory\": 6},"
		"{\"layer\": \"layernorm\", \"name\": \"n\"},"
		"{\"layer\": \"linear\", \"name\": \"m\", \"out\": 12, \"bias\": false},"
		"{\"layer\": \"relative\", \"in\": [\"m\", \"n\"], \"memory\": 6},"
		"{\"layer\": \"linear\", \"out\": \"$classes\"}]}";
	struct graph *two = graph_parse(net, "two", (struct shape){ 6, 1, 1 }, 5);
	struct graph *one = graph_parse(net, "one", (struct shape){ 12, 1, 1 }, 5);
	const float tokens[] = { 3, 1, 4, 1, 0, 2, 2, 4, 3, 0, 1, 3 };
	float memory[2][48], long_z[60], z[30], *x;
	void *ctx;

	assert_non_null(two);
	assert_non_null(one);
	assert_int_equal(two->carry.floats, 48);
	assert_int_equal(two->carry.rows, 6);
	assert_int_equal(two->carry.step, 6);
	x = vec_new(two->dim);
	graph_init(two, 3, x);
	for (size_t k = 0; k < two->dim; k++)
		x[k] *= 20;
	ctx = backend_openblas.open(one, NULL, 1, NULL);
	backend_openblas.logits(ctx, x, NULL, 1, tokens, long_z);
	backend_openblas.close(ctx);
	ctx = backend_openblas.open(two, NULL, 1, NULL);
	backend_openblas.carry(ctx, &(struct carried){ NULL, 0, memory[0] });
	backend_openblas.logits(ctx, x, NULL, 1, tokens, z);
	for (int k = 0; k < 30; k++)
		assert_near((double)z[k], (double)long_z[k], 1e-5);
	backend_openblas.carry(ctx, &(struct carried){ memory[0], 6, memory[1] });
	backend_openblas.logits(ctx, x, NULL, 1, tokens + 6, z);
	for (int k = 0; k < 30; k++)
		assert_near((double)z[k], (double)long_z[30 + k], 1e-5);
	backend_openblas.close(ctx);
	graph_free(one);
	graph_free(two);
	free(x);
}

/* Distances without content: weights 0 but for w and R, by hand. */
static void distances_by_hand(void **state)
{
	struct graph *g = graph_parse(
		"{\"layers\": [{\"layer\": \"embed\", \"name\": \"e\", \"out\": 2},"
		"{\"layer\": \"linear\", \"name\": \"q\", \"out\": 6, \"bias\": false},"
		"{\"layer\": \"relative\", \"in\": [\"q\", \"e\"], \"memory\": 1}]}", "by-hand",
		(struct shape){ 2, 1, 1 }, 2);
	/* Two tokens (1, 0), (0, 1); values as they are; R = p; u = 0, w = (2, 1). */
	const double x[] = { 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1,
			     1, 0, 0, 1, 0, 0, 2, 1 };
	const double tokens[] = { 0, 1 }, row[] = { 3, 5 };
	const struct reference_memory memory = { row, 1, NULL };
	double e[3], sum = 0, z[4];

	assert_non_null(g);
	assert_int_equal(g->dim, 24);
	for (int t = 0; t < 3; t++)
		e[t] = exp((2 * sin(t) + cos(t)) / sqrt(2));
	reference_logits(g, x, NULL, 1, tokens, &memory, z);
	/* The first token sees the memory at distance 1 and itself. */
	assert_near(z[0], (3 * e[1] + e[0]) / (e[0] + e[1]), 1e-12);
	assert_near(z[1], 5 * e[1] / (e[0] + e[1]), 1e-12);
	sum = e[0] + e[1] + e[2];
	assert_near(z[2], (3 * e[2] + e[1]) / sum, 1e-12);
	assert_near(z[3], (5 * e[2] + e[0]) / sum, 1e-12);
	graph_free(g);
}

/* ---- what is refused ---- */

static void refuses(const char *layers, const char *why)
{
	char *text = xasprintf("{'layers': [{'layer': 'embed', 'name': 'e', 'out': 4}, %s]}",
			       layers);

	netcase_refuses(text, (struct shape){ 8, 1, 1 }, 4, why);
	free(text);
}

static void bad_nets(void **state)
{
	refuses("{'layer': 'linear', 'name': 'q', 'out': 12},"
		"{'layer': 'relative', 'in': ['q', 'e']}", "a linear layer without bias");
	refuses("{'layer': 'linear', 'name': 'q', 'out': 12, 'bias': false},"
		"{'layer': 'relative', 'in': ['q', 'q']}", "its first input is 'q' (expected");
	refuses("{'layer': 'linear', 'name': 'q', 'out': 12, 'bias': false},"
		"{'layer': 'relative', 'in': ['q', 'e'], 'heads': 3}", "values of 3 heads");
	refuses("{'layer': 'linear', 'name': 'q', 'out': 12, 'bias': false},"
		"{'layer': 'relative', 'name': 'a', 'in': ['q', 'e']},"
		"{'layer': 'relative', 'in': ['q', 'e']}", "'q' is read by 'a' already");
	refuses("{'layer': 'linear', 'name': 'o', 'out': 3},"
		"{'layer': 'linear', 'name': 'q', 'out': 12, 'bias': false},"
		"{'layer': 'relative', 'in': ['q', 'o']}", "has 3 channels (expected an even");
	refuses("{'layer': 'linear', 'name': 'q', 'out': 12, 'bias': false},"
		"{'layer': 'relative', 'name': 'a', 'in': ['q', 'e']},"
		"{'layer': 'linear', 'name': 'p', 'out': 12, 'bias': false},"
		"{'layer': 'relative', 'in': ['p', 'a'], 'heads': 2}", "whose biases it shares");
	refuses("{'layer': 'linear', 'name': 'q', 'out': 12, 'bias': false},"
		"{'layer': 'relative', 'in': ['q', 'e'], 'test_same_length': true}",
		"\"test_same_length\" is for a layer with a \"memory\"");
	refuses("{'layer': 'linear', 'name': 'q', 'out': 12, 'bias': false},"
		"{'layer': 'relative', 'in': ['q', 'e'], 'test_memory': 4}",
		"\"test_memory\" is for a layer with a \"memory\"");
}

int main(void)
{
	struct CMUnitTest tests[64] = {
		cmocka_unit_test(two_windows_are_one), cmocka_unit_test(distances_by_hand),
		cmocka_unit_test(bad_nets),
	};
	size_t n = 3;

	for (const struct netcase *c = cases; c->name; c++) {
		void *with = (void *)(uintptr_t)c;

		tests[n++] = (struct CMUnitTest){ c->name, differences, NULL, NULL, with };
		tests[n++] = (struct CMUnitTest){ c->name, against_reference, NULL, NULL, with };
	}
	return _cmocka_run_group_tests("memory", tests, n, NULL, NULL);
}
