/* Times of all-reduces and gathers by the ring, halving, tree and grouped algorithms. */
#include "sim/link/collective.h"

#include <stddef.h>

const char *const collective_names[] = { "ring", "doubling", "rabenseifner", "tree",
					 "hierarchical", NULL };

/* Every node sends and receives. */
static double collective_exchange(const struct collective *c, double bytes)
{
	return c->latency + c->both * (c->message + bytes / c->rate);
}

/* A node sends or receives. */
static double collective_pass(const struct collective *c, double bytes)
{
	return c->latency + (c->message + bytes / c->rate);
}

/* The largest k with 2^k <= n. */
static int log2_floor(int64_t n)
{
	int k = 0;

	while (n >> (k + 1))
		k++;
	return k;
}

static int log2_ceil(int64_t n)
{
	return n > 1 ? log2_floor(n - 1) + 1 : 0;
}

/* Those above a power of two are folded into others, and told the result. */
static double collective_fold(const struct collective *c, int n, double bytes)
{
	return n == 1 << log2_floor(n) ? 0.0 : 2.0 * collective_pass(c, bytes);
}

static double collective_ring(const struct collective *c, int64_t n, double bytes)
{
	return 2.0 * (double)(n - 1) * collective_exchange(c, bytes / (double)n);
}

static double collective_halving(const struct collective *c, int n, double bytes)
{
	double s = 0.0;

	for (int i = 1; i <= log2_floor(n); i++)
		s += collective_exchange(c, bytes / (double)(1 << i));
	return 2.0 * s + collective_fold(c, n, bytes);
}

static double collective_tree(const struct collective *c, int64_t n, double bytes)
{
	return 2.0 * log2_ceil(n) * collective_pass(c, bytes);
}

static double collective_groups(const struct collective *c, int n, double bytes)
{
	const int64_t within = c->group < n ? c->group : n;

	return collective_tree(c, within, bytes) +
	       collective_ring(c, (n + c->group - 1) / c->group, bytes);
}

double collective_s(const struct collective *c, int n, double bytes)
{
	switch (c->kind) {
	case COLLECTIVE_DOUBLING:
		return log2_floor(n) * collective_exchange(c, bytes) + collective_fold(c, n, bytes);
	case COLLECTIVE_RABENSEIFNER:
		return collective_halving(c, n, bytes);
	case COLLECTIVE_TREE:
		return collective_tree(c, n, bytes);
	case COLLECTIVE_HIERARCHICAL:
		return collective_groups(c, n, bytes);
	case COLLECTIVE_RING:
		break;
	}
	return collective_ring(c, n, bytes);
}

double collective_gather_s(const struct collective *c, int n, double bytes)
{
	const double all = (double)n * bytes;

	return 0.5 * (c->kind == COLLECTIVE_RING ? collective_ring(c, n, all) :
						   collective_halving(c, n, all));
}
