/* pool.c - the maximum or the mean of a window, and the mean of the whole image. */
#include "nets/layers/layers.h"

#include "core/base/error.h"

static const struct opt pool_opts[] = {
	SETTING_KERNEL, SETTING_STRIDE("0", 0), SETTING_PAD,
	{ .name = "ceil", SETTING(BOOL, ceil), .def = "false",
	  .help = "the last window may run over the edge" },
	{ .name = NULL }
};

static int pool_shape(struct graph *g, struct layer *l, const char *where)
{
	(void)g;
	if (layer_need(l->kernel, "kernel", where))
		return -1;
	if (!l->stride)
		l->stride = l->kernel;
	if (l->pad * 2 > l->kernel)
		return error("%s: padding %d is over half the kernel %d", where, l->pad, l->kernel);
	return layer_window(l, l->is.c, where);
}

static int pool_detail(const struct layer *l, char *text, size_t size)
{
	return snprintf(text, size, "%dx%d/%d", l->kernel, l->kernel, l->stride);
}

static const char *const pool_shown[] = { "kernel", "stride", "pad", "ceil", NULL };

const struct layer_type layer_maxpool = {
	.name = "maxpool", .ins = 1, .opts = pool_opts, .shape = pool_shape,
	.detail = pool_detail, .shown = pool_shown, .colour = "#cdebd3",
};

const struct layer_type layer_avgpool = {
	.name = "avgpool", .ins = 1, .opts = pool_opts, .shape = pool_shape,
	.detail = pool_detail, .shown = pool_shown, .colour = "#cdebd3",
};

static int globalpool_shape(struct graph *g, struct layer *l, const char *where)
{
	(void)g, (void)where;
	l->os = (struct shape){ 1, 1, l->is.c };
	return 0;
}

const struct layer_type layer_globalpool = {
	.name = "globalpool", .ins = 1, .shape = globalpool_shape, .colour = "#cdebd3",
};
