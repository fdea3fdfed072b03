/* bytes.c - a net of so many bytes in equal layers. */
#include "core/base/error.h"
#include "nets/sizes/sizes.h"

#include <math.h>

struct bytes_conf {
	double bytes, macs;
	int64_t layers;
};

static int bytes_layers(const void *conf, struct size_list *list)
{
	const struct bytes_conf *c = conf;
	const double parameters = ceil(c->bytes / (double)sizeof(float));

	if (!(c->bytes > 0.0))
		return error("net bytes: bytes is missing (expected those of a gradient, such as "
			     "bytes:350e6)");
	if ((double)c->layers > parameters)
		return error("net bytes: layers = %lld of %.0f parameters: a layer has at least "
			     "one (expected at most %.0f)", (long long)c->layers, parameters,
			     parameters);
	for (int64_t i = 0; i < c->layers; i++)
		sizes_add(list, 1, (struct size_layer){
			.parameters = floor(parameters * (double)(i + 1) / (double)c->layers) -
				      floor(parameters * (double)i / (double)c->layers),
			.macs = c->macs / (double)c->layers });
	return 0;
}

static const struct opt bytes_opts[] = {
	OPT_NUMBER(struct bytes_conf, bytes, NULL, "bytes of a gradient, 4 for each parameter",
		   "BYTES", 4, 4e15),
	OPT_NUMBER(struct bytes_conf, layers, "1", "layers of equal size", "N", 1, 1 << 20),
	OPT_NUMBER(struct bytes_conf, macs, "0",
		   "forward multiply-accumulates per sample, for the compute time on a cluster",
		   "N", 0, 1e18),
	{ 0 }
};

const struct size_type size_bytes = {
	.plugin = { "bytes", "timing only: a net of so many bytes, bytes:350e6,layers=60", NULL,
		    bytes_opts, sizeof(struct bytes_conf) },
	.layers = bytes_layers,
};
