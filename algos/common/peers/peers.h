/* What decentralised algorithms ask of the run's communication graph. */
#ifndef ALGOS_COMMON_PEERS_PEERS_H
#define ALGOS_COMMON_PEERS_PEERS_H

#include "core/graph.h"
#include "core/node.h"

/* The ranks that this node may send to; those of an undirected graph send to it as well. */
struct ranks peers_of(const struct node *nd);

/* Which of them are away; in the state of a node. */
struct absent {
	bool *is;               /* [peers], NULL until one was */
	int n;
};

/* One of them leaves, or is back; others than peers are passed over. All are there again. */
void absent_add(struct node *nd, struct absent *a, int rank);
void absent_remove(struct node *nd, struct absent *a, int rank);
void absent_clear(struct node *nd, struct absent *a);

/* One of them at random, but for those that are away, or NO_PEER. */
int peers_draw(struct node *nd);
int peers_draw_present(struct node *nd, const struct absent *a);

/* An empty message of that tag to all that may send to this node. */
void peers_announce(struct node *nd, int tag);

/* x <- (x + v) / 2 */
void peers_average(struct node *nd, const float *v);

#endif
