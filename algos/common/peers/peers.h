/* Neighbours of a node in the run's communication graph: list, random draw, average. */
#ifndef ALGOS_COMMON_PEERS_PEERS_H
#define ALGOS_COMMON_PEERS_PEERS_H

#include "core/graph.h"
#include "core/node.h"

/* Ranks to which this node may send; in an undirected graph these also send to it. */
struct ranks peers_of(const struct node *nd);

/* Peers that are away; in the state of a node. */
struct absent {
	bool *is;               /* [peers] true: that peer is away; NULL until one has left */
	int n;
};

/*
 * absent_add(): peer `rank` leaves; absent_remove(): it returns. Ranks that are no peers are
 * ignored. absent_clear(): all peers are present again.
 */
void absent_add(struct node *nd, struct absent *a, int rank);
void absent_remove(struct node *nd, struct absent *a, int rank);
void absent_clear(struct node *nd, struct absent *a);

/* A peer drawn at random, or NO_PEER; peers_draw_present() draws only peers that are not away. */
int peers_draw(struct node *nd);
int peers_draw_present(struct node *nd, const struct absent *a);

/* Sends an empty message with that tag to all nodes that may send to this node. */
void peers_announce(struct node *nd, int tag);

/* x <- (x + v) / 2 */
void peers_average(struct node *nd, const float *v);

#endif
