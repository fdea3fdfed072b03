/* linear.c - a fully connected layer at each token alone. */
#include "nets/layers/layers.h"

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
	.name = "linear", .place = ON_TOKENS, .ins = 1, .opts = linear_opts, .shape = linear_shape,
};
