/* Loading a net: the file, then its layers, then their offsets in x. */
#include "nets/graph/graph.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/paths.h"
#include "nets/adaptive.h"
#include "nets/graph/unroll.h"
#include "nets/layers.h"

#include <stdlib.h>
#include <string.h>

/* ---- the frame of the file ---- */

static int check_object(const cJSON *v, const char *what, const char *path)
{
	if (!v || cJSON_IsObject(v))
		return 0;
	return error("%s: \"%s\" is an object", path, what);
}

/* Parameters may not be called as what every item may say. */
static int check_params(const cJSON *params, const char *path)
{
	const cJSON *p;

	if (check_object(params, "params", path))
		return -1;
	cJSON_ArrayForEach(p, params) {
		for (int i = 0; net_item_keys[i].name; i++)
			if (!strcmp(p->string, net_item_keys[i].name))
				return error("%s: a parameter cannot be called '%s'", path,
					     p->string);
		if (!strcmp(p->string, "classes"))
			return error("%s: the parameter 'classes' is set by the data set", path);
		if (cJSON_IsObject(p) || cJSON_IsArray(p))
			return error("%s: the parameter '%.64s' is a number, true, false, a word "
				     "or null", path, p->string);
	}
	return 0;
}

static int check_blocks(const cJSON *blocks, const char *path)
{
	const cJSON *block;
	char where[512];

	if (check_object(blocks, "blocks", path))
		return -1;
	cJSON_ArrayForEach(block, blocks) {
		snprintf(where, sizeof(where), "%.256s: block '%.64s'", path, block->string);
		if (layer_find(block->string))
			return error("%s: that is the name of a layer", where);
		if (!cJSON_IsObject(block))
			return error("%s: a block is an object", where);
		if (json_check_members(block, net_block_keys, where)
		    || check_params(json_get(block, "params"), where))
			return -1;
	}
	return 0;
}

static int check_defaults(const cJSON *defaults, const char *path)
{
	const char *kinds[LAYER_KINDS] = { NULL };
	const cJSON *d;

	for (int k = LAYER_INPUT + 1; k < LAYER_KINDS; k++)
		kinds[k - 1] = layer_types[k].name;
	if (check_object(defaults, "defaults", path)
	    || (defaults && json_check_keys(defaults, kinds, path)))
		return -1;
	cJSON_ArrayForEach(d, defaults)
		if (check_object(d, d->string, path))
			return -1;
	return 0;
}

static int check_frame(const cJSON *root, const char *path)
{
	if (!cJSON_IsObject(root))
		return error("%s: a net is an object with \"layers\"", path);
	if (json_check_members(root, net_keys, path)
	    || check_params(json_get(root, "params"), path)
	    || check_defaults(json_get(root, "defaults"), path)
	    || check_blocks(json_get(root, "blocks"), path))
		return -1;
	return 0;
}

/* A whole number in [1, max], or -1. */
static int nets_graph_whole(const cJSON *v, int max)
{
	double d = cJSON_IsNumber(v) ? v->valuedouble : -1;

	return d >= 1 && d <= max && d == (int)d ? (int)d : -1;
}

static int read_input(struct graph *g, const cJSON *root, const char *path)
{
	const cJSON *in = json_get(root, "input");
	const cJSON *classes = json_get(root, "classes");
	int side[3] = { -1, -1, -1 };

	for (int i = 0; cJSON_GetArraySize(in) == 3 && i < 3; i++)
		side[i] = nets_graph_whole(cJSON_GetArrayItem(in, i), SIDE_MAX);
	if (in && (side[0] < 0 || side[1] < 0 || side[2] < 0))
		return error("%s: \"input\" is [height, width, channels]", path);
	if (classes && nets_graph_whole(classes, CLASSES_MAX) < 0)
		return error("%s: \"classes\" is a whole number from 1 to %d", path, CLASSES_MAX);
	if (!g->input.h && !in)
		return error("%s: has no \"input\", so it needs a data set", path);
	if (!g->classes && !classes)
		return error("%s: has no \"classes\", so it needs a data set", path);
	if (!g->input.h)
		g->input = (struct shape){ side[0], side[1], side[2] };
	if (!g->classes)
		g->classes = nets_graph_whole(classes, CLASSES_MAX);
	return shape_check(g->input.h, g->input.w, g->input.c, path);
}

static char *nets_graph_text_of(const cJSON *root, const char *key)
{
	const cJSON *v = json_get(root, key);

	return cJSON_IsString(v) ? xstrdup(v->valuestring) : NULL;
}

