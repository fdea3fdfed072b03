/*
 * onednn.h - structs and functions that the files of the onednn backend share.
 *
 * A graph becomes a list of operators: a batch normalisation, the addition, the ReLU and the
 * dropout after it are one operator, a unit. Only batch normalisation and dense layers need the
 * whole batch at once, so operators are sorted into levels: an operator's level is the number of
 * such layers before it. Within a level, samples go through all operators a chunk at a time, small
 * enough to stay in the cache. Where a level computes pixel by pixel, as around the 1x1
 * convolutions of a bottleneck, a large sample is cut into strips of lines, which are chunks:
 *
 *	forward   level 0: [conv, measure] per chunk; level 1: [normalise, conv, measure] ...
 *	backward  level 1: [conv, gather] per chunk;  level 0: [spread, conv] ...
 *
 * Chunks are the tasks of the team, and so are panels of a dense layer's outputs. The size of a
 * chunk depends on the graph alone, and sums over chunks are taken in their order. So results do
 * not depend on max_batch, nor on the threads.
 */
#ifndef NETS_ONEDNN_ONEDNN_H
#define NETS_ONEDNN_ONEDNN_H

#include "core/base/error.h"
#include "core/base/mem.h"
#include "nets/backend.h"
#include "nets/onednn/simd/simd.h"
#include "nets/openblas/products.h"

#include <dnnl.h>
#include <stdlib.h>
#include <string.h>

#if DNNL_VERSION_MAJOR != 2 && DNNL_VERSION_MAJOR != 3
#error "the backend onednn needs oneDNN 2 or 3"
#endif

struct onednn;
struct op;
struct pass;

/* Memory and stream of one thread; allocated when a task first runs on the lane. */
struct lane {
	int index;
	dnnl_stream_t stream;
	char *block;            /* [c->lane_bytes] activations and gradients of one chunk */
	char *temp;             /* [c->temp_bytes] of one step */
	char *scratch;          /* [c->scratch_bytes] oneDNN's own */
	bool failed;            /* an operation failed, after error(): the lane computes no more */
	size_t block_capacity, temp_capacity, scratch_capacity;
};

/*
 * Samples [first, first + n) of the batch: task k of a stage, on a lane. Where a sample is divided
 * into several parts, equal strips of its lines, these are numbers of strips instead.
 */
struct span {
	size_t first, n, parts;
	int k;
	struct lane *lane;
};

/* Placement of a tensor [n][count]: all of the batch at base, or one chunk in each lane. */
struct placement {
	char *base;             /* NULL: in the lane's block ... */
	size_t at;              /* ... at this byte */
};

/* An activation: the output of a layer, n x h x w x c. */
struct value {
	struct shape shape;
	size_t count;           /* elements of a sample */
	int level;
	struct op *maker;       /* NULL: the images themselves */
	struct op **readers;    /* [nreaders] each once */
	int nreaders;
	bool wanted;            /* its gradient is needed */
	int sharer;             /* value whose gradient has the same placement; or -1 */
	bool more;              /* `extra` is used */
	struct placement act, grad;
	/*
	 * A second part of grad. Exactly one of the operators that read the value writes it, the
	 * one with `apart`; the maker adds it to grad in the same chunk. Other shares of the
	 * gradient must not go there.
	 */
	struct placement extra;
};

/* A function to run for every chunk of a stage, or every panel. */
struct step {
	void (*run)(struct onednn *c, struct op *op, struct span s);
	struct op *op;
};

/* Consecutive steps for each task; a stage is complete before the next begins. */
struct stage {
	int level;
	int from, n;            /* steps */
	struct op *whole;       /* tasks are panels of this operator; NULL: chunks */
};

/* The stages of one direction, in the order in which they run. */
struct plan {
	struct step *steps;
	struct stage *stages;
	int nsteps, nstages;
};

/* Memory of an operator: bytes for each sample, and for the whole batch. */
enum life { SPACE_KEPT, SPACE_FORWARD, SPACE_BACKWARD }; /* until backward; during one pass */

struct space {
	enum life life;
	size_t each, once;      /* bytes */
	char *at;
};

