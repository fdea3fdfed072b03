/* none.c - gradients are sent unpacked, 4 bytes for each float. */
#include "core/codec.h"

const struct codec codec_none = {
	.plugin = { .name = "none", .brief = "gradients go as they are, in f32",
		    .also = "f32" },
	.keeps_norms = true,
};