static void name_graph(struct graph *g, const char *path)
{
	char *stem = path_stem(path);

	snprintf(g->name, sizeof(g->name), "%.63s", stem);
	free(stem);
}

/* ---- after the layers: is it whole, and where is what ---- */

static int check_ends(const struct graph *g, const char *path)
{
	const struct layer *last = &g->layers[g->n - 1];
	bool *read;
	int ret = 0;

	if (g->tokens && last->os.c != g->classes)
		return error("%s: the last layer '%s' gives %d channels for each token, but there "
			     "are %d classes; a last linear layer has \"out\": \"$classes\"", path,
			     last->name, last->os.c, g->classes);
	if (!g->tokens && (last->os.h != 1 || last->os.w != 1 || last->os.c != g->classes))
		return error("%s: the last layer '%s' gives %dx%dx%d, but there are %d classes; "
			     "a last dense layer has \"out\": \"$classes\"", path, last->name,
			     last->os.h, last->os.w, last->os.c, g->classes);
	read = xcalloc((size_t)g->n, sizeof(*read));
	for (int i = 1; i < g->n; i++) {
		read[g->layers[i].in[0]] = true;
		if (g->layers[i].in[1] >= 0)
			read[g->layers[i].in[1]] = true;
	}
	for (int i = 0; i < g->n - 1 && !ret; i++)
		if (!read[i])
			ret = error("%s: nothing reads what '%s' gives", path,
				    g->layers[i].name);
	free(read);
	return ret;
}

static void add_blob(struct graph *g, const struct layer *l, const char *what, bool decay,
		     int rank, const int shape[4])
{
	struct blob b = { .offset = g->dim, .count = 1, .decay = decay, .rank = rank };

	snprintf(b.name, sizeof(b.name), "%s.%s", l->name, what);
	for (int i = 0; i < rank; i++) {
		b.shape[i] = shape[i];
		b.count *= (size_t)shape[i];
	}
	g->blobs = xrealloc(g->blobs, g->nblobs + 1, sizeof(*g->blobs));
	g->owner = xrealloc(g->owner, g->nblobs + 1, sizeof(*g->owner));
	g->owner[g->nblobs] = (int)(l - g->layers);
	g->blobs[g->nblobs++] = b;
	g->dim += b.count;
}

/* The tables of the head and of each cluster, then their projections. */
static void add_embed_blobs(struct graph *g, const struct layer *l)
{
	char name[24];

	if (l->div == 1)
		add_blob(g, l, "tokens", l->decay, 2, (int[4]){ l->vocabulary, l->os.c });
	for (int k = 0; l->div > 1 && k <= l->clusters; k++) {
		snprintf(name, sizeof(name), "tokens%d", k);
		add_blob(g, l, name, l->decay, 2,
			 (int[4]){ (int)adaptive_count(l, k), (int)adaptive_width(l, k) });
	}
	for (int k = 0; l->div > 1 && k <= l->clusters; k++) {
		snprintf(name, sizeof(name), "projection%d", k);
		add_blob(g, l, name, l->decay, 2, (int[4]){ l->os.c, (int)adaptive_width(l, k) });
	}
}

static void add_weight_blobs(struct graph *g, const struct layer *l)
{
	if (l->kind == LAYER_CONV)
		add_blob(g, l, "weight", l->decay, 4, (int[4]){ l->os.c, l->kernel, l->kernel,
								l->is.c / l->groups });
	else if (l->kind == LAYER_DENSE || l->kind == LAYER_LINEAR || l->kind == LAYER_RELATIVE)
		add_blob(g, l, "weight", l->decay, 2,
			 (int[4]){ l->os.c, (int)layer_fan_in(l) });
	else if (l->kind == LAYER_ADAPTIVE && l->clusters)
		add_blob(g, l, "weight", l->decay, 2, (int[4]){ l->clusters, l->is.c });
	else if (l->kind == LAYER_EMBED)
		add_embed_blobs(g, l);
	else if (l->kind == LAYER_BN || l->kind == LAYER_LAYERNORM)
		add_blob(g, l, "gamma", l->decay, 1, (int[4]){ l->os.c });
	if (l->kind == LAYER_ADAPTIVE && l->div > 1)
		add_blob(g, l, "projection", l->decay, 2, (int[4]){ l->is.c, l->is.c });
}

