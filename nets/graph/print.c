/* A net as a table: what `convoy show net NAME` prints. */
#include "nets/layers.h"
#include "nets/nets.h"

#include "core/text/word.h"

static void print_shape(const char *format, struct shape s, FILE *out)
{
	char text[48];

	snprintf(text, sizeof(text), "%dx%dx%d", s.h, s.w, s.c);
	fprintf(out, format, text);
}

int layer_detail(const struct layer *l, char *text, size_t size)
{
	switch (l->kind) {
	case LAYER_CONV:
		if (l->groups > 1)
			return snprintf(text, size, "%dx%d/%d, %d groups", l->kernel, l->kernel,
					l->stride, l->groups);
		return snprintf(text, size, "%dx%d/%d", l->kernel, l->kernel, l->stride);
	case LAYER_MAXPOOL:
	case LAYER_AVGPOOL:
		return snprintf(text, size, "%dx%d/%d", l->kernel, l->kernel, l->stride);
	case LAYER_SHORTCUT:
		return snprintf(text, size, "/%d", l->stride);
	case LAYER_BN:
		return snprintf(text, size, "eps %g", l->eps);
	case LAYER_DROPOUT:
		return snprintf(text, size, "rate %g", l->rate);
	case LAYER_ATTENTION:
		return snprintf(text, size, "%d head%s", l->heads, word_plural(l->heads));
	case LAYER_ADAPTIVE:
		if (l->div > 1)
			return snprintf(text, size, "%d clusters /%d", l->clusters, l->div);
		return snprintf(text, size, "%d clusters", l->clusters);
	case LAYER_RELATIVE:
		return snprintf(text, size, "%d head%s, %d", l->heads, word_plural(l->heads),
				l->memory);
	case LAYER_GELU:
		return snprintf(text, size, "%s", l->tanh ? "tanh" : "erf");
	case LAYER_EMBED:
		if (l->div > 1)
			return snprintf(text, size, "%d tokens /%d", l->vocabulary, l->div);
		return snprintf(text, size, "%d tokens", l->vocabulary);
	case LAYER_LAYERNORM:
		return snprintf(text, size, "eps %g", l->eps);
	case LAYER_LRN:
		return snprintf(text, size, "size %d", l->kernel);
	default:
		*text = '\0';
		return 0;
	}
}

static void print_layer(const struct layer *l, FILE *out)
{
	char text[64];

	layer_detail(l, text, sizeof(text));
	fprintf(out, "%-28s %-10s %-16s", l->name, layer_kind_name(l->kind), text);
	print_shape(" %14s", l->os, out);
	fprintf(out, " %12zu %14lld %12zu\n", layer_parameters(l), (long long)l->macs,
		layer_bytes(l));
}

const char *layer_kind_name(enum layer_kind kind)
{
	return kind == LAYER_INPUT ? "input" : layer_types[kind].name;
}

size_t layer_parameters(const struct layer *l)
{
	return layer_weights(l) + layer_biases(l);
}

size_t layer_bytes(const struct layer *l)
{
	return sizeof(float) * shape_count(l->os);
}

int64_t graph_macs(const struct graph *g)
{
	int64_t macs = 0;

	for (int i = 0; i < g->n; i++)
		macs += g->layers[i].macs;
	return macs;
}

size_t graph_bytes(const struct graph *g)
{
	size_t bytes = 0;

	for (int i = 0; i < g->n; i++)
		bytes += layer_bytes(&g->layers[i]);
	return bytes;
}

void graph_print(const struct graph *g, FILE *out)
{
	fprintf(out, "%s", g->name);
	print_shape(": %s", g->input, out);
	fprintf(out, " -> %d classes\n", g->classes);
	if (g->about)
		fprintf(out, "%s\n", g->about);
	if (g->cite)
		fprintf(out, "%s\n", g->cite);
	fprintf(out, "\n%-28s %-10s %-16s %14s %12s %14s %12s\n", "layer", "kind", "", "output",
		"parameters", "MACs", "bytes");
	for (int i = 0; i < g->n; i++)
		print_layer(&g->layers[i], out);
	fprintf(out, "%-28s %-10s %-16s %14s %12zu %14lld %12zu\n", "total", "", "", "", g->dim,
		(long long)graph_macs(g), graph_bytes(g));
	fprintf(out, "\nparameters: %.2f MB in float; batch-norm statistics: %zu values; "
		"%.2f million multiply-accumulates forward per sample; outputs of all layers: "
		"%.2f MB a sample\n", 4e-6 * (double)g->dim, g->stats_dim,
		1e-6 * (double)graph_macs(g), 1e-6 * (double)graph_bytes(g));
}
