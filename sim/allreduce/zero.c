/*
 * zero.c - what ZeRO's all-gathers of the model add to a step (Rajbhandari et al. 2020).
 *
 * A worker keeps and updates a share of the model. Stages 1 and 2 gather the whole model after the
 * update. Stage 3 gathers each bucket before its layers' forward pass, and again before their
 * backward pass, the next one while the last is computed; on the network each follows the other:
 *
 *     forward    from the last bucket, the first layers, to bucket 0
 *     backward   from bucket 0 on; the reduce-scatter of a bucket follows the gather of the next
 *
 * A pass over a bucket begins when it is gathered. The step is longer by what the passes wait.
 */
#include "sim/world.h"

#include <math.h>

struct zero {
	const struct sim *s;
	const struct group *g;
	double compute, net;    /* when the passes so far are over, and the network is free */
};

static double zero_gather(const struct zero *z, int k)
{
	return sim_allreduce_share_time(z->s, z->g, z->s->bucket[k].n * sizeof(float));
}

/* Share of the backward pass over bucket k in the seconds of a gradient. */
static double zero_backward(const struct sim *s, int k)
{
	const double forward = s->conf->forward > 0.0 ? s->conf->forward : 1.0 / 3.0;

	return (k ? s->bucket[k - 1].early : 1.0 - forward) - s->bucket[k].early;
}

static void zero_forward_pass(struct zero *z, double seconds)
{
	const double share = z->s->conf->forward > 0.0 ? z->s->conf->forward : 1.0 / 3.0;

	for (int k = z->s->nbuckets - 1; k >= 0; k--) {
		z->net += zero_gather(z, k);
		z->compute = fmax(z->compute, z->net) +
			     zero_backward(z->s, k) * seconds * share / (1.0 - share);
	}
}

static void zero_backward_pass(struct zero *z, double seconds)
{
	double gathered = fmax(z->net, z->compute) + zero_gather(z, 0);

	z->net = gathered;
	for (int k = 0; k < z->s->nbuckets; k++) {
		const double begins = fmax(z->compute, gathered);

		if (k + 1 < z->s->nbuckets)
			z->net = gathered = fmax(z->net, begins) + zero_gather(z, k + 1);
		z->compute = begins + zero_backward(z->s, k) * seconds;
		z->net = fmax(z->net, z->compute) + zero_gather(z, k);
	}
}

/* The longest of the members' gradients. */
static double zero_seconds(const struct group *g)
{
	double most = 0.0;

	for (int i = 0; i < g->members; i++)
		most = fmax(most, sim_node(g->node[i])->ahead);
	return most;
}

double zero_after(const struct sim *s, const struct group *g)
{
	struct zero z = { .s = s, .g = g };
	const double seconds = zero_seconds(g);
	double alone = 0.0;

	if (s->conf->zero < 3)
		return sim_allreduce_share_time(s, g, s->run->dim * sizeof(float));
	if (s->nbuckets == 0)
		return 2.0 * sim_allreduce_share_time(s, g, s->run->dim * sizeof(float));
	zero_forward_pass(&z, seconds);
	zero_backward_pass(&z, seconds);
	/* The all-reduce without gathers, from the beginning of the same gradient. */
	for (int k = 0; k < s->nbuckets; k++)
		alone = fmax(alone, (1.0 - s->bucket[k].early) * seconds) + zero_gather(&z, k);
	return fmax(fmax(z.compute, z.net) - alone, 0.0);
}
