/*
 * faults.h - workers that fail and links that drop: functions that files of the simulator share.
 *
 * A node fails at random at the times of a Poisson process of its own: the k-th gap between two
 * failures is exponential, drawn at (seed, RNG_FAULT, first rank of the node, k). So failures do
 * not depend on the algorithm, nor on each other, and a node may fail again before it has returned.
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

/* ---- failures at random times ---- */

/* The FAIL that applies to the worker, or NULL. */
const struct fault *failing_law(const struct sim_conf *conf, int rank);

/* Mean seconds between two failures of a worker, of all its nodes together. */
double failing_mtbf(const struct sim_conf *conf, const struct fault *law);

/* Seconds from the node's k-th failure (0: the beginning) to the next. */
double failing_gap(const struct sim_conf *conf, const struct fault *law, uint64_t seed, int node,
		   int64_t k);

/* Mean failures per second, over all nodes of that number of workers. */
double failing_rate(const struct sim_conf *conf, int workers);

/* True if `rank` is the first of its node's ranks to which the fault applies. */
bool failing_is_first(const struct sim_conf *conf, const struct fault *law, int rank);

/* The first rank of the worker's node: its own, unless the link's nodes have several workers. */
int failing_node(const struct sim_conf *conf, int rank);

/* ---- a run's faults: fault.c ---- */

/* Number of an event that is no fault: all messages of a worker that left have arrived. */
#define FAULT_SETTLED INT64_MIN

struct failing {                 /* a worker that fails at random times */
	const struct fault *law; /* NULL: it does not fail at random */
	int node;                /* first rank of its node */
	int64_t count;           /* failures so far */
	struct fault now;        /* the latest failure, as a LEAVE */
};

enum membership { /* of an all-reduce's group */
		  IS_MEMBER,
		  IS_OUT, /* the others continue without it */
		  IS_BACK /* it has returned, and waits for their next all-reduce */
};

struct absence {                   /* state of a node that may be absent */
	const struct fault *cause; /* latest fault; NULL: it never left */
	enum membership member;
	bool arriving;         /* still away, but a member: the model that it needs is being sent */
	int under_way;         /* its messages in flight, neither received nor lost */
	bool known;            /* its neighbours know that it is away */
	bool detected, over;   /* once none are in flight: it is detected, it has returned */
	struct packet *unread; /* messages that it did not receive, until it is detected */
};

struct faults {
	struct absence *of;        /* [nnodes] */
	struct failing *failing;   /* [workers]; NULL: no worker fails at random */
	int64_t failures;          /* of nodes */
	int64_t failed, failed_at; /* of workers, since gradient failed_at ... */
	int64_t failed_ever;       /* ... and in all */
	enum errand errand;        /* of the messages being sent */
	char text[STALL_TEXT];     /* text of the fault that ended the run */
};

/* Allocates s->faults, which stays NULL if the run has no faults, or goes back to checkpoints. */
void faults_open(struct sim *s);

struct absence *absence_of(const struct sim *s, const struct node *nd);

/* Pushes the events of all faults that begin before the run's end in seconds. */
void fault_open(struct sim *s);

/* Handles a fault's event, or one that must not reach an absent node; true: the event is done. */
bool fault_takes(struct sim *s, const struct sim_event *ev);

/* True when the link is down: the packet, sent at `time`, is held until it is up. */
bool fault_holds(struct sim *s, int from, int to, double time, struct packet *p);

/* Receives a message with an errand, which the algorithm does not see. */
void fault_errand(struct sim *s, struct node *nd, const struct packet *p);

/* True when a member of the group is away, so that its all-reduce cannot end. */
bool fault_breaks(const struct group *g);

/* True when the algorithm tolerates, in this run, that the node is away. */
bool fault_can_return(const struct sim *s, const struct node *nd);

/* The worker's time away is over: it continues, or asks for a model. */
void fault_come_back(struct sim *s, struct node *nd);

/* The node is present again. */
void fault_over(struct sim *s, struct node *nd);

/*
 * ---- membership.c; ignores nodes that all-reduce nothing, or whose algorithm tolerates no absence
 * ----
 */

/*
 * membership_leave(): the worker fails now, by *f. membership_detect(): the others detect its
 * absence, if its life still is `life`.
 */
void membership_leave(struct sim *s, struct node *nd, const struct fault *f);
void membership_detect(struct sim *s, struct node *nd, int life);

/* True when a worker whose time away is over returns with the others' all-reduce, or is alone. */
bool membership_return(struct sim *s, struct node *nd);

/* A member has handled its all-reduce: sends its model to workers that have returned. */
void membership_admit(struct sim *s, struct node *member);

/* ---- neighbours.c; ignores nodes whose algorithm has no lost() ---- */

/*
 * neighbours_leave(): the worker fails now, by *f. neighbours_detect(): the others detect its
 * absence, if its life still is `life`.
 */
void neighbours_leave(struct sim *s, struct node *nd, const struct fault *f);
void neighbours_detect(struct sim *s, struct node *nd, int life);

/*
 * neighbours_wait(): true when a worker whose time away is over has to wait until its earlier
 * messages have arrived. neighbours_settled(): they have.
 */
bool neighbours_wait(struct sim *s, struct node *nd);
void neighbours_settled(struct sim *s, struct node *nd);

/* Tells a worker that has returned which neighbours are away. */
void neighbours_catch_up(struct sim *s, struct node *nd);

/*
 * Count a message that is sent, received, or lost; the last is true when its sender gets it back.
 */
void neighbours_send(const struct sim *s, const struct node *nd);
void neighbours_receive(struct sim *s, const struct packet *p);
bool neighbours_lose(struct sim *s, const struct node *nd, struct packet *p);

#endif
