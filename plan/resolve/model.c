/* Measures a net without training it: parameters, multiply-adds, layers, backward times. */
#include "plan/resolve/model.h"

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/mem.h"
#include "core/file/paths.h"
#include "nets/nets.h"

#include <stdlib.h>
#include <string.h>

static bool is_analytic(const char *net)
{
	size_t n = strcspn(net, ":");

	for (const struct plugin *const *p = problem_table; *p; p++)
		if (strlen((*p)->name) == n && strncmp((*p)->name, net, n) == 0)
			return true;
	return false;
}

/* Of a problem; the last one's are kept, for drawing a large one takes long. */
struct sizes {
	char *net;
	size_t dim, nblobs;
	struct blob *blobs;
	int64_t samples;
};

static struct blob *copy_layers(const struct blob *layers, size_t n)
{
	struct blob *copy = xcalloc(n + 1, sizeof(*copy));

	for (size_t i = 0; i < n; i++)
		copy[i] = layers[i];
	return copy;
}

/* 0 or error(). */
static int measure_problem(struct sizes *s, const struct choice *c, const char *net)
{
	struct problem *problem = ((const struct problem_type *)c->plugin)->open(c->conf);

	if (!problem)
		return -1;
	free(s->net);
	free(s->blobs);
	*s = (struct sizes){ xstrdup(net), problem->dim, (size_t)problem->nblobs,
			     copy_layers(problem->blobs, problem->nblobs),
			     problem->n[SPLIT_TRAIN] };
	problem->ops->close(problem);
	return 0;
}

static int load_analytic(struct model *m, const char *net)
{
	static struct sizes last;

	if (choice_parse(&m->analytic, problem_table, "problem", net) < 0)
		return -1;
	if ((!last.net || strcmp(last.net, net) != 0) &&
	    measure_problem(&last, &m->analytic, net) < 0)
		return -1;
	m->name = xstrdup(m->analytic.plugin->name);
	m->known = true;
	m->dim = last.dim;
	m->nlayers = last.nblobs;
	m->layers = copy_layers(last.blobs, last.nblobs);
	m->macs = (int64_t)last.dim;
	m->samples = last.samples;
	return 0;
}

static int digest_file(const char *path, uint64_t *digest)
{
	size_t size;
	char *text = file_read(path, &size);

	if (!text)
		return -1;
	*digest = fnv(*digest, text, size);
	free(text);
	return 0;
}

/* Of the net's file and those it stands on. */
static int digest_net(const char *net, uint64_t *digest)
{
	char **files = net_files(net);
	int ret = files ? 0 : -1;

	*digest = FNV_START;
	for (size_t i = 0; !ret && files[i]; i++)
		ret = digest_file(files[i], digest);
	if (files)
		path_list_free(files);
	return ret;
}

/* True when a built-in net has the same name and contents. */
static bool is_built_in(const struct model *m)
{
	char **names = path_list("nets/zoo");
	uint64_t digest = 0;
	bool there = false;

	for (size_t i = 0; names[i] && !there; i++)
		there = strcmp(names[i], m->name) == 0;
	path_list_free(names);
	return there && digest_net(m->name, &digest) == 0 && digest == m->digest;
}

/* When the backward pass is behind each layer that has parameters. */
static void find_backward(struct model *m, const struct graph *g)
{
	int64_t left = m->macs;

	m->backward = xcalloc((size_t)g->n, sizeof(*m->backward));
	for (int i = 0; i < g->n && m->macs > 0; i++) {
		const struct layer *l = &g->layers[i];

		if (layer_parameters(l))
			m->backward[m->nbackward++] = (struct backward){
				.from = l->weight, .done = (double)left / (double)m->macs,
			};
		left -= l->macs;
	}
}

static int model_measure(struct model *m, const char *net, const struct choice *data)
{
	const struct dataset_type *type = (const struct dataset_type *)data->plugin;
	struct dataset_shape shape;
	struct graph *g;

	if (dataset_shape(type, data->conf, &shape) < 0)
		return -1;
	g = graph_load(net, (struct shape){ shape.height, shape.width, shape.channels },
		       shape.classes);
	if (!g || graph_check_data(g, shape.tokens, type->plugin.name)) {
		graph_free(g);
		return -1;
	}
	m->dim = g->dim;
	m->tokens = g->tokens;
	m->nlayers = g->nblobs;
	m->layers = copy_layers(g->blobs, g->nblobs);
	m->macs = graph_macs(g);
	find_backward(m, g);
	graph_cut(g, &m->cut);
	graph_free(g);
	return 0;
}

static int load_net(struct model *m, const char *net, const struct choice *data)
{
	char *path = path_find("nets/zoo", net);
	int ret;

	if (!path)
		return -1;
	m->name = path_stem(path);
	ret = digest_net(path, &m->digest);
	free(path);
	m->known = ret == 0 && is_built_in(m);
	return ret < 0 ? -1 : model_measure(m, net, data);
}

int model_load(struct model *m, const char *net, const struct choice *data)
{
	*m = (struct model){ 0 };
	if (!net)
		return error("net: a name is missing");
	return is_analytic(net) ? load_analytic(m, net) : load_net(m, net, data);
}

void model_release(struct model *m)
{
	choice_release(&m->analytic);
	free(m->name);
	free(m->backward);
	free(m->layers);
	*m = (struct model){ 0 };
}
