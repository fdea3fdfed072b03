/* Builds a communication graph's arcs, tests its properties, and weighs its mixing matrix. */
#include "core/graph.h"

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/mem.h"
#include "core/math/blas_library.h"
#include "core/run.h"

#include <math.h>
#include <stdlib.h>

enum { MAX_ARCS = 1 << 25 };

void topology_arc(struct topology *t, int from, int to)
{
	t->arc = xgrown(t->arc, t->arcs, sizeof(*t->arc));
	t->arc[t->arcs][0] = from;
	t->arc[t->arcs++][1] = to;
}

void topology_hop(struct topology *t, int hop)
{
	t->circulant = true;
	topology_arc(t, 0, (hop % t->n + t->n) % t->n);
}

int topology_degree(const struct topology *t, int64_t degree)
{
	if (degree > t->n - 1 && t->n > 1)
		return error("graph %s: no worker of %d can have %lld neighbours", t->name, t->n,
			     (long long)degree);
	if (degree * t->n > MAX_ARCS)
		return error("graph %s: %d workers with %lld neighbours each are more than %d arcs",
			     t->name, t->n, (long long)degree, MAX_ARCS);
	return 0;
}

/* Removes loops and duplicate arcs, of which the first stays. */
static void graph_tidy(struct topology *t)
{
	scoped int *last = xcalloc((size_t)t->n, sizeof(*last));
	size_t kept = 0;

	for (int i = 0; i < t->n; i++)
		last[i] = -1;
	for (int i = 0; i < t->n; i++) {
		const int begin = t->first[i], end = t->first[i + 1];

		t->first[i] = (int)kept;
		for (int k = begin; k < end; k++) {
			if (t->to[k] == i || last[t->to[k]] == i)
				continue;
			last[t->to[k]] = i;
			t->to[kept++] = t->to[k];
		}
	}
	t->first[t->n] = (int)kept;
}

/* Turns counts in at[i + 2] into at[i + 1]: where the first arc of i goes. */
static void graph_starts(int n, int *at)
{
	for (int i = 0; i < n; i++)
		at[i + 2] += at[i + 1];
}

/* Sorts the pairs by sender, keeping their order otherwise, and frees them. */
static void gather_out(struct topology *t)
{
	int *at = t->first = xcalloc((size_t)t->n + 2, sizeof(*at));

	t->to = xcalloc(t->arcs + 1, sizeof(*t->to));
	for (size_t k = 0; k < t->arcs; k++)
		at[t->arc[k][0] + 2]++;
	graph_starts(t->n, at);
	for (size_t k = 0; k < t->arcs; k++)
		t->to[at[t->arc[k][0] + 1]++] = t->arc[k][1];
	free(t->arc);
	t->arc = NULL;
}

/* Incoming arcs by sender, and for each its index among the sender's outgoing arcs. */
static void gather_in(struct topology *t)
{
	int *at = t->back = xcalloc((size_t)t->n + 2, sizeof(*at));

	t->from = xcalloc(t->arcs + 1, sizeof(*t->from));
	t->slot = xcalloc(t->arcs + 1, sizeof(*t->slot));
	for (size_t k = 0; k < t->arcs; k++)
		at[t->to[k] + 2]++;
	graph_starts(t->n, at);
	for (int i = 0; i < t->n; i++)
		for (int k = t->first[i]; k < t->first[i + 1]; k++) {
			const int in = at[t->to[k] + 1]++;

			t->from[in] = i;
			t->slot[in] = k - t->first[i];
		}
}

