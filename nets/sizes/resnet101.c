/*
 * resnet101.c - ResNet-101 for photographs of 224 x 224; a layer is a bottleneck block.
 *
 * The stride is in the 3 x 3 convolution, as in torchvision. A block of width w from 4 w channels
 * has 4 w^2 + 9 w^2 + 4 w^2 weights and 12 w of batch norms; the first of a stage comes from fewer
 * channels, and has a shortcut of its own.
 */
#include "nets/sizes/presets.h"

/* n blocks of width w at side x side. */
#define BLOCKS(n, w, side)                                                                         \
	{ n, 17.0 * (w) * (w) + 12.0 * (w), 17.0 * (w) * (w) * (side) * (side) }

/* The first block of a stage: `in` channels at side_in x side_in. */
#define FIRST(in, w, side_in, side)                                                                \
	{ 1, 5.0 * (in) * (w) + 13.0 * (w) * (w) + 20.0 * (w),                                     \
	  1.0 * (in) * (w) * (side_in) * (side_in) +                                               \
		  (13.0 * (w) * (w) + 4.0 * (in) * (w)) * (side) * (side) }

static const struct size_row rows[] = {
	{ 1, 49.0 * 3 * 64 + 2 * 64, 49.0 * 3 * 64 * 112 * 112 },
	FIRST(64, 64, 56, 56), BLOCKS(2, 64, 56),
	FIRST(256, 128, 56, 28), BLOCKS(3, 128, 28),
	FIRST(512, 256, 28, 14), BLOCKS(22, 256, 14),
	FIRST(1024, 512, 14, 7), BLOCKS(2, 512, 7),
	{ 1, 2048.0 * 1000 + 1000, 2048.0 * 1000 },
	{ 0 }
};

static int resnet101_layers(const void *conf, struct size_list *list)
{
	(void)conf;
	return size_rows(rows, list);
}

const struct size_type size_resnet101 = {
	.plugin = { "resnet101",
		    "timing only: ResNet-101, 44,549,160 parameters, photographs of 224 x 224",
		    "He, Zhang, Ren, Sun 2016, Deep residual learning for image recognition", NULL,
		    0 },
	.layers = resnet101_layers,
	.known = true,
};
