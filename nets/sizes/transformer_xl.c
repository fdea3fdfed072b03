/*
 * transformer_xl.c - Transformer-XL (base) for WikiText-103; a sample is 150 tokens.
 *
 * Width d = 410, 16 layers, inner width 2100, memory of 150 tokens. A layer has 5 d^2 weights of
 * attention (queries, keys, values, positions, output), 2 x 2100 d + 2100 + d of its dense pair and
 * 4 d of layer norms. Queries, keys, values and positions are computed for the 300 tokens that are
 * attended to, and attention takes 3 products of 150 x 300 x d. The output is an adaptive softmax
 * over 267,735 words that shares the embedding's weights; of its multiply-accumulates only the head
 * of 20,003 counts.
 */
#include "nets/sizes/presets.h"

#define D 410.0

static const struct size_row rows[] = {
	{ 1, 267735 * D, 0 },
	{ 16, 5 * D * D + 2 * 2100 * D + 2100 + D + 4 * D,
	  300 * 4 * D * D + 3 * 150 * 300 * D + 150 * (D * D + 2 * 2100 * D) },
	{ 1, 267735 + 3 * (D + 1) + 2 * D, 150 * 20003 * D },
	{ 0 }
};

static int transformer_xl_layers(const void *conf, struct size_list *list)
{
	(void)conf;
	return size_rows(rows, list);
}

const struct size_type size_transformer_xl = {
	.plugin = { "transformer-xl",
		    "timing only: Transformer-XL base, 151,107,538 parameters, 150 tokens a sample",
		    "Dai et al. 2019, Transformer-XL: attentive language models beyond a "
		    "fixed-length context", NULL, 0 },
	.layers = transformer_xl_layers,
	.known = true,
};
