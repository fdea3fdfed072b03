/*
 * library_choice.h - which kind of all-reduce a library chooses, by size and ranks.
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
#ifndef SIM_ALLREDUCE_LIBRARY_CHOICE_H
#define SIM_ALLREDUCE_LIBRARY_CHOICE_H

#include "sim/allreduce/collective.h"

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
