/* What the loader makes of good files, and what it says of bad ones. */
#include "core/base/mem.h"
#include "nets/nets.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct shape cifar = { 32, 32, 3 }, mnist = { 28, 28, 1 }, own = { 0, 0, 0 };

static void check_size(const char *name, struct shape input, int classes, size_t dim,
		       int64_t macs)
{
	struct graph *g = graph_load(name, input, classes);

	assert_non_null(g);
	assert_int_equal(g->dim, dim);
	assert_int_equal(graph_macs(g), macs);
	graph_free(g);
}

/* Without an input the file's own; with one, the sizes that it makes. */
static void sizes(void **state)
{
	check_size("resnet20", cifar, 10, 269722, 40551040);
	check_size("resnet20", own, 0, 269722, 40551040);
	check_size("resnet20", cifar, 100, 269722 + 90 * 65, 40551040 + 90 * 64);
	check_size("lenet", mnist, 10, 431080, 2293000);
	check_size("mlp", cifar, 10, 3073 * 128 + 129 * 128 + 129 * 10,
		   3072 * 128 + 128 * 128 + 128 * 10);
}

static const struct blob *find_blob(const struct graph *g, const char *name)
{
	for (size_t b = 0; b < g->nblobs; b++)
		if (!strcmp(g->blobs[b].name, name))
			return &g->blobs[b];
	fail_msg("no blob is called %s", name);
	return NULL;
}

/* Blobs cover x without holes, in order; statistics follow the bn layers. */
static void layout(void **state)
{
	struct graph *g = graph_load("resnet20", cifar, 10);
	const struct blob *b;
	size_t at = 0, stats = 0;

	for (size_t k = 0; k < g->nblobs; at += g->blobs[k++].count)
		assert_int_equal(g->blobs[k].offset, at);
	assert_int_equal(at, g->dim);
	for (int i = 0; i < g->n; i++) {
		assert_true(g->layers[i].in[0] < i && g->layers[i].in[1] < i);
		if (g->layers[i].kind != LAYER_BN)
			continue;
		assert_int_equal(g->layers[i].stats, stats);
		stats += 2 * (size_t)g->layers[i].os.c;
	}
	assert_int_equal(stats, g->stats_dim);
	b = find_blob(g, "stage2.block1.conv1.weight");
	assert_int_equal(b->rank, 4);
	assert_int_equal(b->shape[0], 32);
	assert_int_equal(b->shape[1], 3);
	assert_int_equal(b->shape[3], 16);
	assert_true(b->decay);
	assert_int_equal(find_blob(g, "fc.bias")->count, 10);
	assert_int_equal(find_blob(g, "stage3.block3.bn2.gamma")->count, 64);
	graph_free(g);
}

static double deviation(const float *x, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (double)x[i] * (double)x[i];
	return sqrt(sum / (double)n);
}

/* Each rule's second moment, on a blob large enough to tell; 3 % is four deviations of it. */
static void initial_values(void **state)
{
	const char *text =
		"{\"input\": [4, 4, 64], \"classes\": 100, \"layers\": ["
		"{\"layer\": \"conv\", \"kernel\": 3, \"out\": 32, \"init\": \"he-out\"},"
		"{\"layer\": \"conv\", \"kernel\": 1, \"out\": 256, \"init\": \"he-in\"}, \"bn\","
		"{\"layer\": \"dense\", \"out\": 100, \"init\": \"xavier\","
		"\"bias_init\": \"zero\"},"
		"{\"layer\": \"dense\", \"out\": 100, \"decay\": false}]}";
	struct graph *g = graph_parse(text, "init", own, 0);
	float *x, *y;
	size_t bn;

	assert_non_null(g);
	x = vec_new(g->dim);
	y = vec_new(g->dim);
	graph_init(g, 11, x);
	assert_near(deviation(x + g->blobs[0].offset, g->blobs[0].count), sqrt(2.0 / 288), 2e-3);
	assert_near(deviation(x + g->blobs[1].offset, g->blobs[1].count), 0, 0);
	assert_near(deviation(x + g->blobs[2].offset, g->blobs[2].count), sqrt(2.0 / 32), 8e-3);
	bn = find_blob(g, "bn1.gamma")->offset;
	assert_true(x[bn] == 1.0f && x[bn + 256] == 0.0f);
	/* A uniform in +-b has deviation b / sqrt(3). */
	assert_near(deviation(x + g->blobs[6].offset, g->blobs[6].count), sqrt(1.0 / 1024), 1e-3);
	assert_near(deviation(x + g->blobs[8].offset, g->blobs[8].count), sqrt(1.0 / 300), 2e-3);
	assert_true(deviation(x + g->blobs[9].offset, 100) > 0.04);
	assert_false(g->blobs[8].decay);
	graph_init(g, 11, y);
	assert_memory_equal(x, y, g->dim * sizeof(*x));
	graph_init(g, 12, y);
	assert_true(x[0] != y[0]);
	graph_free(g);
	free(x);
	free(y);
}

