/*
 * collective.h - what an all-reduce takes when nothing else is on the network.
 *
 * The formulas of Thakur, Rabenseifner, Gropp 2005 (Optimization of Collective Communication
 * Operations in MPICH), without the time of adding. A step of b bytes takes
 *
 *     t(b) = latency + message + b / rate
 *
 * and message and bytes count `both` times in a step in which a node sends and receives. For n
 * nodes and m bytes, with p the largest power of two that is not above n, lg p = log2 p:
 *
 *     ring           2 (n - 1) t(m / n)                                (Patarasuk, Yuan 2009)
 *     doubling       lg p t(m)                                         recursive doubling
 *     rabenseifner   2 sum_{i = 1 .. lg p} t(m / 2^i)                  halving, then doubling
 *     tree           2 ceil(log2 n) t(m)                               reduce, then broadcast
 *     hierarchical   2 ceil(log2 g) t(m) + ring over ceil(n / g)       trees in groups of g
 *     measured       by a table of sizes
 *     double-tree    2 ceil(log2 n) t(0) + min(n / 2, 2) m / rate      (Sanders et al. 2009)
 *     in-switch      t(m)                      the switch adds what comes, and sends the sum
 *     nccl openmpi   what the library chooses (library_nccl())
 *
 * For k nodes of g members, with t' the time of a step within a node:
 *
 *     two-level      2 (g - 1) t'(m / g) + 2 (k - 1) t(m / (g k))      all g at once
 *     in-switch      2 (g - 1) t'(m / g) + t(m / g)                    all g at once
 *     double-tree    2 (g - 1) t'(0) + 2 ceil(log2 k) t(0) + the larger of: min(k / 2, 2) m / rate
 *                    of all NICs of a node; min(g - 1, 2) m / rate within a node
 *
 * Where n is no power of two, doubling and rabenseifner fold n - p nodes into others before, and
 * tell them after: two more steps t(m).
 *
 * Where members differ, a ring's step takes what its slowest sender takes, and other
 * steps what the slowest member would. Members of one node exchange with each other first, over
 * the node's own links: the first log2 g steps of doubling, halving and trees. In steps between
 * nodes all g members of a node share its NICs, and of a rack its uplink, except in trees, where
 * one of them sends. Groups of `hierarchical` are the nodes, where these have several members.
 */
#ifndef SIM_ALLREDUCE_COLLECTIVE_H
#define SIM_ALLREDUCE_COLLECTIVE_H

#include "core/text/opt.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Measured times by size: what messages and all-reduces of so many bytes take.
 *
 * An all-reduce that was measured with m ranks takes, with n (an extrapolation): of the ring's
 * 2 (n - 1) steps, each latency and bytes / n, the value at the smallest size is the latencies'
 * part, the rest that of the bytes.
 */

struct size_table {
	struct opt_doubles bytes, seconds;      /* pairs, bytes ascending */
};

/* Linear between sizes; constant before the first, beyond the last as between the last two. */
double table_at(const struct size_table *t, double bytes);

/* Seconds of an all-reduce over n members; the table is of `ranks`, at least 2. */
double table_allreduce(const struct size_table *t, int64_t ranks, int n, double bytes);

/* 0, or error(): numbers must go in pairs, sizes ascend. name: "message", of link model `model`. */
int table_check(const struct size_table *t, const char *model, const char *name);

/* A rate or size multiplied by a ratio, and rounded to nine digits. */
double link_scaled(double value, double ratio);

/* Multiplies the sizes so. */
void table_scale(struct size_table *t, double ratio);

struct network;

struct reach {                  /* from one member to another, alone */
	double latency, message;        /* seconds */
	double rate;                    /* bytes a second; HUGE_VAL: no time */
};

struct members {
	int n;
	bool differ;            /* else all that follows is as the link's settings say */
	int nodes, node, nics; /* nodes; the most members of one; its NICs */
	bool racked;            /* there are racks, of which the core is above the uplinks */
	int rack;               /* the most members of a rack, where these are in several; or 0 */
	struct reach across, inside;    /* the slowest member's, between nodes and in its node */
	struct reach *step;     /* [nsteps] owned: from each member to the next, the slowest */
	size_t nsteps;
};

/*
 * Of so many locations of a network, in the order of the ring. shares: messages share uplinks and
 * the core too. The caller releases it.
 */
struct members members_of(const struct network *net, const int *location, int n, bool shares);

