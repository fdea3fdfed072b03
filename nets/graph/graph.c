/* A net in memory: offsets of its parameters and memory, its cut, and its printout. */
#include "nets/layers/layers.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/members.h"
#include "core/file/paths.h"
#include "nets/nets.h"
#include "nets/sizes/sizes.h"

#include <stdlib.h>

/* ---- checks and offsets ---- */

static int check_ends(const struct graph *g, const char *path)
{
	const struct layer *last = &g->layers[g->n - 1];
	scoped bool *read = NULL;
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
	return ret;
}

void graph_add_blob(struct graph *g, const struct layer *l, const char *what, bool decay, int rank,
		    const int shape[4])
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

static void graph_add_blobs(struct graph *g, struct layer *l)
{
	const struct layer_type *type = layer_types[l->kind];

	if (l->weights || l->biases) {
		l->weight = l->weights ? g->dim : 0;
		l->beta = g->dim + l->weights;
	}
	if (type->add_blobs) {
		type->add_blobs(g, l);
		return;
	}
	if (l->weights)
		graph_add_blob(g, l, "weight", l->decay, 2, (int[4]){ l->os.c, (int)l->fan_in });
	if (l->biases)
		graph_add_blob(g, l, "bias", l->decay && l->bias_decay, 1,
			       (int[4]){ (int)l->biases });
}

/* Offsets in a stream's memory of the layers with memory, one after the other. */
static void graph_offset_memory(struct graph *g)
{
	g->carry = (struct carry){ .step = (size_t)g->input.h };
	for (int i = 0; i < g->n; i++) {
		struct layer *l = &g->layers[i];

		l->carried = g->carry.floats;
		g->carry.floats += (size_t)l->memory * (size_t)l->width;
		if (g->carry.rows < (size_t)l->memory)
			g->carry.rows = (size_t)l->memory;
	}
}

static bool graph_has_matrix(const struct graph *g, int layer)
{
	for (size_t b = 0; b < g->nblobs; b++)
		if (g->owner[b] == layer && g->blobs[b].rank >= 2)
			return true;
	return false;
}

/* The layer whose matrix, or the table that it shares, gives the outputs. */
static int graph_head(const struct graph *g)
{
	int i = g->n - 1;

	while (i > 0 && g->layers[i].kind != LAYER_UNEMBED && !graph_has_matrix(g, i))
		i = g->layers[i].in[0];
	return i;
}

/* Marks the matrices from hidden layers to hidden layers. */
static void graph_mark_hidden(struct graph *g)
{
	const int head = graph_head(g);

	for (size_t b = 0; b < g->nblobs; b++) {
		const int owner = g->owner[b];

		g->blobs[b].hidden = g->blobs[b].rank >= 2 && owner != head
				     && g->layers[owner].in[0] != 0;
	}
}

