/*
 * stages.h - gradients computed in stages, some of them by another node: for the option head=apart.
 *
 * One algorithm uses this (algos/common/server/head.h). It asks for stages (algo.staged), not for
 * whole gradients. Engines treat a stage like a gradient: they take a request by node_take(),
 * compute node_job(), and call HANDLER_STAGE until node_stage_is_last(), then HANDLER_GRAD.
 */
#ifndef CORE_STAGES_H
#define CORE_STAGES_H

#include "core/gradient.h"
#include "core/run.h"

/* Result of a stage, other than the last, which gives a gradient; all borrowed. */
struct staged {
	/* [n] FORWARD: activations at the cut, HEAD: their gradient; n also in a timing-only run */
	const float *vec;
	size_t n;
	const float *head;      /* [dim - at] HEAD: gradient of the head's parameters */
	double loss;            /* HEAD: mean over the minibatch; NaN in a timing-only run */
	int rank;               /* worker whose minibatch it is ... */
	int64_t index;          /* ... and index of the minibatch */
};

/* ---- requests, like those of node.h ---- */

/*
 * Request a stage of a gradient -> stage(), after the last one grad(). Each stage uses a snapshot
 * of x taken now. A worker's forward pass ends at the cut. Any node may compute the head's stage,
 * with its own x, for minibatch `index` of worker `rank`, from the activations of that forward
 * pass. The activations' gradient and the loss are inputs of the worker's backward pass, which
 * needs the x of the forward pass: the algorithm must not change x in between. Vectors have
 * node_cut_floats() floats, and are borrowed until the call returns. A gradient counts when it is
 * complete.
 */
void node_forward(struct node *nd);
void node_head(struct node *nd, int rank, int64_t index, const float *activations);
void node_backward(struct node *nd, const float *v, double loss);

/* Cut of the run's problem; at = 0: its gradients cannot be cut. */
const struct cut *node_cut(const struct node *nd);

/* Floats of the activations of a worker's minibatch at the cut. */
size_t node_cut_floats(const struct node *nd);

/* ---- parts of a model that step by themselves ---- */

/* x[from, from + n) as a model with steps of its own; in the state of a node. */
struct submodel {
	size_t from, n;
	int64_t step;           /* steps of the part */
	/*
	 * Gradients counted before the first one that its next step applies; -1: node.before is
	 * used.
	 */
	int64_t before;
	double lr;              /* learning rate of its last step */
	float *optim;           /* its own optimiser state, or NULL */
	size_t nlayers;
	struct blob *layers;    /* [nlayers], or NULL */
};

/* A part of the node's model with its own optimiser state. */
struct submodel node_submodel(struct node *nd, size_t from, size_t n);

/* Begins the next step of the part: its first gradient is one that has not been counted yet. */
void node_submodel_begin(const struct node *nd, struct submodel *p);

/*
 * x[from, from + n) <- optimiser(x[from, from + n), w g), g[n]; p->step++. The algorithm then shows
 * the step: node_moved_gathered() shows one of the node, node_moved_head() one of the head.
 */
void node_step_submodel(struct node *nd, struct submodel *p, const float *g, float w,
			int64_t staleness);
void node_moved_head(struct node *nd, const struct submodel *p, int64_t staleness);

/* ---- the engine's side ---- */

struct stage_asked {
	enum grad_stage stage;
	int rank;               /* HEAD: worker of the minibatch, and its index */
	int64_t index;
	const float *in;        /* borrowed until the request returns */
	double loss;            /* BACKWARD: result of the head's stage */
};

struct stages {                 /* type of node->stages */
	struct stage_asked asked;       /* by the request being made */
	struct stage_asked taken;       /* the stage in flight, or the last one */
	struct stage_data data;         /* input and output of its job ... */
	float *in;                      /* ... [batch x width]; NULL: timing-only */
};

/* For node_open(): allocates stages, if the algorithm uses them. */
void node_open_stages(struct node *nd);

/* True if the request is for a gradient, or its forward pass, which takes new samples. */
static inline bool node_reads(const struct node *nd)
{
	return !nd->stages || nd->stages->asked.stage == STAGE_FORWARD;
}

/* True if the stage in flight completes a gradient. */
static inline bool node_stage_is_last(const struct node *nd)
{
	return !nd->stages || nd->stages->taken.stage == STAGE_BACKWARD;
}

/*
 * node_stage_take() is for node_take(): takes a stage of the node's own gradient `index`.
 * node_stage_job() is for node_job(): makes its job.
 */
void node_stage_take(struct node *nd, int64_t index);
struct job node_stage_job(struct node *nd, const float *x, float *g);

/* Floats that a stage writes after g[dim]: batch x width, or 0 if there are no stages. */
static inline size_t node_stage_floats(const struct node *nd)
{
	return nd->stages ? nd->run->batch * nd->run->cut.width : 0;
}

/* Weight of the worker's whole gradient, times the stage's share of its cost. */
static inline double node_stage_weight(const struct node *nd)
{
	const struct stages *st = nd->stages;

	if (!st)
		return run_weight(nd->run, nd->rank);
	return run_weight(nd->run, st->taken.rank) * cut_share(&nd->run->cut, st->taken.stage);
}

/* Loss of a complete gradient; `loss` is that of its last job. */
static inline double node_stage_loss(const struct node *nd, double loss)
{
	return nd->stages ? nd->stages->taken.loss : loss;
}

/* Delivers a stage other than the last; g: its job's result, NULL: timing-only. */
void node_stage_deliver(struct node *nd, const float *g, double loss);

#endif
