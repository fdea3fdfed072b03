/* sizes.c - tables of nets that are not files, and built-in nets known by their size. */
#include "nets/sizes/sizes.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/paths.h"
#include "core/text/word.h"
#include "nets/external/external.h"
#include "nets/nets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PROBLEM(name) extern const struct problem_type problem_##name;
#define SIZE(name) extern const struct size_type size_##name;
#include "nets/list.h"
#undef PROBLEM
#undef SIZE

const struct plugin *const problem_table[] = {
#define PROBLEM(name) &problem_##name.plugin,
#include "nets/list.h"
#undef PROBLEM
	NULL
};

const struct plugin *const size_table[] = {
#define SIZE(name) &size_##name.plugin,
#include "nets/list.h"
#undef SIZE
	NULL
};

const struct plugin *const net_table[] = {
#define PROBLEM(name) &problem_##name.plugin,
#define SIZE(name) &size_##name.plugin,
#include "nets/list.h"
#undef PROBLEM
#undef SIZE
	&external_python, &external_exec, NULL
};

char *net_path(const char *net)
{
	const size_t n = strcspn(net, ":");
	/* files have no options, but a path may have a colon */
	const bool bare = !net[n] || strchr(net, '/') || word_ends(net, ".json");
	scoped const char **others = plugin_names(net_table);
	char *name = xasprintf("%.*s", bare ? (int)strlen(net) : (int)n, net), *path = NULL;

	if (word_is_among(name, others))
		error("net %s has no layers of its own; 'convoy show net %s' says what it is", net,
		      name);
	else
		path = path_find_or("nets/zoo", name, others);
	if (path && !bare) {
		error("net %s has no options. Leave out '%s'", name, net + n);
		free(path);
		path = NULL;
	}
	free(name);
	return path;
}

bool sizes_chosen(const char *text)
{
	const size_t n = strcspn(text, ":");

	for (const struct plugin *const *p = size_table; *p; p++)
		if (strlen((*p)->name) == n && strncmp((*p)->name, text, n) == 0)
			return true;
	return false;
}

int sizes_parse(struct choice *c, const char *text)
{
	char *name = xasprintf("%.*s", (int)strcspn(text, ":"), text), *full;
	const struct plugin *p = plugin_find(size_table, "net", name);
	const char *value = strchr(text, ':');
	bool has_key;
	int ret;

	free(name);
	if (!p)
		return -1;
	/* The key of the first option may be omitted. */
	has_key = !value || !p->opts || !value[1] || value[1 + strcspn(value + 1, "=,")] == '=';
	full = has_key ? xstrdup(text) : xasprintf("%s:%s=%s", p->name, p->opts->name, value + 1);
	ret = choice_parse(c, size_table, "net", full);
	free(full);
	return ret;
}

int sizes_layers(const struct choice *c, struct size_list *list)
{
	const struct size_type *type = (const struct size_type *)c->plugin;

	if (!type->rows)
		return type->layers(c->conf, list);
	for (const struct size_row *row = type->rows; row->n; row++)
		sizes_add(list, row->n, (struct size_layer){ .parameters = row->parameters,
							     .macs = row->macs });
	return 0;
}

void sizes_add(struct size_list *list, size_t n, struct size_layer layer)
{
	list->layer = xrealloc(list->layer, list->n + n, sizeof(*list->layer));
	for (size_t i = 0; i < n; i++)
		list->layer[list->n++] = layer;
}

void sizes_release(struct size_list *list)
{
	free(list->layer);
	*list = (struct size_list){ 0 };
}

/* ---- a net of equal layers with a given total of bytes ---- */

struct bytes_conf {
	double bytes, macs;
	int64_t layers;
};

enum { BYTES_LAYERS = 50 };     /* if none are given: about as many as ResNet-50 has */

static int bytes_layers(const void *conf, struct size_list *list)
{
	const struct bytes_conf *c = conf;
	const double parameters = ceil(c->bytes / (double)sizeof(float));
	const int64_t layers = c->layers ? c->layers : (int64_t)fmin(BYTES_LAYERS, parameters);

	if (!(c->bytes > 0.0))
		return error("net bytes: bytes is missing (expected those of a gradient, such as "
			     "bytes:350e6)");
	if ((double)c->layers > parameters)
		return error("net bytes: layers = %lld of %.0f parameters: a layer has at least "
			     "one (expected at most %.0f)", (long long)c->layers, parameters,
			     parameters);
	for (int64_t i = 0; i < layers; i++)
		sizes_add(list, 1, (struct size_layer){
			.parameters = floor(parameters * (double)(i + 1) / (double)layers) -
				      floor(parameters * (double)i / (double)layers),
			.macs = c->macs / (double)layers });
	return 0;
}

static const struct opt bytes_opts[] = {
	OPT_NUMBER(struct bytes_conf, bytes, NULL, "bytes of a gradient, 4 for each parameter",
		   "BYTES", 4, 4e15),
	OPT_NUMBER(struct bytes_conf, layers, "0",
		   "layers of equal size; 0: 50, or as many as there are parameters", "N", 0,
		   1 << 20),
	OPT_NUMBER(struct bytes_conf, macs, "0",
		   "forward multiply-accumulates per sample, for the compute time on a cluster",
		   "N", 0, 1e18),
	{ 0 }
};

const struct size_type size_bytes = {
	.plugin = { .name = "bytes",
		.brief = "timing only: a net of so many bytes, bytes:350e6,layers=60",
		    .opts = bytes_opts,
		    .conf_size = sizeof(struct bytes_conf) },
	.layers = bytes_layers,
};

/* ---- nets of papers ---- */

