/* What layers of nets of tokens may be told, and what they make of a window. */
#include "nets/layers_tokens.h"

#include "core/base/error.h"
#include "core/text/word.h"

#include <stddef.h>

#define FIELD(type, f) OPT_AT(type, struct layer_conf, f)
#define OUT { .name = "out", FIELD(INT, out), .def = "0", .arg = "N", \
	.min = 0, .max = SIDE_MAX, .help = "output channels" }
#define BIAS(text) { .name = "bias", FIELD(BOOL, bias), .def = "true", .help = text }
#define INIT { .name = "init", FIELD(ENUM, init), .def = "normal", \
	.choices = layer_inits, .help = "how the weights begin" }
#define BIAS_INIT(d) { .name = "bias_init", FIELD(ENUM, bias_init), .def = d, \
	.choices = layer_inits, .help = "how the bias, or the table of positions, begins" }
#define INIT_VALUES(d) \
	{ .name = "init_value", FIELD(DOUBLE, init_value), .def = "0.02", .arg = "X", \
	  .min = -1e6, .max = 1e6, .help = "deviation of init normal; value of constant" }, \
	{ .name = "bias_value", FIELD(DOUBLE, bias_value), .def = d, .arg = "X", \
	  .min = -1e6, .max = 1e6, .help = "the same for bias_init" }
#define DECAY { .name = "decay", FIELD(BOOL, decay), .def = "true", \
	.help = "weight decay applies to the layer's parameters" }
#define BIAS_DECAY { .name = "bias_decay", FIELD(BOOL, bias_decay), .def = "true", \
	.help = "weight decay applies to the bias too" }

#define CUTOFF(name_, k, text) { .name = name_, FIELD(INT, cutoffs[k]), .def = "0", .arg = "N", \
	.min = 0, .max = SIDE_MAX, .help = text }
#define CUTOFFS \
	CUTOFF("cutoff1", 0, "the first token of the first cluster; 0: there are none"), \
	CUTOFF("cutoff2", 1, "of the second one; 0: there is none"), \
	CUTOFF("cutoff3", 2, "of the third one; 0: there is none")
#define DIV \
	{ .name = "div", FIELD(INT, div), .def = "1", .arg = "N", .min = 1, .max = SIDE_MAX, \
	  .help = "rows of cluster k have the channels divided by N^k, and a projection; 1: all " \
	  "rows have all channels" }, \
	{ .name = "projection_value", FIELD(DOUBLE, projection_value), .def = "0.01", \
	  .arg = "X", .min = 0, .max = 1e6, .help = "projections begin as normal numbers of this " \
	  "deviation" }

static const char *const gelu_forms[] = { "erf", "tanh", NULL };

const struct opt layer_embed_opts[] = {
	OUT,
	{ .name = "positions", FIELD(INT, positions), .def = "0", .arg = "N",
	  .min = 0, .max = SIDE_MAX, .help = "learned rows added to those of the tokens, one for "
	  "each position of a window; 0: none" },
	{ .name = "scaled", FIELD(BOOL, scaled), .def = "false",
	  .help = "rows are multiplied by sqrt(out)" },
	DIV, CUTOFFS, INIT, BIAS_INIT("normal"), INIT_VALUES("0.02"), DECAY, BIAS_DECAY,
	{ .name = NULL }
};
const struct opt layer_unembed_opts[] = {
	{ .name = "bias", FIELD(BOOL, bias), .def = "false", .help = "adds a bias to each token" },
	DECAY, BIAS_DECAY, { .name = NULL }
};
const struct opt layer_adaptive_opts[] = {
	CUTOFFS, DIV, INIT, BIAS_INIT("zero"), INIT_VALUES("0.02"), DECAY, BIAS_DECAY,
	{ .name = NULL }
};
const struct opt layer_linear_opts[] = {
	OUT, BIAS("adds a bias to each output channel"), INIT, BIAS_INIT("zero"), INIT_VALUES("0"),
	DECAY, BIAS_DECAY, { .name = NULL }
};
const struct opt layer_layernorm_opts[] = {
	{ .name = "eps", FIELD(DOUBLE, eps), .def = "1e-5", .arg = "X",
	  .min = 1e-12, .max = 1, .help = "added to the variance" },
	BIAS("adds a shift to each channel"),
	{ .name = "init_value", FIELD(DOUBLE, init_value), .def = "0", .arg = "X",
	  .min = 0, .max = 1e6, .help = "scales begin as normal numbers around 1, of this "
	  "deviation" },
	DECAY, { .name = NULL }
};
const struct opt layer_gelu_opts[] = {
	{ .name = "form", FIELD(ENUM, form), .def = "erf", .choices = gelu_forms,
	  .help = "erf: x Phi(x) itself; tanh: the approximation of GPT-2" },
	{ .name = NULL }
};
const struct opt layer_attention_opts[] = {
	{ .name = "heads", FIELD(INT, heads), .def = "1", .arg = "N",
	  .min = 1, .max = SIDE_MAX, .help = "heads, each with its share of the channels" },
	{ .name = "rate", FIELD(DOUBLE, rate), .def = "0", .arg = "P",
	  .min = 0, .max = 0.99, .help = "probabilities dropped in training" },
	{ .name = NULL }
};

