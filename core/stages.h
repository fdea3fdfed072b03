/*
 * stages.h - gradients in stages, of which another node may compute some: what head=apart needs.
 *
 * One algorithm uses this (algos/common/server/head.h). It asks for stages (algo.staged), not for
 * gradients. Engines need not know: they take a request by node_take(), compute node_job(),
 * and call HANDLER_STAGE until node_stage_is_last(), then HANDLER_GRAD.
 */
#ifndef CORE_STAGES_H
#define CORE_STAGES_H

#include "core/gradient.h"
#include "core/run.h"

/* What a stage leaves, but for the last one, whose gradient is complete; all borrowed. */
struct staged {
	/* [n] FORWARD: activations at the cut, HEAD: their gradient; n also in a timing-only run */
	const float *vec;
	size_t n;
	const float *head;      /* [dim - at] HEAD: gradient of the head's parameters */
	double loss;            /* HEAD: mean over the minibatch; NaN in a timing-only run */
	int rank;               /* whose minibatch ... */
	int64_t index;          /* ... and which */
};

/* ---- requests, as those of node.h ---- */

/*
 * A gradient in stages, each at a snapshot of x taken now -> stage(), after the last one grad().
 * A worker's forward pass comes to the cut. The head's stage is any node's, at its own x, for
 * minibatch `index` of the worker `rank`, from that forward pass's activations. Their gradient,
 * and the loss, are what the worker's backward pass needs, at the x of its forward pass: the
 * algorithm must leave it alone meanwhile. Vectors of node_cut_floats(), borrowed until the call
 * returns. A gradient counts when it is complete.
 */
void node_forward(struct node *nd);
void node_head(struct node *nd, int rank, int64_t index, const float *activations);
void node_backward(struct node *nd, const float *v, double loss);

/* Where gradients of the run's problem may be cut; at = 0: nowhere. */
const struct cut *node_cut(const struct node *nd);

/* Floats of the activations there of a worker's minibatch. */
size_t node_cut_floats(const struct node *nd);

/* ---- parts of a model that step by themselves ---- */

/* x[from, from + n), as a model that steps by itself; in the state of a node. */
struct submodel {
	size_t from, n;
	int64_t step;           /* steps of the part */
	/* Gradients counted before the first that its next step applies; -1: as the node's. */
	int64_t before;
	double lr;              /* of its last step */
	float *optim;           /* its optimiser state, or NULL */
	size_t nlayers;
	struct blob *layers;    /* [nlayers], or NULL */
};

/* A part with an optimiser state of its own. */
struct submodel node_submodel(struct node *nd, size_t from, size_t n);

/* The next step of the part is made with gradients none of which is counted yet. */
void node_submodel_begin(const struct node *nd, struct submodel *p);

/*
 * x[from, from + n) <- optimiser(the same, w g), g[n]; p->step++. The algorithm shows it: as a step
 * of the node, by node_moved_gathered(), or as one of the head, by a gradient so many steps old.
 */
void node_step_submodel(struct node *nd, struct submodel *p, const float *g, float w,
			int64_t staleness);
void node_moved_head(struct node *nd, const struct submodel *p, int64_t staleness);

/* ---- the engine's side ---- */

struct stage_asked {
	enum grad_stage stage;
	int rank;               /* HEAD: whose minibatch, and which */
	int64_t index;
	const float *in;        /* borrowed until the request returns */
	double loss;            /* BACKWARD: what the head's stage gave */
};

struct stages {                 /* what node->stages leads to */
	struct stage_asked asked;       /* by the request that is being made */
	struct stage_asked taken;       /* what is in flight, or was last */
	struct stage_data data;         /* of its job ... */
	float *in;                      /* ... [batch x width]; NULL: timing-only */
};

/* For node_open(): the memory for stages, where the algorithm has them. */
void node_open_stages(struct node *nd);

/* True of a request for a gradient, or its forward pass, which takes new samples. */
static inline bool node_reads(const struct node *nd)
{
	return !nd->stages || nd->stages->asked.stage == STAGE_FORWARD;
}

/* True when what is in flight, once it is there, is a gradient that counts. */
static inline bool node_stage_is_last(const struct node *nd)
{
	return !nd->stages || nd->stages->taken.stage == STAGE_BACKWARD;
}

/* For node_take(): a stage of the node's own gradient of that index. For node_job(): its job. */
void node_stage_take(struct node *nd, int64_t index);
struct job node_stage_job(struct node *nd, const float *x, float *g);

/* Floats that a stage gives after g[dim]: batch x width, or 0 where there are no stages. */
static inline size_t node_stage_floats(const struct node *nd)
{
	return nd->stages ? nd->run->batch * nd->run->cut.width : 0;
}

/* What a whole gradient of its worker counts and costs, times the stage's share of the latter. */
static inline double node_stage_weight(const struct node *nd)
{
	const struct stages *st = nd->stages;

	if (!st)
		return run_weight(nd->run, nd->rank);
	return run_weight(nd->run, st->taken.rank) * cut_share(&nd->run->cut, st->taken.stage);
}

/* The loss of a gradient that is complete, whose job gave this one. */
static inline double node_stage_loss(const struct node *nd, double loss)
{
	return nd->stages ? nd->stages->taken.loss : loss;
}

/* A stage that is not the last is there; g as its job left it, NULL: timing-only. */
void node_stage_deliver(struct node *nd, const float *g, double loss);

#endif
