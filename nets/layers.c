/* What each kind of layer may be told, and what it makes of a shape. */
#include "nets/layers.h"

#include "core/base/error.h"
#include "nets/adaptive.h"
#include "nets/layers_tokens.h"
#include "nets/nets.h"

#include <stddef.h>

const char *const layer_inits[] = {
	"zero", "he-out", "he-in", "xavier", "torch", "normal", "constant", NULL
};

#define FIELD(type, f) OPT_AT(type, struct layer_conf, f)
#define OUT { .name = "out", FIELD(INT, out), .def = "0", .arg = "N", \
	.min = 0, .max = SIDE_MAX, .help = "output channels" }
#define KERNEL { .name = "kernel", FIELD(INT, kernel), .def = "0", \
	.arg = "N", .min = 0, .max = 1024, .help = "side of the window in pixels" }
#define STRIDE(d, least) { .name = "stride", FIELD(INT, stride), .def = d, \
	.arg = "N", .min = least, .max = 1024, .help = "pixels from one window to the next" }
#define PAD { .name = "pad", FIELD(INT, pad), .def = "0", .arg = "N", \
	.min = 0, .max = 1024, .help = "pixels of padding on every side" }
#define CEIL { .name = "ceil", FIELD(BOOL, ceil), .def = "false", \
	.help = "the last window may run over the edge" }
#define DECAY { .name = "decay", FIELD(BOOL, decay), .def = "true", \
	.help = "weight decay applies to the layer's parameters" }
#define BIAS_DECAY { .name = "bias_decay", FIELD(BOOL, bias_decay), \
	.def = "true", .help = "weight decay applies to the bias too" }
#define BIAS { .name = "bias", FIELD(BOOL, bias), .def = "true", \
	.help = "adds a bias to each output channel" }
#define INIT(d) { .name = "init", FIELD(ENUM, init), .def = d, \
	.choices = layer_inits, .help = "how the weights begin" }
#define BIAS_INIT(d) { .name = "bias_init", FIELD(ENUM, bias_init), \
	.def = d, .choices = layer_inits, .help = "how the bias begins" }
#define INIT_VALUES \
	{ .name = "init_value", FIELD(DOUBLE, init_value), .def = "0.01", \
	  .arg = "X", .min = -1e6, .max = 1e6, .help = "deviation of init normal; value of " \
	  "constant" }, \
	{ .name = "bias_value", FIELD(DOUBLE, bias_value), .def = "0.1", \
	  .arg = "X", .min = -1e6, .max = 1e6, .help = "the same for bias_init" }

static const struct opt conv_opts[] = {
	OUT, KERNEL, STRIDE("1", 1), PAD,
	{ .name = "groups", FIELD(INT, groups), .def = "1", .arg = "N",
	  .min = 1, .max = SIDE_MAX, .help = "groups of channels that do not mix" },
	BIAS, INIT("he-out"), BIAS_INIT("zero"), INIT_VALUES, DECAY, BIAS_DECAY, { .name = NULL }
};
static const struct opt dense_opts[] = {
	OUT, BIAS, INIT("torch"), BIAS_INIT("torch"), INIT_VALUES, DECAY, BIAS_DECAY,
	{ .name = NULL }
};
static const struct opt bn_opts[] = {
	{ .name = "eps", FIELD(DOUBLE, eps), .def = "1e-5", .arg = "X",
	  .min = 1e-12, .max = 1, .help = "added to the variance" },
	DECAY, { .name = NULL }
};
static const struct opt pool_opts[] = {
	KERNEL, STRIDE("0", 0), PAD, CEIL, { .name = NULL }
};
static const struct opt dropout_opts[] = {
	{ .name = "rate", FIELD(DOUBLE, rate), .def = "0.5", .arg = "X",
	  .min = 0, .max = 0.99, .help = "share of the units that are dropped" },
	{ .name = NULL }
};
static const struct opt lrn_opts[] = {
	{ .name = "size", FIELD(INT, kernel), .def = "5", .arg = "N",
	  .min = 1, .max = 1023, .help = "channels of the window, an odd number" },
	{ .name = "alpha", FIELD(DOUBLE, alpha), .def = "1e-4", .arg = "X",
	  .min = 0, .max = 1e6, .help = "weight of the mean square" },
	{ .name = "beta", FIELD(DOUBLE, power), .def = "0.75", .arg = "X",
	  .min = 0, .max = 100, .help = "the power" },
	{ .name = "k", FIELD(DOUBLE, k), .def = "1", .arg = "X",
	  .min = 1e-6, .max = 1e6, .help = "added to it" },
	{ .name = NULL }
};
static const struct opt shortcut_opts[] = { OUT, STRIDE("1", 1), { .name = NULL } };

