/* The table of kinds of layers, and helpers of their shape rules. */
#include "nets/layers/layers.h"

#include "core/base/error.h"

#include <string.h>

const char *const layer_inits[] = {
	"zero", "he-out", "he-in", "xavier", "torch", "normal", "constant", NULL
};

static const struct layer_type layer_input = { .name = "input", .colour = "#ffffff" };

#define LAYER(KIND, name) extern const struct layer_type layer_##name;
#include "nets/layers/list.h"
#undef LAYER

const struct layer_type *const layer_types[LAYER_KINDS] = {
	[LAYER_INPUT] = &layer_input,
#define LAYER(KIND, name) [LAYER_##KIND] = &layer_##name,
#include "nets/layers/list.h"
#undef LAYER
};

enum layer_kind layer_find(const char *name)
{
	for (int k = LAYER_INPUT + 1; k < LAYER_KINDS; k++)
		if (!strcmp(layer_types[k]->name, name))
			return (enum layer_kind)k;
	return LAYER_INPUT;
}

int shape_check(int64_t h, int64_t w, int64_t c, const char *where)
{
	if (h < 1 || w < 1 || c < 1)
		return error("%s: a shape of %lldx%lldx%lld has nothing in it", where,
			     (long long)h, (long long)w, (long long)c);
	if (h > SIDE_MAX || w > SIDE_MAX || c > SIDE_MAX || h * w > FLOATS_MAX
	    || h * w * c > FLOATS_MAX)
		return error("%s: a shape of %lldx%lldx%lld is too large: at most %d a side and "
			     "%d in all", where, (long long)h, (long long)w, (long long)c,
			     SIDE_MAX, FLOATS_MAX);
	return 0;
}

int layer_need(int value, const char *key, const char *where)
{
	return value ? 0 : error("%s: needs \"%s\", 1 or more", where, key);
}

/* Positions of the window along one side; 0 when not one fits. */
static int window_positions(const struct layer *l, int side)
{
	const int slack = side + 2 * l->pad - l->kernel;
	int n;

	if (slack < 0)
		return 0;
	n = slack / l->stride + 1;
	/* A window that extends beyond the edge must begin inside the image or the left padding. */
	if (l->ceil && slack % l->stride && n * l->stride < side + l->pad)
		n++;
	return n;
}

int layer_window(struct layer *l, int c, const char *where)
{
	const int h = window_positions(l, l->is.h), w = window_positions(l, l->is.w);

	if (!h || !w) {
		error("%s: a window of %dx%d does not fit its input of %dx%dx%d with padding %d",
		      where, l->kernel, l->kernel, l->is.h, l->is.w, l->is.c, l->pad);
		return TOO_SMALL;
	}
	l->os = (struct shape){ h, w, c };
	return shape_check(h, w, c, where);
}

int layer_product(struct layer *l, int64_t fan_in, int64_t fan_out, const char *where)
{
	const int64_t weights = fan_in * l->os.c;       /* <= 2^20 2^20 2^20 */

	if (weights > FLOATS_MAX)
		return error("%s: %lld weights are too many: at most %d", where,
			     (long long)weights, FLOATS_MAX);
	l->macs = weights * l->os.h * l->os.w;
	if (l->macs > (int64_t)1 << 48)
		return error("%s: too many multiplications", where);
	l->fan_in = (size_t)fan_in;
	l->fan_out = (size_t)fan_out;
	l->weights = (size_t)weights;
	l->biases = l->bias ? (size_t)l->os.c : 0;
	return 0;
}

int layer_keep_shape(struct graph *g, struct layer *l, const char *where)
{
	(void)g, (void)where;
	l->os = l->is;
	return 0;
}
