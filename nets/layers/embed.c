/*
 * embed.c - adds a row of a table for each token, and of another table for its position; and
 * unembed, the products with that table.
 *
 * With "div" tokens are in clusters, whose rows are shorter and have a projection for each cluster
 * (adaptive.h).
 */
#include "nets/layers/layers.h"

#include "core/base/error.h"
#include "core/file/members.h"
#include "nets/layers/adaptive.h"

#include <string.h>

static const struct opt embed_opts[] = {
	SETTING_OUT,
	{ .name = "positions", SETTING(INT32, positions), .def = "0", .arg = "N",
	  .min = 0, .max = SIDE_MAX, .help = "learned rows added to those of the tokens, one for "
	  "each position of a window; 0: none" },
	{ .name = "scaled", SETTING(BOOL, scaled), .def = "false",
	  .help = "rows are multiplied by sqrt(out)" },
	SETTING_DIV, SETTING_CUTOFFS, SETTING_INIT("normal"),
	SETTING_BIAS_INIT("normal", POSITIONS_BEGIN), SETTING_INIT_VALUES("0.02", "0.02"),
	SETTING_DECAY, SETTING_BIAS_DECAY, { .name = NULL }
};

/* Counts clusters. Cutoffs must ascend, and leave tokens for the head and for the last cluster. */
int embed_count_clusters(struct layer *l, const char *where)
{
	for (int k = 0; k < CLUSTERS_MAX; k++) {
		if (!l->cutoffs[k])
			continue;
		if (l->clusters != k || l->cutoffs[k] <= (k ? l->cutoffs[k - 1] : 0)
		    || l->cutoffs[k] >= l->vocabulary)
			return error("%s: cutoffs %d, %d, %d (expected growing numbers below the "
				     "%d tokens, unused ones last). Order them, or leave the last "
				     "ones out.", where, l->cutoffs[0], l->cutoffs[1],
				     l->cutoffs[2], l->vocabulary);
		l->clusters++;
	}
	return 0;
}

/* Checks that rows of a cluster have a whole number of values. */
static int embed_check_widths(const struct layer *l, const char *where)
{
	int width = l->os.c;

	if (!l->clusters)
		return error("%s: \"div\" %d makes the rows of clusters shorter, but there are "
			     "none (expected a \"cutoff1\"). Give the cutoffs of the adaptive "
			     "layer.", where, l->div);
	for (int k = 1; k <= l->clusters; k++) {
		if (width % l->div)
			return error("%s: rows of cluster %d would have %d / %d of the %d values "
				     "of those before (expected a whole number). Choose an \"out\" "
				     "that %d divides %d times, another \"div\" or fewer cutoffs.",
				     where, k, width, l->div, width, l->div, l->clusters);
		width /= l->div;
	}
	return 0;
}

static int embed_shape(struct graph *g, struct layer *l, const char *where)
{
	if (layer_need(l->os.c, "out", where))
		return -1;
	if (l->is.w != 1 || l->is.c != 1)
		return error("%s: reads tokens, but its input is %dx%dx%d: choose a data set of "
			     "text, such as --data text:file=FILE", where, l->is.h, l->is.w,
			     l->is.c);
	if (l->positions && l->positions < l->is.h)
		return error("%s: has %d positions, fewer than the %d tokens of a window: choose "
			     "a shorter window, such as --data text:window=%d", where,
			     l->positions, l->is.h, l->positions);
	l->os = (struct shape){ l->is.h, 1, l->os.c };
	l->vocabulary = g->classes;
	if (shape_check(l->os.h, 1, l->os.c, where) || embed_count_clusters(l, where))
		return -1;
	if (l->div > 1) {
		/* A token of the head needs the most work. */
		l->macs = (int64_t)l->os.c * l->os.c * l->os.h;
		if (embed_check_widths(l, where))
			return -1;
		l->projections = adaptive_projection_at(l, l->clusters + 1);
	} else {                /* with rows of one width, clusters make no difference */
		memset(l->cutoffs, 0, sizeof(l->cutoffs));
		l->clusters = 0;
	}
	l->fan_in = 1;
	l->fan_out = (size_t)l->os.c;
	l->weights = adaptive_table_at(l, l->clusters + 1) + l->projections;
	l->biases = (size_t)l->positions * (size_t)l->os.c;
	return 0;
}

