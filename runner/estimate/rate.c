/* How fast a net is here: a few gradients in a process of their own. */
#include "runner/estimate/estimate.h"

#include "core/base/clock.h"
#include "core/base/context.h"
#include "core/base/mem.h"
#include "nets/graph/graph.h"
#include "runner/estimate/gradient_rate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Seconds of measuring; operations of one minibatch, and of one sample, that are not too many. */
static const double span_s = 0.1, batch_flops = 8e9, sample_flops = 3e10;

struct known {                  /* measured by this process */
	char *text;
	double rate;
	struct known *next;
};

static struct known *all_known;

/* Whole seconds that all measuring of a process may take, its setting up included. */
enum { PATIENCE_S = 3 };

static double spent_s;

/* Of the patience, in whole seconds; 0: none. */
static unsigned left_s(void)
{
	return spent_s < PATIENCE_S ? (unsigned)ceil(PATIENCE_S - spent_s) : 0;
}

static double estimate_rate_measure(const struct setup *su, int threads)
{
	const double flops = 6.0 * (double)su->model.macs, fit = batch_flops / flops;
	const double most = (double)setup_most_batch(su);
	const double batch = fit < 1 ? 1 : fmin(fit, most);
	struct rate_case c = { .net = su->model.name,
			       .graph = setup_load_net(su),
			       .backend = su->backend,
			       .conf = su->backend_conf,
			       .batch = (size_t)batch,
			       .threads = threads,
			       .team = 1,
			       .limit_s = left_s() };

	const double began = clock_s();

	c.conf.times = NULL;
	if (c.conf.lowering == LOWERING_AUTO)
		c.conf.lowering = LOWERING_1;
	if (c.graph && c.limit_s)
		rate_measure_apart(&c, span_s, NULL, NULL);
	graph_free(c.graph);
	spent_s += clock_s() - began;
	return c.rate;
}

double estimate_rate(const struct setup *su, int threads)
{
	struct known *k = all_known;
	char *text;

	if (6.0 * (double)su->model.macs > sample_flops)
		return 0;
	text = xasprintf("%s %zu %lld %s %d %zu %d", su->model.name, su->model.dim,
			 (long long)su->model.macs, su->backend->name, su->in.precision,
			 setup_most_batch(su), threads);
	while (k && strcmp(k->text, text) != 0)
		k = k->next;
	if (!k) {
		context_mute();
		k = xcalloc(1, sizeof(*k));
		*k = (struct known){ xstrdup(text), estimate_rate_measure(su, threads), all_known };
		all_known = k;
		context_unmute();
	}
	free(text);
	return k->rate;
}