/* Incoming arcs of rank 0, twice, in a graph of hops. */
static void gather_hops(struct topology *t)
{
	const int degree = t->degree = t->first[1];
	int *slot = xcalloc((size_t)t->n, sizeof(*slot)), n = 0;

	t->arcs = (size_t)degree * (size_t)t->n;
	t->from = xcalloc(2 * (size_t)degree + 1, sizeof(*t->from));
	t->slot = xcalloc(2 * (size_t)degree + 1, sizeof(*t->slot));
	for (int k = 0; k < degree; k++)
		slot[t->n - t->to[k]] = k + 1;
	for (int sender = 1; sender < t->n; sender++) {
		if (!slot[sender])
			continue;
		t->from[n] = t->from[n + degree] = sender;
		t->slot[n] = t->slot[n + degree] = slot[sender] - 1;
		n++;
	}
	free_all(slot, t->first);
	t->first = NULL;
}

static void gather_arcs(struct topology *t)
{
	gather_out(t);
	graph_tidy(t);
	if (t->circulant) {
		gather_hops(t);
		return;
	}
	t->arcs = (size_t)t->first[t->n];
	gather_in(t);
}

static struct ranks graph_span_of(const struct topology *t, const int *first, const int *other,
				  int i)
{
	return (struct ranks){ other + first[i], first[i + 1] - first[i], 0, t->n };
}

struct ranks topology_out(const struct topology *t, int rank)
{
	return t->circulant ? (struct ranks){ t->to, t->degree, rank, t->n }
			    : graph_span_of(t, t->first, t->to, rank);
}

/* Of rank 0's senders, those that are beyond the end of the circle for this rank come first. */
struct ranks topology_in(const struct topology *t, int rank)
{
	int before = 0;

	if (!t->circulant)
		return graph_span_of(t, t->back, t->from, rank);
	while (before < t->degree && t->from[before] < t->n - rank)
		before++;
	return (struct ranks){ t->from + before, t->degree, rank, t->n };
}

/*
 * Index of a rank in a list in order of ranks. Tries first the one that is right if they are evenly
 * spread, as in a complete graph.
 */
static int ranks_find(struct ranks in, int from)
{
	const int guess = (int)((int64_t)from * in.n / in.circle);
	int low = 0, high = in.n;

	for (int k = guess; k < in.n && k < guess + 2; k++)
		if (ranks_at(in, k) == from)
			return k;

	while (high - low > 1) {
		const int middle = low + (high - low) / 2;

		if (ranks_at(in, middle) <= from)
			low = middle;
		else
			high = middle;
	}
	return low;
}

int topology_sender(const struct topology *t, int rank, int from)
{
	return ranks_find(topology_in(t, rank), from);
}

bool topology_has(const struct topology *t, int from, int to)
{
	const struct ranks in = topology_in(t, to);

	return in.n > 0 && ranks_at(in, ranks_find(in, from)) == from;
}

int topology_receiver(const struct topology *t, int rank, int to)
{
	const struct ranks in = topology_in(t, to);

	return t->slot[in.hop - t->from + ranks_find(in, rank)];
}

/* ---- properties ---- */

/* True when every arc has a reverse arc. mark[n] is scratch, without any rank in it. */
static bool is_symmetric(const struct topology *t, int *mark)
{
	for (int i = 0; i < t->n; i++) {
		const struct ranks out = topology_out(t, i), in = topology_in(t, i);

		for (int k = 0; k < out.n; k++)
			mark[ranks_at(out, k)] = i;
		for (int k = 0; k < in.n; k++)
			if (mark[ranks_at(in, k)] != i)
				return false;
		if (in.n != out.n)
			return false;
	}
	return true;
}

static bool is_regular(const struct topology *t)
{
	for (int i = 1; i < t->n; i++)
		if (topology_out(t, i).n != topology_out(t, 0).n)
			return false;
	return true;
}

/* Marks unvisited ranks of r, reached from `from`, with the other side, and queues them. */
static int graph_visit(struct ranks r, int *side, int from, int *queue, int n)
{
	for (int k = 0; k < r.n; k++) {
		const int rank = ranks_at(r, k);

		if (side[rank] < 0) {
			side[rank] = 1 - side[from];
			queue[n++] = rank;
		}
	}
	return n;
}

enum { FORWARD = 1, BACKWARD = 2 };

