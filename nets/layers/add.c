/* add.c - the sum of two layers of equal shape. */
#include "nets/layers/layers.h"

#include "core/base/error.h"

static int add_shape(struct graph *g, struct layer *l, const char *where)
{
	const struct shape a = l->is, b = g->layers[l->in[1]].os;

	if (a.h != b.h || a.w != b.w || a.c != b.c)
		return error("%s: cannot add %dx%dx%d of '%s' and %dx%dx%d of '%s'", where,
			     a.h, a.w, a.c, g->layers[l->in[0]].name,
			     b.h, b.w, b.c, g->layers[l->in[1]].name);
	return layer_keep_shape(g, l, where);
}

const struct layer_type layer_add = {
	.name = "add", .domain = ON_ALL, .ins = 2, .shape = add_shape, .colour = "#fbdcc0",
};
