/* Layers of nets of tokens: the reference against differences, backends against the reference. */
#include "core/base/mem.h"
#include "core/math/vec.h"
#include "nets/reference/reference.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"
#include "tests/support/gradient_check.h"
#include "tests/support/helpers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EMBED(c) "{'layers': [{'layer': 'embed', 'name': 'e', 'out': " #c ", 'positions': 150},"
#define LAST "{'layer': 'linear', 'out': '$classes'}]}"
#define HEADS(qkv, heads, rate) "{'layer': 'linear', 'out': " #qkv "}," \
	"{'layer': 'attention', 'heads': " #heads ", 'rate': " rate "},"
#define ADAPTIVE(cutoffs) "{'layer': 'linear', 'name': 'x', 'out': 5}," \
	"{'layer': 'adaptive', 'in': ['x', 'e'], " cutoffs "}]}"
/* Rows of a table whose clusters have 8, 4, 2 and 1 values. */
#define CUTOFFS "'div': 2, 'cutoff1': 3, 'cutoff2': 4, 'cutoff3': 9"
#define CLUSTERED(more) "{'layers': [{'layer': 'embed', 'name': 'e', 'out': 8, " more "},"
#define TIED "{'layer': 'unembed', 'in': ['x', 'e']}]}"

static const struct netcase cases[] = {
	{ "embed", { 7, 1, 1 }, 5, 3, EMBED(6) LAST },
	{ "no-positions", { 7, 1, 1 }, 5, 3,
	  "{'layers': [{'layer': 'embed', 'out': 3}," LAST },
	{ "tied", { 9, 1, 1 }, 11, 3,
	  EMBED(5) "{'layer': 'linear', 'name': 'x', 'out': 5, 'bias': false}," TIED },
	{ "layernorm", { 6, 1, 1 }, 4, 3,
	  EMBED(37) "'layernorm', {'layer': 'linear', 'out': 21},"
	  "{'layer': 'layernorm', 'bias': false, 'eps': 0.1}," LAST },
	{ "lstm", { 6, 1, 1 }, 4, 3,
	  EMBED(9) "{'layer': 'lstm', 'out': 7}, 'dropout',"
	  "{'layer': 'lstm', 'out': 9}, 'tanh', 'silu', 'sigmoid'," LAST },
	{ "gelu", { 6, 1, 1 }, 4, 3,
	  EMBED(9) "'gelu', {'layer': 'linear', 'out': 13}, {'layer': 'gelu', 'form': 'tanh'},"
	  LAST },
	{ "attention", { 8, 1, 1 }, 5, 3, EMBED(6) HEADS(18, 3, "0") LAST },
	{ "attention-dropout", { 8, 1, 1 }, 5, 3,
	  EMBED(6) "{'layer': 'dropout', 'rate': 0.2}," HEADS(24, 2, "0.4")
	  "{'layer': 'dropout', 'rate': 0.3}," LAST },
	/* More than two tiles of queries, and a last one that is not full. */
	{ "attention-tiles", { 150, 1, 1 }, 5, 2, EMBED(8) HEADS(48, 2, "0.1") LAST },
	/* Sums over keys, and numbers of keys, that are computed in several parts. */
	{ "attention-long", { 800, 1, 1 }, 5, 1,
	  "{'layers': [{'layer': 'embed', 'out': 6, 'positions': 800}," HEADS(33, 1, "0") LAST },
	{ "attention-wide", { 37, 1, 1 }, 5, 2, EMBED(6) HEADS(384, 1, "0") LAST },
	{ "attention-one", { 1, 1, 1 }, 5, 4, EMBED(6) HEADS(18, 1, "0") LAST },
	/* Attention adds to a gradient that others have begun, and one of two reads its input. */
	{ "attention-fan-out", { 8, 1, 1 }, 5, 3,
	  EMBED(6) "{'layer': 'linear', 'name': 'q', 'out': 18},"
	  "{'layer': 'attention', 'name': 'a', 'heads': 2},"
	  "{'layer': 'attention', 'name': 'b', 'heads': 3, 'in': 'q'},"
	  "{'layer': 'add', 'name': 'ab', 'in': ['a', 'b']},"
	  "{'layer': 'linear', 'name': 'y', 'in': 'q', 'out': 6},"
	  "{'layer': 'add', 'in': ['ab', 'y']}, 'relu'," LAST },
	{ "gpt", { 70, 1, 1 }, 13, 3,
	  EMBED(16) "{'layer': 'dropout', 'name': 'd', 'rate': 0.1}, 'layernorm',"
	  HEADS(48, 4, "0.2")
	  "{'layer': 'linear', 'out': 16}, {'layer': 'dropout', 'name': 'p', 'rate': 0.1},"
	  "{'layer': 'add', 'name': 'y', 'in': ['p', 'd']}, 'layernorm',"
	  "{'layer': 'linear', 'out': 40}, 'gelu', {'layer': 'linear', 'name': 'z', 'out': 16},"
	  "{'layer': 'add', 'in': ['z', 'y']}, {'layer': 'layernorm', 'name': 'x'}," TIED },
	{ "adaptive", { 9, 1, 1 }, 14, 3,
	  EMBED(5) ADAPTIVE("'cutoff1': 3, 'cutoff2': 4, 'cutoff3': 9") },
	{ "adaptive-large", { 70, 1, 1 }, 3000, 3,
	  EMBED(5) ADAPTIVE("'cutoff1': 100, 'cutoff2': 1500") },
	{ "adaptive-div", { 9, 1, 1 }, 14, 3,
	  CLUSTERED(CUTOFFS ", 'scaled': true, 'positions': 9, 'projection_value': 0.3")
	  "{'layer': 'dropout', 'rate': 0.2}, {'layer': 'linear', 'name': 'x', 'out': 8},"
	  "{'layer': 'adaptive', 'in': ['x', 'e'], 'projection_value': 0.3, " CUTOFFS "}]}" },
	/* The embedding's gradient comes from two layers; then a table that is not shared. */
	{ "adaptive-div-direct", { 70, 1, 1 }, 3000, 3,
	  CLUSTERED("'div': 4, 'cutoff1': 100")
	  "{'layer': 'linear', 'name': 'h', 'out': 8},"
	  "{'layer': 'add', 'name': 'x', 'in': ['h', 'e']},"
	  "{'layer': 'adaptive', 'in': ['x', 'e'], 'div': 4, 'cutoff1': 100}]}" },
	{ "embed-div", { 9, 1, 1 }, 14, 3, CLUSTERED(CUTOFFS) "'relu'," LAST },
	{ .name = NULL }
};

