/* unembed.c - a row's products with all rows of an embed layer's table, which it shares. */
#include "nets/layers/layers.h"

#include "core/base/error.h"
#include "core/file/members.h"

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

static void unembed_place(struct graph *g, struct layer *l)
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
	.name = "unembed", .place = ON_TOKENS, .ins = 2, .opts = unembed_opts,
	.shape = unembed_shape, .place_blobs = unembed_place, .show_shared = unembed_show_shared,
};
