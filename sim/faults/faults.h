/*
 * faults.h - workers that fail, links that drop: what the simulator's files ask of each other.
 *
 * A node fails at random at the times of a Poisson process of its own: the k-th gap between two
 * failures is exponential, drawn at (seed, RNG_FAULT, first rank of the node, k). So failures do
 * not depend on the algorithm, nor on each other, and a node may fail again before it is back.
 */
#ifndef SIM_FAULTS_FAULTS_H
#define SIM_FAULTS_FAULTS_H

#include "core/fault.h"
#include "core/run.h"
#include "sim/events/heap.h"
#include "sim/link/packet.h"

#include <stdbool.h>
#include <stdint.h>

struct group;
struct sim;
struct sim_conf;

/* ---- laws of failures ---- */

/* The fault that makes the worker fail at random, or NULL. */
const struct fault *failing_law(const struct sim_conf *conf, int rank);

/* Seconds from the node's k-th failure, or the beginning, to the next. */
double failing_gap(const struct fault *law, uint64_t seed, int node, int64_t k);

/* Failures of all nodes of so many workers in a second, on average. */
double failing_rate(const struct sim_conf *conf, int workers);

/* True of the first of its node's ranks that fail so. */
bool failing_is_first(const struct sim_conf *conf, const struct fault *law, int rank);

/* The first rank of the worker's node: its own, unless the link's nodes have several workers. */
int failing_node(const struct sim_conf *conf, int rank);

/* ---- a run's faults: fault.c ---- */

/* The number of an event, instead of a fault's: what a worker that left had sent has come. */
#define FAULT_SETTLED INT64_MIN

struct failing {                 /* a worker that fails at random times */
	const struct fault *law; /* NULL: it does not */
	int node;                /* the first rank of its node */
	int64_t count;           /* failures so far */
	struct fault now;        /* the latest, as one that leaves and is back */
};

enum membership { /* of an all-reduce */
		  IS_MEMBER,
		  IS_OUT, /* the others go on without it */
		  IS_BACK /* and waits for their next all-reduce */
};

struct absence {                   /* of a node */
	const struct fault *cause; /* the latest; NULL: it never left */
	enum membership member;
	bool arriving;         /* away, but a member: what it needs is on its way */
	int under_way;         /* messages of its that no neighbour has received, nor lost */
	bool known;            /* to its neighbours: it is away */
	bool detected, over;   /* after those that are under way it is known, it is back */
	struct packet *unread; /* what it did not receive, until its absence is known */
};

struct faults {
	struct absence *of;        /* [nnodes] */
	struct failing *failing;   /* [workers]; NULL: none fails at random times */
	int64_t failures;          /* of nodes */
	int64_t failed, failed_at; /* of workers, since the run had so many gradients ... */
	int64_t failed_ever;       /* ... and of all of them at all */
	enum errand errand;        /* of the messages being sent */
	char text[STALL_TEXT];     /* which one ended the run, and why */
};

/* Memory for them: s->faults stays NULL where nothing can go wrong, or the whole job goes back. */
void faults_open(struct sim *s);
void faults_close(struct sim *s);

struct absence *absence_of(const struct sim *s, const struct node *nd);

/* What is to go wrong before the run's end in seconds becomes events. */
void fault_open(struct sim *s);

/* True of a fault, which happens now, and of what does not reach a node by one: it is over. */
bool fault_takes(struct sim *s, const struct sim_event *ev);

/* True when the link is down: the packet, sent at that time, goes on when it is up again. */
bool fault_holds(struct sim *s, int from, int to, double time, struct packet *p);

/* A message on an errand is received, instead of the algorithm's. */
void fault_errand(struct sim *s, struct node *nd, const struct packet *p);

/* True when some member of a group is away: its all-reduce will not end. */
bool fault_breaks(const struct group *g);

/* True when the algorithm tolerates that the node is away, in such a run. */
bool fault_can_return(const struct sim *s, const struct node *nd);

/* The worker's time away is over: it goes on, or asks for a model. */
void fault_come_back(struct sim *s, struct node *nd);

/* The node is there again. */
void fault_over(struct sim *s, struct node *nd);

/* ---- membership.c; nothing happens to nodes that add nothing, or whose algorithm ends ---- */

/* The worker fails now, by *f; in that life of its the others detect it. */
void membership_leave(struct sim *s, struct node *nd, const struct fault *f);
void membership_detect(struct sim *s, struct node *nd, int life);

/* True when the worker, whose time away is over, is back with the others' all-reduce, or alone. */
bool membership_return(struct sim *s, struct node *nd);

/* A member has handled its all-reduce: workers that are back get its model. */
void membership_admit(struct sim *s, struct node *member);

/* ---- neighbours.c; nothing happens to nodes whose algorithm has no lost() ---- */

/* The worker fails now, by *f; in that life of its the others detect it. */
void neighbours_leave(struct sim *s, struct node *nd, const struct fault *f);
void neighbours_detect(struct sim *s, struct node *nd, int life);

/* True when a worker whose time away is over is back later: after what it had sent. */
bool neighbours_wait(struct sim *s, struct node *nd);
void neighbours_settled(struct sim *s, struct node *nd);

/* A worker that is back is told who is away. */
void neighbours_catch_up(struct sim *s, struct node *nd);

/* A message was sent; was received; was lost: true when its sender takes it back. */
void neighbours_send(const struct sim *s, const struct node *nd);
void neighbours_receive(struct sim *s, const struct packet *p);
bool neighbours_lose(struct sim *s, const struct node *nd, struct packet *p);

#endif
