/* The layers of nets of tokens, for the table of layers.c. */
#ifndef NETS_LAYERS_TOKENS_H
#define NETS_LAYERS_TOKENS_H

#include "nets/layers.h"

extern const char *const layer_inits[];         /* by enum init; NULL-ended */

extern const struct opt layer_embed_opts[], layer_linear_opts[], layer_layernorm_opts[],
	layer_gelu_opts[], layer_attention_opts[], layer_relative_opts[], layer_unembed_opts[],
	layer_adaptive_opts[];

int layer_embed_shape(struct layer *l, const struct layer_conf *conf, const char *where);
int layer_linear_shape(struct layer *l, const struct layer_conf *conf, const char *where);
int layer_attention_shape(struct layer *l, const struct layer_conf *conf, const char *where);
int layer_relative_shape(struct layer *l, const struct layer_conf *conf, const char *where);

/* layers.c: 0, or error() for a setting without a default that was not given. */
int layer_need(int64_t value, const char *key, const char *where);

/* layers.c: fills l->macs of a product; 0, or error() for too large a one. */
int layer_count_macs(struct layer *l, const char *where);

#endif
