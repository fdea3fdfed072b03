/* What the simulator keeps of a node, a machine, and the members of an all-reduce. */
#ifndef SIM_NODES_H
#define SIM_NODES_H

#include "core/engine/engine.h"
#include "sim/allreduce/members.h"
#include "sim/events/heap.h"
#include "sim/faults/faults.h"
#include "sim/link/link.h"
#include "sim/link/order.h"

struct sim;

struct waiting {                /* an event that found its node busy */
	struct waiting *next;
	struct sim_event ev;
};

struct ring {                   /* a member's part in an all-reduce that is a ring of messages */
	int64_t sent, received; /* pieces; received also before it asks */
	int64_t arrived;        /* of those sent, at the successor */
	int member;             /* its number in the group */
	int buckets;            /* that may be sent: before it asks, the first */
	bool busy;              /* has asked, and has not received all */
};

struct sim_bucket {             /* of a gradient that is added during the backward pass */
	size_t n;               /* floats */
	double early;           /* it is final before the whole, by this share of the computing */
};

struct machine {                /* at a location: a worker, or a shard of the server */
	struct nic nic;
	struct order order;     /* of what it sends, where a link does not keep it */
};

enum membership {               /* of an all-reduce */
	IS_MEMBER,
	IS_OUT,                 /* the others go on without it */
	IS_BACK                 /* and waits for their next all-reduce */
};

struct sim_node {               /* node->priv */
	/* What most algorithms' events use: the first cache lines, which events/loop.c knows. */
	_Alignas(64) struct sim *sim;
	double clock;           /* in a handler: when what it asks for takes effect */
	double free_at;         /* it handles nothing before */
	struct waiting *inbox, **inbox_tail;
	double idle_from;       /* HUGE_VAL while computing or handling */
	double begun, compute;  /* of the gradient in flight; seconds of computing in it */
	double first;           /* when it was asked for; NaN: it goes on with a round */
	double held_up;         /* seconds by which it ends later than was thought */
	double stalled;         /* seconds that it waited for its samples */
	int64_t ticket;         /* tells a cancelled gradient's event from a live one */
	int64_t index;          /* minibatches asked for so far */
	int64_t stamp;          /* the model's clock at the snapshot */
	float *snapshot;        /* [dim] of the gradient in flight */
	int life;               /* odd: it is away; each time that it leaves or is back: one more */
	bool computing;
	bool wake;              /* a SIM_WAKE is on its way */
	bool stopped;
	/* Faults. */
	bool arriving;          /* away, but a member: what it needs is on its way */
	enum membership member;
	const struct fault *absence;    /* the latest; NULL: it never left */
	int under_way;          /* messages of its that no neighbour has received, nor lost */
	bool known;             /* to its neighbours: it is away */
	bool detected, over;    /* after those that are under way it is known, it is back */
	struct packet *unread;  /* what it did not receive, until its absence is known */
	/* The gradient in flight. */
	double *loaded;         /* when minibatches read in advance are there, a ring */
	int64_t reads;          /* gradients that have begun since */
	struct job job;
	float *g;               /* [dim], and after it what a stage gives */
	/* Passes over a shared model. */
	int read, written;      /* blocks of the snapshot so far; of the latest step */
	bool writing;           /* not all of it */
	double write_begun, write_end;  /* seconds */
	/* The all-reduce in flight. */
	bool allreducing;
	bool offers;            /* not all of the group have asked */
	float *v;
	size_t n;
	bool coded;             /* of gradients that the codec packs ... */
	void *codes;            /* ... [codec_bytes], this node's */
	double asked;           /* when it did */
	double ahead;           /* seconds of computing in its gradient, if that has buckets */
	double all_asked;       /* when the last of the group had */
	int added;              /* members in it */
	struct ring ring;
};

struct group {                  /* members of an all-reduce, in rank order */
	int members, asked;
	int joining;            /* workers that are back, and no members yet */
	bool whole;             /* it lost a member: the all-reduce does not begin in buckets */
	double last;            /* when the last one asked */
	struct node **node;     /* [members], memory for all */
	struct members of;      /* what they have of the network */
};

#endif
