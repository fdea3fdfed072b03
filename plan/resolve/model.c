/* Measures a net without training it: parameters, multiply-adds, layers, backward times. */
#include "plan/resolve/model.h"

#include "core/base/context.h"
#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/mem.h"
#include "core/file/paths.h"
#include "core/samples/dataset.h"
#include "data/data.h"
#include "nets/external/external.h"
#include "nets/nets.h"
#include "nets/sizes/sizes.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool model_is_analytic(const char *net)
{
	size_t n = strcspn(net, ":");

	for (const struct plugin *const *p = problem_table; *p; p++)
		if (strlen((*p)->name) == n && strncmp((*p)->name, net, n) == 0)
			return true;
	return false;
}

/* Sizes of a problem; the last one's are kept, for drawing a large one takes long. */
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

static int load_analytic(struct model *m, const char *net)
{
	static struct sizes last;

	if (choice_parse(&m->analytic, problem_table, "problem", net) < 0)
		return -1;
	if (!last.net || strcmp(last.net, net) != 0) {
		struct problem *problem = ((const struct problem_type *)m->analytic.plugin)->open(
			m->analytic.conf);

		if (!problem)
			return -1;
		free_all(last.net, last.blobs);
		last = (struct sizes){ xstrdup(net), problem->dim, (size_t)problem->nblobs,
				       copy_layers(problem->blobs, problem->nblobs),
				       problem->n[SPLIT_TRAIN] };
		problem->ops->close(problem);
	}
	m->name = xstrdup(m->analytic.plugin->name);
	m->known = true;
	m->dim = last.dim;
	m->nlayers = last.nblobs;
	m->layers = copy_layers(last.blobs, last.nblobs);
	m->macs = (int64_t)last.dim;
	m->samples = last.samples;
	return 0;
}

/* Digest of the net's file and those it stands on. */
static int digest_net(const char *net, uint64_t *digest)
{
	char **files = net_files(net);
	int ret = files ? 0 : -1;

	*digest = FNV_START;
	for (size_t i = 0; !ret && files[i]; i++) {
		size_t size;
		scoped char *text = file_read(files[i], &size);

		ret = text ? 0 : -1;
		if (text)
			*digest = fnv(*digest, text, size);
	}
	if (files)
		path_list_free(files);
	return ret;
}

static int model_measure(struct model *m, const char *net, const struct choice *data)
{
	const struct dataset_type *type = (const struct dataset_type *)data->plugin;
	struct dataset_shape shape;
	struct graph *g;
	int64_t left;

	if (dataset_shape(type, data->conf, &shape) < 0)
		return -1;
	g = graph_load(net, (struct shape){ shape.height, shape.width, shape.channels },
		       shape.classes);
	if (!g || graph_check_data(g, shape.tokens, type->plugin.name)) {
		graph_free(g);
		return -1;
	}
	m->dim = g->dim;
	m->stats_dim = g->stats_dim;
	m->tokens = g->tokens;
	m->window = g->tokens ? shape.height : 0;
	m->nlayers = g->nblobs;
	m->layers = copy_layers(g->blobs, g->nblobs);
	m->macs = graph_macs(g);
	/* When the backward pass has passed each layer that has parameters. */
	left = m->macs;
	m->backward = xcalloc((size_t)g->n, sizeof(*m->backward));
	for (int i = 0; i < g->n && m->macs > 0; i++) {
		const struct layer *l = &g->layers[i];

		if (layer_parameters(l))
			m->backward[m->nbackward++] = (struct backward){
				.from = layer_first(l), .done = (double)left / (double)m->macs,
			};
		left -= l->macs;
	}
	graph_cut(g, &m->cut);
	graph_free(g);
	return 0;
}

/* A net's name and digest, and whether it is built in. */
static int net_identify(struct model *m, const char *net)
{
	char *path = net_path(net), **names;
	uint64_t digest = 0;
	bool there = false;
	int ret;

	if (!path)
		return -1;
	m->name = path_stem(path);
	ret = digest_net(path, &m->digest);
	free(path);
	if (ret < 0)
		return ret;
	/* Known where a built-in net has the same name and contents. */
	names = path_list("nets/zoo");
	for (size_t i = 0; names[i] && !there; i++)
		there = strcmp(names[i], m->name) == 0;
	path_list_free(names);
	m->known = there && digest_net(m->name, &digest) == 0 && digest == m->digest;
	return 0;
}

