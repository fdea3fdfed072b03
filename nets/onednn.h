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
#include <stdlib.h>
#include <string.h>

struct onednn;
struct op;

/* An activation: the output of a layer, n x h x w x c. */
struct value {
	struct shape shape;
	size_t count;           /* floats of a sample */
	int level;
	struct op *maker;       /* NULL: the images */
	float *act;             /* [max_batch][count] */
	bool wanted;            /* its gradient is needed */
	bool whole;             /* grad holds the batch; else the current chunk only */
	float *grad;            /* [whole ? max_batch : chunk][count] */
	/*
	 * [chunk][count] a second part of grad, or NULL. Of the operators that read the
	 * value just one writes it, the one marked `apart`, and in the same chunk the
	 * maker, a unit, adds it to grad; no other share of the gradient may go there.
	 */
	float *extra;
};

/* Samples [first, first + n) of the batch. */
struct span {
	size_t first, n;
};

/* One thing to do to every chunk of a phase. */
struct step {
	void (*run)(struct onednn *c, struct op *op, struct span s);
	struct op *op;
};

/* What an operator can do; NULL: nothing to do. */
struct op_type {
	void (*open)(struct onednn *c, struct op *op);
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
	int level;
	bool relu;                      /* units */
	bool add[2];                    /* backward: in[j]'s gradient holds a share already */
	bool shares;                    /* backward: in[1]'s gradient is the buffer of out's */
	bool apart;                     /* backward: in[0]'s share goes to its extra */
	void *priv;
};

struct onednn {
	const struct graph *graph;
	const struct simd *simd;
	size_t max_batch, chunk_bytes;
	dnnl_stream_t stream;
	struct value *values;           /* [graph->n] by layer; some are inside a unit */
	struct op *ops;                 /* [nops] in the graph's order */
	int nops, levels, result;       /* result: the value of the logits */
	size_t *chunk;                  /* [levels] samples, at most; see onednn_chunk() */
	struct step *forward, *backward;        /* from the first level up; from the last down */
	int *forward_end, *backward_end;        /* [levels] where a level's steps end */
	float *block;                   /* owns all activations and gradients */
	float *temp;                    /* a chunk's gradient on its way to a sum */
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

/*
 * onednn.c: the backend's open() with the largest activation of a chunk given, unless
 * the weights call for larger ones.
 */
void *onednn_open_chunked(const struct graph *g, size_t max_batch, size_t chunk_bytes);

/* onednn_fuse.c: the operators of a graph. */
void onednn_fuse(struct onednn *c);

/* onednn_plan.c: levels, chunks and steps. */
void onednn_plan(struct onednn *c);
/* Samples of a level's chunks, but the last, when the batch has n: about equal shares. */
size_t onednn_chunk(const struct onednn *c, int level, size_t n);

/* onednn_memory.c: activations, gradients and who adds to which. */
void onednn_memory(struct onednn *c);

/* onednn_unit.c: batch normalisation's work outside its own level. */
void unit_measure(struct onednn *c, struct op *op, struct span s);
void unit_settle(struct onednn *c, struct op *op);      /* after the last measure */
void unit_spread(struct onednn *c, struct op *op, struct span s);
void unit_report(const struct op *op, float *stats);    /* mean, variance to their places */

/* onednn_engine.c: the library. */
dnnl_engine_t onednn_engine(void);
/* Dies, naming what failed, unless s is success. */
void onednn_must(dnnl_status_t s, const char *what);
/* Keeps OpenMP from starting threads of its own; returns what to give back, and takes it. */
int onednn_threads(int n);

/* A primitive, and the handle through which it is given c->scratch. */
struct onednn_pass {
	dnnl_primitive_t primitive;
	dnnl_memory_t scratch;
};
void onednn_pass_new(struct onednn *c, struct onednn_pass *p, const_dnnl_primitive_desc_t pd);
void onednn_pass_release(struct onednn_pass *p);
void onednn_run(struct onednn *c, const_dnnl_primitive_t p, int n, const dnnl_exec_arg_t *args);

/* All four die when oneDNN refuses. Data may be DNNL_MEMORY_NONE until pointed somewhere. */
dnnl_memory_desc_t onednn_images(struct shape s, size_t n);     /* n x h x w x c */
dnnl_primitive_desc_t onednn_describe(const_dnnl_op_desc_t d, const_dnnl_primitive_desc_t hint);
dnnl_memory_t onednn_memory_new(const dnnl_memory_desc_t *md, void *data);
dnnl_memory_t onednn_point(dnnl_memory_t m, const void *data);  /* returns m */

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
