/*
 * relative.c - attention by distance, with a memory of rows of the text before the window
 * (Transformer-XL).
 *
 * The first input has queries, keys and values, which a linear layer computes from the second
 * input. The memory has rows of the second input; the same weights give their keys and values.
 */
#include "nets/layers/layers.h"

#include "core/base/error.h"
#include "core/file/members.h"
#include "core/text/word.h"

static const struct opt relative_opts[] = {
	SETTING_HEADS,
	{ .name = "memory", SETTING(INT32, memory), .def = "0", .arg = "N",
	  .min = 0, .max = SIDE_MAX, .help = "tokens before a window whose rows it keeps" },
	{ .name = "test_memory", SETTING(INT32, test_memory), .def = "0", .arg = "N",
	  .min = 0, .max = SIDE_MAX, .help = "the same in evaluation; 0: as in training" },
	{ .name = "test_clamp", SETTING(INT32, test_clamp), .def = "0", .arg = "N",
	  .min = 0, .max = SIDE_MAX, .help = "in evaluation, larger distances count as this one; "
	  "0: no limit" },
	{ .name = "test_same_length", SETTING(BOOL, test_same_length), .def = "false",
	  .help = "in evaluation a token attends to the last test_memory tokens only" },
	{ .name = "untied", SETTING(BOOL, untied), .def = "false",
	  .help = "has biases of its own; else those of the net's first such layer" },
	SETTING_DROPPED,
	{ .name = "position_rate", SETTING(DOUBLE, position_rate), .def = "0", .arg = "P",
	  .min = 0, .max = 0.99,
	  .help = "share of the values of distance codes dropped in training" },
	SETTING_INIT("normal"), SETTING_BIAS_INIT("normal", POSITIONS_BEGIN),
	SETTING_INIT_VALUES("0.02", "0.02"), SETTING_DECAY, SETTING_BIAS_DECAY, { .name = NULL }
};

static int relative_tie_projection(struct graph *g, struct layer *l, const char *where)
{
	struct layer *made = &g->layers[l->in[0]];

	if (made->kind != LAYER_LINEAR || made->bias || made->in[0] != l->in[1])
		return error("%s: its first input is '%s' (expected a linear layer without bias "
			     "that reads the second input)", where, made->name);
	if (made->tied)
		return error("%s: '%s' is read by '%s' already", where, made->name,
			     g->layers[made->tied].name);
	l->tied = l->in[0];
	made->tied = g->n;
	return 0;
}

/* Ties the biases u and w to those of the net's first layer of the kind, which may be this one. */
static int relative_tie_biases(struct graph *g, struct layer *l, const char *where)
{
	const struct layer *first;

	for (l->first = 1; l->first < g->n; l->first++)
		if (g->layers[l->first].kind == LAYER_RELATIVE)
			break;
	l->leads = l->first == g->n;
	if (l->leads)
		return 0;
	first = &g->layers[l->first];
	if (!l->untied && (first->os.c != l->os.c || first->heads != l->heads))
		return error("%s: has %d heads and %d channels, but '%s', whose biases it shares, "
			     "has %d and %d (expected as many, or \"untied\": true)", where,
			     l->heads, l->os.c, first->name, first->heads, first->os.c);
	return 0;
}

static int relative_shape(struct graph *g, struct layer *l, const char *where)
{
	int64_t keys;

	if (attention_shape(g, l, where))
		return -1;
	l->width = g->layers[l->in[1]].os.c;
	if (relative_tie_projection(g, l, where) || relative_tie_biases(g, l, where))
		return -1;
	if (l->width % 2)
		return error("%s: its second input has %d channels (expected an even number: "
			     "sines and cosines)", where, l->width);
	if ((l->test_same_length || l->test_memory) && !l->memory)
		return error("%s: \"%s\" is for a layer with a \"memory\"", where,
			     l->test_memory ? "test_memory" : "test_same_length");
	if (!l->test_memory)
		l->test_memory = l->memory;
	/*
	 * Multiply-accumulates of a window with a full memory: scores by content and by distance,
	 * and values, of which half of the window's are masked; keys and values of the memory.
	 */
	keys = 2 * (int64_t)l->memory + l->is.h + 1;
	l->macs = 3 * (int64_t)l->os.c * l->is.h * keys / 2 +
		  2 * (int64_t)l->memory * l->os.c * l->width;
	l->fan_in = (size_t)l->width;
	l->fan_out = (size_t)l->os.c;
	l->weights = l->fan_in * l->fan_out;
	l->biases = l->untied || l->leads ? 2 * l->fan_out : 0;
	return 0;
}

static void relative_blobs(struct graph *g, struct layer *l)
{
	graph_add_blob(g, l, "weight", l->decay, 2, (int[4]){ l->os.c, l->width });
	if (l->biases)
		graph_add_blob(g, l, "bias", l->decay && l->bias_decay, 2, (int[4]){ 2, l->os.c });
	else
		l->beta = g->layers[l->first].beta;
}

static int relative_detail(const struct layer *l, char *text, size_t size)
{
	return snprintf(text, size, "%d head%s, %d", l->heads, word_plural(l->heads), l->memory);
}

static void relative_show_shared(const struct graph *g, const struct layer *l, cJSON *json)
{
	ADD(json, j_text("projection", g->layers[l->tied].name),
	    j_text("biases", l->untied ? l->name : g->layers[l->first].name));
}

const struct layer_type layer_relative = {
	.name = "relative", .domain = ON_TOKENS, .ins = 2, .opts = relative_opts,
	.shape = relative_shape, .add_blobs = relative_blobs, .detail = relative_detail,
	.shown = (const char *const[]){ "memory", "test_memory", "test_clamp", "test_same_length",
					"untied", "position_rate", "rate", "heads", NULL },
	.show_shared = relative_show_shared,
};
