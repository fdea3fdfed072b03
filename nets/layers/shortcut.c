/* shortcut.c - every stride-th pixel, with zero channels appended (option A of He et al.). */
#include "nets/layers/layers.h"

#include "core/base/error.h"

static const struct opt shortcut_opts[] = {
	SETTING_OUT, SETTING_STRIDE("1", 1), { .name = NULL }
};

static int shortcut_shape(struct graph *g, struct layer *l, const char *where)
{
	const int out = l->os.c ? l->os.c : l->is.c;

	(void)g;
	if (out < l->is.c)
		return error("%s: \"out\" is %d, but a shortcut cannot drop any of its %d input "
			     "channels", where, out, l->is.c);
	l->os = (struct shape){ (l->is.h - 1) / l->stride + 1, (l->is.w - 1) / l->stride + 1,
				out };
	if (shape_check(l->os.h, l->os.w, l->os.c, where))
		return -1;
	return l->stride == 1 && l->os.c == l->is.c ? NO_LAYER : 0;
}

static int shortcut_detail(const struct layer *l, char *text, size_t size)
{
	return snprintf(text, size, "/%d", l->stride);
}

const struct layer_type layer_shortcut = {
	.name = "shortcut", .ins = 1, .opts = shortcut_opts, .shape = shortcut_shape,
	.detail = shortcut_detail, .shown = (const char *const[]){ "stride", NULL },
	.colour = "#fdeecb",
};
