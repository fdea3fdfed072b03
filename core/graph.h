/*
 * graph.h - topologies: which worker may send its model to which, and with what weight.
 *
 * Arcs lead from a sender to a receiver; an undirected graph has both directions of every
 * edge. Models are mixed by a matrix W, x_i <- sum_j W_ij x_j, that the graph gives:
 *
 *     undirected   W_ij = 1 / (1 + max(d_i, d_j)), W_ii = 1 - sum of the others: Metropolis
 *                  weights, symmetric and doubly stochastic; 1 / (1 + d) where all degrees
 *                  are d
 *     directed     W_ij = 1 / (1 + outdegree of j): columns sum to one, rows need not
 *
 * The second largest modulus among the eigenvalues of W tells how fast models become equal; one
 * minus it is the spectral gap (Xiao, Boyd 2004).
 *
 * (Layer graphs of nets have a header of the same name in nets/.)
 */
#ifndef CORE_GRAPH_H
#define CORE_GRAPH_H

#include "core/text/opt.h"

#include <stdint.h>

struct run;

struct topology {               /* a graph, made for a number of workers */
	int n;
	char *name;             /* as the user wrote it; owned */
	size_t arcs;            /* during construction: so far */
	int *first, *to;        /* arcs out of i: to[first[i]] .. to[first[i + 1] - 1]; owned */
	int *back, *from;       /* arcs into i: from[back[i]] .., in the order of ranks; owned */
	int *slot;              /* [arcs into any i] index of that arc among its sender's; owned */
	int *side;              /* if bipartite: [n] 0 or 1, different at an edge's ends; owned */
	bool directed, regular, connected, bipartite;
	int degree;             /* if regular: receivers of each */
	uint64_t digest;        /* of the arcs and their order: equal for equal graphs */
	/*
	 * All ranks have the same hops. So `to` has rank 0's receivers only, `from` its senders,
	 * twice, with their slots; first and back are NULL.
	 */
	bool circulant;
	int (*arc)[2];          /* during construction: pairs */
};

struct graph_type {             /* plug-in: one kind of graph */
	struct plugin plugin;
	/*
	 * Adds every arc of t->n >= 1 workers with topology_arc(), in the order in which algorithms
	 * visit a rank's neighbours. 0, or error() if the graph does not exist for t->n workers.
	 */
	int (*make)(const void *conf, struct topology *t, uint64_t seed);
};

/* ---- making one ---- */

/*
 * Makes the chosen graph of `workers` workers; seed is the run's. 0, or error() with *t empty.
 * Disconnected graphs are made too: graph_check() refuses them.
 */
int topology_make(struct topology *t, const struct choice *graph, int workers, uint64_t seed);
void topology_free(struct topology *t);

/* For plug-ins: adds an arc. Loops and duplicates are removed at the end. */
void topology_arc(struct topology *t, int from, int to);

/*
 * For plug-ins: an arc from every rank to the one `hop` ranks further around the circle. A graph
 * has either hops, which need no memory for each rank, or arcs.
 */
void topology_hop(struct topology *t, int hop);

/* For plug-ins: 0, or error() when the ranks of t cannot have `degree` neighbours each. */
int topology_degree(const struct topology *t, int64_t degree);

/* ---- queries ---- */

struct ranks {
	const int *hop;         /* [n] ranks after `start`, on a circle; borrowed */
	int n, start, circle;
};

/* The k-th of them. */
static inline int ranks_at(struct ranks r, int k)
{
	const int rank = r.start + r.hop[k];

	return rank < r.circle ? rank : rank - r.circle;
}

/* Ranks to which a rank sends, and from which it receives; equal in an undirected graph. */
struct ranks topology_out(const struct topology *t, int rank);
struct ranks topology_in(const struct topology *t, int rank);

/* True when there is an arc between these ranks; O(log degree). */
bool topology_has(const struct topology *t, int from, int to);

/*
 * Index of `from` among topology_in(t, rank), and of `to` among topology_out(t, rank), in O(log
 * degree). There must be such an arc.
 */
int topology_sender(const struct topology *t, int rank, int from);
int topology_receiver(const struct topology *t, int rank, int to);

/* W_ij, where j == i or there is an arc from j to i. */
double topology_weight(const struct topology *t, int i, int j);

/* ---- properties ---- */

enum { SPECTRUM_MAX = 1024 };   /* workers; the eigenvalues of more take too long */

/*
 * Second largest modulus of an eigenvalue of W; NaN for more than SPECTRUM_MAX workers, and, after
 * a warning, where LAPACK finds none.
 */
double topology_second(const struct topology *t);

enum graph_need { GRAPH_UNDIRECTED = 1, GRAPH_BIPARTITE = 2 };

/*
 * For algo.check: 0, or error() if the run's graph is not connected or lacks a property of `needs`.
 */
int graph_check(const struct run *run, unsigned needs);

#endif
