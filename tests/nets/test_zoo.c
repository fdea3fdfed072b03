/* Every net of the zoo, against the figures that its paper or code is known by. */
#include "core/base/mem.h"
#include "core/file/paths.h"
#include "nets/nets.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* At the net's own input and classes. */
static const struct entry {
	const char *name;
	size_t parameters;
	int64_t macs;
	struct shape input;
	int classes;
} zoo[] = {
	{ "alexnet", 60965224, 724406816, { 227, 227, 3 }, 1000 },
	/* 2 (96 + 256 + 384 + 384) of its normalisations on top. */
	{ "alexnet-bn", 60965224 + 2240, 724406816, { 227, 227, 3 }, 1000 },
	{ "caffenet", 60965224, 724406816, { 227, 227, 3 }, 1000 },
	{ "caffenet-ungrouped", 62378344, 1135256096, { 227, 227, 3 }, 1000 },
	{ "cifar-cnn", 89578, 12298240, { 32, 32, 3 }, 10 },
	{ "cifar-small", 33834, 2811904, { 32, 32, 3 }, 10 },
	{ "conv-ratio-1", 103370, 26264192, { 32, 32, 3 }, 10 },
	{ "conv-ratio-1-4", 103946, 26240256, { 32, 32, 3 }, 10 },
	{ "conv-ratio-1-16", 105290, 26229248, { 32, 32, 3 }, 10 },
	{ "conv-ratio-4", 103274, 26313024, { 32, 32, 3 }, 10 },
	{ "conv-ratio-16", 103610, 26411168, { 32, 32, 3 }, 10 },
	{ "conv-ratio-64", 104546, 26607696, { 32, 32, 3 }, 10 },
	/* 2048 (4 + 2 (2048 + 1)) + 10 (2048 + 1), on the mean of three channels. */
	{ "gemm", 8421386, 8415232, { 32, 32, 3 }, 10 },
	{ "lenet", 431080, 2293000, { 28, 28, 1 }, 10 },
	/* 4 (64 + 128) 128 + 4 128 and 4 (128 + 128) 128 + 4 128 of its two layers. */
	{ "lstm-char", 65 * 64 + 98816 + 131584 + 129 * 65, 64 * (98304 + 131072 + 128 * 65),
	  { 64, 1, 1 }, 65 },
	/* 4 (28 + 64) 64 + 4 64, 28 times; 10 (64 + 1). */
	{ "lstm-rows", 23552 + 256 + 650, 28 * 23552 + 640, { 28, 28, 1 }, 10 },
	{ "mlp", 118282, 118016, { 28, 28, 1 }, 10 },
	{ "mlp-65000", 33605004, 33540000, { 1, 1, 512 }, 4 },
	{ "mlp-tanh", 118282, 118016, { 28, 28, 1 }, 10 },
	{ "mlp-wide", 529412, 528384, { 1, 1, 512 }, 4 },
	{ "resnet8", 75290, 12239488, { 32, 32, 3 }, 10 },
	{ "resnet18", 11689512, 1814073344, { 224, 224, 3 }, 1000 },
	{ "resnet18-cifar", 11173962, 555422720, { 32, 32, 3 }, 10 },
	{ "gpt-shakespeare", 10745088, 2875883520, { 256, 1, 1 }, 65 },
	{ "gpt-shakespeare-cpu", 804096, 52994048, { 64, 1, 1 }, 65 },
	{ "gpt-tiny", 27168, 866304, { 32, 1, 1 }, 12 },
	{ "gpt2-124m", 124439808, 136169914368, { 1024, 1, 1 }, 50257 },
	{ "resnet20", 269722, 40551040, { 32, 32, 3 }, 10 },
	{ "resnet20-gn", 269722, 40551040, { 32, 32, 3 }, 10 },
	{ "resnet32", 464154, 68862592, { 32, 32, 3 }, 10 },
	{ "resnet44", 658586, 97174144, { 32, 32, 3 }, 10 },
	{ "resnet50", 25557032, 4089184256, { 224, 224, 3 }, 1000 },
	{ "resnet56", 853018, 125485696, { 32, 32, 3 }, 10 },
	{ "resnet110", 1727962, 252887680, { 32, 32, 3 }, 10 },
	{ "transformer-xl-tiny", 27660, 1227776, { 32, 1, 1 }, 12 },
	{ "transformer-xl-small", 865217, 68739072, { 64, 1, 1 }, 65 },
	{ "transformer-xl-wt103", 151107538, 8449300500, { 150, 1, 1 }, 267735 },
	{ "transformer-xl-wt103-large", 285170506, 122380615680, { 384, 1, 1 }, 267735 },
	{ "transformer-xl-enwik8", 41055436, 29854531584, { 512, 1, 1 }, 204 },
	{ "squeezenet", 1235496, 387747520, { 227, 227, 3 }, 1000 },
	{ "vgg", 14991946, 313463808, { 32, 32, 3 }, 10 },
	{ "wrn-16-4", 2748890, 392612352, { 32, 32, 3 }, 10 },
	{ .name = NULL }
};