static void prints(void **state)
{
	struct graph *g = graph_load("lenet", mnist, 10);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	graph_print(g, out);
	fclose(out);
	assert_non_null(strstr(text, "24x24x20"));
	assert_non_null(strstr(text, "431080"));
	assert_non_null(strstr(text, "2293000"));
	free(text);
	graph_free(g);
}

/* Blocks, parameters, repeats, "first", names and numbering. */
static void unrolling(void **state)
{
	const char *text =
		"{\"input\": [8, 8, 3], \"classes\": 2, \"params\": {\"width\": 6},"
		"\"defaults\": {\"conv\": {\"kernel\": 3, \"pad\": 1, \"bias\": false}},"
		"\"blocks\": {\"unit\": {\"params\": {\"out\": null, \"stride\": 1}, \"layers\": ["
		"{\"layer\": \"conv\", \"out\": \"$out\", \"stride\": \"$stride\"}, \"relu\"]},"
		"\"pair\": {\"params\": {\"n\": 2}, \"layers\": [{\"layer\": \"unit\","
		"\"name\": \"u\", \"out\": 4, \"repeat\": \"$n\", \"first\": {\"stride\": 2}}]}},"
		"\"layers\": [\"pair\", {\"layer\": \"pair\", \"n\": 1},"
		"{\"layer\": \"conv\", \"out\": \"$width\", \"repeat\": 2},"
		"{\"layer\": \"dense\", \"out\": \"$classes\"}]}";
	static const char *const names[] = {
		"input", "pair1.u1.conv1", "pair1.u1.relu1", "pair1.u2.conv1", "pair1.u2.relu1",
		"pair2.u.conv1", "pair2.u.relu1", "conv1", "conv2", "dense1"
	};
	static const int sides[] = { 8, 4, 4, 4, 4, 2, 2, 2, 2, 1 };
	struct graph *g = graph_parse(text, "unrolled", own, 0);

	assert_non_null(g);
	assert_int_equal(g->n, 10);
	for (int i = 0; i < g->n; i++) {
		assert_string_equal(g->layers[i].name, names[i]);
		assert_int_equal(g->layers[i].os.h, sides[i]);
	}
	assert_int_equal(g->layers[8].os.c, 6);
	graph_free(g);
}

/* Numbers go on from the last layer that has one; what is too long for one is just a name. */
static void numbering(void **state)
{
	static const char *const names[] = { "relu7", "relu8", "relu99999999999", "relu9",
					     "relu999999999", "relu1000000000" };
	struct graph *g = graph_parse(
		"{\"layers\": [{\"layer\": \"relu\", \"name\": \"relu7\"}, \"relu\","
		"{\"layer\": \"relu\", \"name\": \"relu99999999999\"}, \"relu\","
		"{\"layer\": \"relu\", \"name\": \"relu999999999\"}, \"relu\","
		"{\"layer\": \"dense\", \"out\": \"$classes\"}]}", "numbers", mnist, 2);

	assert_non_null(g);
	for (int i = 0; i < 6; i++)
		assert_string_equal(g->layers[i + 1].name, names[i]);
	graph_free(g);
}

static void pooled_side(int side, const char *settings, int want)
{
	char text[256];
	struct graph *g;

	snprintf(text, sizeof(text), "{\"layers\": [{\"layer\": \"maxpool\", %s}, {\"layer\":"
		 "\"dense\", \"out\": \"$classes\"}]}", settings);
	g = graph_parse(text, "pool", (struct shape){ side, side, 1 }, 2);
	assert_non_null(g);
	assert_int_equal(g->layers[1].os.h, want);
	graph_free(g);
}

static void pooled_sides(void **state)
{
	pooled_side(7, "\"kernel\": 2", 3);
	pooled_side(7, "\"kernel\": 2, \"ceil\": true", 4);
	pooled_side(8, "\"kernel\": 2, \"ceil\": true", 4);
	pooled_side(8, "\"kernel\": 3, \"stride\": 2", 3);
	pooled_side(8, "\"kernel\": 3, \"stride\": 2, \"ceil\": true", 4);
	pooled_side(5, "\"kernel\": 3, \"stride\": 1, \"pad\": 1", 5);
	/* A fourth window would begin in the padding after the image. */
	pooled_side(5, "\"kernel\": 2, \"stride\": 3, \"pad\": 1, \"ceil\": true", 2);
}

static void refuses(const char *text, const char *says)
{
	struct graph *g;

	capture_start();
	g = graph_parse(text, "bad.json", own, 0);
	capture_stop();
	if (g || !strstr(capture_text(), says))
		fail_msg("%s\n  should say '%s'\n  says '%s'", text, says, capture_text());
}

