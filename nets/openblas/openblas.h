/*
 * openblas.h - structs and functions that the files of the openblas backend share.
 *
 * A batch is cut into partitions. The work between two synchronisations is a stage: a list of steps
 * (a layer's forward, its backward, or half of a batch normalisation) that a task of the team runs
 * for one partition on one lane, with a BLAS of one thread. Dense layers are stages of their own,
 * whose tasks are panels of the product over the whole batch. A partition's work does not depend on
 * the threads that help, and sums over partitions are taken in their order.
 *
 * A net of tokens is cut by rows, one for each token, not by samples: its layers work on each row
 * alone, except attention, which is a stage of its own with heads as tasks, and the tables.
 *
 * Every layer keeps its output y[n][h][w][c]; a layer that may overwrite its input shares that
 * buffer (relu, dropout, add if no other layer reads the input). A gradient dy exists from its
 * first writer to its own layer's backward: in its lane when both are in one stage, else for the
 * whole batch.
 */
#ifndef NETS_OPENBLAS_OPENBLAS_H
#define NETS_OPENBLAS_OPENBLAS_H

#include "core/base/mem.h"
#include "nets/backend.h"
#include "nets/openblas/products.h"

enum pass {
	PASS_TRAIN,             /* batch statistics, dropout if use is set */
	PASS_STATS,             /* batch statistics, returned to the caller; no dropout */
	PASS_EVAL               /* given statistics, no dropout */
};

/* Part of a task: the k-th of `of` partitions, or of `of` panels over all samples. */
struct ob_part {
	int k, of, lane;
	size_t first, n;        /* samples; of a net of tokens, rows */
};

/* Memory of a lane, allocated at its first task. */
struct ob_lane {
	float *cols, *lifted;   /* operands of a product */
	float *dw;              /* weight gradient of a partition */
	float *dy;              /* gradients that are used in one stage only */
	double *sums;           /* [2][widest c] */
};

/* Sizes of a lane's memory in floats; sums: in doubles. */
struct ob_space {
	size_t cols, lifted, dw, dy, sums;
};

/* Placement of a layer's dy. */
struct ob_placement {
	float *whole;           /* [n][os]; NULL: in the lane ... */
	size_t offset;          /* ... at this offset */
};

/* A way to compute a convolution as one product; see conv.c. */
struct ob_way {
	enum lowering type;
	size_t inner, outer;    /* taps of the kernel before and after the product */
	size_t lines, rows;     /* lines of an image, rows of the product in a line */
	size_t part;            /* lines that are lowered together */
	bool direct_in;         /* the image itself is the lowered matrix */
	bool direct_out;        /* the product is the output itself */
};

/*
 * Ways for the passes of a convolution, with its weights in the order that each way needs (NULL: as
 * in x).
 */
struct ob_ways {
	struct ob_way forward, weight, input;
	float *forward_w, *input_w;     /* [groups][outer][out][inner][in] */
	bool caffe;                     /* none of these ways: forward_w[out][in][kernel^2] */
};

struct ob;
typedef void (*ob_step_fn)(struct ob *c, int i, const struct ob_part *p);

struct ob_step {
	ob_step_fn run;
	int layer;
};

struct ob_stage {
	void (*settle)(struct ob *c, int i);    /* run before it, by the caller; NULL: nothing */
	int layer;                              /* ... of this layer */
	int first, n;                           /* its steps */
	int panels;                             /* tasks; 0: the partitions */
};

struct ob_stages {
	struct ob_stage *v;     /* [n] */
	struct ob_step *steps;
	int n;
};

enum { OB_TURNS = 8 };          /* most panels of a layer's gradient */

