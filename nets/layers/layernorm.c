/* layernorm.c - normalisation over the channels of each token. */
#include "nets/layers/layers.h"

static const struct opt layernorm_opts[] = {
	SETTING_EPS, SETTING_BIAS("adds a shift to each channel"),
	{ .name = "init_value", SETTING(DOUBLE, init_value), .def = "0", .arg = "X",
	  .min = 0, .max = 1e6, .help = "scales begin as normal numbers around 1, of this "
	  "deviation" },
	SETTING_DECAY, { .name = NULL }
};

static int layernorm_shape(struct graph *g, struct layer *l, const char *where)
{
	l->weights = (size_t)l->is.c;
	l->biases = l->bias ? l->weights : 0;
	return layer_keep_shape(g, l, where);
}

static int layernorm_detail(const struct layer *l, char *text, size_t size)
{
	return snprintf(text, size, "eps %g", l->eps);
}

const struct layer_type layer_layernorm = {
	.name = "layernorm", .domain = ON_TOKENS, .ins = 1, .opts = layernorm_opts,
	.shape = layernorm_shape, .add_blobs = bn_add_scales, .scales = true,
	.detail = layernorm_detail, .shown = (const char *const[]){ "eps", NULL },
};