#define IN "{\"input\": [8, 8, 3], \"classes\": 10, "
#define FC ", {\"layer\": \"dense\", \"out\": 10}]}"

static void refused_frames(void **state)
{
	refuses("{\"input\": [8, 8, 3],\n\"classes\": 10 \"layers\": []}", "bad.json:2:");
	refuses("[]", "a net is an object");
	refuses(IN "\"layrs\": []}", "layers");
	refuses(IN "\"layers\": []}", "one layer or more");
	refuses(IN "\"layers\": [3]}", "an object, or the name of a layer");
	refuses("{\"classes\": 10, \"layers\": [\"relu\"]}", "no \"input\"");
	refuses("{\"input\": [8, 8, 3], \"layers\": [\"relu\"]}", "no \"classes\"");
	refuses("{\"input\": [8, 0, 3], \"classes\": 10, \"layers\": [\"relu\"]}",
		"[height, width, channels]");
	refuses("{\"input\": [1048576, 1048576, 3], \"classes\": 10, \"layers\": [\"relu\"]}",
		"too large");
	refuses("{\"input\": [8, 8, 3], \"classes\": 1.5, \"layers\": [\"relu\"]}", "whole number");
	refuses(IN "\"blocks\": {\"relu\": {\"layers\": [\"bn\"]}}, \"layers\": [\"relu\"" FC,
		"name of a layer");
	refuses(IN "\"blocks\": {\"b\": {\"layer\": [\"bn\"]}}, \"layers\": [\"b\"" FC, "layers");
	refuses(IN "\"blocks\": 3, \"layers\": [\"relu\"" FC, "\"blocks\" is an object");
	refuses(IN "\"blocks\": {\"b\": {\"params\": {\"name\": 1}, \"layers\": [\"bn\"]}},"
		"\"layers\": [\"b\"" FC, "cannot be called 'name'");
	refuses(IN "\"defaults\": {\"covn\": {}}, \"layers\": [\"relu\"" FC, "conv");
	refuses(IN "\"defaults\": {\"conv\": []}, \"layers\": [\"relu\"" FC, "is an object");
}

static void refused_items(void **state)
{
	refuses(IN "\"layers\": [\"rleu\"" FC, "did you mean 'relu'");
	refuses(IN "\"layers\": [{\"layer\": \"conv\", \"kernal\": 3}" FC, "kernel");
	refuses(IN "\"layers\": [{\"layer\": \"conv\", \"kernel\": 3}" FC, "needs \"out\"");
	refuses(IN "\"layers\": [{\"layer\": \"conv\", \"out\": 3}" FC, "needs \"kernel\"");
	refuses(IN "\"layers\": [{\"layer\": \"conv\", \"out\": 3.5, \"kernel\": 3}" FC, "3.5");
	refuses(IN "\"layers\": [{\"layer\": \"conv\", \"out\": -3, \"kernel\": 3}" FC, "-3");
	refuses(IN "\"layers\": [{\"layer\": \"conv\", \"out\": [3], \"kernel\": 3}" FC, "out");
	refuses(IN "\"layers\": [{\"layer\": \"relu\", \"out\": 3}" FC, "no settings");
	refuses(IN "\"layers\": [{\"layer\": \"conv\", \"out\": 3, \"kernel\": 3, \"init\": \"he\"}"
		FC, "he-out");
	refuses(IN "\"layers\": [{\"name\": \"a\"}" FC, "no \"layer\"");
	refuses(IN "\"layers\": [{\"layer\": \"relu\", \"name\": \"a.b\"}" FC, "letters");
	refuses(IN "\"layers\": [{\"layer\": \"relu\", \"name\": \"a\"}, {\"layer\": \"relu\","
		"\"name\": \"a\"}" FC, "two layers are called 'a'");
	refuses(IN "\"layers\": [{\"layer\": \"relu\", \"repeat\": 0}" FC, "repeat");
	refuses(IN "\"layers\": [{\"layer\": \"relu\", \"repeat\": 1e9}" FC, "repeat");
	refuses(IN "\"layers\": [{\"layer\": \"relu\", \"first\": 3}" FC, "first");
	refuses(IN "\"layers\": [{\"layer\": \"conv\", \"out\": \"$w\", \"kernel\": 1}" FC,
		"no parameter '$w'");
	refuses(IN "\"blocks\": {\"b\": {\"params\": {\"width\": 3},"
		"\"layers\": [{\"layer\": \"conv\", \"out\": \"$widht\", \"kernel\": 1}]}},"
		"\"layers\": [\"b\"" FC,
		"in 'b1.': no parameter '$widht'; did you mean '$width'? Known: $width");
	refuses(IN "\"blocks\": {\"b\": {\"params\": {\"out\": null}, \"layers\": [\"bn\"]}},"
		"\"layers\": [\"b\"" FC, "needs \"out\"");
	refuses(IN "\"blocks\": {\"b\": {\"layers\": [\"bn\"]}},"
		"\"layers\": [{\"layer\": \"b\", \"out\": 3}" FC, "out");
}

