/*
 * gpt.c - a transformer by its number of parameters, for timing-only runs:
 * gpt:params=1.3e9,seq=2048.
 *
 * Multiply-accumulates are one for each parameter and token, so a gradient takes 6 N floating-point
 * operations per token. With attention=true, those of scores and values are added: 2 x layers x seq
 * x d_model for each token. Both are the formulas of MFU in mosaicml/llm-foundry (061f2c7,
 * scripts/train/benchmarking/README.md), after Korthikanti et al. 2022.
 */
#include "core/base/error.h"
#include "nets/sizes/sizes.h"

#include <math.h>

enum { MOST_LAYERS = 10000 };

struct gpt_conf {
	double params;
	int64_t seq, layers, d_model;
	bool attention;
};

/*
 * Layers of a net of that size, where they are not given. A layer has 12 d^2 parameters; d is 100
 * times the number of layers, between GPT-2's 64 and GPT-3's 128.
 */
static double gpt_usual_layers(double params)
{
	return fmin(fmax(round(cbrt(params / (12.0 * 100.0 * 100.0))), 1.0), MOST_LAYERS);
}

static int gpt_layers(const void *conf, struct size_list *list)
{
	const struct gpt_conf *c = conf;
	const double seq = (double)c->seq;
	double layers = (double)c->layers, width = (double)c->d_model, parameters, attention;

	if (!(c->params > 0.0))
		return error("net gpt: params is missing (expected the number of parameters, such "
			     "as gpt:params=1.3B,seq=2048)");
	parameters = ceil(c->params);
	if (c->layers == 0)
		layers = c->d_model ? fmax(round(parameters / (12.0 * width * width)), 1.0)
				    : gpt_usual_layers(parameters);
	if (layers > fmin(MOST_LAYERS, parameters))
		return error("net gpt: %.0f layers of %.0f parameters (expected at most %.0f). "
			     "Give layers, or another d_model", layers, parameters,
			     fmin(MOST_LAYERS, parameters));
	if (c->d_model == 0)
		width = sqrt(parameters / (12.0 * layers));
	attention = c->attention ? 2.0 * layers * seq * width : 0.0;
	if ((parameters + attention) * seq > 1e18)
		return error("net gpt: %g multiply-accumulates a sample (expected at most 1e18)",
			     (parameters + attention) * seq);
	for (int64_t i = 0; i < (int64_t)layers; i++) {
		const double own = floor(parameters * (double)(i + 1) / layers) -
				   floor(parameters * (double)i / layers);

		sizes_add(list, 1, (struct size_layer){
			.parameters = own, .macs = (own + attention / layers) * seq });
	}
	return 0;
}

static int gpt_window(const void *conf)
{
	return (int)((const struct gpt_conf *)conf)->seq;
}

static const struct opt gpt_opts[] = {
	OPT_NUMBER(struct gpt_conf, params, NULL, "parameters, 4 bytes each in a gradient", "N",
		   1e3, 1e15),
	OPT_NUMBER(struct gpt_conf, seq, "2048", "tokens of a sample", "N", 1, 1 << 24),
	OPT_NUMBER(struct gpt_conf, layers, "0",
		   "layers, whose gradients overlap the backward pass; 0: by params and d_model",
		   "N", 0, MOST_LAYERS),
	OPT_NUMBER(struct gpt_conf, d_model, "0", "width; 0: by params and layers", "N", 0,
		   1 << 20),
	OPT_FLAG(struct gpt_conf, attention,
		 "attention=true: add the products of attention to one for each parameter and "
		 "token"),
	{ 0 }
};

const struct size_type size_gpt = {
	.plugin = { .name = "gpt",
		.brief = "timing only: a transformer by its size, gpt:params=1.3B,seq=2048",
		    .opts = gpt_opts,
		    .conf_size = sizeof(struct gpt_conf) },
	.layers = gpt_layers, .window_of = gpt_window,
};