int shape_check(int64_t h, int64_t w, int64_t c, const char *where)
{
	if (h < 1 || w < 1 || c < 1)
		return error("%s: a shape of %lldx%lldx%lld has nothing in it", where,
			     (long long)h, (long long)w, (long long)c);
	if (h > SIDE_MAX || w > SIDE_MAX || c > SIDE_MAX || h * w > FLOATS_MAX
	    || h * w * c > FLOATS_MAX)
		return error("%s: a shape of %lldx%lldx%lld is too large: at most %d a side and "
			     "%d in all", where, (long long)h, (long long)w, (long long)c,
			     SIDE_MAX, FLOATS_MAX);
	return 0;
}

size_t shape_count(struct shape s)
{
	return (size_t)s.h * (size_t)s.w * (size_t)s.c;
}

/* The output has the input's shape. 0. */
static int layer_keep_shape(struct layer *l, const struct layer_conf *conf, const char *where)
{
	(void)conf;
	(void)where;
	l->os = l->is;
	return 0;
}

/* Positions of a window along one side, or 0 when not even one fits. */
static int64_t layers_windows(int64_t side, int64_t kernel, int64_t stride, int64_t pad, bool ceil)
{
	int64_t slack = side + 2 * pad - kernel, n;

	if (slack < 0)
		return 0;
	n = slack / stride + 1;
	/* A window that runs over the edge must still begin inside image or left padding. */
	if (ceil && slack % stride && n * stride < side + pad)
		n++;
	return n;
}

static int window_shape(struct layer *l, const struct layer_conf *conf, int64_t c,
			const char *where)
{
	int64_t h = layers_windows(l->is.h, conf->kernel, conf->stride, conf->pad, conf->ceil);
	int64_t w = layers_windows(l->is.w, conf->kernel, conf->stride, conf->pad, conf->ceil);

	if (!h || !w) {
		error("%s: a window of %lldx%lld does not fit its input of %dx%dx%d with padding "
		      "%lld", where, (long long)conf->kernel, (long long)conf->kernel, l->is.h,
		      l->is.w, l->is.c, (long long)conf->pad);
		return TOO_SMALL;
	}
	if (shape_check(h, w, c, where))
		return -1;
	l->os = (struct shape){ (int)h, (int)w, (int)c };
	return 0;
}

/* Settings without a default are 0 until the file gives them. */
int layer_need(int64_t value, const char *key, const char *where)
{
	return value ? 0 : error("%s: needs \"%s\", 1 or more", where, key);
}

int layer_count_macs(struct layer *l, const char *where)
{
	int64_t weights = layer_fan_in(l) * l->os.c;    /* <= 2^20 2^20 2^20 */

	if (weights > FLOATS_MAX)
		return error("%s: %lld weights are too many: at most %d", where,
			     (long long)weights, FLOATS_MAX);
	l->macs = weights * l->os.h * l->os.w;
	if (l->macs > (int64_t)1 << 48)
		return error("%s: too many multiplications", where);
	return 0;
}

