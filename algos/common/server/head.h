/*
 * head.h - fully connected layers that the server computes itself, always at its latest parameters.
 *
 *     worker  |-- forward --|                |---- backward ----|
 *                            \ activations  / their gradient     \ gradient before the cut
 *     server                  |--- head ---|                      step of those layers, their
 *                              step of the head                   new parameters to the group
 *
 * The server waits for the activations of a whole group, computes the head's layers on them both
 * ways, one worker's after the other's, steps the head by the mean, and then answers. Groups are
 * served in the order in which they were complete, one at a time: so no step of the head comes
 * between reading its parameters and stepping them, and their staleness is 0.
 */
#ifndef ALGOS_COMMON_SERVER_HEAD_H
#define ALGOS_COMMON_SERVER_HEAD_H

#include "algos/common/server/serve.h"
#include "core/stages.h"

enum head_tag {
	HEAD_ACTIVATIONS = SERVE_AGAIN + 1,     /* stamp: which of the worker's minibatches */
	HEAD_GRADIENT           /* gradient of the activations, and the loss; the same stamp */
};

struct head_worker {            /* in a worker's state */
	int64_t stamp;          /* server's clock of the layers before the cut */
	int64_t index;          /* of the minibatch whose activations were sent */
	bool computing;
};

struct head_server {            /* in the server's state */
	struct submodel rest, own;      /* before the cut, and after it */
	size_t floats;          /* of a worker's activations */
	int size, groups;       /* workers of a group; groups */
	float **v;              /* [workers] activations, then their gradient and the loss */
	int64_t *index;         /* [workers] minibatch of those activations */
	bool *there;            /* [workers] activations have come, and are not in the queue */
	int *queue;             /* [groups] complete groups, a ring that begins at `first` */
	int first, queued;
	int at;                 /* member of the first group that is being computed */
	int64_t seen;           /* h->own.step when the first member of the group was begun */
	float *sum;             /* [own.n] sum of the head's gradients over the group */
};

/* 0, or error() where the run's net cannot be cut, or its gradients are packed. */
int head_check(const struct run *run);

/* Server: `size` workers to a group. */
void head_open(struct node *nd, struct head_server *h, int size);

/* Server: head_msg() takes HEAD_ACTIVATIONS, head_stage() the result of a stage of the head. */
void head_msg(struct node *nd, struct head_server *h, const struct msg *m);
void head_stage(struct node *nd, struct head_server *h, const struct staged *s);

/* Server: sends the layers before the cut, with its clock. */
void head_model(struct node *nd, int to);

/*
 * Worker: begins a gradient with the layers before the cut: with its own if m is NULL, else with
 * those of *m.
 */
void head_begin(struct node *nd, struct head_worker *w, const struct msg *m);

/*
 * Worker: head_forward() sends the activations, head_gradient() the gradient of the layers before
 * the cut; head_take() takes a HEAD_GRADIENT or SERVE_MODEL.
 */
void head_forward(struct node *nd, struct head_worker *w, const struct staged *s);
void head_gradient(struct node *nd, struct head_worker *w, const struct grad *g);
void head_take(struct node *nd, struct head_worker *w, const struct msg *m);

#endif