static void add_bias_blobs(struct graph *g, const struct layer *l)
{
	const bool decay = l->decay && l->bias_decay;
	const bool scales = l->kind == LAYER_BN || l->kind == LAYER_LAYERNORM;

	if (l->kind == LAYER_EMBED && l->positions)
		add_blob(g, l, "positions", decay, 2, (int[4]){ l->positions, l->os.c });
	else if (l->kind == LAYER_RELATIVE && layer_biases(l))
		add_blob(g, l, "bias", decay, 2, (int[4]){ 2, l->os.c });
	else if (layer_biases(l))
		add_blob(g, l, scales ? "beta" : "bias", decay, 1,
			 (int[4]){ (int)layer_biases(l) });
}

static void graph_offset_layer(struct graph *g, struct layer *l)
{
	if (!layer_weights(l) && !layer_biases(l))
		return;
	if (layer_weights(l))
		l->weight = g->dim;
	add_weight_blobs(g, l);
	l->beta = g->dim;
	add_bias_blobs(g, l);
	if (l->kind == LAYER_BN) {
		l->stats = g->stats_dim;
		g->stats_dim += 2 * (size_t)l->os.c;
	}
}

/* What other layers have, which stand before it. */
static void graph_offset_shared(struct graph *g, struct layer *l)
{
	if (l->kind == LAYER_UNEMBED)
		l->weight = g->layers[l->tied].weight;
	if (l->kind == LAYER_RELATIVE && !layer_biases(l))
		l->beta = g->layers[l->first].beta;
}

static int graph_offset_all(struct graph *g, const char *path)
{
	size_t activations = 0;

	g->targets = g->tokens ? g->input.h : 1;
	for (int i = 0; i < g->n; i++) {
		graph_offset_layer(g, &g->layers[i]);
		graph_offset_shared(g, &g->layers[i]);
		activations += shape_count(g->layers[i].os);
		if (g->dim > FLOATS_MAX)
			return error("%s: over %d parameters at layer '%s'", path, FLOATS_MAX,
				     g->layers[i].name);
		if (activations > FLOATS_MAX)
			return error("%s: over %d activations a sample at layer '%s'", path,
				     FLOATS_MAX, g->layers[i].name);
	}
	if (!g->dim)
		return error("%s: has no parameters to train", path);
	graph_offset_memory(g);
	return 0;
}

static int nets_graph_build(struct graph *g, const cJSON *root, const char *path)
{
	if (check_frame(root, path) || read_input(g, root, path))
		return -1;
	g->about = nets_graph_text_of(root, "about");
	g->cite = nets_graph_text_of(root, "cite");
	g->layers = xcalloc(1, sizeof(*g->layers));
	g->n = 1;
	g->layers[0] = (struct layer){ .kind = LAYER_INPUT, .name = "input", .in = { -1, -1 },
				       .is = g->input, .os = g->input };
	if (graph_unroll(g, root, path) || check_ends(g, path) || graph_offset_all(g, path))
		return -1;
	return 0;
}

/* Takes root, which may be NULL after an error. */
static struct graph *graph_new(cJSON *root, const char *path, struct shape input, int classes)
{
	char *where = NULL;
	struct graph *g;

	root = graph_base(root, path, &where);
	if (!root)
		return NULL;
	g = xcalloc(1, sizeof(*g));
	g->input = input;
	g->classes = classes;
	name_graph(g, path);
	if (nets_graph_build(g, root, where)) {
		graph_free(g);
		g = NULL;
	}
	cJSON_Delete(root);
	free(where);
	return g;
}

struct graph *graph_load(const char *name, struct shape input, int classes)
{
	char *path = path_find("nets/zoo", name);
	struct graph *g = NULL;

	if (path)
		g = graph_new(json_load(path), path, input, classes);
	free(path);
	return g;
}

struct graph *graph_parse(const char *text, const char *name, struct shape input, int classes)
{
	return graph_new(json_parse(text, name), name, input, classes);
}

/* A net of tokens checks its input itself. */
int graph_check_data(const struct graph *g, bool text, const char *set)
{
	if (g->tokens || !text)
		return 0;
	return error("net %s: reads images, but the data set '%s' is text (expected a net whose "
		     "first layer is \"embed\", such as gpt-shakespeare-cpu). Choose another net "
		     "or data set.", g->name, set);
}

void graph_free(struct graph *g)
{
	if (!g)
		return;
	free(g->about);
	free(g->cite);
	free(g->layers);
	free(g->blobs);
	free(g->owner);
	free(g);
}