/* ---- the reference ---- */

static void differences(void **state)
{
	struct trial t;

	trial_open(&t, *state);
	grad_check_slopes(&(struct grad_check){ &t, NULL, "reference", NULL }, t.g->blobs,
			  t.g->nblobs);
	trial_close(&t);
}

/* ---- backends ---- */

/* Partitions that begin within samples; alone and with help: right, and bit-identical. */
static void check_backend(const struct backend *b, const struct netcase *nc)
{
	for (int partitions = 0; partitions < 6; partitions += 5)
		for (int helping = 0; helping < 2; helping++) {
			const struct backend_conf conf = { .partitions = partitions };
			struct helpers h;
			struct trial t;
			const struct grad_check on = { &t, b, b->name, NULL };
			float *alone, *helped;
			void *ctx;

			trial_open(&t, nc);
			helpers_start(&h, helping);
			alone = vec_new(t.g->dim);
			helped = vec_new(t.g->dim);
			ctx = b->open(t.g, &conf, t.n, &h.team);
			assert_non_null(ctx);
			grad_check_backend(&on, ctx, NULL, helped);
			grad_check_logits(&on, ctx, NULL);
			grad_check_backend(&on, ctx, t.use, helped);
			b->close(ctx);
			ctx = b->open(t.g, &conf, t.n + 2, NULL);
			grad_check_backend(&on, ctx, t.use, alone);
			assert_memory_equal(alone, helped, t.g->dim * sizeof(*alone));
			b->close(ctx);
			free(alone);
			free(helped);
			helpers_stop(&h);
			trial_close(&t);
		}
}

static void against_reference(void **state)
{
	for (int b = 0; backend_table[b]; b++)
		check_backend(backend_table[b], *state);
}

/* How far the reference's gradient moves, of its norm, when the parameters are rounded to bf16. */
static double sensitivity(const struct trial *t, const double *want)
{
	double *x = xcalloc(t->g->dim, sizeof(*x)), *moved = xcalloc(t->g->dim, sizeof(*moved));
	double sum = 0.0, norm = 0.0;

	for (size_t i = 0; i < t->g->dim; i++) {
		int exponent;
		const double part = frexp(t->xd[i], &exponent);

		x[i] = ldexp(nearbyint(ldexp(part, 8)), exponent - 8);
	}
	reference_grad(t->g, x, t->n, t->imagesd, t->labels, 3, t->use, NULL, moved);
	for (size_t i = 0; i < t->g->dim; i++) {
		sum += (moved[i] - want[i]) * (moved[i] - want[i]);
		norm += want[i] * want[i];
	}
	free(x);
	free(moved);
	return sqrt(sum / norm);
}

