/* Collects a net's layers as JSON and prints them as a table, as JSON or as a diagram. */
#include "cmd/show/show.h"

#include "core/base/error.h"
#include "nets/layers/layers.h"
#include "nets/nets.h"
#include "runner/results/outcome.h"

#include <cjson/cJSON.h>
#include <stdlib.h>

enum { SIDE_MOST = 1 << 20 };

static cJSON *shape_json(struct shape s)
{
	return cJSON_CreateIntArray((const int[]){ s.h, s.w, s.c }, 3);
}

static void show_net_add_text(cJSON *object, const char *key, const char *text)
{
	if (text)
		cJSON_AddStringToObject(object, key, text);
}

static cJSON *layer_json(const struct graph *g, const struct layer *l)
{
	cJSON *json = cJSON_CreateObject(), *in;

	cJSON_AddStringToObject(json, "name", l->name);
	cJSON_AddStringToObject(json, "kind", layer_kind_name(l->kind));
	in = cJSON_AddArrayToObject(json, "in");
	for (int i = 0; i < 2; i++)
		if (l->in[i] >= 0)
			cJSON_AddItemToArray(in, cJSON_CreateString(g->layers[l->in[i]].name));
	if (layer_types[l->kind]->show_shared)
		layer_types[l->kind]->show_shared(g, l, json);
	cJSON_AddItemToObject(json, "shape", shape_json(l->os));
	layer_show(l, json);
	cJSON_AddNumberToObject(json, "parameters", (double)layer_parameters(l));
	cJSON_AddNumberToObject(json, "macs", (double)l->macs);
	cJSON_AddNumberToObject(json, "bytes", (double)layer_bytes(l));
	return json;
}

static cJSON *blob_json(const struct blob *b)
{
	cJSON *json = cJSON_CreateObject();

	cJSON_AddStringToObject(json, "name", b->name);
	cJSON_AddItemToObject(json, "shape", cJSON_CreateIntArray(b->shape, b->rank));
	cJSON_AddNumberToObject(json, "offset", (double)b->offset);
	cJSON_AddNumberToObject(json, "count", (double)b->count);
	cJSON_AddBoolToObject(json, "decay", b->decay);
	return json;
}

static void show_net_print_json(const struct graph *g)
{
	cJSON *json = cJSON_CreateObject(), *list;

	cJSON_AddStringToObject(json, "name", g->name);
	show_net_add_text(json, "about", g->about);
	show_net_add_text(json, "cite", g->cite);
	cJSON_AddItemToObject(json, "input", shape_json(g->input));
	cJSON_AddNumberToObject(json, "classes", g->classes);
	cJSON_AddNumberToObject(json, "parameters", (double)g->dim);
	cJSON_AddNumberToObject(json, "macs", (double)graph_macs(g));
	cJSON_AddNumberToObject(json, "bytes", (double)graph_bytes(g));
	cJSON_AddNumberToObject(json, "statistics", (double)g->stats_dim);
	list = cJSON_AddArrayToObject(json, "layers");
	for (int i = 0; i < g->n; i++)
		cJSON_AddItemToArray(list, layer_json(g, &g->layers[i]));
	list = cJSON_AddArrayToObject(json, "blobs");
	for (size_t i = 0; i < g->nblobs; i++)
		cJSON_AddItemToArray(list, blob_json(&g->blobs[i]));
	json_print(json);
	cJSON_Delete(json);
}

/* "HxWxC"; 0 or error(). */
static int read_shape(const char *text, struct shape *s)
{
	char end;

	if (sscanf(text, "%7dx%7dx%7d%c", &s->h, &s->w, &s->c, &end) == 3 && s->h > 0 && s->w > 0
	    && s->c > 0 && s->h <= SIDE_MOST && s->w <= SIDE_MOST && s->c <= SIDE_MOST)
		return 0;
	return error("--input '%s': expected HEIGHTxWIDTHxCHANNELS, such as 32x32x3", text);
}

int show_net(const char *name, const struct show_net *how)
{
	struct shape input = { 0, 0, 0 };
	struct graph *g;
	int code = EXIT_OK;

	if (how->input && read_shape(how->input, &input) < 0)
		return EXIT_USAGE;
	g = graph_load(name, input, how->classes);
	if (!g)
		return EXIT_BAD;
	if (how->plot)
		code = net_plot(g, how->file) < 0 ? EXIT_BAD : EXIT_OK;
	else if (how->json)
		show_net_print_json(g);
	else
		graph_print(g, stdout);
	graph_free(g);
	return code;
}
