/* allreduce.h - all-reduces of groups of workers in virtual time. */
#ifndef SIM_ALLREDUCE_ALLREDUCE_H
#define SIM_ALLREDUCE_ALLREDUCE_H

#include "sim/allreduce/collective.h"
#include "sim/events/heap.h"
#include "sim/link/link.h"
#include "sim/link/wan.h"

#include <stddef.h>

struct node;
struct packet;
struct sim;
struct sim_node;

struct ring {                   /* state of a member in an all-reduce that is a ring of messages */
	int64_t sent, received; /* pieces; some may be received before it asks */
	int64_t arrived;        /* pieces sent that have arrived at the successor */
	int member;             /* its number in the group */
	int buckets;            /* buckets that may be sent; before it asks, the first */
	bool busy;              /* it has asked, and has not received all pieces */
};

struct sim_allreduce { /* a node's all-reduce in flight */
	bool allreducing;
	bool offers; /* not all of the group have asked */
	float *v;
	size_t n;
	bool coded;       /* the codec packs its gradients ... */
	void *codes;      /* ... [codec_bytes], this node's */
	double asked;     /* time at which the node asked */
	double ahead;     /* seconds of computing in its gradient, if that is sent in buckets */
	double all_asked; /* time at which the last member of the group asked */
	int added;        /* number of members in it */
	uint64_t history; /* of its node as it asked; then of all members (sim/history.c) */
	struct ring ring;
};

struct group { /* members of an all-reduce, in rank order */
	int members, asked;
	int joining;        /* workers that have returned, and are no members yet */
	bool whole;         /* it has lost a member: its all-reduce does not begin in buckets */
	double last;        /* time at which the last member asked */
	struct node **node; /* [members], memory for all */
	struct members of;  /* network data of the members */
	struct traffic *traffic; /* [members] of an all-reduce of this size; owned */
	size_t traffic_bytes;
	int traffic_buckets;
	bool traffic_gathers;
	struct wan_past past;
};

struct sim_bucket {   /* a bucket of gradients that are added during the backward pass */
	size_t n;     /* floats */
	double early; /* share of the computing left when the bucket is final */
};

struct sim_request {  /* of a member whose gradient is added in buckets */
	double asked; /* time at which the gradient ends */
	double ahead; /* seconds of computing before */
};

struct allreduces {
	struct group *group; /* [groups] */
	int groups;
	enum ring_steps steps;     /* end of steps, if all-reduces are rings of messages */
	struct sim_bucket *bucket; /* [nbuckets] in the order of the backward pass ... */
	int nbuckets;              /* ... 0: all-reduces begin after their gradients */
	struct sim_request *request; /* [workers] scratch memory, if there are buckets */
};

/* ---- allreduce.c ---- */

void sim_allreduce_open(struct sim *s);                           /* groups, once ranks are known */
void sim_allreduce_close(struct sim *s);
void sim_allreduce_ask(struct sim *s, struct node *nd, float *v, size_t n, bool codes);

/* Updates a group whose members have changed; it has at least one. */
void sim_allreduce_regroup(const struct sim *s, struct group *g);

/* A group has lost a member: its all-reduce begins now if all the others have asked for it. */
void sim_allreduce_retry(struct sim *s, struct group *g);

/* Bytes of the node's vector or codes in its all-reduce. */
size_t sim_allreduce_bytes(const struct sim *s, const struct sim_allreduce *sum);

/* Seconds of an all-reduce over a group, which may gather codes, of `bytes` of each member. */
double sim_allreduce_time(const struct sim *s, const struct group *g, bool gathers, size_t bytes);

/* The group's all-reduce whose time is asked for next begins at that time, or was made. */
void sim_allreduce_begins(const struct group *g, double time);
void sim_allreduce_made(const struct group *g);

/*
 * Seconds of half an all-reduce: until each member has the sum of its share, or all have all
 * shares.
 */
double sim_allreduce_share_time(const struct sim *s, const struct group *g, size_t bytes);

/* Lets the ring send one more bucket of a member's gradient in flight. */
void ring_bucket(struct sim *s, struct node *nd);

/* A piece is complete at a member; after the last one, pushes its SIM_ALLREDUCE. */
void ring_received(struct sim *s, struct node *nd, struct packet *p);

/* ---- buckets.c ---- */

/*
 * Seconds that ZeRO's all-gathers of the model add to a step, after the all-reduce of gradients,
 * which ends at `end`.
 */
double zero_after(const struct sim *s, const struct group *g, double end);

/* Sets the sizes of buckets, if all-reduces begin during the backward pass. */
void sim_buckets_open(struct sim *s);

/* Number of buckets in the all-reduce that the node has asked for. */
int sim_buckets_of(const struct sim *s, const struct sim_node *sn);

/* Time at which an all-reduce of gradients ends, for which all members have asked. */
double sim_buckets_end(const struct sim *s, const struct group *g);

/* The node's gradient has begun: pushes the events at which its buckets are final. */
void sim_buckets_begin(struct sim *s, struct node *nd);

/* Handles a SIM_BUCKET; false for other events. */
bool sim_buckets_event(struct sim *s, struct node *nd, const struct sim_event *ev);

#endif
