/* memory.c - what a check takes of the memory there is. */
#include "study/check/check.h"

#include "core/base/error.h"
#include "runner/memory_limit.h"

/*
 * For each parameter: it and the reference's gradient, both in double and in float, and the
 * gradients of two backends. A thread has a point and its gradient, in double.
 */
static const double bytes_all = 8 + 4 + 8 + 4 + 2 * 4, bytes_thread = 8 + 8;

/* Outputs of all layers, and their gradients, in double. */
static double check_outputs(const struct check *c)
{
	double values = 0;

	for (int i = 0; i < c->graph->n; i++) {
		const struct shape s = c->graph->layers[i].os;

		values += (double)s.h * s.w * s.c * (double)c->n;
	}
	return 2 * sizeof(double) * values;
}

int check_fits(struct check *c)
{
	const double dim = (double)c->graph->dim, outputs = check_outputs(c);
	const double all = bytes_all * dim, one = bytes_thread * dim + outputs;
	const double there = memory_there_is();

	if (all + one > there)
		return error("the check takes about %.1f GB of memory, and there are %.1f GB. "
			     "Make it smaller with --batch or --input%s.",
			     1e-9 * (all + one), 1e-9 * there,
			     c->full ? ", or leave out --full" : "");
	while (c->threads > 1 && all + c->threads * one > there)
		c->threads--;
	return 0;
}
