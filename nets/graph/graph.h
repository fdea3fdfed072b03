/*
 * graph.h - a net as a list of layers over one flat parameter vector.
 *
 * nets/zoo/NAME.json is parsed, its blocks are unrolled, shapes are inferred, and every parameter
 * gets its offset in x. Layers are in an order in which each reads only earlier ones. Activations
 * are N x H x W x C (NHWC) everywhere. A net that begins with "embed" reads windows of H tokens (W
 * = C = 1): whole numbers below `classes`, stored as float. Its layers have a row of C values, and
 * a loss, for each token.
 *
 * Layouts in x:   conv    weight [out][kh][kw][in / groups], bias [out]
 *                 dense   weight [out][in], in = h * w * c of the input, bias [out]
 *                 bn, layernorm, groupnorm   gamma [c], beta [c]
 *                 lstm    W [4 out][in], U [4 out][out], bias [4 out], gates i, f, g, o each
 *                 embed   a row for each token [classes][c], for each position [positions][c];
 *                         with div > 1 instead of the first a table [tokens][c / div^k] for each
 *                         cluster k, then their projections [c][c / div^k] (layers/adaptive.h)
 *                 linear  weight [out][in], bias [out]
 *                 relative   weight [c][channels of its second input], bias [2][c] u and w
 *                 unembed bias [out]
 *                 adaptive   weight [clusters][in], with div > 1 the head's projection [in][in],
 *                         bias [classes + clusters]
 * Layout in the batch-norm statistics:   mean [c], variance [c] (biased) per bn layer.
 */
#ifndef NETS_GRAPH_GRAPH_H
#define NETS_GRAPH_GRAPH_H

#include "core/problem.h"

/* LAYER_CONV and so on, in the order of the list. */
enum layer_kind {
	LAYER_INPUT,            /* layer 0 */
#define LAYER(KIND, name) LAYER_##KIND,
#include "nets/layers/list.h"
#undef LAYER
	LAYER_KINDS
};

struct shape {
	int h, w, c;
};

/* Initial values of parameters; fan_in = kernel^2 in / groups, fan_out = kernel^2 out. */
enum init {
	INIT_ZERO,
	INIT_HE_OUT,            /* normal of deviation sqrt(2 / fan_out) (fb.resnet.torch) */
	INIT_HE_IN,             /* normal of deviation sqrt(2 / fan_in) (He et al. 2015) */
	INIT_XAVIER,            /* uniform in +- sqrt(3 / fan_in) (Caffe) */
	INIT_TORCH,             /* uniform in +- 1 / sqrt(fan_in) (Torch); the bias too */
	INIT_NORMAL,            /* normal of deviation init_value (Caffe's "gaussian") */
	INIT_CONSTANT           /* init_value or bias_value (Caffe's "constant") */
};

/* Forms of gelu. */
enum { GELU_ERF, GELU_TANH };

enum { CLUSTERS_MAX = 3 };

/*
 * A layer. Settings of its kind are parsed directly into it: see the kind's file in nets/layers/.
 */
struct layer {
	enum layer_kind kind;
	char name[48];
	int in[2];              /* layers it reads; -1: none */
	struct shape is, os;    /* of in[0], and of the output */
	int kernel, stride, pad, groups;        /* groups: conv, groupnorm */
	bool bias, ceil;
	bool decay;             /* weight decay applies to its parameters ... */
	bool bias_decay;        /* ... and, if so, to the bias of a conv or dense as well */
	int init, bias_init;    /* enum init */
	double init_value, bias_value;
	double eps, rate;       /* bn; dropout */
	double alpha, power, k; /* lrn; its window, an odd number of channels, is `kernel` */
	int heads;              /* attention, relative; `rate` is of the probabilities' dropout */
	int vocabulary;         /* embed, adaptive: rows of its table */
	int cutoffs[CLUSTERS_MAX];      /* embed, adaptive: first token of each cluster */
	int clusters;           /* embed, adaptive: number of clusters; embed with one width: 0 */
	int div;                /* embed, adaptive: rows of cluster k have c / div^k values */
	double projection_value;        /* embed, adaptive: deviation of initial projections */
	int positions;          /* embed: rows of the table of positions; 0: none */
	int form;               /* gelu */
	bool last;              /* lstm: gives the last step only */
	/*
	 * unembed, adaptive: the embed layer whose table it shares. relative: the linear layer
	 * whose keys and values it also computes for its memory. embed, linear: the layer that
	 * shares it so, 0: none.
	 */
	int tied;
	bool scaled;            /* embed: its rows are multiplied by sqrt(c) */
	int memory, test_memory;        /* relative: rows of its memory; in evaluation */
	int test_clamp;         /* relative: upper bound of distances in evaluation; 0: none */
	bool test_same_length;  /* relative: in evaluation a query has at most `memory` keys */
	bool untied;            /* relative: it has u and w of its own */
	int first;              /* relative: the net's first layer of the kind ... */
	bool leads;             /* ... is this one, which has the u and w of all */
	int width;              /* relative: channels of its second input, which its memory has */
	double position_rate;   /* relative: dropout of the codes of distances */
	size_t carried;         /* relative: offset of its rows in a stream's memory */