/* Copies a net's model, which has neither of the choices. */
static struct model model_copy(const struct model *from)
{
	struct model m = *from;

	m.name = xstrdup(from->name);
	m.layers = copy_layers(from->layers, from->nlayers);
	if (from->nbackward) {
		m.backward = xcalloc(from->nbackward, sizeof(*m.backward));
		memcpy(m.backward, from->backward, from->nbackward * sizeof(*m.backward));
	}
	return m;
}

/* The last net is kept: the runs of a sweep have the same, and reading takes most of a plan. */
static int load_net(struct model *m, const char *net, const struct choice *data)
{
	static struct model last;
	static char *last_key;
	const struct dataset_type *type = (const struct dataset_type *)data->plugin;
	const char *home = getenv("CONVOY_HOME");
	struct dataset_shape s;
	char *key;

	if (dataset_shape(type, data->conf, &s) < 0)
		return -1;
	/* All that a net's model depends on. */
	key = xasprintf("%s %d %d %d %d %d %s %s", type->plugin.name, s.height, s.width, s.channels,
			s.classes, s.tokens, home ? home : "", net);
	if (last_key && strcmp(last_key, key) == 0) {
		free(key);
		*m = model_copy(&last);
		return 0;
	}
	free(last_key);
	last_key = NULL;
	model_release(&last);
	if (net_identify(m, net) < 0 || model_measure(m, net, data) < 0) {
		free(key);
		return -1;
	}
	last = model_copy(m);
	last_key = key;
	return 0;
}

/* ---- the data that a net was made for ---- */

static bool data_is_as(const char *text, struct shape input, int classes)
{
	struct dataset_shape s;
	scoped_by(choice_release) struct choice c = { 0 };

	return choice_parse(&c, dataset_table, "data set", text) == 0 &&
			dataset_shape((const struct dataset_type *)c.plugin, c.conf, &s) == 0 &&
			!s.tokens && s.height == input.h && s.width == input.w &&
			s.channels == input.c && s.classes == classes;
}

static bool data_is_text(const char *text)
{
	scoped_by(choice_release) struct choice c = { 0 };

	return choice_parse(&c, dataset_table, "data set", text) == 0 &&
			((const struct dataset_type *)c.plugin)->tokens;
}

/* The first of the list, as it is or with images of the net's side; NULL: none. Caller frees. */
static char *data_find(struct shape input, int classes)
{
	for (const struct plugin *const *d = dataset_table; *d; d++) {
		char *cropped = xasprintf("%s:crop=%d", (*d)->name, input.h);

		if (data_is_as((*d)->name, input, classes)) {
			free(cropped);
			return xstrdup((*d)->name);
		}
		if (opt_find((*d)->opts, "crop") && data_is_as(cropped, input, classes))
			return cropped;
		free(cropped);
	}
	return NULL;
}

const char *model_data(const char *net, const char *usual)
{
	static char *last_net, *last;
	struct graph *g;

	if (sizes_chosen(net) || external_chosen(net) || model_is_analytic(net))
		return usual;
	if (last_net && strcmp(last_net, net) == 0)
		return last ? last : usual;
	free_all(last_net, last);
	last_net = xstrdup(net);
	last = NULL;
	context_mute();
	g = graph_load(net, (struct shape){ 0 }, 0);
	if (g && g->tokens && !data_is_text(usual))
		last = xasprintf("tokens:window=%d,vocabulary=%d", g->input.h, g->classes);
	else if (g && !g->tokens && !data_is_as(usual, g->input, g->classes))
		last = data_find(g->input, g->classes);
	context_unmute();
	graph_free(g);
	return last ? last : usual;
}

/* ---- nets of known size ---- */

/* A layer's share of the backward pass: by its seconds, else its products, else its floats. */
static double size_weight(const struct model *m, const struct size_list *list,
			  const struct size_layer *l)
{
	if (list->timed)
		return l->backward_s;
	return m->macs > 0 ? l->macs : l->parameters;
}

static void size_backward(struct model *m, const struct size_list *list)
{
	double all = 0.0, left, from = 0.0;

	for (size_t i = 0; i < list->n; i++)
		all += size_weight(m, list, &list->layer[i]);
	left = all;
	m->backward = xcalloc(list->n, sizeof(*m->backward));
	for (size_t i = 0; i < list->n && all > 0.0; i++) {
		const struct size_layer *l = &list->layer[i];

		if (l->parameters > 0.0)
			m->backward[m->nbackward++] = (struct backward){
				.from = (size_t)from, .done = fmax(left, 0.0) / all,
			};
		left -= size_weight(m, list, l);
		from += l->parameters;
	}
}

