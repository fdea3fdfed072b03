/* memory.c - what a net keeps of a stream, and its form for evaluation. */
#include "core/base/error.h"
#include "nets/graph/unroll.h"

/* Rows of `memory` tokens for each relative layer, one after the other. */
void graph_offset_memory(struct graph *g)
{
	g->carry = (struct carry){ .step = (size_t)g->input.h };
	for (int i = 0; i < g->n; i++) {
		struct layer *l = &g->layers[i];

		if (l->kind != LAYER_RELATIVE)
			continue;
		l->carried = g->carry.floats;
		g->carry.floats += (size_t)l->memory * (size_t)l->width;
		if (g->carry.rows < (size_t)l->memory)
			g->carry.rows = (size_t)l->memory;
	}
}

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
	if (test)
		graph_test_memory(test);
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
