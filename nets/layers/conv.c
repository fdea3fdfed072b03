/* conv.c - convolution with a square window, in separate groups of channels. */
#include "nets/layers/layers.h"

#include "core/base/error.h"

static const struct opt conv_opts[] = {
	SETTING_OUT, SETTING_KERNEL, SETTING_STRIDE("1", 1), SETTING_PAD,
	{ .name = "groups", SETTING(INT32, groups), .def = "1", .arg = "N",
	  .min = 1, .max = SIDE_MAX, .help = "groups of channels that do not mix" },
	SETTING_BIAS("adds a bias to each output channel"), SETTING_INIT("he-out"),
	SETTING_BIAS_INIT("zero", BIAS_BEGINS), SETTING_INIT_VALUES("0.01", "0.1"),
	SETTING_DECAY, SETTING_BIAS_DECAY, { .name = NULL }
};

static int conv_shape(struct graph *g, struct layer *l, const char *where)
{
	const int64_t taps = (int64_t)l->kernel * l->kernel;
	int ret;

	(void)g;
	if (layer_need(l->os.c, "out", where) || layer_need(l->kernel, "kernel", where))
		return -1;
	if (l->is.c % l->groups || l->os.c % l->groups)
		return error("%s: %d groups do not divide both %d input and %d output channels",
			     where, l->groups, l->is.c, l->os.c);
	if (l->pad >= l->kernel)
		return error("%s: padding %d is not less than the kernel %d", where, l->pad,
			     l->kernel);
	ret = layer_window(l, l->os.c, where);
	return ret ? ret : layer_product(l, taps * (l->is.c / l->groups), taps * l->os.c, where);
}

static void conv_blobs(struct graph *g, struct layer *l)
{
	graph_add_blob(g, l, "weight", l->decay, 4,
		       (int[4]){ l->os.c, l->kernel, l->kernel, l->is.c / l->groups });
	if (l->biases)
		graph_add_blob(g, l, "bias", l->decay && l->bias_decay, 1, (int[4]){ l->os.c });
}

static int conv_detail(const struct layer *l, char *text, size_t size)
{
	if (l->groups > 1)
		return snprintf(text, size, "%dx%d/%d, %d groups", l->kernel, l->kernel, l->stride,
				l->groups);
	return snprintf(text, size, "%dx%d/%d", l->kernel, l->kernel, l->stride);
}

const struct layer_type layer_conv = {
	.name = "conv", .ins = 1, .opts = conv_opts, .shape = conv_shape,
	.add_blobs = conv_blobs, .detail = conv_detail, .colour = "#cfe2f7",
	.shown = (const char *const[]){ "kernel", "stride", "pad", "groups", NULL },
};
