/*
 * partners.h - the neighbours of a worker that goes on in rounds, as they leave and come back.
 *
 *     worker that is back  |-- JOIN -->|           |-- START k, above all k_i -->| round k
 *     its neighbour i                  |<-- ROUND k_i, then it ends no round -->| ..., k_i, ..., k
 *
 * The neighbours go on without one that is lost. One that is back takes part from round k on,
 * which none of its neighbours has begun: so for each round both ends of an arc agree on whether
 * they have each other. Of two that are back at once, ALSO answers a JOIN: both send a START, and
 * have each other after the later of their two rounds.
 */
#ifndef ALGOS_COMMON_PEERS_PARTNERS_H
#define ALGOS_COMMON_PEERS_PARTNERS_H

#include "core/node.h"

/* Tags of messages; what the algorithm itself sends has tag 0. */
enum { PARTNER_JOIN = 1, PARTNER_ROUND, PARTNER_ALSO, PARTNER_START };

enum partner_state { PARTNER_HERE, PARTNER_GONE, PARTNER_COMING };

struct partner {
	int rank;
	enum partner_state state;
	bool asked;             /* it has not answered a JOIN yet */
	bool also;              /* both were back at once */
	int64_t first;          /* HERE: from this round on */
};

struct partners {               /* zeroed: all are there; in the state of a node */
	struct partner *of;     /* [n] in rank order; NULL until one is lost */
	int n;
	bool joins;             /* this worker is back, and has no round yet ... */
	int64_t round;          /* ... the latest that one of them has begun */
	int64_t start;          /* the round at which it was back the last time */
};

/* True when the neighbour takes part in that round; false also of one that is about to. */
bool partners_has(const struct partners *p, int rank, int64_t round);

/* True where none was ever lost: then all that there are take part in every round. */
static inline bool partners_never_lost(const struct partners *p)
{
	return !p->of;
}

/* False while one that is back has not said from which round on it is. */
bool partners_all_known(const struct partners *p);

void partners_lose(struct node *nd, struct partners *p, int rank);

/* This worker, which left in that round, is back, and tells its neighbours. */
void partners_join(struct node *nd, struct partners *p, int64_t round);

/* True when the message was about that; round: this worker's. */
bool partners_receive(struct node *nd, struct partners *p, const struct msg *m, int64_t round);

/* True once for each time that it is back: *round is where it begins. After any of the above. */
bool partners_start(struct node *nd, struct partners *p, int64_t *round);

/* For facts.tolerates of algorithms that do so. */
#define PARTNERS_TOLERATES "a worker that leaves: its neighbours wait until they detect its " \
			   "absence, continue without it, and admit it again at a round "    \
			   "that none of them has begun"

#endif
