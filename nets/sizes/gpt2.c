/*
 * gpt2.c - GPT-2 of 124 million parameters; a sample is a sequence of 1024 tokens.
 *
 * A block of width d = 768 has 12 d^2 weights, 9 d biases and 4 d of layer norms. Its
 * multiply-accumulates are 12 d^2 per token, and 2 d for each token and each token attended to (all
 * 1024: kernels without a mask's savings). The output shares the embedding's weights.
 */
#include "nets/sizes/presets.h"

static const struct size_row rows[] = {
	{ 1, 50257.0 * 768 + 1024.0 * 768, 0 },
	{ 12, 12.0 * 768 * 768 + 13.0 * 768,
	  1024.0 * 12 * 768 * 768 + 2.0 * 1024 * 1024 * 768 },
	{ 1, 2.0 * 768, 1024.0 * 50257 * 768 },
	{ 0 }
};

static int gpt2_layers(const void *conf, struct size_list *list)
{
	(void)conf;
	return size_rows(rows, list);
}

const struct size_type size_gpt2 = {
	.plugin = { "gpt2",
		    "timing only: GPT-2, 124,439,808 parameters, 1024 tokens a sample",
		    "Radford, Wu, Child, Luan, Amodei, Sutskever 2019 (GPT-2)",
		    NULL, 0 },
	.layers = gpt2_layers,
	.known = true,
};