static int conv_shape(struct layer *l, const struct layer_conf *conf, const char *where)
{
	int ret;

	if (layer_need(conf->out, "out", where) || layer_need(conf->kernel, "kernel", where))
		return -1;
	if (l->is.c % conf->groups || conf->out % conf->groups)
		return error("%s: %lld groups do not divide both %d input and %lld output "
			     "channels", where, (long long)conf->groups, l->is.c,
			     (long long)conf->out);
	if (conf->pad >= conf->kernel)
		return error("%s: padding %lld is not less than the kernel %lld", where,
			     (long long)conf->pad, (long long)conf->kernel);
	ret = window_shape(l, conf, conf->out, where);
	return ret ? ret : layer_count_macs(l, where);
}

static int dense_shape(struct layer *l, const struct layer_conf *conf, const char *where)
{
	if (layer_need(conf->out, "out", where))
		return -1;
	l->os = (struct shape){ 1, 1, (int)conf->out };
	return layer_count_macs(l, where);
}

static int pool_shape(struct layer *l, const struct layer_conf *conf, const char *where)
{
	struct layer_conf c = *conf;

	if (layer_need(c.kernel, "kernel", where))
		return -1;
	if (!c.stride)
		c.stride = l->stride = l->kernel;
	if (c.pad * 2 > c.kernel)
		return error("%s: padding %lld is over half the kernel %lld", where,
			     (long long)c.pad, (long long)c.kernel);
	return window_shape(l, &c, l->is.c, where);
}

static int globalpool_shape(struct layer *l, const struct layer_conf *conf, const char *where)
{
	(void)conf;
	(void)where;
	l->os = (struct shape){ 1, 1, l->is.c };
	return 0;
}

/* One address of randomness yields at most 2^26 draws, one a unit. */
static int dropout_shape(struct layer *l, const struct layer_conf *conf, const char *where)
{
	if (shape_count(l->is) >= (size_t)1 << 26)
		return error("%s: a dropout of %zu units is too large", where,
			     shape_count(l->is));
	return layer_keep_shape(l, conf, where);
}

static int lrn_shape(struct layer *l, const struct layer_conf *conf, const char *where)
{
	if (conf->kernel % 2 == 0)
		return error("%s: \"size\" is %lld, but a window around a channel is odd", where,
			     (long long)conf->kernel);
	return layer_keep_shape(l, conf, where);
}

/* The second input's shape is added where it is known, in graph/layer.c. */
static int concat_shape(struct layer *l, const struct layer_conf *conf, const char *where)
{
	return layer_keep_shape(l, conf, where);
}

static int shortcut_shape(struct layer *l, const struct layer_conf *conf, const char *where)
{
	int out = conf->out ? (int)conf->out : l->is.c;

	if (out < l->is.c)
		return error("%s: \"out\" is %d, but a shortcut cannot drop any of its %d input "
			     "channels", where, out, l->is.c);
	l->os.h = (l->is.h - 1) / l->stride + 1;
	l->os.w = (l->is.w - 1) / l->stride + 1;
	l->os.c = out;
	return shape_check(l->os.h, l->os.w, l->os.c, where);
}