/* Functions of a kind of operator; NULL: nothing to do. Those that return int: 0 or error(). */
struct op_type {
	bool whole;             /* its tasks are panels: it works on the whole batch */
	bool reads_in;          /* backward reads the activation in[0] */
	int (*open)(struct onednn *c, struct op *op);
	int npasses;            /* primitives for a number of samples, which size() opens */
	int (*size)(struct onednn *c, struct op *op, struct pass *p, size_t n);
	void (*load)(struct onednn *c, struct op *op, bool back, struct lane *w);
	void (*forward)(struct onednn *c, struct op *op, struct span s);
	void (*backward)(struct onednn *c, struct op *op, struct span s);
	void (*store)(struct onednn *c, struct op *op, struct lane *w); /* to c->g */
	int (*panels)(const struct op *op, bool back);
	void (*close)(struct op *op);   /* frees what priv owns, not priv and its passes */
};

enum { SPACES = 4 };

struct op {
	const struct op_type *type;
	const struct layer *layer;      /* NULL: an addition or ReLU without normalisation */
	int id;                         /* layer to which its time is booked */
	int in[2], out;                 /* values; -1: none */
	int level;
	bool relu;                      /* of units and convolutions */
	const struct layer *drop;       /* units: dropout after the ReLU; or NULL */
	bool add[2];                    /* backward: in[j]'s gradient already has a term */
	bool shares[2];                 /* backward: in[j]'s gradient has the placement of out's */
	bool apart;                     /* backward: in[0]'s term goes to its `extra` */
	struct space spaces[SPACES];
	int nspaces;
	struct turn turn[2];            /* order of adding, in forward and in backward */
	struct pass **sizes;            /* [nsizes] by samples: [type->npasses]; NULL: none */
	size_t nsizes;
	void *priv;                     /* owned */
};

struct onednn {
	const struct graph *graph;
	enum precision precision;
	dnnl_data_type_t type;          /* of activations */
	size_t size;                    /* bytes of one */
	const struct simd *simd, *simd32;       /* on activations; on f32 */
	size_t max_batch, chunk_bytes;
	struct team *team;
	struct layer_time *times;       /* NULL: none */
	struct value *values;           /* [graph->n] by layer; some are within a unit */
	struct op *ops;                 /* [nops] in the graph's order */
	int nops, levels, result;       /* result: the value of the logits */
	int cut;                        /* value that the head reads; -1: no cut */
	struct op **by_level;           /* [nops] sorted */
	int *level_end;                 /* [levels] end of each level in by_level */
	size_t *parts;                  /* [levels] strips that a sample is divided into */
	size_t *chunk;                  /* [levels] strips, at most; see onednn_chunk() */
	struct plan forward, backward;
	bool *sized;                    /* [max_batch + 1] primitives exist */
	bool failed;                    /* some could not be made, after error() */
	struct lane **lanes;            /* [team_lanes]; NULL: not used so far */
	size_t lane_bytes, temp_bytes, scratch_bytes;
	char *block;                    /* all memory that is not in lanes */
	size_t block_capacity, arranged;        /* samples the placements are for; 0: none */
	bool arranged_back;             /* ... and for a backward pass */
	float *logits, *dlogits;        /* [max_batch][classes] */
	void *tokens;                   /* net of tokens: its openblas context ... */
	struct products *products;      /* ... and its products, which oneDNN computes ... */
	struct pairs *pairs;            /* ... or our own kernel, in bf16; else NULL */
	/* The call in progress. */
	const float *x, *images;
	float *g;
	struct grad_hook *hook;         /* receives parts of g; NULL: none */
	size_t n;
	bool training;                  /* normalise by this batch's statistics, not by c->stats */
	const float *stats;             /* evaluation: statistics for normalisation */
	uint64_t seed;
	const uint64_t *use;            /* NULL: no dropout */
};

extern const struct op_type op_enter, op_conv, op_winograd, op_dense, op_unit, op_pool,
	op_globalpool, op_dropout, op_shortcut, op_lrn, op_concat, op_curve, op_groupnorm, op_lstm;

/*
 * onednn.c: open() with a given size of a chunk's largest activation, in bytes; large weights may
 * raise it.
 */
void *onednn_open_chunked(const struct graph *g, const struct backend_conf *conf,
			  size_t max_batch, struct team *team, size_t chunk_bytes);

