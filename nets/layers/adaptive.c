/* adaptive.c - unembed with an adaptive softmax: frequent tokens, and clusters of others. */
#include "nets/layers/adaptive.h"

#include "core/base/error.h"
#include "core/file/members.h"
#include "nets/layers/layers.h"

#include <string.h>

static const struct opt adaptive_opts[] = {
	SETTING_CUTOFFS, SETTING_DIV, SETTING_INIT("normal"),
	SETTING_BIAS_INIT("zero", POSITIONS_BEGIN), SETTING_INIT_VALUES("0.02", "0.02"),
	SETTING_DECAY, SETTING_BIAS_DECAY, { .name = NULL }
};

static int adaptive_shape(struct graph *g, struct layer *l, const char *where)
{
	const struct layer *table;

	l->vocabulary = g->classes;
	if (unembed_tie(g, l, where) || embed_count_clusters(l, where))
		return -1;
	table = &g->layers[l->tied];
	if (l->div > 1 && memcmp(l->cutoffs, table->cutoffs, sizeof(l->cutoffs)))
		return error("%s: cutoffs %d, %d, %d, but those of '%s', whose rows it reads, are "
			     "%d, %d, %d (expected the same with \"div\" %d)", where,
			     l->cutoffs[0], l->cutoffs[1], l->cutoffs[2], table->name,
			     table->cutoffs[0], table->cutoffs[1], table->cutoffs[2], l->div);
	l->macs = (int64_t)adaptive_head(l) * l->is.c * l->is.h;
	if (l->div > 1) {
		l->macs += (int64_t)l->is.c * l->is.c * l->is.h;
		l->projections = adaptive_projection_at(l, 1);
	}
	l->fan_in = (size_t)l->is.c;
	l->weights = (size_t)l->clusters * (size_t)l->is.c + l->projections;
	l->biases = (size_t)l->vocabulary + (size_t)l->clusters;
	return 0;
}

static void adaptive_blobs(struct graph *g, struct layer *l)
{
	if (l->clusters)
		graph_add_blob(g, l, "weight", l->decay, 2, (int[4]){ l->clusters, l->is.c });
	if (l->div > 1)
		graph_add_blob(g, l, "projection", l->decay, 2, (int[4]){ l->is.c, l->is.c });
	graph_add_blob(g, l, "bias", l->decay && l->bias_decay, 1, (int[4]){ (int)l->biases });
}

static int adaptive_detail(const struct layer *l, char *text, size_t size)
{
	if (l->div > 1)
		return snprintf(text, size, "%d clusters /%d", l->clusters, l->div);
	return snprintf(text, size, "%d clusters", l->clusters);
}

static void adaptive_show_shared(const struct graph *g, const struct layer *l, cJSON *json)
{
	embed_show_clusters(l, json);
	ADD(json, j_text("table", g->layers[l->tied].name));
}

const struct layer_type layer_adaptive = {
	.name = "adaptive", .domain = ON_TOKENS, .ins = 2, .opts = adaptive_opts,
	.shape = adaptive_shape, .add_blobs = adaptive_blobs, .detail = adaptive_detail,
	.show_shared = adaptive_show_shared,
};
