/* none.c - gradients go as they are: 4 bytes for a float. */
#include "core/codec.h"

const struct codec codec_none = {
	.plugin = { .name = "none", .brief = "gradients go as they are, in f32",
		    .also = "f32" },
	.keeps_norms = true,
};
