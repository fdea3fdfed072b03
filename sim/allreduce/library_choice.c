/* library_choice.c - the choice of an all-reduce as NCCL and Open MPI make it. */
#include "sim/allreduce/library_choice.h"

#include <math.h>

/* ---- NCCL ---- */

enum nccl_protocol { NCCL_LL, NCCL_LL128, NCCL_SIMPLE, NCCL_PROTOCOLS };

enum nccl_hop { NCCL_NVLINK, NCCL_PCI, NCCL_NET };

struct nccl_times {             /* microseconds */
	double base[NCCL_PROTOCOLS];
	double hop[3][NCCL_PROTOCOLS];
};

static const struct nccl_times nccl_tree = {
	{ 6.8, 14.0, 8.4 }, { { 0.6, 1.25, 4.0 }, { 1.0, 1.9, 4.0 }, { 5.0, 8.5, 14.0 } }
};

static const struct nccl_times nccl_ring = {
	{ 6.6, 14.0, 8.4 }, { { 0.6, 1.9, 3.4 }, { 1.0, 2.5, 5.7 }, { 2.7, 4.0, 14.0 } }
};

enum { NCCL_SIZES = 24 };

/* Of a tree's bandwidth, by powers of two from 64 bytes on. */
static const double nccl_tree_factor[NCCL_PROTOCOLS][NCCL_SIZES] = {
	{ 1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1, 1, 1 },
	{ 1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9, .9, .9, 1, 1, 1 },
	{ .9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5, .5, .5, .5, .6, .7, .8, .7, .7, .8, .9,
	  .9, .9 }
};

static enum nccl_hop nccl_inside(const struct library_case *c)
{
	return c->inside >= LIBRARY_NVLINK ? NCCL_NVLINK : NCCL_PCI;
}

/* Bytes a second that all channels have on the bus. */
static double nccl_bus(const struct library_case *c)
{
	if (c->nodes == 1)
		return c->inside;
	return c->n > c->nodes ? fmin(c->inside, c->across) : c->across;
}

static double nccl_seconds(double us, double bytes, double rate)
{
	return us * 1e-6 + bytes / rate;
}

static double nccl_ring_s(const struct library_case *c, enum nccl_protocol p)
{
	static const double share[] = { 0.5, 0.92, 1.0 };
	const double rate = nccl_bus(c) * share[p] * c->n / (2.0 * (c->n - 1));
	const double across = 2.0 * (c->nodes - 1), inside = 2.0 * (c->n - 1) - across;
	/* A rank that is alone in its node has the tree's time for a hop. */
	const struct nccl_times *net = c->n == c->nodes ? &nccl_tree : &nccl_ring;
	double us = nccl_ring.base[p] + inside * nccl_ring.hop[nccl_inside(c)][p] +
		    across * net->hop[NCCL_NET][p];

	if (p == NCCL_SIMPLE && c->nodes > 1 && c->bytes / ((double)c->channels * c->n) >= 64.0)
		us *= 1.4;
	return nccl_seconds(us, c->bytes, rate);
}

static double nccl_tree_s(const struct library_case *c, enum nccl_protocol p)
{
	const double share[] = { 1.0 / 3.8, c->nodes == 1 ? 7.0 / 9.0 : 120.0 / 128.0, 1.0 };
	const double size = floor(log2(fmax(c->bytes / 64.0, 1.0)));
	const double factor = size < NCCL_SIZES ? nccl_tree_factor[p][(int)size] : 1.0;
	const double rate = nccl_bus(c) * 0.92 * share[p] * 0.5 * factor;
	const double inside = (double)c->n / c->nodes - 1.0, across = floor(log2(c->nodes));

	return nccl_seconds(nccl_tree.base[p] + 2.0 * (inside * nccl_tree.hop[nccl_inside(c)][p] +
						       across * nccl_tree.hop[NCCL_NET][p]),
			    c->bytes, rate);
}

enum collective_kind library_nccl(const struct library_case *c)
{
	double ring = HUGE_VAL, tree = HUGE_VAL;

	for (int p = 0; p < NCCL_PROTOCOLS; p++) {
		if (p == NCCL_LL128 && nccl_inside(c) != NCCL_NVLINK)
			continue;
		ring = fmin(ring, nccl_ring_s(c, (enum nccl_protocol)p));
		tree = fmin(tree, nccl_tree_s(c, (enum nccl_protocol)p));
	}
	return tree < ring ? COLLECTIVE_DOUBLE_TREE : COLLECTIVE_RING;
}

/* ---- Open MPI ---- */

/* Fewer ranks than `below`, fewer bytes than `bytes`: that kind, by the first line that fits. */
static const struct openmpi_rule {
	int below;
	double bytes;
	enum collective_kind kind;
} openmpi_rules[] = {
	{ 4, 65536, COLLECTIVE_DOUBLING },
	{ 4, 262144, COLLECTIVE_RING },
	{ 16, 8192, COLLECTIVE_DOUBLING },
	{ 32, 4096, COLLECTIVE_DOUBLING },
	{ 64, 128, COLLECTIVE_DOUBLING },
	{ 128, 262144, COLLECTIVE_DOUBLING },
	{ INT32_MAX, 131072, COLLECTIVE_TREE },
	{ INT32_MAX, 262144, COLLECTIVE_DOUBLING },
};

enum collective_kind library_openmpi(int n, double bytes)
{
	int below = 0;

	for (size_t i = 0; i < sizeof(openmpi_rules) / sizeof(openmpi_rules[0]); i++) {
		const struct openmpi_rule *r = &openmpi_rules[i];

		if (n >= r->below || (below && r->below != below))
			continue;
		below = r->below;
		if (bytes < r->bytes)
			return r->kind;
	}
	return COLLECTIVE_RABENSEIFNER;
}