	size_t weights, biases; /* floats of its own weight (or gamma) and bias (or beta) */
	size_t projections;     /* of the weights, floats of projections, which come last */
	size_t fan_in, fan_out; /* input elements that feed one output: kernel^2 in / groups; and
				 * its counterpart, kernel^2 out */
	size_t weight, beta;    /* offsets in x: weight or gamma; bias or beta */
	size_t stats;           /* bn: offset of mean[c]; variance[c] follows */
	int64_t macs;           /* forward multiply-accumulates per sample */
};

struct graph {
	char name[64];
	char *about, *cite;     /* may be NULL; owned */
	struct layer *layers;   /* [n], owned; the last one's output is the logits [classes] */
	int n;
	struct shape input;
	int classes;            /* with another loss than cross-entropy: outputs of the net */
	enum loss loss;         /* cross-entropy, until set to that of a data set */
	bool tokens;            /* reads windows of tokens */
	int targets;            /* rows of outputs of a sample: 1, or one for each token */
	size_t dim, stats_dim;
	struct carry carry;     /* sizes of a stream's memory */
	struct blob *blobs;     /* [nblobs], owned */
	int *owner;             /* [nblobs], owned: the first layer that has the blob */
	size_t nblobs;
};

static inline size_t shape_count(struct shape s)
{
	return (size_t)s.h * (size_t)s.w * (size_t)s.c;
}

/* Labels of a sample: a class for each row of outputs, or a target for each output. */
static inline size_t graph_labels(const struct graph *g)
{
	return (size_t)g->targets * (g->loss == LOSS_CROSS_ENTROPY ? 1 : (size_t)g->classes);
}

/* Offset in x of a layer's own parameters, if it has any. */
static inline size_t layer_first(const struct layer *l)
{
	return l->weights ? l->weight : l->beta;
}

/*
 * Loads a net: a name in the zoo, or a path that ends in .json. Input shape and number of classes
 * are the data set's (0s: the file's defaults). NULL after error() naming file, line or layer, and
 * the nearest known word.
 */
struct graph *graph_load(const char *name, struct shape input, int classes);

/* graph_load() from text; `name` stands for the file in messages. */
struct graph *graph_parse(const char *text, const char *name, struct shape input, int classes);

/* graph_load() for an open data set: its input, outputs and loss. */
struct graph *graph_load_for(const char *name, const struct dataset *ds);

/*
 * 0, or error() if a net of images is used with a data set, called `set`, of text, or vice versa.
 */
int graph_check_data(const struct graph *g, bool text, const char *set);

void graph_free(struct graph *g);

/* Sets the memory of layers with memory to that of evaluation. */
void graph_test_memory(struct graph *g);

/*
 * The net g, called name, with the window and the memory of evaluation. This is g itself if they
 * are equal to those of training; else the caller frees it. NULL after error().
 */
struct graph *graph_for_test(const char *name, struct graph *g, const struct dataset *ds);

/*
 * 0, or error(): g has a memory, but ds is not read in order; or `test`, the net of evaluation, has
 * a larger memory than there is text.
 */
int graph_check_memory(const struct graph *g, const struct graph *test, const struct dataset *ds);

/*
 * Finds a cut: returns the first fully connected layer, if its input is the only connection between
 * the layers before it and those from it on, and there are parameters before it; *cut <- offset in
 * x and sizes. 0: there is none, and *cut is {0}.
 */
int graph_cut(const struct graph *g, struct cut *cut);

/* stats <- the statistics each[n][stats_dim] of n equal batches, combined. */
void graph_merge_stats(const struct graph *g, int n, const float *const *each, float *stats);

/* ---- init.c ---- */

/*
 * x[dim] <- initial parameters, as each layer's settings say (default: He normal); random numbers
 * at (seed, RNG_INIT, 0, blob).
 */
void graph_init(const struct graph *g, uint64_t seed, float *x);

#endif
