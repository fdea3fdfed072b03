/*
 * lstm.c - long short-term memory (Hochreiter, Schmidhuber 1997; forget gate: Gers et al. 2000).
 *
 * The rows of a sample are its steps, and a row's w x c numbers the input x of a step:
 *
 *     i, f, g, o = W x_t + U h_(t-1) + b;   c_t = s(f) c_(t-1) + s(i) tanh(g);
 *     h_t = s(o) tanh(c_t)
 *
 * with s(z) = 1 / (1 + exp(-z)), h and c 0 before the first step.
 */
#include "nets/layers/layers.h"

#include "core/base/error.h"

static const struct opt lstm_opts[] = {
	SETTING_OUT,
	{ .name = "last", SETTING(BOOL, last), .def = "false",
	  .help = "gives the last step's output only, 1 x 1 x out" },
	SETTING_BIAS("adds a bias to each gate"), SETTING_INIT("torch"),
	SETTING_BIAS_INIT("torch", BIAS_BEGINS), SETTING_INIT_VALUES("0.01", "0"),
	SETTING_DECAY, SETTING_BIAS_DECAY, { .name = NULL }
};

static int lstm_shape(struct graph *g, struct layer *l, const char *where)
{
	const int64_t in = (int64_t)l->is.w * l->is.c, out = l->os.c;
	const int64_t weights = 4 * out * (in + out);   /* <= 4 2^20 2^31 */

	if (layer_need(l->os.c, "out", where))
		return -1;
	if (l->last && g->tokens)
		return error("%s: \"last\" gives one output for all rows, but a net of tokens has "
			     "one for each. Leave it out", where);
	if (weights > FLOATS_MAX)
		return error("%s: %lld weights are too many: at most %d", where,
			     (long long)weights, FLOATS_MAX);
	l->os = (struct shape){ l->last ? 1 : l->is.h, 1, l->os.c };
	l->macs = weights * l->is.h;
	if (l->macs > (int64_t)1 << 48)
		return error("%s: too many multiplications", where);
	l->fan_in = l->fan_out = (size_t)out;   /* Torch: uniform in +- 1 / sqrt(out) */
	l->weights = (size_t)weights;
	l->biases = l->bias ? 4 * (size_t)out : 0;
	return shape_check(l->os.h, 1, l->os.c, where);
}

static void lstm_blobs(struct graph *g, struct layer *l)
{
	const int out = l->os.c;

	graph_add_blob(g, l, "input", l->decay, 2, (int[4]){ 4 * out, l->is.w * l->is.c });
	graph_add_blob(g, l, "hidden", l->decay, 2, (int[4]){ 4 * out, out });
	if (l->biases)
		graph_add_blob(g, l, "bias", l->decay && l->bias_decay, 1, (int[4]){ 4 * out });
}

static int lstm_detail(const struct layer *l, char *text, size_t size)
{
	return snprintf(text, size, l->last ? "last" : "all steps");
}

const struct layer_type layer_lstm = {
	.name = "lstm", .domain = ON_ALL, .ins = 1, .opts = lstm_opts, .shape = lstm_shape,
	.add_blobs = lstm_blobs, .detail = lstm_detail,
	.shown = (const char *const[]){ "last", NULL }, .colour = "#dcd3f2",
};