/* Floats, products and seconds of all layers. */
static int size_add_up(struct model *m, const struct size_list *list)
{
	double parameters = 0.0, macs = 0.0, forward = 0.0, backward = 0.0;

	for (size_t i = 0; i < list->n; i++) {
		parameters += list->layer[i].parameters;
		macs += list->layer[i].macs;
		forward += list->layer[i].forward_s;
		backward += list->layer[i].backward_s;
	}
	if (macs > 1e18)
		return error("net %s: over 1e18 multiply-accumulates a sample (expected at most as "
			     "many). Give a shorter sequence, or fewer parameters", m->name);
	if (!(parameters >= 1.0) || parameters > 1e15)
		return error("net %s: %g bytes (expected from 4 to 4e15)", m->name,
			     parameters * (double)sizeof(float));
	m->dim = (size_t)ceil(parameters);
	m->macs = (int64_t)macs;
	m->nlayers = list->n;
	m->seconds = forward + backward;
	if (list->timed && !(m->seconds > 0.0))
		return error("net %s: all layers take 0 s", m->name);
	m->forward = list->split ? forward / m->seconds : 0.0;
	return 0;
}

static int load_sized(struct model *m, const char *net)
{
	scoped_by(sizes_release) struct size_list list = { 0 };
	const struct size_type *type;
	int ret;

	if (sizes_parse(&m->sized, net) < 0)
		return -1;
	m->name = xstrdup(m->sized.plugin->name);
	type = (const struct size_type *)m->sized.plugin;
	m->known = type->rows != NULL;
	m->window = type->window_of ? type->window_of(m->sized.conf) : type->window;
	ret = sizes_layers(&m->sized, &list);
	if (ret == 0)
		ret = size_add_up(m, &list);
	if (ret == 0) {
		size_backward(m, &list);
		m->digest = fnv(FNV_START, list.layer, list.n * sizeof(*list.layer));
	}
	return ret;
}

/* ---- external problems ---- */

/* Sets name and digest: of the file, its function and its arguments. Starts nothing. */
static int external_identify(struct model *m, const char *net)
{
	scoped_by(external_name_release) struct external_name name;
	int ret = external_parse(&name, net);

	m->external = true;
	m->name = xstrdup(ret == 0 ? path_base(name.file) : net);
	if (ret == 0)
		ret = external_digest(&name, &m->digest);
	return ret;
}

static int load_external(struct model *m, const char *net)
{
	scoped_by(external_sizes_release) struct external_sizes sizes = { 0 };
	int ret = external_identify(m, net);

	if (ret == 0)
		ret = external_sizes_of(&sizes, net);
	if (ret == 0) {
		m->dim = sizes.dim;
		m->stats_dim = sizes.stats_dim;
		m->nlayers = sizes.nblobs;
		m->layers = copy_layers(sizes.blobs, sizes.nblobs);
		m->samples = sizes.n[SPLIT_TRAIN];
		m->metrics = sizes.versions ? sizes.metrics : -1;
		m->versions = xstrdup(sizes.versions);
		memcpy(m->metric, sizes.metric, sizeof(m->metric));
	}
	return ret;
}

int model_load(struct model *m, const char *net, const struct choice *data)
{
	*m = (struct model){ 0 };
	if (!net)
		return error("net: a name is missing");
	if (sizes_chosen(net))
		return load_sized(m, net);
	if (external_chosen(net))
		return load_external(m, net);
	return model_is_analytic(net) ? load_analytic(m, net) : load_net(m, net, data);
}

int model_identify(struct model *m, const char *net)
{
	if (sizes_chosen(net) || model_is_analytic(net))
		return model_load(m, net, NULL);
	*m = (struct model){ 0 };
	if (external_chosen(net))
		return external_identify(m, net);
	return net_identify(m, net);
}

char *model_time_key(const struct model *m)
{
	if (m->known)
		return xstrdup(m->name);
	if (m->sized.plugin && !(m->sized.plugin->opts->flags & OPT_NOHASH))
		return choice_format(&m->sized);
	return xasprintf("%s@%016" PRIx64, m->name, m->digest);
}

void model_release(struct model *m)
{
	choice_release(&m->analytic);
	choice_release(&m->sized);
	free_all(m->name, m->backward, m->layers, m->versions);
	*m = (struct model){ 0 };
}