/*
 * Products in bf16, where a backend has them: near the reference, and bit-identical with help and
 * without. A backend rounds the parameters, and as many other factors of a gradient's products
 * again, by at most 2^-9 of each: FACTOR times that and what rounding the parameters does is
 * allowed.
 */
#define FACTOR 4.0

static void check_bf16(const struct backend *on, const struct netcase *nc, int partitions)
{
	const struct backend_conf conf = { .precision = PRECISION_BF16, .partitions = partitions };
	struct helpers h;
	struct trial t;
	float *got[2];
	double *want, loss, expected, off, allowed;

	trial_open(&t, nc);
	helpers_start(&h, true);
	want = xcalloc(t.g->dim, sizeof(*want));
	expected = reference_grad(t.g, t.xd, t.n, t.imagesd, t.labels, 3, t.use, NULL, want);
	allowed = FACTOR * (0x1p-9 + sensitivity(&t, want));
	for (int k = 0; k < 2; k++) {
		void *ctx = on->open(t.g, &conf, t.n + (size_t)k, k ? NULL : &h.team);

		got[k] = vec_new(t.g->dim);
		loss = on->grad(ctx, t.x, t.n, t.images, t.labels, 3, t.use, got[k], NULL);
		assert_near(loss, expected, allowed * expected);
		assert_false(backend_failed(on, ctx));
		on->close(ctx);
	}
	assert_memory_equal(got[0], got[1], t.g->dim * sizeof(float));
	off = distance(t.g->dim, got[0], want) / distance(t.g->dim, NULL, want);
	if (!(off > 0.0 && off <= allowed))
		fail_msg("%s: off by %g of the norm, not %g", nc->name, off, allowed);
	for (int k = 0; k < 2; k++)
		free(got[k]);
	free(want);
	helpers_stop(&h);
	trial_close(&t);
}

static void in_bf16(void **state)
{
	for (int b = 0; backend_table[b]; b++)
		if (backend_table[b]->precision(PRECISION_BF16) == PRECISION_BF16)
			check_bf16(backend_table[b], *state, 5);
}

/* NaN in the parameters is NaN in the loss, never a number. */
static void nan_stays(void **state)
{
	struct trial t;
	float *g;
	void *ctx;

	trial_open(&t, &cases[10]);
	g = vec_new(t.g->dim);
	for (size_t b = 0; b < t.g->nblobs; b++) {
		const float was = t.x[t.g->blobs[b].offset];

		t.x[t.g->blobs[b].offset] = NAN;
		ctx = backend_openblas.open(t.g, NULL, t.n, NULL);
		if (!isnan(backend_openblas.grad(ctx, t.x, t.n, t.images, t.labels, 3, NULL, g,
						 NULL)))
			fail_msg("%s: a number", t.g->blobs[b].name);
		backend_openblas.close(ctx);
		t.x[t.g->blobs[b].offset] = was;
	}
	free(g);
	trial_close(&t);
}

/* ---- by hand ---- */

/*
 * Two tokens of one channel, values 1 and 3, keys 0: the first sees itself, the second both alike.
 */
static void attention_by_hand(void **state)
{
	struct graph *g = graph_parse(
		"{\"layers\": [{\"layer\": \"embed\", \"out\": 3}, \"attention\","
		"{\"layer\": \"linear\", \"out\": \"$classes\", \"bias\": false}]}", "by-hand",
		(struct shape){ 2, 1, 1 }, 2);
	/* The table's rows (query, key, value), then the weights of the two classes. */
	const double x[] = { 5, 0, 1, -2, 0, 3, 1, 10 }, tokens[] = { 0, 1 };
	double z[4];

	assert_non_null(g);
	assert_int_equal(g->dim, 8);
	reference_logits(g, x, NULL, 1, tokens, NULL, z);
	assert_near(z[0], 1, 1e-12);
	assert_near(z[1], 10, 1e-12);
	assert_near(z[2], 2, 1e-12);
	assert_near(z[3], 20, 1e-12);
	graph_free(g);
}

