/* The model that a run begins with, where a file keeps it. */
#include "plan/resolve/setup.h"

#include "nets/nets.h"

float *setup_start(const struct setup *su)
{
	struct graph *g;
	float *x;

	if (!setup_needs_data(su) || !gpt2_file_is(su->in.init))
		return result_model(su->in.init, su->model.dim);
	g = setup_load_net(su);
	x = g ? gpt2_file_read(su->in.init, g) : NULL;
	graph_free(g);
	return x;
}