struct ob {
	const struct graph *g;  /* borrowed */
	struct backend_conf conf;
	struct team *team;      /* borrowed; NULL: none */
	const struct ob_products *products;     /* for dense layers of tokens; NULL: the BLAS */
	void *by;               /* borrowed; argument of products' functions */
	int threads;            /* of the BLAS, in calls of LOWERING_CAFFE */
	size_t max_batch;
	size_t rows;            /* of a sample: 1, or its number of tokens */
	int64_t macs;           /* of a sample's convolutions and token products, forward */
	struct arena arena;     /* owns every buffer except those of lanes */
	float **y;              /* [g->n] per layer */
	struct ob_placement *dy;        /* [g->n]; not for layer 0 */
	bool (*adds)[2];        /* [g->n] dx of an input already has a term */
	void **save;            /* [g->n] values kept from forward to backward, or NULL */
	struct ob_ways **ways;  /* [g->n] convolutions */
	struct ob_stages forward, backward;
	int cut, dense;         /* layer before the head, first dense layer; 0: no cut */
	struct ob_space space;
	struct ob_lane *lanes;  /* [team_lanes()] */
	struct turn (*turns)[OB_TURNS]; /* [g->n] tasks' turns to add to a layer's gradient */
	double *sums;           /* [partitions][2][widest c] */

	/* the present call */
	enum pass pass;
	bool back;              /* which of the two lists of stages is running */
	const float *x;
	size_t n;               /* samples */
	int parts;              /* partitions */
	uint64_t seed;
	const uint64_t *use;    /* NULL: no dropout */
	const float *stats_in;  /* EVAL */
	float *stats_out;       /* STATS */
	float *grad;            /* [dim] */
	struct carried carried; /* for a net with memory */
	const int32_t *labels;  /* TRAIN, for a layer that computes the loss ... */
	double *losses;         /* ... and the losses of partitions */
	struct grad_hook *hook; /* receives parts of grad; NULL: none */
};

/* For ob_op.save: as many floats as the output has. */
size_t ob_save_output(const struct layer *l, size_t n);

struct ob_op {
	/* Floats kept from forward to backward for a batch of n; floats of cols; NULL: none. */
	size_t (*save)(const struct layer *l, size_t n);
	size_t (*cols)(const struct ob *c, const struct layer *l);
	size_t (*row_cols)(const struct layer *l);      /* for each row of a partition */
	/*
	 * Number of tasks of a layer that works on the whole batch; 0: partitions, in a stage that
	 * begins with the layer; NULL: it works on partitions.
	 */
	int (*panels)(const struct layer *l);
	/*
	 * forward: y[i] <- f(y[in]); backward: gradients of l's parameters, and dy of its inputs,
	 * from dy[i]. gather, if set, runs before, for each partition or as panels of a stage of
	 * its own, to collect what forward needs from the whole batch; settle combines the results.
	 */
	ob_step_fn gather, forward, gather_back, backward;
	void (*settle)(struct ob *c, int i);
	void (*settle_back)(struct ob *c, int i);
	bool keeps_in_input;    /* what is kept, as much as the output, may overwrite y[in[0]] */
	bool inplace;           /* y may overwrite y[in[0]] ... */
	bool keeps_sign;        /* ... and is then > 0 only where that was, or has no gradient */
	bool reads_sign;        /* backward reads where y is > 0 */
	bool reads_output;      /* ... or all of y, so that no later layer may overwrite it */
	bool makes_loss;        /* last layer, in training: it has neither y nor dy */
};

#define LAYER(KIND, name) extern const struct ob_op ob_##name;
#include "nets/layers/list.h"
#undef LAYER
extern const struct ob_op ob_caffe, ob_embed_clusters;  /* alternatives for conv and embed */

/* The operator of a layer in this context. */
const struct ob_op *ob_op_of(const struct ob *c, int i);

/* ---- for tasks ---- */

/* A task's share of `all` items. */
struct ob_share {
	size_t first, n;
};

static inline struct ob_share ob_share(const struct ob_part *p, size_t all)
{
	const size_t k = (size_t)p->k, of = (size_t)p->of, first = all * k / of;

	return (struct ob_share){ first, all * (k + 1) / of - first };
}

/* Pixels of a sample's output. */
static inline size_t ob_pixels(const struct layer *l)
{
	return (size_t)l->os.h * (size_t)l->os.w;
}

/* Floats of layer i's output in one row. */
static inline size_t ob_width(const struct ob *c, int i)
{
	const struct shape s = c->g->layers[i].os;

	return (size_t)s.h * (size_t)s.w * (size_t)s.c / c->rows;
}