const struct opt layer_relative_opts[] = {
	{ .name = "heads", FIELD(INT, heads), .def = "1", .arg = "N",
	  .min = 1, .max = SIDE_MAX, .help = "heads, each with its share of the channels" },
	{ .name = "memory", FIELD(INT, memory), .def = "0", .arg = "N",
	  .min = 0, .max = SIDE_MAX, .help = "tokens before a window whose rows it keeps" },
	{ .name = "test_memory", FIELD(INT, test_memory), .def = "0", .arg = "N",
	  .min = 0, .max = SIDE_MAX, .help = "the same in evaluation; 0: as in training" },
	{ .name = "test_clamp", FIELD(INT, test_clamp), .def = "0", .arg = "N",
	  .min = 0, .max = SIDE_MAX, .help = "in evaluation larger distances are taken for this "
	  "one; 0: none" },
	{ .name = "test_same_length", FIELD(BOOL, test_same_length), .def = "false",
	  .help = "in evaluation a token attends to the last test_memory tokens only" },
	{ .name = "untied", FIELD(BOOL, untied), .def = "false",
	  .help = "has biases of its own; else those of the net's first such layer" },
	{ .name = "rate", FIELD(DOUBLE, rate), .def = "0", .arg = "P",
	  .min = 0, .max = 0.99, .help = "probabilities dropped in training" },
	{ .name = "position_rate", FIELD(DOUBLE, position_rate), .def = "0", .arg = "P",
	  .min = 0, .max = 0.99, .help = "values of the codes of distances dropped in training" },
	INIT, BIAS_INIT("normal"), INIT_VALUES("0.02"), DECAY, BIAS_DECAY, { .name = NULL }
};

int layer_embed_shape(struct layer *l, const struct layer_conf *conf, const char *where)
{
	if (layer_need(conf->out, "out", where))
		return -1;
	if (l->is.w != 1 || l->is.c != 1)
		return error("%s: reads tokens, but its input is %dx%dx%d: choose a data set of "
			     "text, such as --data text:file=FILE", where, l->is.h, l->is.w,
			     l->is.c);
	if (conf->positions && conf->positions < l->is.h)
		return error("%s: has %lld positions, fewer than the %d tokens of a window: choose "
			     "a shorter window, such as --data text:window=%lld", where,
			     (long long)conf->positions, l->is.h, (long long)conf->positions);
	l->os = (struct shape){ l->is.h, 1, (int)conf->out };
	return shape_check(l->os.h, 1, l->os.c, where);
}

int layer_linear_shape(struct layer *l, const struct layer_conf *conf, const char *where)
{
	if (layer_need(conf->out, "out", where))
		return -1;
	l->os = (struct shape){ l->is.h, l->is.w, (int)conf->out };
	return shape_check(l->os.h, l->os.w, l->os.c, where) ? -1 : layer_count_macs(l, where);
}

/*
 * The dropout of a row of probabilities is drawn at an address that has its layer, head and
 * position, in 32 bits.
 */
enum { DROPOUT_ROWS = 1 << 18 };

int layer_attention_shape(struct layer *l, const struct layer_conf *conf, const char *where)
{
	const int64_t third = l->is.c / 3;

	if (l->is.c % 3 || third % conf->heads)
		return error("%s: %d channels cannot be cut into queries, keys and values of %lld "
			     "head%s", where, l->is.c, (long long)conf->heads,
			     word_plural((double)conf->heads));
	if (conf->rate > 0 && conf->heads * l->is.h >= DROPOUT_ROWS)
		return error("%s: a dropout of %lld heads over %d tokens is too large", where,
			     (long long)conf->heads, l->is.h);
	l->os = (struct shape){ l->is.h, l->is.w, (int)third };
	/* Products of a query with its key and of a probability with its value; half are masked. */
	l->macs = third * l->is.h * (l->is.h + 1);
	return 0;
}

/* What depends on the second input and on other layers is found in graph/tie.c. */
int layer_relative_shape(struct layer *l, const struct layer_conf *conf, const char *where)
{
	return layer_attention_shape(l, conf, where);
}

bool layer_takes_tokens(const struct layer *l)
{
	switch (l->kind) {
	case LAYER_RELU:
	case LAYER_DROPOUT:
	case LAYER_ADD:
	case LAYER_EMBED:
	case LAYER_LINEAR:
	case LAYER_LAYERNORM:
	case LAYER_GELU:
	case LAYER_ATTENTION:
	case LAYER_UNEMBED:
	case LAYER_RELATIVE:
	case LAYER_ADAPTIVE:
		return true;
	default:
		return false;
	}
}
