/* lrn.c - local response normalisation across channels (Krizhevsky et al. 2012). */
#include "nets/layers/layers.h"

#include "core/base/error.h"

static const struct opt lrn_opts[] = {
	{ .name = "size", SETTING(INT32, kernel), .def = "5", .arg = "N",
	  .min = 1, .max = 1023, .help = "channels of the window, an odd number" },
	{ .name = "alpha", SETTING(DOUBLE, alpha), .def = "1e-4", .arg = "X",
	  .min = 0, .max = 1e6, .help = "weight of the mean square" },
	{ .name = "beta", SETTING(DOUBLE, power), .def = "0.75", .arg = "X",
	  .min = 0, .max = 100, .help = "the power" },
	{ .name = "k", SETTING(DOUBLE, k), .def = "1", .arg = "X",
	  .min = 1e-6, .max = 1e6, .help = "added to it" },
	{ .name = NULL }
};

static int lrn_shape(struct graph *g, struct layer *l, const char *where)
{
	if (l->kernel % 2 == 0)
		return error("%s: \"size\" is %d, but a window around a channel is odd", where,
			     l->kernel);
	return layer_keep_shape(g, l, where);
}

static int lrn_detail(const struct layer *l, char *text, size_t size)
{
	return snprintf(text, size, "size %d", l->kernel);
}

const struct layer_type layer_lrn = {
	.name = "lrn", .ins = 1, .opts = lrn_opts, .shape = lrn_shape, .detail = lrn_detail,
	.shown = (const char *const[]){ "size", "alpha", "beta", "k", NULL },
};
