/*
 * engine.h - what an engine must offer to nodes; see the contract in node.h.
 */
#ifndef CORE_ENGINE_H
#define CORE_ENGINE_H

#include "core/run.h"

struct engine {
	const char *name;
	void (*grad)(struct node *nd);
	void (*cancel)(struct node *nd);
	void (*send)(struct node *nd, int to, const struct msg *m);
	void (*sum)(struct node *nd, float *v, size_t n, bool codes);   /* codes: gradients */
	void (*after)(struct node *nd, double seconds, int token);
	void (*stop)(struct node *nd);
	double (*now)(const struct node *nd);
	double (*epoch)(const struct node *nd);
	int64_t (*gradients)(const struct node *nd);    /* of all workers so far */
	void *(*alloc)(struct node *nd, size_t n, size_t size);
	void (*stepped)(struct node *nd);       /* after node_step(): its cost; may be NULL */
};

/* The node's gradient is there: its grad(), or the sum that node_grad_sum() asked for. */
void node_deliver(struct node *nd, const struct grad *g);

/* True when the node was made for gradients of the kind that it asked for. */
bool node_takes_grads(const struct node *nd);

#endif
