/* The model that a run begins with, where a file keeps it. */
#include "plan/resolve/setup.h"

#include "nets/gpt2_file.h"

/* The net of the run; NULL after error(). */
static struct graph *start_graph(const struct setup *su)
{
	struct dataset_shape s;

	if (dataset_shape((const struct dataset_type *)su->data.plugin, su->data.conf, &s) < 0)
		return NULL;
	return graph_load(su->in.net, (struct shape){ s.height, s.width, s.channels }, s.classes);
}

float *setup_start(const struct setup *su)
{
	struct graph *g;
	float *x;

	if (!setup_needs_data(su) || !gpt2_file_is(su->in.init))
		return result_model(su->in.init, su->model.dim);
	g = start_graph(su);
	x = g ? gpt2_file_read(su->in.init, g) : NULL;
	graph_free(g);
	return x;
}