/* plan.c: makes the operators of a graph. */
void onednn_fuse(struct onednn *c);

/* conv.c: true for a convolution that op_winograd computes. */
bool onednn_is_winograd(const struct onednn *c, const struct layer *l);

/* plan.c: makes levels, chunks, steps and stages. */
void onednn_plan(struct onednn *c);
/* Strips of a level's chunks, except the last, in a batch of n samples: about equal shares. */
size_t onednn_chunk(const struct onednn *c, int level, size_t n);
/* Requests memory for an operator, when that is opened; returns its number. */
int onednn_space(struct op *op, enum life life, size_t each, size_t once);

/* plan.c: finds which operators add to a gradient, and which gradients share a placement. */
void onednn_share(struct onednn *c);
/* True when that step of backward writes the gradient of its operator's input j. */
bool onednn_writes(const struct onednn *c, const struct step *s, int j);

/* placement.c: assigns memory to every tensor, for a batch of n. */
void onednn_placement(struct onednn *c, size_t n, bool back);
/* A piece of an arena: used from one moment to another, both included. */
struct piece {
	size_t bytes, at;
	int from, to;
};
/* Sets `at` so that pieces used at the same moment do not overlap; returns the bytes needed. */
size_t onednn_arrange(struct piece *pieces, int n);
/* Makes *p at least so large, on huge pages; its content is lost. Owned by *p. */
void onednn_grow(char **p, size_t *capacity, size_t bytes);

/* onednn.c: sides of the cut, and lanes. */
enum onednn_side { ONEDNN_ALL, ONEDNN_BEFORE, ONEDNN_HEAD };
/* Opens an operator's passes for n samples, once. 0 or error(). */
int onednn_size(struct onednn *c, struct op *op, size_t n);
/* A lane of the team, with as much memory as was requested so far. */
struct lane *onednn_lane(struct onednn *c, int lane);

/* unit.c: parts of batch normalisation outside its own level. */
void unit_measure(struct onednn *c, struct op *op, struct span s);
void unit_spread(struct onednn *c, struct op *op, struct span s);
void unit_report(const struct op *op, float *stats);    /* mean, variance */

/* dense.c: sets up a context for the products of a net of tokens, which uses only lanes. */
void products_open(struct onednn *c, const struct backend_conf *conf);
void products_close(struct onednn *c);

/*
 * pairs.c: the same in bf16 on a processor without matrix units for it; sets c->pairs, and returns
 * the context of openblas.
 */
void *pairs_open(struct onednn *c, const struct backend_conf *conf);
void pairs_close(struct pairs *p);

/* ---- engine.c: the only file that depends on the version of oneDNN ---- */

/* A tensor's type, dimensions and layout; one without dimensions is absent. */
struct tensor {
	dnnl_data_type_t type;
	int ndims;
	dnnl_dims_t dims;
	dnnl_dims_t strides;            /* in elements; unused in a layout of oneDNN's choice */
	bool any;                       /* oneDNN chooses the layout */
	const_dnnl_primitive_desc_t of; /* not NULL: the tensor is this operation's ... */
	int arg;                        /* ... argument; the fields above are unused */
};

/* Window of a convolution or a pooling: height, width. */
struct window {
	dnnl_dims_t size, strides, left, right;
};

/* A convolution, a pooling or a product of matrices (dnnl_matmul, forward only). */
struct operation {
	dnnl_primitive_kind_t kind;
	dnnl_prop_kind_t prop;          /* forward_training, or backward_data or _weights */
	dnnl_alg_kind_t alg;            /* not of products */
	struct tensor src, weights, bias, dst;  /* backward: gradients where they are computed */
	struct window window;           /* not of products; `size` of poolings only */
	const_dnnl_primitive_desc_t hint;       /* backward: the forward operation */
	bool adds;                      /* dst += instead of dst = */
	bool unblocked;                 /* not by kernels on blocks (BRGEMM) if there are others */
};

/*
 * Implementation of an operation, with scratch memory of the caller. NULL when oneDNN has none; the
 * caller destroys it.
 */
