/* activation.c - functions of one value: relu, gelu, tanh, sigmoid, silu. */
#include "nets/layers/layers.h"

static const char *const gelu_forms[] = { [GELU_ERF] = "erf", [GELU_TANH] = "tanh", NULL };

static const struct opt gelu_opts[] = {
	{ .name = "form", SETTING(ENUM, form), .def = "erf", .choices = gelu_forms,
	  .help = "erf: x Phi(x) itself; tanh: the approximation of GPT-2" },
	{ .name = NULL }
};

static int gelu_detail(const struct layer *l, char *text, size_t size)
{
	return snprintf(text, size, "%s", gelu_forms[l->form]);
}

const struct layer_type layer_gelu = {
	.name = "gelu", .domain = ON_ALL, .ins = 1, .opts = gelu_opts, .shape = layer_keep_shape,
	.detail = gelu_detail, .shown = (const char *const[]){ "form", NULL }, .joins = true,
};

const struct layer_type layer_relu = {
	.name = "relu", .domain = ON_ALL, .ins = 1, .shape = layer_keep_shape, .joins = true,
};

#define CURVE(name_)                                                                               \
	{ .name = name_, .domain = ON_ALL, .ins = 1, .shape = layer_keep_shape, .joins = true }
const struct layer_type layer_tanh = CURVE("tanh"), layer_sigmoid = CURVE("sigmoid");
const struct layer_type layer_silu = CURVE("silu");