/* Values that layer i keeps, as many as its output, from the partition's first row on. */
static inline float *ob_kept(const struct ob *c, int i, const struct ob_part *p)
{
	return (float *)c->save[i] + p->first * ob_width(c, i);
}

/* True when layer i drops units, or probabilities, in this call. */
static inline bool ob_drops(const struct ob *c, int i)
{
	return c->pass == PASS_TRAIN && c->use && c->g->layers[i].rate > 0.0;
}

/* ---- gemm.c ---- */

/* c[m][n] <- a b + beta c; ta: a is stored [k][m]; tb: b is stored [n][k]; ld*: floats of a row. */
void ob_gemm(bool ta, bool tb, size_t m, size_t n, size_t k, const float *a, size_t lda,
	     const float *b, size_t ldb, float beta, float *c, size_t ldc);

/* ob_gemm() in a task of a dense layer of tokens; c->products may compute it (products.h). */
void ob_multiply(const struct ob *c, const struct ob_part *p, bool ta, bool tb, size_t m, size_t n,
		 size_t k, const float *a, size_t lda, const float *b, size_t ldb, float beta,
		 float *to, size_t ldc);

/* Sets the threads of each later product in the process. */
void ob_threads(int threads);

/* Kernels ("Haswell"); version of the BLAS and its build options. */
const char *ob_kernels(void);
const char *ob_version(void);

/* ---- openblas.c ---- */

/* Partitions of a batch of n: as conf says, or chosen from net and batch alone. */
int ob_partitions(const struct ob *c, size_t n);

/* Lists the stages of both directions. Call it before functions that use partitions. */
void ob_stages(struct ob *c);

/* Runs the stages of a direction: all of them, or those on one side of the cut. */
enum ob_side { OB_ALL, OB_BEFORE, OB_HEAD };
void ob_run(struct ob *c, const struct ob_stages *s, enum ob_side side);

/* Runs one step, and books its time to the layer if times are wanted. */
void ob_step(struct ob *c, const struct ob_step *s, const struct ob_part *p);

/* ---- placement.c: assigns buffers to layers ---- */
void ob_plan(struct ob *c);

/* The lane's memory. */
struct ob_lane *ob_lane(struct ob *c, const struct ob_part *p);

/* Output of layer i, and its gradient, from the partition's first sample on. */
float *ob_y(const struct ob *c, int i, const struct ob_part *p);
float *ob_dy(struct ob *c, int i, const struct ob_part *p);

/*
 * Buffer for the gradient of layer i's k-th input; *add: it already has a term. NULL when it is not
 * wanted.
 */
float *ob_dx(struct ob *c, int i, int k, const struct ob_part *p, bool *add);

/* ---- conv.c ---- */

/*
 * Plans a convolution with the given types for its passes: forward, weight, input. images > 0: all
 * lines of `images` images are lowered before the product; 0: a few lines at a time.
 */
struct ob_ways *ob_ways_new(struct arena *a, const struct layer *l, const enum lowering type[3],
			    size_t images);

/* The way of one type for a layer, with about `rows` rows in a product. */
struct ob_way ob_way_of(const struct layer *l, enum lowering type, size_t rows);

/* Sizes of a lane's memory for these ways. */
struct ob_space ob_ways_space(const struct layer *l, const struct ob_ways *w);

/* Reorders the weights of all convolutions for this call, as a part of the forward pass. */
void ob_pack(struct ob *c);

/* to[out][kernel^2][in] <- from[out][in][kernel^2] */
void ob_channels_last(const struct layer *l, const float *from, float *to);

/* ---- conv.c: lines of a partition, one group of channels ---- */

struct ob_lines {
	size_t first, n;        /* lines of the partition */
	size_t from, count;     /* channels of the group */
};

/* x[n][h][w][c] -> cols[lines][rows][inner][count]; 0 outside of the image. */
void ob_lower(const struct layer *l, const struct ob_way *w, struct ob_lines s, const float *x,
	      float *cols);
/* Transpose of ob_lower(): dx += the windows in cols. */
void ob_lower_back(const struct layer *l, const struct ob_way *w, struct ob_lines s,
		   const float *cols, float *dx);

