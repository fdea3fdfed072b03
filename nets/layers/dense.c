/* dense.c - fully connected layers: each output reads all of the image, or all of its token. */
#include "nets/layers/layers.h"

static const struct opt dense_opts[] = {
	SETTING_OUT, SETTING_BIAS("adds a bias to each output channel"), SETTING_INIT("torch"),
	SETTING_BIAS_INIT("torch", BIAS_BEGINS), SETTING_INIT_VALUES("0.01", "0.1"),
	SETTING_DECAY, SETTING_BIAS_DECAY, { .name = NULL }
};

static int dense_shape(struct graph *g, struct layer *l, const char *where)
{
	(void)g;
	if (layer_need(l->os.c, "out", where))
		return -1;
	l->os = (struct shape){ 1, 1, l->os.c };
	return layer_product(l, (int64_t)shape_count(l->is), l->os.c, where);
}

const struct layer_type layer_dense = {
	.name = "dense", .ins = 1, .opts = dense_opts, .shape = dense_shape, .colour = "#dcd3f2",
};

/* ---- linear ---- */

static const struct opt linear_opts[] = {
	SETTING_OUT, SETTING_BIAS("adds a bias to each output channel"), SETTING_INIT("normal"),
	SETTING_BIAS_INIT("zero", POSITIONS_BEGIN), SETTING_INIT_VALUES("0.02", "0"),
	SETTING_DECAY, SETTING_BIAS_DECAY, { .name = NULL }
};

static int linear_shape(struct graph *g, struct layer *l, const char *where)
{
	(void)g;
	if (layer_need(l->os.c, "out", where))
		return -1;
	l->os = (struct shape){ l->is.h, l->is.w, l->os.c };
	return shape_check(l->os.h, l->os.w, l->os.c, where)
		? -1 : layer_product(l, l->is.c, l->os.c, where);
}

const struct layer_type layer_linear = {
	.name = "linear", .domain = ON_TOKENS, .ins = 1, .opts = linear_opts, .shape = linear_shape,
};
