/* allreduce.h - all-reduces of groups of workers, and what the simulator's files ask of them. */
#ifndef SIM_ALLREDUCE_ALLREDUCE_H
#define SIM_ALLREDUCE_ALLREDUCE_H

#include "sim/allreduce/collective.h"
#include "sim/events/heap.h"
#include "sim/link/link.h"

#include <stddef.h>

struct node;
struct packet;
struct sim;
struct sim_node;

struct ring {                   /* a member's part in an all-reduce that is a ring of messages */
	int64_t sent, received; /* pieces; received also before it asks */
	int64_t arrived;        /* of those sent, at the successor */
	int member;             /* its number in the group */
	int buckets;            /* that may be sent: before it asks, the first */
	bool busy;              /* has asked, and has not received all */
};

struct sim_allreduce { /* of a node, in flight */
	bool allreducing;
	bool offers; /* not all of the group have asked */
	float *v;
	size_t n;
	bool coded;       /* of gradients that the codec packs ... */
	void *codes;      /* ... [codec_bytes], this node's */
	double asked;     /* when it did */
	double ahead;     /* seconds of computing in its gradient, if that has buckets */
	double all_asked; /* when the last of the group had */
	int added;        /* members in it */
	struct ring ring;
};

struct group { /* members of an all-reduce, in rank order */
	int members, asked;
	int joining;        /* workers that are back, and no members yet */
	bool whole;         /* it lost a member: the all-reduce does not begin in buckets */
	double last;        /* when the last one asked */
	struct node **node; /* [members], memory for all */
	struct members of;  /* what they have of the network */
};

struct sim_bucket {   /* of a gradient that is added during the backward pass */
	size_t n;     /* floats */
	double early; /* it is final before the whole, by this share of the computing */
};

struct allreduces {
	struct group *group; /* [groups] */
	int groups;
	enum ring_steps steps;     /* of a ring of messages, if they are one */
	struct sim_bucket *bucket; /* [nbuckets] in the order of the backward pass ... */
	int nbuckets;              /* ... 0: all-reduces begin after their gradients */
};

/* ---- allreduce.c ---- */

void sim_allreduce_open(struct sim *s);                           /* groups, once ranks are known */
void sim_allreduce_close(struct sim *s);
void sim_allreduce_ask(struct sim *s, struct node *nd, float *v, size_t n, bool codes);

/* A group has other members than before, at least one. */
void sim_allreduce_regroup(const struct sim *s, struct group *g);

/* A group has lost a member: its all-reduce begins now if all others have asked for it. */
void sim_allreduce_retry(struct sim *s, struct group *g);

/* Bytes of the node's part of its all-reduce. */
size_t sim_allreduce_bytes(const struct sim *s, const struct sim_allreduce *sum);

/* Seconds of an all-reduce over a group; coded: of codes, so many bytes each. */
double sim_allreduce_time(const struct sim *s, const struct group *g, bool coded, size_t bytes);

/* Seconds of half an all-reduce: until each member has its share, or all have the shares of all. */
double sim_allreduce_share_time(const struct sim *s, const struct group *g, size_t bytes);

/* One more bucket of a member's gradient in flight may be sent round. */
void ring_bucket(struct sim *s, struct node *nd);

/* A piece is whole at a member; with the last one its SIM_ALLREDUCE follows. */
void ring_received(struct sim *s, struct node *nd, struct packet *p);

/* ---- buckets.c ---- */

/* Seconds that ZeRO's all-gathers of the model add to a step, after the gradients' all-reduce. */
double zero_after(const struct sim *s, const struct group *g);

/* What is added together, where all-reduces begin during the backward pass. */
void sim_buckets_open(struct sim *s);

/* The buckets of the all-reduce that the node has asked for. */
int sim_buckets_of(const struct sim *s, const struct sim_node *sn);

/* When the all-reduce of gradients that all have asked for is done. */
double sim_buckets_end(const struct sim *s, const struct group *g);

/* With buckets: the node's gradient has begun, they will be ready. */
void sim_buckets_begin(struct sim *s, struct node *nd);

/* A SIM_BUCKET; false for others. */
bool sim_buckets_event(struct sim *s, struct node *nd, const struct sim_event *ev);

#endif