/* x Phi(x) at 1 is 0.8413447461; with tanh 0.8411919906. */
static void gelu_by_hand(void **state)
{
	static const struct { const char *form; double y; } forms[] = {
		{ "erf", 0.8413447460685429 }, { "tanh", 0.8411919906082768 },
	};
	char text[256];

	for (int k = 0; k < 2; k++) {
		struct graph *g;
		double z[2];

		snprintf(text, sizeof(text), "{\"layers\": [{\"layer\": \"embed\", \"out\": 1},"
			 "{\"layer\": \"gelu\", \"form\": \"%s\"},"
			 "{\"layer\": \"linear\", \"out\": 2, \"bias\": false}]}", forms[k].form);
		g = graph_parse(text, "by-hand", (struct shape){ 1, 1, 1 }, 2);
		assert_non_null(g);
		reference_logits(g, (double[]){ 1, 0, 1, 0 }, NULL, 1, (double[]){ 0 }, NULL, z);
		assert_near(z[0], forms[k].y, 1e-12);
		graph_free(g);
	}
}

/*
 * Rows of 2 and 1 values, by hand: token 0 is the head's, 1 and 2 are the cluster's. A token's row
 * is P_k times its row of the table; Q is the head's projection in the softmax.
 */
static void clusters_by_hand(void **state)
{
	struct graph *g = graph_parse(
		"{\"layers\": [{\"layer\": \"embed\", \"name\": \"e\", \"out\": 2, \"div\": 2,"
		"\"cutoff1\": 1}, {\"layer\": \"adaptive\", \"in\": [\"e\", \"e\"], \"div\": 2,"
		"\"cutoff1\": 1}]}", "by-hand", (struct shape){ 2, 1, 1 }, 3);
	/* Tables 1x2 and 2x1, projections 2x2 and 2x1; cluster's row, head's projection, biases. */
	const double x[] = { 1, 2, 3, 5, /**/ 1, 2, 3, 4, /**/ 1, -1, /**/ 0.1, 0.2,
			     /**/ 0.5, 0, 0, 1, /**/ 0.3, 0.4, 0.6, 0.7 };
	const double tokens[] = { 0, 2 };
	double p[6], head[2], norm, tail;

	assert_non_null(g);
	assert_int_equal(g->dim, sizeof(x) / sizeof(*x));
	reference_logits(g, x, NULL, 1, tokens, NULL, p);
	/* Token 0: (1 1 + 2 2, 3 1 + 4 2) = (5, 11); the head reads (2.5, 11), the tail 5 - 11. */
	head[0] = 1 * 2.5 + 2 * 11 + 0.3;
	head[1] = 0.1 * 2.5 + 0.2 * 11 + 0.7;
	norm = log(exp(head[0]) + exp(head[1]));
	tail = log(exp(3 * -6 + 0.4) + exp(5 * -6 + 0.6));
	assert_near(p[0], head[0] - norm, 1e-12);
	assert_near(p[1], head[1] - norm + 3 * -6 + 0.4 - tail, 1e-12);
	assert_near(p[2], head[1] - norm + 5 * -6 + 0.6 - tail, 1e-12);
	/* Token 2: (1, -1) 5; the head reads (2.5, -5), the tail 10. */
	head[0] = 1 * 2.5 + 2 * -5 + 0.3;
	head[1] = 0.1 * 2.5 + 0.2 * -5 + 0.7;
	norm = log(exp(head[0]) + exp(head[1]));
	tail = log(exp(3 * 10 + 0.4) + exp(5 * 10 + 0.6));
	assert_near(p[3], head[0] - norm, 1e-12);
	assert_near(p[4], head[1] - norm + 3 * 10 + 0.4 - tail, 1e-12);
	assert_near(p[5], head[1] - norm + 5 * 10 + 0.6 - tail, 1e-12);
	graph_free(g);
}

/* ---- what is refused ---- */

static void refuses(const char *layers, struct shape input, const char *why)
{
	char *text = xasprintf("{'layers': [%s]}", layers);

	netcase_refuses(text, input, 4, why);
	free(text);
}

#define BAD_CUTOFFS(cutoffs) "{'layer': 'embed', 'name': 'e', 'out': 4}," \
	"{'layer': 'adaptive', 'in': ['e', 'e'], " cutoffs "}"

#define DIV(table, width, softmax) "{'layer': 'embed', 'name': 'e', 'out': " #width ", " table \
	"}, {'layer': 'adaptive', 'in': ['e', 'e'], " softmax "}"

