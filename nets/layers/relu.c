/* relu.c - what is not positive becomes 0. */
#include "nets/layers/layers.h"

const struct layer_type layer_relu = {
	.name = "relu", .place = ON_ALL, .ins = 1, .shape = layer_keep_shape, .joins = true,
};