void members_release(struct members *m);

enum collective_kind { COLLECTIVE_RING, COLLECTIVE_DOUBLING, COLLECTIVE_RABENSEIFNER,
		       COLLECTIVE_TREE, COLLECTIVE_HIERARCHICAL, COLLECTIVE_MEASURED,
		       COLLECTIVE_DOUBLE_TREE, COLLECTIVE_TWO_LEVEL, COLLECTIVE_IN_SWITCH,
		       COLLECTIVE_NCCL, COLLECTIVE_OPENMPI };

/* Names of enum collective_kind, NULL-ended. */
extern const char *const collective_names[];

struct collective_conf {        /* settings that the link models nic and fair share */
	int kind;               /* enum collective_kind */
	int64_t group;          /* nodes of a group: hierarchical */
	struct size_table table;        /* measured */
	int64_t ranks;          /* that it was measured with */
};

#define COLLECTIVE_OPTS(conf, field)                                                               \
	{ "collective", OPT_AT(ENUM, conf, field.kind), "ring", "how all-reduces are made", NULL,  \
	  0, 0, collective_names, OPT_ADDED },                                                     \
	{ "group", OPT_AT(INT, conf, field.group), "4",                                            \
	  "nodes of a group of collective=hierarchical", "N", 1, 1 << 24, NULL, OPT_ADDED }

#define COLLECTIVE_TABLE_OPTS(conf, field)                                                         \
	{ "allreduce_bytes", OPT_AT(DOUBLES, conf, field.table.bytes), NULL,                       \
	  "collective=measured: sizes of vectors, ascending", "A/B/...", 0, 1e15, NULL,            \
	  OPT_ADDED },                                                                             \
	{ "allreduce_s", OPT_AT(DOUBLES, conf, field.table.seconds), NULL,                         \
	  "collective=measured: seconds of an all-reduce of each size", "A/B/...", 0, 1e6, NULL,   \
	  OPT_ADDED },                                                                             \
	{ "allreduce_ranks", OPT_AT(INT, conf, field.ranks), "2",                                  \
	  "collective=measured: workers that it was measured with", "N", 2, 1 << 20, NULL,         \
	  OPT_ADDED }

struct collective {
	const struct collective_conf *conf;
	const struct members *members;  /* n of them */
	double latency, message;        /* seconds of every step, where members do not differ */
	double rate;                    /* bytes a second, each way */
	double both;                    /* 1, or 2 where both ways share a NIC */
	double tries, again;            /* of a message, at least 1; seconds before each more */
	double uplink, core;            /* bytes a second that racks share; 0: no bound */
};

/* Seconds of an all-reduce of so many bytes over members that all are ready. */
double collective_s(const struct collective *c, double bytes);

/*
 * Seconds until all n members have the bytes that each of them has: half of a ring's all-reduce of
 * n times the bytes, or recursive doubling, half of rabenseifner's, where the kind is another.
 */
double collective_gather_s(const struct collective *c, double bytes);

/* 0, or error() when settings of a link model do not go together. */
int collective_check(const struct collective_conf *c, const char *model);

/*
 * Which kind of all-reduce a library chooses, by size and ranks.
 *
 * NCCL (src/graph/tuning.cc, 5067397): of ring and double binary tree, each with the protocols LL,
 * LL128 (over NVLink alone) and Simple, the one with the least
 *
 *     latency + bytes / bandwidth
 *
 * by the library's own constants. These rank the algorithms; they are not seconds on the wire. Open
 * MPI (coll/tuned, the fixed decisions of main, 8efebee): a table of ranks and bytes for
 * blocking all-reduces of commutative sums.
 */

struct library_case {
	int n, nodes;           /* ranks, of so many nodes */
	double inside, across;  /* bytes a second of a rank in its node, of a node to others */
	int channels;           /* rings or trees at once */
	double bytes;
};

/* Rates from which on NCCL's links within a node are taken for NVLink: beyond PCIe 5 x16. */
#define LIBRARY_NVLINK 64e9

/* COLLECTIVE_RING or COLLECTIVE_DOUBLE_TREE. */
enum collective_kind library_nccl(const struct library_case *c);

/* COLLECTIVE_DOUBLING, COLLECTIVE_RING, COLLECTIVE_RABENSEIFNER or COLLECTIVE_TREE. */
enum collective_kind library_openmpi(int n, double bytes);

#endif
