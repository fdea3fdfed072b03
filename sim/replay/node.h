/*
 * node.h - the replay's own state, shared by its files.
 *
 *     replay.c        the handlers, in a possible order
 *     node.c   nodes: made and freed, and what they ask for
 */
#ifndef SIM_REPLAY_NODE_H
#define SIM_REPLAY_NODE_H

#include "core/base/mem.h"
#include "sim/link/packet.h"
#include "sim/replay/replay.h"

struct replay_timer {
	struct replay_timer *next;
	int token;
};

struct replay_node {                    /* node->priv */
	struct replay *replay;
	const struct replay_event **event;      /* [n] its own, in their order */
	size_t n, done;
	double clock;                   /* in a handler: what node_now() is */
	bool stopped;
	/* The gradient in flight. */
	bool computing;
	int64_t grads_left;             /* and stages, to be handled: none is begun after it */
	int64_t index, stamp;           /* minibatches asked for; the model's clock */
	struct job job;
	float *snapshot, *g;            /* [dim]; after g what a stage gives */
	/* The all-reduce in flight. */
	bool allreducing, allreduced;           /* asked for; there */
	float *v;
	size_t nv;
	bool coded;                     /* of gradients that the codec packs ... */
	void *codes;                    /* ... [codec_bytes], this node's */
	struct packet *inbox;           /* first come first */
	struct replay_timer *timers;
};

struct replay {
	const struct run *run;
	struct node *nodes;             /* [nnodes], the server last */
	struct replay_node *priv;       /* [nnodes] */
	int nnodes;
	bool ring;                      /* all-reduces add as a ring does */
	int asked;                      /* workers whose all-reduce waits for other members */
	struct arena arena;
	void *codes;                    /* [codec_bytes] of the gradient being sent */
	struct packet *spare;
	int64_t handlers, gradients;
	const char *fault;              /* what a handler asked for and cannot have */
	const struct replay_event *differs;
	int64_t differs_index;
	double differs_loss;
};

static inline struct replay_node *replay_node(const struct node *nd)
{
	return nd->priv;
}

/* Nodes as they are before anything has happened, with their events. */
void replay_open(struct replay *re, const struct run *run, const struct replay_event *event,
		 size_t n);
void replay_close(struct replay *re);

#endif
