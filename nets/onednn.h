/*
 * onednn.h - private to the onednn backend.
 *
 * A graph becomes a list of operators: batch normalisation, the addition behind
 * it and the ReLU behind that are one. Only batch normalisation needs the whole
 * batch at once, so operators are sorted into levels, the number of normalisations
 * above them, and within a level samples go through all operators a chunk at a
 * time, small enough to stay in the cache:
 *
 *	forward   level 0: [conv, measure] per chunk; level 1: [normalise, conv, measure] ...
 *	backward  level 1: [conv, gather] per chunk;  level 0: [spread, conv] ...
 *
 * A chunk's size depends on the graph alone, so results do not depend on max_batch.
 */
#ifndef NETS_ONEDNN_H
#define NETS_ONEDNN_H

#include "core/error.h"
#include "core/mem.h"
#include "nets/backend.h"
#include "nets/onednn_simd.h"

#include <dnnl.h>
#include <string.h>

struct onednn;
struct op;

/* An activation: the output of a layer, n x h x w x c. */
struct value {
	struct shape shape;
	size_t count;           /* floats of a sample */
	int level;
	float *act;             /* [max_batch][count] */
	bool wanted;            /* its gradient is needed */
	bool whole;             /* grad holds the batch; else the current chunk only */
	float *grad;            /* [whole ? max_batch : chunk][count] */
	float *extra;           /* [chunk][count] a second part of it, or NULL */
	int holds;              /* the value whose buffer grad is: itself, or a sum's result */
	int slot;               /* of grad */
};

/* Samples [first, first + n) of the batch. */
struct span {
	size_t first, n;
};

/* What an operator can do; NULL: nothing to do. */
struct op_type {
	int (*open)(struct onednn *c, struct op *op);   /* 0 or error() */
	void (*load)(struct onednn *c, struct op *op);  /* reads c->x, once a call */
	void (*forward)(struct onednn *c, struct op *op, struct span s);
	void (*backward)(struct onednn *c, struct op *op, struct span s);
	void (*store)(struct onednn *c, struct op *op); /* writes c->g, once a call */
	void (*close)(struct op *op);
};

struct op {
	const struct op_type *type;
	const struct layer *layer;      /* NULL: a sum or ReLU without normalisation */
	int id;                         /* the layer's number */
	int in[2], out;                 /* values; in[1] -1: none */
	bool relu;                      /* units */
	bool add[2];                    /* backward: in[j]'s gradient holds another's share already */
	int level;
	void *priv;
};

struct onednn {
	const struct graph *graph;
	const struct simd *simd;
	size_t max_batch;
	dnnl_stream_t stream;
	struct value *values;           /* [graph->n] */
	struct op *ops;                 /* [nops] in the graph's order */
	int *alias;                     /* [graph->n] value of a layer: its own, or what it only renames */
	int nops, levels, result;       /* result: the value of the logits */
	size_t *chunk;                  /* [levels] samples */
	float **slots;                  /* [nslots] gradient buffers */
	size_t *room;                   /* [nslots] floats */
	int nslots;
	float *temp;                    /* [room of the largest chunk] a gradient on its way to a sum */
	size_t ntemp;
	void *scratch;                  /* oneDNN's own working memory */
	size_t nscratch;                /* bytes */
	/* The call in progress. */
	const float *x;
	float *g;
	size_t n;
	bool training;                  /* statistics of this batch, and gradients to come */
	const float *stats;             /* evaluation: what to normalise with */
	uint64_t seed;
	const uint64_t *use;            /* NULL: no dropout */
};

extern const struct op_type op_conv, op_dense, op_unit, op_pool, op_globalpool, op_dropout,
	op_shortcut;

/* onednn_plan.c: operators, levels and chunks of a graph. */
void onednn_plan(struct onednn *c);

/* onednn_memory.c: activations, gradients and who adds to which. */
void onednn_memory(struct onednn *c);
void onednn_forget(struct onednn *c);   /* frees them */

/* onednn_unit.c: batch normalisation's work outside its own level. */
void unit_measure(struct onednn *c, struct op *op, struct span s);
void unit_settle(struct onednn *c, struct op *op);      /* after the last measure */
void unit_spread(struct onednn *c, struct op *op, struct span s);
void unit_report(const struct op *op, float *stats);    /* mean and variance, at their places */

/* onednn_engine.c: the library. */
dnnl_engine_t onednn_engine(void);
/* Dies, naming what failed, unless s is success. */
void onednn_must(dnnl_status_t s, const char *what);
/* Keeps OpenMP from starting threads of its own; returns what to give back, and takes it. */
int onednn_threads(int n);
/* At least `bytes` of c->scratch. */
void onednn_scratch(struct onednn *c, size_t bytes);

static inline float *value_act(const struct onednn *c, int v, struct span s)
{
	return c->values[v].act + s.first * c->values[v].count;
}

static inline float *value_grad(const struct onednn *c, int v, struct span s)
{
	const struct value *val = &c->values[v];

	return val->grad + (val->whole ? s.first * val->count : 0);
}

/* A batch-normalisation unit: its gradient has two passes. */
static inline bool op_is_norm(const struct op *op)
{
	return op->type == &op_unit && op->layer;
}

#endif