const struct layer_type layer_types[] = {
	[LAYER_INPUT]      = { NULL,         0, NULL,          NULL },
	[LAYER_CONV]       = { "conv",       1, conv_opts,     conv_shape },
	[LAYER_DENSE]      = { "dense",      1, dense_opts,    dense_shape },
	[LAYER_BN]         = { "bn",         1, bn_opts,       layer_keep_shape },
	[LAYER_RELU]       = { "relu",       1, NULL,          layer_keep_shape },
	[LAYER_MAXPOOL]    = { "maxpool",    1, pool_opts,     pool_shape },
	[LAYER_AVGPOOL]    = { "avgpool",    1, pool_opts,     pool_shape },
	[LAYER_GLOBALPOOL] = { "globalpool", 1, NULL,          globalpool_shape },
	[LAYER_DROPOUT]    = { "dropout",    1, dropout_opts,  dropout_shape },
	[LAYER_ADD]        = { "add",        2, NULL,          layer_keep_shape },
	[LAYER_SHORTCUT]   = { "shortcut",   1, shortcut_opts, shortcut_shape },
	[LAYER_LRN]        = { "lrn",        1, lrn_opts,      lrn_shape },
	[LAYER_CONCAT]     = { "concat",     2, NULL,          concat_shape },
	[LAYER_EMBED]      = { "embed",      1, layer_embed_opts,    layer_embed_shape },
	[LAYER_LINEAR]     = { "linear",     1, layer_linear_opts,   layer_linear_shape },
	[LAYER_LAYERNORM]  = { "layernorm",  1, layer_layernorm_opts, layer_keep_shape },
	[LAYER_GELU]       = { "gelu",       1, layer_gelu_opts,     layer_keep_shape },
	[LAYER_ATTENTION]  = { "attention",  1, layer_attention_opts, layer_attention_shape },
	[LAYER_UNEMBED]    = { "unembed",    2, layer_unembed_opts,  layer_keep_shape },
	[LAYER_ADAPTIVE]   = { "adaptive",   2, layer_adaptive_opts, layer_keep_shape },
	[LAYER_RELATIVE]   = { "relative",   2, layer_relative_opts, layer_relative_shape },
};

int64_t layer_fan_in(const struct layer *l)
{
	if (l->kind == LAYER_DENSE)
		return (int64_t)shape_count(l->is);
	if (l->kind == LAYER_LINEAR || l->kind == LAYER_EMBED || l->kind == LAYER_ADAPTIVE)
		return l->is.c;
	if (l->kind == LAYER_RELATIVE)
		return l->width;
	return (int64_t)l->kernel * l->kernel * (l->is.c / l->groups);
}

int64_t layer_fan_out(const struct layer *l)
{
	if (l->kind == LAYER_DENSE || l->kind == LAYER_LINEAR || l->kind == LAYER_EMBED ||
	    l->kind == LAYER_RELATIVE)
		return l->os.c;
	return (int64_t)l->kernel * l->kernel * l->os.c;
}

size_t layer_projections(const struct layer *l)
{
	if (l->div == 1)
		return 0;
	if (l->kind == LAYER_EMBED)
		return adaptive_projection_at(l, l->clusters + 1);
	return l->kind == LAYER_ADAPTIVE ? adaptive_projection_at(l, 1) : 0;
}

size_t layer_weights(const struct layer *l)
{
	switch (l->kind) {
	case LAYER_CONV:
	case LAYER_DENSE:
	case LAYER_LINEAR:
	case LAYER_RELATIVE:
		return (size_t)layer_fan_in(l) * (size_t)l->os.c;
	case LAYER_EMBED:
		return adaptive_table_at(l, l->clusters + 1) + layer_projections(l);
	case LAYER_ADAPTIVE:
		return (size_t)l->clusters * (size_t)l->is.c + layer_projections(l);
	case LAYER_BN:
	case LAYER_LAYERNORM:
		return (size_t)l->os.c;
	default:
		return 0;
	}
}

/* u and w are those of the net's first layer of the kind. */
static bool layer_shares_biases(const struct layer *l)
{
	return !l->untied && !l->leads;
}

size_t layer_biases(const struct layer *l)
{
	if (l->kind == LAYER_EMBED)
		return (size_t)l->positions * (size_t)l->os.c;
	if (l->kind == LAYER_UNEMBED)
		return l->bias ? (size_t)l->os.c : 0;
	if (l->kind == LAYER_ADAPTIVE)
		return (size_t)l->vocabulary + (size_t)l->clusters;
	if (l->kind == LAYER_RELATIVE)
		return layer_shares_biases(l) ? 0 : 2 * (size_t)l->os.c;
	return l->kind == LAYER_BN || (l->bias && layer_weights(l)) ? (size_t)l->os.c : 0;
}

size_t layer_first(const struct layer *l)
{
	return layer_weights(l) ? l->weight : l->beta;
}

void layer_done(const struct layer *l, struct grad_hook *hook)
{
	grad_done(hook, layer_first(l), layer_first(l) + layer_weights(l) + layer_biases(l));
}