/* Colours side[n] with 0 and 1 from `root` on, over ranks reached along the given directions. */
static int graph_colour(const struct topology *t, int root, unsigned along, int *side, int *queue)
{
	int n = 1;

	side[root] = 0;
	queue[0] = root;
	for (int k = 0; k < n; k++) {
		if (along & FORWARD)
			n = graph_visit(topology_out(t, queue[k]), side, queue[k], queue, n);
		if (along & BACKWARD)
			n = graph_visit(topology_in(t, queue[k]), side, queue[k], queue, n);
	}
	return n;
}

static void graph_clear(int n, int *mark)
{
	for (int i = 0; i < n; i++)
		mark[i] = -1;
}

static bool reaches_all(const struct topology *t, unsigned along, int *side, int *queue)
{
	graph_clear(t->n, side);
	return graph_colour(t, 0, along, side, queue) == t->n;
}

/* Colours all ranks along the given directions; returns how many are reached from the first. */
static int graph_colour_all(struct topology *t, unsigned along, int *queue)
{
	int reached;

	graph_clear(t->n, t->side);
	reached = graph_colour(t, 0, along, t->side, queue);
	for (int i = 0; i < t->n; i++)
		if (t->side[i] < 0)
			graph_colour(t, i, along, t->side, queue);
	return reached;
}

static bool sides_differ(const struct topology *t)
{
	for (int i = 0; i < t->n; i++) {
		const struct ranks out = topology_out(t, i);

		for (int k = 0; k < out.n; k++)
			if (t->side[ranks_at(out, k)] == t->side[i])
				return false;
	}
	return true;
}

static int greatest_divisor(int a, int b)
{
	return b == 0 ? a : greatest_divisor(b, a % b);
}

/*
 * Of a graph of hops: each rank reaches those at multiples of g, the greatest common divisor of the
 * hops and n. They are a circle of n / g, and its only halves without hops inside can be the even
 * and the odd multiples.
 */
static void circulant_describe(struct topology *t)
{
	int g = t->n;

	for (int k = 0; k < t->degree; k++) {
		t->directed |= t->from[k] + t->from[t->degree - 1 - k] != t->n;
		g = greatest_divisor(g, t->to[k]);
	}
	t->regular = t->bipartite = true;
	t->connected = g == 1;
	for (int k = 0; k < t->degree; k++)
		t->bipartite &= t->to[k] / g % 2 == 1 && t->n / g % 2 == 0;
	for (int i = 0; i < t->n; i++)
		t->side[i] = i / g % 2;
}

static void graph_describe(struct topology *t)
{
	int *scratch, reached;

	t->side = xcalloc((size_t)t->n, sizeof(*t->side));
	if (t->circulant) {
		circulant_describe(t);
		return;
	}
	scratch = xcalloc((size_t)t->n, sizeof(*scratch));
	graph_clear(t->n, scratch);
	t->directed = !is_symmetric(t, scratch);
	t->regular = is_regular(t);
	t->degree = topology_out(t, 0).n;
	t->connected = t->directed && reaches_all(t, FORWARD, t->side, scratch) &&
		       reaches_all(t, BACKWARD, t->side, scratch);
	reached = graph_colour_all(t, t->directed ? FORWARD | BACKWARD : FORWARD, scratch);
	t->connected |= !t->directed && reached == t->n;
	t->bipartite = sides_differ(t);
	free(scratch);
}

static uint64_t graph_digest(const struct topology *t)
{
	uint64_t h = fnv_step(FNV_START, (uint32_t)t->n);

	for (int i = 0; i < t->n; i++) {
		const struct ranks out = topology_out(t, i);

		h = fnv_step(h, (uint32_t)out.n);
		for (int k = 0; k < out.n; k++)
			h = fnv_step(h, (uint32_t)ranks_at(out, k));
	}
	return h;
}

