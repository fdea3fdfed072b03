/* groupnorm.c - normalisation over pixels and a group of channels (Wu, He 2018). */
#include "nets/layers/layers.h"

#include "core/base/error.h"

static const struct opt groupnorm_opts[] = {
	{ .name = "groups", SETTING(INT32, groups), .def = "32", .arg = "N",
	  .min = 1, .max = SIDE_MAX, .help = "groups of channels, of equal size; 1: all channels "
	  "together" },
	SETTING_EPS, SETTING_BIAS("adds a shift to each channel"), SETTING_DECAY, { .name = NULL }
};

static int groupnorm_shape(struct graph *g, struct layer *l, const char *where)
{
	if (l->is.c % l->groups)
		return error("%s: %d channels cannot be divided into %d groups (expected a "
			     "divisor of %d). Choose another \"groups\"", where, l->is.c,
			     l->groups, l->is.c);
	l->weights = (size_t)l->is.c;
	l->biases = l->bias ? l->weights : 0;
	return layer_keep_shape(g, l, where);
}

static int groupnorm_detail(const struct layer *l, char *text, size_t size)
{
	return snprintf(text, size, "%d groups", l->groups);
}

const struct layer_type layer_groupnorm = {
	.name = "groupnorm", .ins = 1, .opts = groupnorm_opts, .shape = groupnorm_shape,
	.add_blobs = bn_add_scales, .scales = true, .detail = groupnorm_detail,
	.shown = (const char *const[]){ "groups", "eps", NULL }, .joins = true,
};
