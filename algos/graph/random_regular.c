/*
 * random_regular.c - every worker has the same number of neighbours, drawn at random.
 *
 * Begins with the nearest neighbours on a circle and swaps ends of edges, a-b c-d to a-d c-b,
 * unless an edge would then occur twice. There are SWAPS tries for each edge; fewer in a graph of
 * millions of edges, but at least one. A graph that is not connected is refused like any other;
 * with three neighbours or more that is rare.
 */
#include "core/graph.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/math/rng.h"

#include <stdbool.h>
#include <stdlib.h>

enum { SWAPS = 20, TRIES_MOST = 1 << 22 };

struct random_regular_conf {
	int64_t degree, seed;
};

struct edges {
	int n, degree, count;
	int (*end)[2];          /* [count] */
	uint64_t *there;        /* [mask + 1] hash table of the edges, open addressing; 0: free */
	size_t mask;
};

/* Key of the edge {a, b}: equal for both directions, never 0. */
static uint64_t random_regular_key_of(int a, int b)
{
	const uint64_t low = (uint64_t)(a < b ? a : b), high = (uint64_t)(a < b ? b : a);

	return (high << 32 | low) + 1;
}

/* Preferred slot of the key; keys with the same slot follow each other. */
static size_t home_of(const struct edges *e, uint64_t key)
{
	return (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 20) & e->mask;
}

/* Slot of the key, or the free slot where it would be inserted. */
static size_t random_regular_find(const struct edges *e, uint64_t key)
{
	size_t at = home_of(e, key);

	while (e->there[at] && e->there[at] != key)
		at = (at + 1) & e->mask;
	return at;
}

static bool is_there(const struct edges *e, int a, int b)
{
	return e->there[random_regular_find(e, random_regular_key_of(a, b))] != 0;
}

static void random_regular_put(struct edges *e, int a, int b)
{
	e->there[random_regular_find(e, random_regular_key_of(a, b))] = random_regular_key_of(a, b);
}

/* Removes an edge, and moves later entries up that could no longer be found. */
static void take_away(struct edges *e, int a, int b)
{
	size_t gap = random_regular_find(e, random_regular_key_of(a, b));

	for (size_t at = (gap + 1) & e->mask; e->there[at]; at = (at + 1) & e->mask) {
		const size_t home = home_of(e, e->there[at]);

		if (((at - home) & e->mask) < ((at - gap) & e->mask))
			continue;
		e->there[gap] = e->there[at];
		gap = at;
	}
	e->there[gap] = 0;
}

static void open_table(struct edges *e)
{
	size_t capacity = 16;

	while (capacity < (size_t)e->n * (size_t)e->degree)
		capacity *= 2;
	e->there = xcalloc(capacity, sizeof(*e->there));
	e->mask = capacity - 1;
}

/* a-b c-d becomes a-d c-b. */
static void random_regular_swap(struct edges *e, int *first, int *other)
{
	const int a = first[0], b = first[1], c = other[0], d = other[1];

	if (a == c || a == d || b == c || b == d || is_there(e, a, d) || is_there(e, c, b))
		return;
	take_away(e, a, b);
	take_away(e, c, d);
	random_regular_put(e, a, d);
	random_regular_put(e, c, b);
	first[1] = d;
	other[1] = b;
}

/* Either edge may be turned around, so that each end can get every position. */
static void random_regular_shuffle(struct edges *e, uint64_t seed)
{
	const int most = 1 + TRIES_MOST / e->count, sweeps = most < SWAPS ? most : SWAPS;

	for (int sweep = 0; sweep < sweeps; sweep++) {
		struct rng r;

		rng_at(&r, seed, RNG_GRAPH, 0, (uint64_t)sweep);
		for (int k = 0; k < e->count; k++) {
			int *other = e->end[rng_below(&r, (uint64_t)e->count)];

			if (rng_u32(&r) & 1) {
				const int kept = other[0];

				other[0] = other[1];
				other[1] = kept;
			}
			random_regular_swap(e, e->end[k], other);
		}
	}
}

static void begin_on_a_circle(struct edges *e)
{
	for (int i = 0; i < e->n; i++)
		for (int hop = 1; hop <= (e->degree + 1) / 2; hop++) {
			const bool across = hop > e->degree / 2;
			const int to = (i + (across ? e->n / 2 : hop)) % e->n;

			if (across && i >= e->n / 2)
				continue;
			e->end[e->count][0] = i;
			e->end[e->count++][1] = to;
			random_regular_put(e, i, to);
		}
}

static int random_regular_make(const void *conf, struct topology *t, uint64_t seed)
{
	const struct random_regular_conf *c = conf;
	struct edges e = { .n = t->n, .degree = (int)c->degree };

	if (topology_degree(t, c->degree) < 0)
		return -1;
	if (t->n % 2 && c->degree % 2)
		return error("graph random-regular: %d workers with %d neighbours each: one of the "
			     "two numbers must be even", t->n, e.degree);
	e.end = xcalloc((size_t)t->n * (size_t)e.degree, sizeof(*e.end));
	open_table(&e);
	begin_on_a_circle(&e);
	random_regular_shuffle(&e, c->seed ? (uint64_t)c->seed : seed);
	for (int k = 0; k < e.count; k++) {
		topology_arc(t, e.end[k][0], e.end[k][1]);
		topology_arc(t, e.end[k][1], e.end[k][0]);
	}
	free(e.end);
	free(e.there);
	return 0;
}

static const struct opt random_regular_opts[] = {
	OPT_NUMBER(struct random_regular_conf, degree, "4", "neighbours of each worker", "N", 1,
		   1 << 20),
	OPT_NUMBER(struct random_regular_conf, seed, "0",
		   "which of these graphs; 0: as the run's seed says", "N", 0, 1e15),
	{ 0 }
};

const struct graph_type graph_random_regular = {
	.plugin = { .name = "random-regular",
		    .brief = "the same number of neighbours for each worker, drawn at random",
		    .also = "random",
		    .opts = random_regular_opts,
		    .conf_size = sizeof(struct random_regular_conf) },
	.make = random_regular_make,
};
