/* dropout.c - drops units in training, and scales the others up. */
#include "nets/layers/layers.h"

#include "core/base/error.h"

static const struct opt dropout_opts[] = {
	{ .name = "rate", SETTING(DOUBLE, rate), .def = "0.5", .arg = "X",
	  .min = 0, .max = 0.99, .help = "share of the units that are dropped" },
	{ .name = NULL }
};

/* Refuses more units than draws at an address of random numbers, 2^26. */
static int dropout_shape(struct graph *g, struct layer *l, const char *where)
{
	if (shape_count(l->is) >= (size_t)1 << 26)
		return error("%s: a dropout of %zu units is too large", where, shape_count(l->is));
	return layer_keep_shape(g, l, where);
}

static int dropout_detail(const struct layer *l, char *text, size_t size)
{
	return snprintf(text, size, "rate %g", l->rate);
}

const struct layer_type layer_dropout = {
	.name = "dropout", .domain = ON_ALL, .ins = 1, .opts = dropout_opts,
	.shape = dropout_shape, .detail = dropout_detail,
	.shown = (const char *const[]){ "rate", NULL }, .joins = true,
};