int topology_make(struct topology *t, const struct choice *graph, int workers, uint64_t seed)
{
	const struct graph_type *type = (const struct graph_type *)graph->plugin;
	int ret;

	*t = (struct topology){ .n = workers, .name = xstrdup(graph->plugin->name) };
	ret = type->make(graph->conf, t, seed);
	if (ret < 0) {
		topology_free(t);
		return -1;
	}
	gather_arcs(t);
	graph_describe(t);
	t->digest = graph_digest(t);
	return 0;
}

void topology_free(struct topology *t)
{
	free_all(t->name, t->first, t->to, t->back, t->from, t->slot, t->side, t->arc);
	*t = (struct topology){ 0 };
}

/* ---- the mixing matrix ---- */

double topology_weight(const struct topology *t, int i, int j)
{
	const int di = topology_out(t, i).n, dj = topology_out(t, j).n;
	const struct ranks in = topology_in(t, i);
	double rest = 1.0;

	if (t->directed || t->regular)
		return 1.0 / (1 + dj);
	if (i != j)
		return 1.0 / (1 + (di > dj ? di : dj));
	for (int k = 0; k < in.n; k++)
		rest -= topology_weight(t, i, ranks_at(in, k));
	return rest;
}

/* ---- requirements of algorithms ---- */

int graph_check(const struct run *run, unsigned needs)
{
	const struct topology *t = run->graph;
	const char *algo = run->algo->plugin.name;

	if (!t->connected)
		return error("graph %s of %d workers is not connected%s: their models would "
			     "never come together", t->name, t->n,
			     t->directed ? " along its arcs" : "");
	if (needs & GRAPH_UNDIRECTED && t->directed)
		return error("graph %s is directed: %s averages along edges that go both ways",
			     t->name, algo);
	if (needs & GRAPH_BIPARTITE && !t->bipartite)
		return error("graph %s of %d workers is not bipartite: %s lets one side ask and "
			     "the other answer, or they could wait for one another in a circle",
			     t->name, t->n, algo);
	return 0;
}

/* ---- spectral gap: eigenvalues of the mixing matrix, by LAPACK ---- */

/* The mixing matrix W by columns. The caller frees. */
static double *graph_spectrum_matrix(const struct topology *t)
{
	const size_t n = (size_t)t->n;
	double *a = xcalloc(n * n, sizeof(*a));

	for (size_t i = 0; i < n; i++) {
		const struct ranks in = topology_in(t, (int)i);

		a[i * n + i] = topology_weight(t, (int)i, (int)i);
		for (int k = 0; k < in.n; k++)
			a[(size_t)ranks_at(in, k) * n + i] =
				topology_weight(t, (int)i, ranks_at(in, k));
	}
	return a;
}

static int graph_spectrum_eigenvalues(const struct topology *t, double *a, double *re, double *im)
{
	const int n = t->n, one = 1, lwork = 8 * n;
	scoped double *work = xcalloc((size_t)lwork, sizeof(*work));
	int info;

	if (t->directed)
		dgeev_("N", "N", &n, a, &n, re, im, NULL, &one, NULL, &one, work, &lwork, &info);
	else
		dsyev_("N", "U", &n, a, &n, re, work, &lwork, &info);
	return info;
}

double topology_second(const struct topology *t)
{
	double *a, *re, *im, found;

	if (t->n > SPECTRUM_MAX)
		return (double)NAN;
	if (t->n == 1)
		return 0.0;
	a = graph_spectrum_matrix(t);
	re = xcalloc((size_t)t->n, sizeof(*re));
	im = xcalloc((size_t)t->n, sizeof(*im));
	if (graph_spectrum_eigenvalues(t, a, re, im)) {
		warning("LAPACK finds no eigenvalues of graph %s of %d workers", t->name, t->n);
		found = (double)NAN;
	} else {
		/* Second largest of n >= 2 moduli. */
		double first = 0.0, next = 0.0;

		for (int i = 0; i < t->n; i++) {
			const double modulus = hypot(re[i], im[i]);

			next = fmax(next, fmin(first, modulus));
			first = fmax(first, modulus);
		}
		found = next;
	}
	free_all(a, re, im);
	return found;
}
