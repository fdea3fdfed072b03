/*
 * collective.h - time of an all-reduce on a network without other traffic.
 *
 * The formulas of Thakur, Rabenseifner, Gropp 2005 (Optimization of Collective Communication
 * Operations in MPICH), without the time of adding. A step of b bytes takes
 *
 *     t(b) = latency + message + b / rate
 *
 * where message and bytes count `both` times in a step in which a node sends and receives. For n
 * nodes and m bytes, with p the largest power of two that is at most n, and lg p = log2 p:
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
 * If n is no power of two, doubling and rabenseifner first add n - p nodes' vectors to others, and
 * send these nodes the result afterwards: two more steps t(m).
 *
 * If members differ, a step of a ring takes as long as its slowest sender, and other steps as long
 * as the slowest member. Members of one node exchange with each other first, over the node's own
 * links: these are the first log2 g steps of doubling, halving and trees. In steps between nodes
 * all g members of a node share its NICs, and those of a rack share its uplink, except in trees,
 * where one of them sends. Groups of `hierarchical` are the nodes, if these have several members.
 */
#ifndef SIM_ALLREDUCE_COLLECTIVE_H
#define SIM_ALLREDUCE_COLLECTIVE_H

#include "core/text/opt.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Measured times of messages and all-reduces, by size.
 *
 * A time measured with m ranks is converted to n (an extrapolation) by the ring's 2 (n - 1) steps,
 * each of latency and bytes / n: the value at the smallest size is taken as latency, the rest as
 * bytes.
 */

struct size_table {
	struct opt_doubles bytes, seconds;      /* pairs, bytes ascending */
};

/* Linear between sizes; constant below the first; above the last, the last slope continues. */
double table_at(const struct size_table *t, double bytes);

/* Seconds of an all-reduce over n members; the table was measured with `ranks`, at least 2. */
double table_allreduce(const struct size_table *t, int64_t ranks, int n, double bytes);

/*
 * 0, or error(): numbers must be in pairs, sizes ascending. name: of the table, "message"; model:
 * the link's.
 */
int table_check(const struct size_table *t, const char *model, const char *name);

/* A rate or size times a ratio, rounded to nine digits. */
double link_scaled(double value, double ratio);

/* Multiplies the sizes of the table by a ratio, as link_scaled(). */
void table_scale(struct size_table *t, double ratio);

struct link;
struct network;
struct wan_conf;
struct wan_past;

struct reach {                  /* path from one member to another, without other traffic */
	double latency, message;        /* seconds */
	double rate;                    /* bytes a second; HUGE_VAL: takes no time */
	/* Between nodes: limits of flows, or NULL; a flow's rate, if a NIC carries it alone. */
	const struct wan_conf *wan;
	double flow;
};

struct members {
	int n;
	bool differ;            /* false: all have the link's settings; the rest is not set */
	int nodes, node, nics; /* nodes; most members of a node; its NICs */
	bool racked;            /* there are racks, connected by a core */
	int rack;               /* most members of a rack; 0: they are in one, or in none */
	struct reach across, inside;    /* of the slowest member: between nodes, within its node */
	struct reach *step;     /* [nsteps] owned: paths to the next member that may be slowest */
	size_t nsteps;
	struct wan_past *past;  /* of these members, borrowed; NULL: no all-reduce was before */
};

/*
 * Members at n locations of a network, in the order of the ring. shares: messages share uplinks and
 * the core too. Release it with members_release().
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
	int64_t group;          /* hierarchical: nodes of a group */
	struct size_table table;        /* measured */
	int64_t ranks;          /* measured: members of the all-reduces in the table */
};

#define COLLECTIVE_OPTS(conf, field)                                                               \
	{ "collective", OPT_AT(ENUM, conf, field.kind), "ring",                                   \
	  "how all-reduces are made; unless given, nccl of GPUs, and if a node has several "       \
	  "workers or NICs; bytes and messages of measured are counted as a ring's",               \
	  NULL, 0, 0, collective_names, OPT_ADDED },                                               \
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
	double latency, message;        /* seconds of every step, if members do not differ */
	double rate;                    /* bytes a second, each way */
	double both;                    /* 1, or 2 if both directions share a NIC */
	double tries, again;            /* attempts to send a message, >= 1; seconds before each */
	double uplink, core;            /* bytes a second that racks share; 0: unlimited */
};

/* Seconds of an all-reduce of `bytes` over members that are all ready. */
double collective_s(const struct collective *c, double bytes);

/* Seconds of latencies among these, for two members or more. */
double collective_latency_s(const struct collective *c, double bytes);

/* Kind of all-reduce that `bytes` are added by: for nccl and openmpi, the library's choice. */
enum collective_kind collective_chosen(const struct collective *c, double bytes);

/*
 * Seconds until all n members have the `bytes` of every member: half of a ring's all-reduce of n
 * times the bytes; for other kinds recursive doubling, half of rabenseifner's.
 */
double collective_gather_s(const struct collective *c, double bytes);

/* Kind of the steps of that gather: COLLECTIVE_RABENSEIFNER for recursive doubling. */
enum collective_kind collective_gather_kind(const struct collective *c);

/*
 * The same over a link, which may have no struct collective: seconds of an all-reduce, or, if it
 * gathers, until all have the `bytes` of every member.
 */
double link_collective_s(const struct link *link, const void *conf, const struct members *m,
			 bool gathers, size_t bytes);

struct traffic {                /* of a member in an all-reduce */
	double bytes;           /* that it sends, and as many that it receives */
	int64_t messages;       /* that it sends */
};

/*
 * traffic.c: of the k-th of several members, which are in the order of their nodes, in the
 * all-reduce of collective_s(); of a measured one, that of a ring.
 */
struct traffic collective_traffic(const struct collective *c, int k, double bytes);

/* The same in the gather, or reduce-scatter, of collective_gather_s(). */
struct traffic collective_gather_traffic(const struct collective *c, int k, double bytes);

/* 0, or error() when settings of a link model contradict each other. */
int collective_check(const struct collective_conf *c, const char *model);

/*
 * Choice of the all-reduce algorithm by a library, by size and ranks.
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
	int n, nodes;           /* numbers of ranks, and of their nodes */
	double inside, across;  /* bytes a second of a rank within its node, of a node to others */
	int channels;           /* rings or trees at the same time */
	double bytes;
};

/* Bytes a second from which links within a node count as NVLink: faster than PCIe 5 x16. */
#define LIBRARY_NVLINK 64e9

/* NCCL's choice: COLLECTIVE_RING or COLLECTIVE_DOUBLE_TREE. */
enum collective_kind library_nccl(const struct library_case *c);

/*
 * Open MPI's choice: COLLECTIVE_DOUBLING, COLLECTIVE_RING, COLLECTIVE_RABENSEIFNER or
 * COLLECTIVE_TREE.
 */
enum collective_kind library_openmpi(int n, double bytes);

#endif
