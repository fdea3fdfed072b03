/* vgg16.c - VGG-16 for photographs of 224 x 224: 13 convolutions of 3 x 3, three dense layers. */
#include "nets/sizes/presets.h"

/* A convolution from `in` to `out` channels at side x side, with biases. */
#define CONV(n, in, out, side)                                                                     \
	{ n, 9.0 * (in) * (out) + (out), 9.0 * (in) * (out) * (side) * (side) }
#define DENSE(in, out) { 1, (double)(in) * (out) + (out), (double)(in) * (out) }

static const struct size_row rows[] = {
	CONV(1, 3, 64, 224), CONV(1, 64, 64, 224), CONV(1, 64, 128, 112), CONV(1, 128, 128, 112),
	CONV(1, 128, 256, 56), CONV(2, 256, 256, 56), CONV(1, 256, 512, 28), CONV(2, 512, 512, 28),
	CONV(3, 512, 512, 14), DENSE(25088, 4096), DENSE(4096, 4096), DENSE(4096, 1000),
	{ 0 }
};

static int vgg16_layers(const void *conf, struct size_list *list)
{
	(void)conf;
	return size_rows(rows, list);
}

const struct size_type size_vgg16 = {
	.plugin = { "vgg16",
		    "timing only: VGG-16, 138,357,544 parameters, photographs of 224 x 224",
		    "Simonyan, Zisserman 2015, Very deep convolutional networks, configuration D",
		    NULL, 0 },
	.layers = vgg16_layers,
	.known = true,
};
