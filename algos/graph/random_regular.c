/*
 * random_regular.c - everybody has the same number of neighbours, drawn at random.
 *
 * Begins with the nearest neighbours around a circle and swaps ends of edges, a-b c-d to
 * a-d c-b, wherever no edge would then stand twice: SWAPS tries for each edge, fewer in a graph
 * of millions of edges, but at least one. A graph that falls apart is refused as any other; with
 * three neighbours or more that is rare.
 */
#include "core/graph.h"

#include "core/error.h"
#include "core/mem.h"
#include "core/rng.h"

#include <stdlib.h>

enum { SWAPS = 20, TRIES_MOST = 1 << 24 };

struct conf {
	int64_t degree, seed;
};

struct edges {
	int n, degree, count;
	int (*end)[2];          /* [count] */
	int *near;              /* [n][degree] neighbours, in no order */
};

static int *row(const struct edges *e, int i)
{
	return e->near + (size_t)i * (size_t)e->degree;
}

/* Where k stands among the neighbours of i, or NULL. */
static int *find(const struct edges *e, int i, int k)
{
	for (int *at = row(e, i), d = 0; d < e->degree; d++)
		if (at[d] == k)
			return &at[d];
	return NULL;
}

/* a-b c-d becomes a-d c-b. */
static void swap(struct edges *e, int *first, int *other)
{
	const int a = first[0], b = first[1], c = other[0], d = other[1];

	if (a == c || a == d || b == c || b == d || find(e, a, d) || find(e, c, b))
		return;
	*find(e, a, b) = d;
	*find(e, b, a) = c;
	*find(e, c, d) = b;
	*find(e, d, c) = a;
	first[1] = d;
	other[1] = b;
}

/* Either edge may be turned around, so that no end is bound to its place. */
static void shuffle(struct edges *e, uint64_t seed)
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
			swap(e, e->end[k], other);
		}
	}
}

static void begin_on_a_circle(struct edges *e)
{
	int *used = xcalloc((size_t)e->n, sizeof(*used));

	for (int i = 0; i < e->n; i++)
		for (int hop = 1; hop <= (e->degree + 1) / 2; hop++) {
			const bool across = hop > e->degree / 2;
			const int to = (i + (across ? e->n / 2 : hop)) % e->n;

			if (across && i >= e->n / 2)
				continue;
			e->end[e->count][0] = i;
			e->end[e->count++][1] = to;
			row(e, i)[used[i]++] = to;
			row(e, to)[used[to]++] = i;
		}
	free(used);
}

static int make(const void *conf, struct topology *t, uint64_t seed)
{
	const struct conf *c = conf;
	struct edges e = { .n = t->n, .degree = (int)c->degree };

	if (topology_degree(t, c->degree) < 0)
		return -1;
	if (t->n % 2 && c->degree % 2)
		return error("graph random-regular: %d workers with %d neighbours each: one of the "
			     "two numbers must be even", t->n, e.degree);
	e.end = xcalloc((size_t)t->n * (size_t)e.degree, sizeof(*e.end));
	e.near = xcalloc((size_t)t->n * (size_t)e.degree, sizeof(*e.near));
	begin_on_a_circle(&e);
	shuffle(&e, c->seed ? (uint64_t)c->seed : seed);
	for (int k = 0; k < e.count; k++) {
		topology_arc(t, e.end[k][0], e.end[k][1]);
		topology_arc(t, e.end[k][1], e.end[k][0]);
	}
	free(e.end);
	free(e.near);
	return 0;
}

static const struct opt opts[] = {
	{ "degree", OPT_INT, offsetof(struct conf, degree), "4", "neighbours of everybody", "N",
	  1, 1 << 20, NULL, 0 },
	{ "seed", OPT_INT, offsetof(struct conf, seed), "0",
	  "which of these graphs; 0: as the run's seed says", "N", 0, 1e15, NULL, 0 },
	{ 0 }
};

extern const struct graph_type graph_random_regular;
const struct graph_type graph_random_regular = {
	.plugin = { .name = "random-regular",
		    .brief = "so many neighbours for everybody, drawn at random",
		    .opts = opts, .conf_size = sizeof(struct conf) },
	.make = make,
};