static const struct shape own = { 0, 0, 0 };

static struct graph *load(const char *name, struct shape input, int classes)
{
	struct graph *g = graph_load(name, input, classes);

	if (!g)
		fail_msg("%s does not load", name);
	return g;
}

static void published_sizes(void **state)
{
	for (const struct entry *e = zoo; e->name; e++) {
		struct graph *g = load(e->name, own, 0);

		if (g->dim != e->parameters || graph_macs(g) != e->macs)
			fail_msg("%s: %zu parameters, %lld multiply-accumulates", e->name, g->dim,
				 (long long)graph_macs(g));
		assert_memory_equal(&g->input, &e->input, sizeof(g->input));
		assert_int_equal(g->classes, e->classes);
		assert_non_null(g->about);
		graph_free(g);
	}
}

static void all_are_listed(void **state)
{
	char **names = path_list("nets/zoo");

	for (char **name = names; *name; name++) {
		const struct entry *e = zoo;

		while (e->name && strcmp(e->name, *name))
			e++;
		if (!e->name)
			fail_msg("the table of this test lacks %s", *name);
	}
	path_list_free(names);
}

static size_t parameters_of(const struct graph *g, const char *name)
{
	for (int i = 0; i < g->n; i++)
		if (!strcmp(g->layers[i].name, name))
			return layer_parameters(&g->layers[i]);
	fail_msg("%s has no layer %s", g->name, name);
	return 0;
}

/*
 * Transformer-XL's large net: clusters of 20,000, 20,000, 160,000 and 67,735 words whose rows have
 * 1024, 256, 64 and 16 values. The softmax has a projection for the head alone.
 */
static void transformer_xl_clusters(void **state)
{
	struct graph *g = load("transformer-xl-wt103-large", own, 0);
	const size_t d = 1024;
	const size_t tables = 20000 * d + 20000 * 256 + 160000 * 64 + 67735 * 16;

	assert_int_equal(parameters_of(g, "tokens"), tables + d * (d + 256 + 64 + 16));
	assert_int_equal(parameters_of(g, "logits"), d * d + 3 * d + 267735 + 3);
	assert_int_equal(parameters_of(g, "h1.relative1"), d * d + 2 * d);
	assert_int_equal(parameters_of(g, "h2.relative1"), d * d);
	assert_int_equal(parameters_of(g, "h18.fc"), 4096 * d + 4096);
	graph_free(g);
}

/* Deviations of the initial values: 0.02, of projections 0.01; biases begin at 0. */
static void projections_begin(void **state)
{
	struct graph *g = graph_parse(
		"{\"layers\": [{\"layer\": \"embed\", \"name\": \"e\", \"out\": 256, \"div\": 4,"
		"\"cutoff1\": 100}, {\"layer\": \"adaptive\", \"name\": \"a\","
		"\"in\": [\"e\", \"e\"], \"div\": 4, \"cutoff1\": 100}]}", "clusters",
		(struct shape){ 8, 1, 1 }, 300);
	static const struct { const char *name; double deviation; } want[] = {
		{ "e.tokens0", 0.02 }, { "e.tokens1", 0.02 }, { "e.projection0", 0.01 },
		{ "e.projection1", 0.01 }, { "a.weight", 0.02 }, { "a.projection", 0.01 },
		{ "a.bias", 0 },
	};
	float *x;

	assert_non_null(g);
	assert_int_equal(g->nblobs, sizeof(want) / sizeof(*want));
	x = xcalloc(g->dim, sizeof(*x));
	graph_init(g, 7, x);
	for (size_t b = 0; b < g->nblobs; b++) {
		const struct blob *blob = &g->blobs[b];
		double square = 0;

		assert_string_equal(blob->name, want[b].name);
		for (size_t k = 0; k < blob->count; k++)
			square += pow((double)x[blob->offset + k], 2);
		/* Six deviations of the estimate; the smallest blob has 256 values. */
		assert_near(sqrt(square / (double)blob->count), want[b].deviation,
			    6 * want[b].deviation / sqrt(2 * (double)blob->count));
	}
	free(x);
	graph_free(g);
}

