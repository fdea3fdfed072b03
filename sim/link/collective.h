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
 *
 * Where n is no power of two, doubling and rabenseifner fold n - p nodes into others before, and
 * tell them after: two more steps t(m).
 */
#ifndef SIM_LINK_COLLECTIVE_H
#define SIM_LINK_COLLECTIVE_H

#include <stdint.h>

enum collective_kind { COLLECTIVE_RING, COLLECTIVE_DOUBLING, COLLECTIVE_RABENSEIFNER,
		       COLLECTIVE_TREE, COLLECTIVE_HIERARCHICAL };

/* Names of enum collective_kind, NULL-ended. */
extern const char *const collective_names[];

struct collective {
	enum collective_kind kind;
	double latency, message;        /* seconds of every step */
	double rate;                    /* bytes a second, each way */
	double both;                    /* 1, or 2 where both ways share a NIC */
	int64_t group;                  /* nodes of a group: hierarchical */
};

/* Seconds of an all-reduce of so many bytes over n >= 1 nodes that all are ready. */
double collective_s(const struct collective *c, int n, double bytes);

/*
 * Seconds until all n nodes have the bytes that each of them has: half of a ring's all-reduce of
 * n times the bytes, or recursive doubling, half of rabenseifner's, where the kind is another.
 */
double collective_gather_s(const struct collective *c, int n, double bytes);

#endif