static void bad_nets(void **state)
{
	const struct shape window = { 8, 1, 1 }, image = { 8, 8, 3 };

	refuses("{'layer': 'embed', 'out': 4}", image, "reads tokens, but its input is 8x8x3");
	refuses("{'layer': 'embed', 'out': 4, 'positions': 7}", window,
		"has 7 positions, fewer than the 8 tokens of a window");
	refuses("{'layer': 'embed', 'out': 4}, 'globalpool'", window,
		"a globalpool cannot be in a net of tokens");
	refuses("{'layer': 'linear', 'out': 4}", window, "is for nets of tokens");
	refuses("{'layer': 'embed', 'out': 4}, 'relu', {'layer': 'embed', 'out': 4}", window,
		"only the net's input is tokens");
	refuses("{'layer': 'embed', 'out': 4}, {'layer': 'lstm', 'out': 4, 'last': true}", window,
		"gives one output for all rows, but a net of tokens has one for each");
	refuses("{'layer': 'embed', 'out': 8}, 'attention'", window,
		"8 channels cannot be cut into queries, keys and values of 1 head");
	refuses("{'layer': 'embed', 'out': 12}, {'layer': 'attention', 'heads': 3}", window,
		"values of 3 heads");
	refuses("{'layer': 'embed', 'name': 'e', 'out': 4}, {'layer': 'linear', 'name': 'x',"
		"'out': 5}, {'layer': 'unembed', 'in': ['x', 'e']}", window,
		"reads 5 channels, but the rows of 'e' have 4");
	refuses("{'layer': 'embed', 'out': 4}, {'layer': 'linear', 'name': 'x', 'out': 4},"
		"{'layer': 'unembed', 'in': ['x', 'x']}", window, "the embed layer whose table");
	refuses(BAD_CUTOFFS("'cutoff1': 3, 'cutoff2': 2"), window, "cutoffs 3, 2, 0 (expected");
	refuses(BAD_CUTOFFS("'cutoff1': 4"), window, "below the 4 tokens");
	refuses(BAD_CUTOFFS("'cutoff2': 2"), window, "cutoffs 0, 2, 0");
	refuses(DIV("'div': 2", 4, "'div': 2, 'cutoff1': 2"), window, "but there are none");
	refuses(DIV("'div': 2, 'cutoff1': 2, 'cutoff2': 1", 4, "'cutoff1': 2"), window,
		"cutoffs 2, 1, 0 (expected");
	refuses(DIV("'cutoff1': 2, 'cutoff2': 1", 4, "'cutoff1': 2"), window,
		"cutoffs 2, 1, 0 (expected");
	refuses(DIV("'div': 4, 'cutoff1': 2", 6, "'cutoff1': 2"), window,
		"rows of cluster 1 would have 6 / 4 of the 6 values");
	refuses(DIV("'div': 4, 'cutoff1': 2, 'cutoff2': 3", 8, "'cutoff1': 2"), window,
		"rows of cluster 2 would have 2 / 4 of the 2 values");
	refuses(DIV("'div': 2, 'cutoff1': 2", 4, "'div': 4, 'cutoff1': 2"), window,
		"reads rows of \"div\" 4, but those of 'e' have \"div\" 2");
	refuses(DIV("'div': 2, 'cutoff1': 2", 4, "'cutoff1': 2"), window,
		"reads rows of \"div\" 1");
	refuses(DIV("'cutoff1': 2", 4, "'div': 2, 'cutoff1': 2"), window,
		"reads rows of \"div\" 2, but those of 'e' have \"div\" 1");
	refuses(DIV("'div': 2, 'cutoff1': 2", 4, "'div': 2, 'cutoff1': 3"), window,
		"cutoffs 3, 0, 0, but those of 'e', whose rows it reads, are 2, 0, 0");
	refuses("{'layer': 'embed', 'name': 'e', 'out': 4, 'div': 2, 'cutoff1': 2},"
		"{'layer': 'unembed', 'in': ['e', 'e']}", window, "only adaptive has the setting");
	refuses("{'layer': 'embed', 'out': 3}", window, "gives 3 channels for each token");
}

int main(void)
{
	struct CMUnitTest tests[64] = {
		cmocka_unit_test(attention_by_hand), cmocka_unit_test(gelu_by_hand),
		cmocka_unit_test(nan_stays), cmocka_unit_test(bad_nets),
		cmocka_unit_test(clusters_by_hand),
	};
	size_t n = 5;

	for (const struct netcase *c = cases; c->name; c++) {
		void *with = (void *)(uintptr_t)c;

		tests[n++] = (struct CMUnitTest){ c->name, differences, NULL, NULL, with };
		tests[n++] = (struct CMUnitTest){ c->name, against_reference, NULL, NULL, with };
		tests[n++] = (struct CMUnitTest){ c->name, in_bf16, NULL, NULL, with };
	}
	return _cmocka_run_group_tests("tokens", tests, n, NULL, NULL);
}