static int graph_add_all_blobs(struct graph *g, const char *path)
{
	size_t activations = 0;

	g->targets = g->tokens ? g->input.h : 1;
	for (int i = 0; i < g->n; i++) {
		graph_add_blobs(g, &g->layers[i]);
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
	graph_mark_hidden(g);
	return 0;
}

/* ---- loading ---- */

static char *member_text(const cJSON *root, const char *key)
{
	const cJSON *v = json_get(root, key);

	return cJSON_IsString(v) ? xstrdup(v->valuestring) : NULL;
}

/* Makes a net. Takes root, which may be NULL after an error. */
static struct graph *graph_new(cJSON *root, const char *path, struct shape input, int classes)
{
	scoped char *where = NULL, *stem = path_stem(path);
	struct graph *g = NULL;

	root = graph_base(root, path, &where);
	if (root) {
		g = xcalloc(1, sizeof(*g));
		g->input = input;
		g->classes = classes;
		snprintf(g->name, sizeof(g->name), "%.63s", stem);
		if (graph_unroll(g, root, where) || check_ends(g, where)
		    || graph_add_all_blobs(g, where)) {
			graph_free(g);
			g = NULL;
		} else {
			g->about = member_text(root, "about");
			g->cite = member_text(root, "cite");
		}
	}
	cJSON_Delete(root);
	return g;
}

struct graph *graph_load(const char *name, struct shape input, int classes)
{
	scoped char *path = net_path(name);
	struct graph *g = NULL;

	if (path)
		g = graph_new(json_load(path), path, input, classes);
	return g;
}

struct graph *graph_load_for(const char *name, const struct dataset *ds)
{
	const struct shape input = { ds->height, ds->width, ds->channels };
	struct graph *g = graph_load(name, input, ds->classes);

	if (g)
		g->loss = ds->loss;
	return g;
}

struct graph *graph_parse(const char *text, const char *name, struct shape input, int classes)
{
	return graph_new(json_parse(text, name), name, input, classes);
}

int graph_check_data(const struct graph *g, bool text, const char *set)
{
	if (g->tokens && !text)         /* of a shape that could be a window of tokens */
		return error("net %s: reads tokens, but the data set '%s' has numbers (expected a "
			     "text, such as --data text:file=FILE). Choose another net or data "
			     "set.", g->name, set);
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

/* ---- the memory of a stream ---- */

void graph_test_memory(struct graph *g)
{
	for (int i = 0; i < g->n; i++)
		g->layers[i].memory = g->layers[i].test_memory;
	graph_offset_memory(g);
}

struct graph *graph_for_test(const char *name, struct graph *g, const struct dataset *ds)
{
	struct shape input = g->input;
	struct graph *test;

	if (!g->carry.floats && !ds->test_window)
		return g;
	if (ds->test_window)
		input.h = ds->test_window;
	test = graph_load(name, input, ds->classes);
	if (test) {
		test->loss = g->loss;
		graph_test_memory(test);
	}
	return test;
}

int graph_check_memory(const struct graph *g, const struct graph *test, const struct dataset *ds)
{
	const size_t before = (size_t)(ds->n[SPLIT_TEST] - 1) * test->carry.step;

	if (!g->carry.floats)
		return 0;
	if (!ds->streams)
		return error("net %s: has a memory of the text before a window (expected a data "
			     "set that is read in order). Choose --data %s:streams=true", g->name,
			     ds->type->plugin.name);
	if (test->carry.rows > before)
		return error("net %s: has a memory of %zu tokens in evaluation, and the "
			     "validation text has %zu before its last window (expected as many). "
			     "Choose a shorter test_memory or a longer text.", g->name,
			     test->carry.rows, before);
	return 0;
}

/* ---- the cut of stages ---- */

/*
 * True if layers after the d-th's input read nothing from before it, and only the d-th reads that
 * input.
 */
static bool cut_is_clean(const struct graph *g, int d)
{
	const int c = g->layers[d].in[0];

	for (int i = c + 1; i < g->n; i++)
		for (int k = 0; k < 2; k++) {
			const int in = g->layers[i].in[k];

			if (in >= 0 && (in < c || (in == c && i != d)))
				return false;
		}
	return true;
}

static int64_t macs_from(const struct graph *g, int from)
{
	int64_t macs = 0;

	for (int i = from; i < g->n; i++)
		macs += g->layers[i].macs;
	return macs;
}

int graph_cut(const struct graph *g, struct cut *cut)
{
	*cut = (struct cut){ 0 };
	for (int d = 1; d < g->n; d++) {
		const struct layer *l = &g->layers[d];

		if (l->kind != LAYER_DENSE || !cut_is_clean(g, d))
			continue;
		if (!l->weight)
			return 0;
		*cut = (struct cut){
			.at = l->weight,
			.width = shape_count(l->is),
			.share = (double)macs_from(g, d) / (double)graph_macs(g),
		};
		return d;
	}
	return 0;
}

/* ---- output of `convoy show net NAME` ---- */

int layer_detail(const struct layer *l, char *text, size_t size)
{
	*text = '\0';
	return layer_types[l->kind]->detail ? layer_types[l->kind]->detail(l, text, size) : 0;
}

const char *layer_kind_name(enum layer_kind kind)
{
	return layer_types[kind]->name;
}

void layer_show(const struct layer *l, cJSON *json)
{
	const struct layer_type *type = layer_types[l->kind];

	for (const char *const *key = type->shown; key && *key; key++) {
		const struct opt *o = opt_find(type->opts, *key);
		const void *field = (const char *)l + o->offset;

		if (o->type == OPT_BOOL)
			ADD(json, j_bool(*key, *(const bool *)field));
		else if (o->type == OPT_INT32)
			ADD(json, j_number(*key, *(const int *)field));
		else if (o->type == OPT_DOUBLE)
			ADD(json, j_number(*key, *(const double *)field));
		else
			ADD(json, j_text(*key, o->choices[*(const int *)field]));
	}
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

static void shape_print(const char *format, struct shape s, FILE *out)
{
	char text[48];

	snprintf(text, sizeof(text), "%dx%dx%d", s.h, s.w, s.c);
	fprintf(out, format, text);
}

static void layer_print(const struct layer *l, FILE *out)
{
	char text[64];

	layer_detail(l, text, sizeof(text));
	fprintf(out, "%-28s %-10s %-16s", l->name, layer_kind_name(l->kind), text);
	shape_print(" %14s", l->os, out);
	fprintf(out, " %12zu %14lld %12zu\n", l->weights + l->biases, (long long)l->macs,
		layer_bytes(l));
}

void graph_print(const struct graph *g, FILE *out)
{
	fprintf(out, "%s", g->name);
	shape_print(": %s", g->input, out);
	fprintf(out, " -> %d classes\n", g->classes);
	if (g->about)
		fprintf(out, "%s\n", g->about);
	if (g->cite)
		fprintf(out, "%s\n", g->cite);
	fprintf(out, "\n%-28s %-10s %-16s %14s %12s %14s %12s\n", "layer", "kind", "", "output",
		"parameters", "MACs", "bytes");
	for (int i = 0; i < g->n; i++)
		layer_print(&g->layers[i], out);
	fprintf(out, "%-28s %-10s %-16s %14s %12zu %14lld %12zu\n", "total", "", "", "", g->dim,
		(long long)graph_macs(g), graph_bytes(g));
	fprintf(out, "\nparameters: %.2f MB in float; batch-norm statistics: %zu values; "
		"%.2f million multiply-accumulates forward per sample; outputs of all layers: "
		"%.2f MB a sample\n", 4e-6 * (double)g->dim, g->stats_dim,
		1e-6 * (double)graph_macs(g), 1e-6 * (double)graph_bytes(g));
}