/*
 * GPT-2 of 124 million parameters; a sample is a sequence of 1024 tokens.
 *
 * A block of width d = 768 has 12 d^2 weights, 9 d biases and 4 d of layer norms. Its
 * multiply-accumulates are 12 d^2 per token, and 2 d for each token and each token attended to (all
 * 1024: kernels without a mask's savings). The output shares the embedding's weights.
 */
static const struct size_row gpt2_rows[] = {
	{ 1, 50257.0 * 768 + 1024.0 * 768, 0 },
	{ 12, 12.0 * 768 * 768 + 13.0 * 768,
	  1024.0 * 12 * 768 * 768 + 2.0 * 1024 * 1024 * 768 },
	{ 1, 2.0 * 768, 1024.0 * 50257 * 768 },
	{ 0 }
};

const struct size_type size_gpt2 = {
	.plugin = { .name = "gpt2",
		.brief = "timing only: GPT-2, 124,439,808 parameters, 1024 tokens a sample",
		.cite = "Radford, Wu, Child, Luan, Amodei, Sutskever 2019 (GPT-2)" },
	.rows = gpt2_rows, .window = 1024,
};

/*
 * ResNet-101 for photographs of 224 x 224; a layer is a bottleneck block.
 *
 * The stride is in the 3 x 3 convolution, as in torchvision. A block of width w from 4 w channels
 * has 4 w^2 + 9 w^2 + 4 w^2 weights and 12 w of batch norms; the first of a stage comes from fewer
 * channels, and has a shortcut of its own.
 */

/* n blocks of width w at side x side. */
#define BLOCKS(n, w, side)                                                                         \
	{ n, 17.0 * (w) * (w) + 12.0 * (w), 17.0 * (w) * (w) * (side) * (side) }

/* The first block of a stage: `in` channels at side_in x side_in. */
#define FIRST(in, w, side_in, side)                                                                \
	{ 1, 5.0 * (in) * (w) + 13.0 * (w) * (w) + 20.0 * (w),                                     \
	  1.0 * (in) * (w) * (side_in) * (side_in) +                                               \
		  (13.0 * (w) * (w) + 4.0 * (in) * (w)) * (side) * (side) }

static const struct size_row resnet101_rows[] = {
	{ 1, 49.0 * 3 * 64 + 2 * 64, 49.0 * 3 * 64 * 112 * 112 },
	FIRST(64, 64, 56, 56), BLOCKS(2, 64, 56),
	FIRST(256, 128, 56, 28), BLOCKS(3, 128, 28),
	FIRST(512, 256, 28, 14), BLOCKS(22, 256, 14),
	FIRST(1024, 512, 14, 7), BLOCKS(2, 512, 7),
	{ 1, 2048.0 * 1000 + 1000, 2048.0 * 1000 },
	{ 0 }
};

const struct size_type size_resnet101 = {
	.plugin = { .name = "resnet101",
		.brief = "timing only: ResNet-101, 44,549,160 parameters, photographs of 224 x 224",
		.cite = "He, Zhang, Ren, Sun 2016, Deep residual learning for image recognition" },
	.rows = resnet101_rows,
};

/*
 * Transformer-XL (base) for WikiText-103; a sample is 150 tokens.
 *
 * Width d = 410, 16 layers, inner width 2100, memory of 150 tokens. A layer has 5 d^2 weights of
 * attention (queries, keys, values, positions, output), 2 x 2100 d + 2100 + d of its dense pair and
 * 4 d of layer norms. Queries, keys, values and positions are computed for the 300 tokens that are
 * attended to, and attention takes 3 products of 150 x 300 x d. The output is an adaptive softmax
 * over 267,735 words that shares the embedding's weights; of its multiply-accumulates only the head
 * of 20,003 counts.
 */
#define D 410.0

static const struct size_row transformer_xl_rows[] = {
	{ 1, 267735 * D, 0 },
	{ 16, 5 * D * D + 2 * 2100 * D + 2100 + D + 4 * D,
	  300 * 4 * D * D + 3 * 150 * 300 * D + 150 * (D * D + 2 * 2100 * D) },
	{ 1, 267735 + 3 * (D + 1) + 2 * D, 150 * 20003 * D },
	{ 0 }
};

const struct size_type size_transformer_xl = {
	.plugin = { .name = "transformer-xl",
		.brief = "timing only: Transformer-XL base, 151,107,538 parameters, "
			 "150 tokens a sample",
		.cite = "Dai et al. 2019, Transformer-XL: attentive language models beyond a "
		"fixed-length context" },
	.rows = transformer_xl_rows,
};

/* A convolution from `in` to `out` channels at side x side, with biases. */
#define CONV(n, in, out, side)                                                                     \
	{ n, 9.0 * (in) * (out) + (out), 9.0 * (in) * (out) * (side) * (side) }
#define DENSE(in, out) { 1, (double)(in) * (out) + (out), (double)(in) * (out) }

/* VGG-16 for photographs of 224 x 224: 13 convolutions of 3 x 3, three dense layers. */
static const struct size_row vgg16_rows[] = {
	CONV(1, 3, 64, 224), CONV(1, 64, 64, 224), CONV(1, 64, 128, 112), CONV(1, 128, 128, 112),
	CONV(1, 128, 256, 56), CONV(2, 256, 256, 56), CONV(1, 256, 512, 28), CONV(2, 512, 512, 28),
	CONV(3, 512, 512, 14), DENSE(25088, 4096), DENSE(4096, 4096), DENSE(4096, 1000),
	{ 0 }
};

const struct size_type size_vgg16 = {
	.plugin = { .name = "vgg16",
		.brief = "timing only: VGG-16, 138,357,544 parameters, photographs of 224 x 224",
		.cite = "Simonyan, Zisserman 2015, Very deep convolutional networks, "
			"configuration D" },
	.rows = vgg16_rows,
};