static void refused_graphs(void **state)
{
	refuses(IN "\"layers\": [\"relu\", {\"layer\": \"bn\", \"in\": \"rleu1\"}" FC,
		"did you mean 'relu1'");
	refuses(IN "\"layers\": [{\"layer\": \"bn\", \"in\": \"relu1\"}, \"relu\"" FC,
		"which no layer before it is called");
	refuses(IN "\"layers\": [\"add\"" FC, "reads 2 layers, but \"in\" names 0");
	refuses(IN "\"layers\": [{\"layer\": \"relu\", \"in\": [\"input\", \"input\"]}" FC,
		"reads 1 layer, but \"in\" names 2");
	refuses(IN "\"layers\": [{\"layer\": \"conv\", \"out\": 4, \"kernel\": 1},"
		"{\"layer\": \"add\", \"in\": [\"input\", \"conv1\"]}" FC,
		"cannot add 8x8x3 of 'input' and 8x8x4 of 'conv1'");
	refuses(IN "\"layers\": [{\"layer\": \"conv\", \"out\": 4, \"kernel\": 9}" FC,
		"layer 'conv1': a window of 9x9 does not fit its input of 8x8x3");
	refuses(IN "\"layers\": [{\"layer\": \"conv\", \"out\": 4, \"kernel\": 3, \"groups\": 2}"
		FC, "do not divide");
	refuses(IN "\"layers\": [{\"layer\": \"maxpool\", \"kernel\": 3, \"pad\": 2}" FC,
		"over half");
	refuses(IN "\"layers\": [{\"layer\": \"shortcut\", \"out\": 2}" FC, "cannot drop");
	refuses(IN "\"layers\": [\"relu\", {\"layer\": \"bn\", \"in\": \"input\"}" FC,
		"nothing reads what 'relu1' gives");
	refuses(IN "\"layers\": [\"globalpool\"]}", "gives 1x1x3, but there are 10 classes");
	refuses(IN "\"layers\": [\"globalpool\", {\"layer\": \"shortcut\", \"out\": 10}]}",
		"no parameters");
	/* A block may use blocks defined above it only: no cycles. */
	refuses(IN "\"blocks\": {\"b\": {\"layers\": [\"b\"]}}, \"layers\": [\"b\"" FC,
		"unknown layer or block 'b'");
	refuses(IN "\"blocks\": {\"b\": {\"layers\": [\"d\"]}, \"d\": {\"layers\": [\"relu\"]}},"
		"\"layers\": [\"b\"" FC, "unknown layer or block 'd'");
}

static void refused_sizes(void **state)
{
	refuses(IN "\"layers\": [{\"layer\": \"dense\", \"out\": 1048576},"
		"{\"layer\": \"dense\", \"out\": 1048576}" FC, "weights are too many");
	refuses(IN "\"layers\": [{\"layer\": \"lstm\", \"out\": 1048576}" FC,
		"weights are too many");
	refuses(IN "\"layers\": [\"lstm\"" FC, "needs \"out\"");
	refuses(IN "\"layers\": [{\"layer\": \"groupnorm\", \"groups\": 2}" FC,
		"3 channels cannot be divided into 2 groups (expected a divisor of 3)");
	refuses(IN "\"layers\": [{\"layer\": \"dense\", \"out\": 30000, \"repeat\": 3}" FC,
		"parameters at layer");
	refuses(IN "\"layers\": [{\"layer\": \"shortcut\", \"out\": 1000000, \"repeat\": 1},"
		"{\"layer\": \"relu\", \"repeat\": 50}" FC, "activations a sample");
	refuses(IN "\"layers\": [{\"layer\": \"relu\", \"repeat\": 10000},"
		"{\"layer\": \"relu\", \"repeat\": 10000}" FC, "more than 16384 layers");
	/* Nothing but names, 10000^2 times over: ended by a bound on the work. */
	refuses(IN "\"blocks\": {\"a\": {\"layers\": [{\"layer\": \"shortcut\", \"repeat\": 10000}"
		"]}, \"b\": {\"layers\": [{\"layer\": \"a\", \"repeat\": 10000}]}},"
		"\"layers\": [\"b\"" FC, "unrolls to more than");
}

static void unknown_net(void **state)
{
	capture_start();
	assert_null(graph_load("resnet-20", cifar, 10));
	capture_stop();
	assert_said("resnet20");
}

RUN_ALL(sizes, layout, initial_values, prints, unrolling, numbering, pooled_sides, refused_frames,
	refused_items, refused_graphs, refused_sizes, unknown_net)
