/*
 * partners.h - the neighbours of a worker that works in rounds, as they leave and return.
 *
 *     worker that is back  |-- JOIN -->|           |-- START k, above all k_i -->| round k
 *     its neighbour i                  |<-- ROUND k_i, then it ends no round -->| ..., k_i, ..., k
 *
 * Neighbours continue without a worker that is lost. A worker that returns takes part from round k
 * on, which none of its neighbours has begun: so both ends of an edge agree for each round on
 * whether they exchange. If two neighbours return at the same time, ALSO answers a JOIN: both send
 * a START, and they exchange from the round after the later of their two first rounds on.
 */
#ifndef ALGOS_COMMON_PEERS_PARTNERS_H
#define ALGOS_COMMON_PEERS_PARTNERS_H

#include "core/node.h"

/* Tags of messages; the algorithm's own messages have tag 0. */
enum { PARTNER_JOIN = 1, PARTNER_ROUND, PARTNER_ALSO, PARTNER_START };

enum partner_state { PARTNER_HERE, PARTNER_GONE, PARTNER_COMING };

struct partner {
	int rank;
	enum partner_state state;
	bool asked;             /* the neighbour has not answered our JOIN yet */
	bool also;              /* neighbour and this worker returned at the same time */
	/*
	 * HERE: the first round that neighbour and this worker both take part in; while this worker
	 * joins, the neighbour's first round.
	 */
	int64_t first;
};

struct partners {               /* in the state of a node; zeroed: no neighbour was ever lost */
	struct partner *of;     /* [n] neighbours in order of rank; NULL until one is lost */
	int n;
	bool joins;             /* this worker has returned, and does not know its first round */
	int64_t round;          /* while it joins: the latest round that a neighbour has begun */
	int64_t start;          /* the round at which this worker last returned */
};

/* True when the neighbour `rank` takes part in that round; false also if it has yet to rejoin. */
bool partners_has(const struct partners *p, int rank, int64_t round);

/* True when no neighbour was ever lost, so that all of them take part in every round. */
static inline bool partners_never_lost(const struct partners *p)
{
	return !p->of;
}

/* False while a neighbour that has returned has not said in which round it begins. */
bool partners_all_known(const struct partners *p);

void partners_lose(struct node *nd, struct partners *p, int rank);

/* Tells the neighbours that this worker, which left in `round`, has returned. */
void partners_join(struct node *nd, struct partners *p, int64_t round);

/* True when *m was about a worker's return; round: this worker's present round. */
bool partners_receive(struct node *nd, struct partners *p, const struct msg *m, int64_t round);

/*
 * Call after any of the functions above. True once for each return of this worker: *round <- its
 * first round.
 */
bool partners_start(struct node *nd, struct partners *p, int64_t *round);

/* Text for facts.tolerates of an algorithm that uses partners.h. */
#define PARTNERS_TOLERATES "a worker that leaves: its neighbours wait until they detect its " \
			   "absence, continue without it, and admit it again at a round "    \
			   "that none of them has begun"

#endif