/* y[n][oh][ow][c] += the terms in lifted[lines][rows][outer][count] that belong to each pixel. */
void ob_lift(const struct layer *l, const struct ob_way *w, struct ob_lines s,
	     const float *lifted, float *y);
/* Transpose of ob_lift(): lifted <- dy of the pixel to which each term was added, or 0. */
void ob_lift_back(const struct layer *l, const struct ob_way *w, struct ob_lines s,
		  const float *dy, float *lifted);

/* ---- caffe.c ---- */

/* Call around each pass: set and reset the BLAS threads that LOWERING_CAFFE uses. */
void ob_caffe_begin(const struct ob *c);
void ob_caffe_end(const struct ob *c);

/* ---- auto.c ---- */

struct ob_choice {
	enum lowering forward, backward;
};

/* The fastest types on this machine, as first measured. Thread safe. */
struct ob_choice ob_choose(const struct layer *l);

/* Path of the file with measured choices; NULL if there is no home folder. The caller frees. */
char *ob_cache_path(void);
/* *choice <- the file's choice for the key; false if it has none. */
bool ob_cache_find(const char *path, const char *key, struct ob_choice *choice);
/* Stores a choice in the file, replacing an older one for the key; note() on failure. */
void ob_cache_add(const char *path, const char *key, struct ob_choice choice);

/* ---- gemm.c: sums over rows of channels, and what is linear in them ---- */

/* sum[c] <- sum over rows of x[rows][c]; in float by short blocks, then in double. */
void ob_sum(size_t rows, size_t c, const float *x, double *sum);
/* sum[c] <- sum of (x - mean)^2 */
void ob_square(size_t rows, size_t c, const float *x, const float *mean, double *sum);
/* sum[c] <- sum of dy; dot[c] <- sum of dy (x - mean) */
void ob_dot(size_t rows, size_t c, const float *x, const float *mean, const float *dy,
	    double *sum, double *dot);

/* y[rows][c] <- (x - mean) a + b */
void ob_scale(size_t rows, size_t c, const float *x, const float *mean, const float *a,
	      const float *b, float *y);
/* dx[rows][c] <- (or +=, if add) dy a + (x - mean) b + o */
void ob_spread(size_t rows, size_t c, const float *x, const float *mean, const float *dy,
	       const float *a, const float *b, const float *o, bool add, float *dx);

/* y[n] += x[n] */
void ob_add_into(size_t n, const float *x, float *y);

/* ---- openblas.c: gradients that partitions add to in turn ---- */

/*
 * grad[n] <- sum of the partitions' v, in their order: each partition adds in its turn, between
 * ob_wait() and ob_pass() of the layer.
 */
void ob_wait(struct ob *c, int i, const struct ob_part *p);
void ob_pass(struct ob *c, int i);
/*
 * A layer's backward pass: weights(), which waits for the partition's turn, and input(), which does
 * not and is called first where the turn has not come.
 */
void ob_back_in_turn(struct ob *c, int i, const struct ob_part *p,
		     void (*weights)(struct ob *c, int i, const struct ob_part *p),
		     void (*input)(struct ob *c, int i, const struct ob_part *p));
/* ob_wait() and ob_pass() for panel k < OB_TURNS of a gradient that is added in panels. */
void ob_wait_panel(struct ob *c, int i, int k, const struct ob_part *p);
void ob_pass_panel(struct ob *c, int i, int k);

/* ---- adaptive.c: softmax cross-entropy over many classes, in float ---- */

/* Returns the mean loss of a net of tokens, and computes the gradient of its logits. */
double softmax_tokens(struct ob *c);

/* ---- attention.c: some queries of a head, with their keys; see lanes/table.h ---- */

enum { TILE = 32 };             /* most queries of a tile */

/* to[size][keys] <- transpose of from[keys][size], whose rows are `width` floats apart. */
void tile_turn(size_t keys, size_t size, const float *from, size_t width, float *to);

/* p[n] *= mask[n] */
void tile_multiply(size_t n, const float *mask, float *p);

/* dp[rows][keys] <- scale p (dp - d[rows]) */
void tile_slope(size_t rows, size_t keys, float scale, const float *p, const float *d, float *dp);

#endif