/* He et al.: 6n + 2 layers, widths 16, 32, 64, all convolutions 3x3, shortcuts free. */
static void resnet_formula(void **state)
{
	static const struct { const char *name; int n; } nets[] = {
		{ "resnet8", 1 }, { "resnet20", 3 }, { "resnet32", 5 }, { "resnet44", 7 },
		{ "resnet56", 9 }, { "resnet110", 18 },
	};

	for (size_t i = 0; i < sizeof(nets) / sizeof(*nets); i++) {
		struct graph *g = load(nets[i].name, own, 0);
		int n = nets[i].n, convs = 0;
		int weights = 9 * (3 * 16 + 2 * n * 16 * 16 + 16 * 32 + (2 * n - 1) * 32 * 32
				   + 32 * 64 + (2 * n - 1) * 64 * 64);
		int norms = 2 * (16 + 2 * n * (16 + 32 + 64));

		for (int k = 0; k < g->n; k++)
			convs += g->layers[k].kind == LAYER_CONV;
		assert_int_equal(convs, 6 * n + 1);
		assert_int_equal(g->dim, weights + norms + 65 * 10);
		graph_free(g);
	}
}

/* Zhang et al.'s widths for other numbers of classes. */
static void other_classes(void **state)
{
	static const struct { const char *name; size_t parameters; } nets[] = {
		{ "wrn-16-4", 2772020 }, { "resnet20", 269722 + 90 * 65 },
	};

	for (size_t i = 0; i < sizeof(nets) / sizeof(*nets); i++) {
		struct graph *g = load(nets[i].name, own, 100);

		assert_int_equal(g->dim, nets[i].parameters);
		graph_free(g);
	}
}

static const struct layer *find(const struct graph *g, const char *name)
{
	for (int i = 0; i < g->n; i++)
		if (!strcmp(g->layers[i].name, name))
			return &g->layers[i];
	fail_msg("%s has no layer %s", g->name, name);
	return NULL;
}

/* Sides that Caffe's and Torch's rounding give, at the papers' inputs. */
static void sides(void **state)
{
	static const struct { const char *net, *layer; int side, channels; } known[] = {
		{ "alexnet", "conv1", 55, 96 }, { "alexnet", "pool1", 27, 96 },
		{ "alexnet", "pool2", 13, 256 }, { "alexnet", "pool5", 6, 256 },
		{ "caffenet", "norm1", 27, 96 }, { "caffenet", "norm2", 13, 256 },
		{ "squeezenet", "conv1", 113, 64 }, { "squeezenet", "pool1", 56, 64 },
		{ "squeezenet", "fire2.concat1", 56, 128 }, { "squeezenet", "pool3", 28, 128 },
		{ "squeezenet", "pool5", 14, 256 }, { "squeezenet", "conv10", 14, 1000 },
		{ "resnet18", "maxpool1", 56, 64 }, { "resnet18", "stage4.block2.relu1", 7, 512 },
		{ "resnet50", "stage1.block1.shortcut", 56, 256 },
		{ "resnet50", "stage4.block3.relu1", 7, 2048 },
		{ "cifar-cnn", "maxpool1", 16, 32 }, { "cifar-cnn", "avgpool2", 4, 64 },
		{ "wrn-16-4", "stage3.block2.add1", 8, 256 },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		struct graph *g = load(known[i].net, own, 0);
		const struct layer *l = find(g, known[i].layer);

		assert_int_equal(l->os.h, known[i].side);
		assert_int_equal(l->os.w, known[i].side);
		assert_int_equal(l->os.c, known[i].channels);
		graph_free(g);
	}
}

/* AlexNet normalises before it pools, CaffeNet after; AlexNet-BN before conv2 to conv5. */
static void order_of_normalisation(void **state)
{
	struct graph *a = load("alexnet", own, 0), *c = load("caffenet", own, 0);
	struct graph *b = load("alexnet-bn", own, 0);
	int norms = 0;

	assert_ptr_equal(find(a, "norm1") + 1, find(a, "pool1"));
	assert_ptr_equal(find(c, "pool1") + 1, find(c, "norm1"));
	for (int i = 0; i < b->n - 1; i++)
		if (b->layers[i].kind == LAYER_BN) {
			assert_int_equal(b->layers[i + 1].kind, LAYER_CONV);
			norms++;
		}
	assert_int_equal(norms, 4);
	graph_free(a);
	graph_free(b);
	graph_free(c);
}