dnnl_primitive_desc_t onednn_describe(const struct operation *o);
/*
 * For lines of fewer pixels than this, the forward convolutions on blocks are slower than the
 * others.
 */
enum { ONEDNN_SHORT_LINE = DNNL_VERSION_MAJOR == 2 ? 7 : 0 };

/* True when both have the same implementation. */
bool onednn_is_alike(const_dnnl_primitive_desc_t a, const_dnnl_primitive_desc_t b);

/* Bytes of an operation's argument. */
size_t onednn_bytes(const_dnnl_primitive_desc_t pd, int arg);
dnnl_engine_t onednn_engine(void);
/* True when the processor has matrix units for bf16. */
bool onednn_has_matrix_units(void);
/* bf16_refused() for this processor. */
const char *onednn_no_bf16(enum bf16_wish wish);
/* 0, or error() naming what failed, unless s is success. */
int onednn_try(dnnl_status_t s, const char *what);
/* Limits OpenMP to n threads, so that it starts none of its own; returns the former number. */
int onednn_threads(int n);
/* A tensor n x h x w x c. */
struct tensor onednn_images(struct shape s, size_t n, dnnl_data_type_t type);
/* A matrix [rows][cols]; row, col: elements from one row, or column, to the next. */
struct tensor onednn_matrix(size_t rows, size_t cols, size_t row, size_t col,
			    dnnl_data_type_t type);
/* Window of a convolution or a pooling layer. */
struct window onednn_window(const struct layer *l);

/* A primitive with its arguments; each lane has handles of its own. */
enum { PASS_ARGS = 6 };
struct pass {
	dnnl_primitive_t primitive;     /* NULL: none */
	int n;
	int arg[PASS_ARGS];
	dnnl_memory_t *handles;         /* [lanes][PASS_ARGS] */
	int lanes;
};
/*
 * Makes the primitive of pd, which it destroys, for n arguments; oneDNN's scratch memory follows as
 * another one, not counted in n. 0, or error() when pd is NULL or refused.
 */
int pass_open(struct onednn *c, struct pass *p, dnnl_primitive_desc_t pd, int n, const int *arg);
/* Opens a copy between layouts and types. 0 or error(). */
int pass_open_reorder(struct onednn *c, struct pass *p, const struct tensor *from,
		      const struct tensor *to);
/* Implementation of an open pass, owned by the pass; NULL after error(). */
const_dnnl_primitive_desc_t pass_desc(const struct pass *p);
/* Computes on a lane; after error() the lane has failed, and computes no more. */
void pass_run(struct pass *p, struct lane *w, const void *const *data);
void pass_close(struct pass *p);

/* onednn.c: requests at least `bytes` of w->temp for use in steps. */
void onednn_temp(struct onednn *c, size_t bytes);

/* ---- placements ---- */

static inline void *placement_get(const struct onednn *c, const struct placement *p, size_t count,
				  struct span s)
{
	return p->base ? p->base + s.first * (count / s.parts) * c->size : s.lane->block + p->at;
}

static inline void *value_act(const struct onednn *c, int v, struct span s)
{
	return placement_get(c, &c->values[v].act, c->values[v].count, s);
}

static inline void *value_grad(const struct onednn *c, int v, struct span s)
{
	return placement_get(c, &c->values[v].grad, c->values[v].count, s);
}

/* Second part of a value's gradient; NULL: there is none. */
static inline void *value_extra(const struct onednn *c, int v, struct span s)
{
	return c->values[v].more ? placement_get(c, &c->values[v].extra, c->values[v].count, s)
				 : NULL;
}

/* Elements of a value in a span. */
static inline size_t value_span(const struct onednn *c, int v, struct span s)
{
	return s.n * (c->values[v].count / s.parts);
}

/* Elements of a value in a level's largest chunk. */
static inline size_t value_chunk(const struct onednn *c, int v, int level)
{
	return c->chunk[level] * (c->values[v].count / c->parts[level]);
}

static inline void *space_get(const struct op *op, int space, struct span s)
{
	return op->spaces[space].at + s.first * op->spaces[space].each;
}

/* True for a batch-normalisation unit, whose gradient takes two passes. */
static inline bool op_is_norm(const struct op *op)
{
	return op->type == &op_unit && op->layer;
}

#endif
