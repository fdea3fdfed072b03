/* concat.c - the channels of one layer, then those of another. */
#include "nets/layers/layers.h"

#include "core/base/error.h"

static int concat_shape(struct graph *g, struct layer *l, const char *where)
{
	const struct shape a = l->is, b = g->layers[l->in[1]].os;

	if (a.h != b.h || a.w != b.w)
		return error("%s: cannot concatenate %dx%dx%d of '%s' with %dx%dx%d of '%s'", where,
			     a.h, a.w, a.c, g->layers[l->in[0]].name,
			     b.h, b.w, b.c, g->layers[l->in[1]].name);
	l->os = (struct shape){ a.h, a.w, a.c + b.c };
	return shape_check(a.h, a.w, l->os.c, where);
}

const struct layer_type layer_concat = {
	.name = "concat", .ins = 2, .shape = concat_shape, .colour = "#fbdcc0",
};