struct blob_start {
	const char *net, *blob;
	double mean, deviation;
	bool decay;
};

static void check_start(const struct blob_start *s, const struct graph *g, const float *x)
{
	const struct blob *b = g->blobs;
	double sum = 0, square = 0, n, slack;

	while (strcmp(b->name, s->blob))
		if (++b == g->blobs + g->nblobs)
			fail_msg("%s has no blob %s", s->net, s->blob);
	n = (double)b->count;
	slack = 5 * s->deviation / sqrt(n);
	for (size_t k = b->offset; k < b->offset + b->count; k++)
		sum += (double)x[k];
	for (size_t k = b->offset; k < b->offset + b->count; k++)
		square += ((double)x[k] - sum / n) * ((double)x[k] - sum / n);
	if (!check_is_near(sum / n, s->mean, slack + 1e-7)
	    || !check_is_near(sqrt(square / n), s->deviation, slack + 1e-7)
	    || b->decay != s->decay)
		fail_msg("%s, %s: mean %g, deviation %g, decay %d", s->net, s->blob, sum / n,
			 sqrt(square / n), b->decay);
}

/* Fillers of Caffe's models, and He's rule: sqrt(2 / fan_out), biases 0. */
static void initial_values(void **state)
{
	const struct blob_start starts[] = {
		{ "alexnet", "conv1.weight", 0, 0.01, true },
		{ "alexnet", "conv1.bias", 0, 0, false },
		{ "alexnet", "conv2.bias", 0.1, 0, false },
		{ "alexnet", "conv3.bias", 0, 0, false },
		{ "alexnet", "conv5.bias", 0.1, 0, false },
		{ "caffenet", "conv2.bias", 1, 0, false },
		{ "caffenet", "conv3.bias", 0, 0, false },
		{ "caffenet", "fc6.weight", 0, 0.005, true },
		{ "caffenet", "fc6.bias", 1, 0, false },
		{ "caffenet", "fc8.weight", 0, 0.01, true },
		{ "caffenet", "fc8.bias", 0, 0, false },
		{ "squeezenet", "fire2.expand3x3.weight", 0, 1 / sqrt(9.0 * 16), true },
		{ "squeezenet", "conv10.weight", 0, 0.01, true },
		{ "squeezenet", "conv10.bias", 0, 0, false },
		{ "resnet18", "conv1.weight", 0, sqrt(2.0 / (49 * 64)), true },
		{ "resnet50", "stage2.block1.body.conv2.weight", 0, sqrt(2.0 / (9 * 128)), true },
		{ "resnet50", "fc.bias", 0, 0, true },
		{ "wrn-16-4", "stage3.block1.shortcut.weight", 0, sqrt(2.0 / 256), true },
		{ "wrn-16-4", "bn1.gamma", 1, 0, true },
		{ "wrn-16-4", "bn1.beta", 0, 0, true },
	};
	struct graph *g = NULL;
	float *x = NULL;

	for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++) {
		if (!g || strcmp(g->name, starts[i].net)) {
			graph_free(g);
			free(x);
			g = load(starts[i].net, own, 0);
			x = vec_new(g->dim);
			graph_init(g, 3, x);
		}
		check_start(&starts[i], g, x);
	}
	graph_free(g);
	free(x);
}

/* Nets for large images take small ones as far as their strides go, and else say why not. */
static void small_images(void **state)
{
	static const char *const fit[] = { "resnet18", "resnet50", "squeezenet" };
	static const char *const lost[] = { "alexnet", "alexnet-bn", "caffenet-ungrouped" };
	const struct shape cifar = { 32, 32, 3 };

	for (size_t i = 0; i < 3; i++)
		graph_free(load(fit[i], cifar, 10));
	for (size_t i = 0; i < 3; i++) {
		capture_start();
		assert_null(graph_load(lost[i], cifar, 10));
		capture_stop();
		assert_said(lost[i]);
		assert_said("layer 'pool5': a window of 3x3 does not fit its input of 1x1x256");
		assert_said("made for images of 227x227; those of 32x32 are too small");
	}
	graph_free(load("alexnet", (struct shape){ 64, 64, 3 }, 10));
}

RUN_ALL(published_sizes, all_are_listed, resnet_formula, other_classes, sides,
	order_of_normalisation, initial_values, small_images, transformer_xl_clusters,
	projections_begin)
