/*
 * peers.h - what decentralised algorithms ask of the run's communication graph.
 */
#ifndef ALGOS_COMMON_PEERS_H
#define ALGOS_COMMON_PEERS_H

#include "core/graph.h"
#include "core/node.h"

/* The ranks that this node may send to; those of an undirected graph send to it as well. */
struct ranks peers_of(const struct node *nd);

/* One of them at random, or NO_PEER. */
int peers_draw(struct node *nd);

/* x <- (x + v) / 2 */
void peers_average(struct node *nd, const float *v);

#endif