static void embed_add_table(struct graph *g, struct layer *l, const char *name, bool decay,
			    int rows, int columns)
{
	graph_add_blob(g, l, name, decay, 2, (int[4]){ rows, columns });
	g->blobs[g->nblobs - 1].embedding = true;
}

/* Blobs of the tables of the head and of each cluster, then of their projections. */
static void embed_blobs(struct graph *g, struct layer *l)
{
	char name[24];

	if (l->div == 1)
		embed_add_table(g, l, "tokens", l->decay, l->vocabulary, l->os.c);
	for (int k = 0; l->div > 1 && k <= l->clusters; k++) {
		snprintf(name, sizeof(name), "tokens%d", k);
		embed_add_table(g, l, name, l->decay, (int)adaptive_count(l, k),
				(int)adaptive_width(l, k));
	}
	for (int k = 0; l->div > 1 && k <= l->clusters; k++) {
		snprintf(name, sizeof(name), "projection%d", k);
		graph_add_blob(g, l, name, l->decay, 2,
			       (int[4]){ l->os.c, (int)adaptive_width(l, k) });
	}
	if (l->positions)
		embed_add_table(g, l, "positions", l->decay && l->bias_decay, l->positions,
				l->os.c);
}

static int embed_detail(const struct layer *l, char *text, size_t size)
{
	if (l->div > 1)
		return snprintf(text, size, "%d tokens /%d", l->vocabulary, l->div);
	return snprintf(text, size, "%d tokens", l->vocabulary);
}

void embed_show_clusters(const struct layer *l, cJSON *json)
{
	ADD(json, j_number("div", l->div),
	    j_json("cutoffs", cJSON_CreateIntArray(l->cutoffs, l->clusters)));
}

static void embed_show_shared(const struct graph *g, const struct layer *l, cJSON *json)
{
	(void)g;
	embed_show_clusters(l, json);
}

const struct layer_type layer_embed = {
	.name = "embed", .domain = READS_TOKENS, .ins = 1, .opts = embed_opts,
	.shape = embed_shape, .add_blobs = embed_blobs, .detail = embed_detail,
	.shown = (const char *const[]){ "scaled", NULL }, .show_shared = embed_show_shared,
};

/* ---- unembed: products of a row with all rows of the table, which it shares ---- */

static const struct opt unembed_opts[] = {
	{ .name = "bias", SETTING(BOOL, bias), .def = "false",
	  .help = "adds a bias to each token" },
	SETTING_DECAY, SETTING_BIAS_DECAY, { .name = NULL }
};

int unembed_tie(struct graph *g, struct layer *l, const char *where)
{
	struct layer *table = &g->layers[l->in[1]];

	if (table->kind != LAYER_EMBED)
		return error("%s: its second input is the embed layer whose table it reads, not "
			     "'%s'", where, table->name);
	if (table->tied)
		return error("%s: the table of '%s' is read by '%s' already", where, table->name,
			     g->layers[table->tied].name);
	if (table->os.c != l->is.c)
		return error("%s: reads %d channels, but the rows of '%s' have %d", where, l->is.c,
			     table->name, table->os.c);
	if (table->div != l->div)
		return error("%s: reads rows of \"div\" %d, but those of '%s' have \"div\" %d "
			     "(expected the same; only adaptive has the setting)", where, l->div,
			     table->name, table->div);
	l->tied = l->in[1];
	l->in[1] = -1;
	table->tied = g->n;
	l->os = (struct shape){ l->is.h, l->is.w, table->vocabulary };
	l->macs = (int64_t)table->vocabulary * l->is.c * l->is.h;
	return shape_check(l->os.h, l->os.w, l->os.c, where);
}

static int unembed_shape(struct graph *g, struct layer *l, const char *where)
{
	if (unembed_tie(g, l, where))
		return -1;
	l->biases = l->bias ? (size_t)l->os.c : 0;
	return 0;
}

static void unembed_blobs(struct graph *g, struct layer *l)
{
	l->weight = g->layers[l->tied].weight;
	if (l->biases)
		graph_add_blob(g, l, "bias", l->decay && l->bias_decay, 1, (int[4]){ l->os.c });
}

static void unembed_show_shared(const struct graph *g, const struct layer *l, cJSON *json)
{
	ADD(json, j_text("table", g->layers[l->tied].name));
}

const struct layer_type layer_unembed = {
	.name = "unembed", .domain = ON_TOKENS, .ins = 2, .opts = unembed_opts,
	.shape = unembed_shape, .add_blobs = unembed_blobs, .show_shared = unembed_show_shared,
};
