/*
 * graph.h - a net as a list of layers over one flat parameter vector.
 *
 * nets/zoo/NAME.json is parsed, its blocks are unrolled, shapes are inferred,
 * and every parameter gets its offset in x. Layers are in an order in which each
 * reads only earlier ones. Activations are N x H x W x C (NHWC) everywhere. A net that
 * begins with "embed" reads windows of H tokens (W = C = 1): whole numbers below `classes`, in
 * float. Its layers have a row of C values for each token, and a loss for each.
 *
 * Layouts in x:   conv    weight [out][kh][kw][in / groups], bias [out]
 *                 dense   weight [out][in], in = h * w * c of the input, bias [out]
 *                 bn, layernorm   gamma [c], beta [c]
 *                 embed   a row for each token [classes][c], for each position [positions][c];
 *                         with div > 1 instead of the first a table [tokens][c / div^k] for each
 *                         cluster k, then their projections [c][c / div^k] (nets/adaptive.h)
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

/* How parameters begin; fan_in = kernel^2 in / groups, fan_out = kernel^2 out. */
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

/* A kind's settings are written straight into it: see its opts in nets/layers/KIND.c. */
struct layer {
	enum layer_kind kind;
	char name[48];
	int in[2];              /* layers it reads; -1: none */
	struct shape is, os;    /* of in[0], and of the output */
	int kernel, stride, pad, groups;
	bool bias, ceil;
	bool decay;             /* weight decay applies to its parameters ... */
	bool bias_decay;        /* ... and, if so, to the bias of a conv or dense as well */
	int init, bias_init;    /* enum init */
	double init_value, bias_value;
	double eps, rate;       /* bn; dropout */
	double alpha, power, k; /* lrn; its window, an odd number of channels, is `kernel` */
	int heads;              /* attention, relative; `rate` is of the probabilities' dropout */
	int vocabulary;         /* embed, adaptive: rows of its table */
	int cutoffs[CLUSTERS_MAX];      /* embed, adaptive: the first token of each cluster */
	int clusters;           /* embed, adaptive: how many there are; embed of one width: 0 */
	int div;                /* embed, adaptive: rows of cluster k have c / div^k values */
	double projection_value;        /* embed, adaptive: deviation of initial projections */
	int positions;          /* embed: rows of the second table, 0: it has none */
	int form;               /* gelu */
	/*
	 * unembed, adaptive: the embed layer whose table it reads;
	 * relative: the linear layer whose rows of
	 * keys and values it multiplies with its memory; embed, linear: who reads it so, 0: none
	 */
	int tied;
	bool scaled;            /* embed: its rows are multiplied by sqrt(c) */
	int memory, test_memory;        /* relative: rows that it keeps; in evaluation */
	int test_clamp;         /* relative: larger distances are taken for this one; 0: none is */
	bool test_same_length;  /* relative: each query has no more keys than `memory` */
	bool untied;            /* relative: u and w are its own */
	int first;              /* relative: the net's first layer of the kind ... */
	bool leads;             /* ... is this one, which has u and w for others */
	int width;              /* relative: channels of its second input, which it keeps */
	double position_rate;   /* relative: dropout of the codes of distances */
	size_t carried;         /* relative: where its rows begin in a stream's memory */

	size_t weights, biases; /* floats of its own weight (or gamma) and bias (or beta) */
	size_t projections;     /* of the weights, floats of projections, which are the last ones */
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
	int classes;
	bool tokens;            /* reads windows of tokens */
	int targets;            /* labels of a sample: 1, or one for each token */
	size_t dim, stats_dim;
	struct carry carry;     /* the memory of a stream */
	struct blob *blobs;     /* [nblobs], owned */
	int *owner;             /* [nblobs], owned: the layer that has it; later ones may too */
	size_t nblobs;
};

static inline size_t shape_count(struct shape s)
{
	return (size_t)s.h * (size_t)s.w * (size_t)s.c;
}

/* Where a layer's parameters, if it has any of its own, begin. */
static inline size_t layer_first(const struct layer *l)
{
	return l->weights ? l->weight : l->beta;
}

/*
 * Loads a net: the zoo's name, or a path that ends in .json. The input shape
 * and the number of classes are the data set's (0s: the file's own defaults).
 * NULL after error() naming file, line or layer, and the nearest known word.
 */
struct graph *graph_load(const char *name, struct shape input, int classes);

/* The same from text; `name` stands for the file in messages. */
struct graph *graph_parse(const char *text, const char *name, struct shape input, int classes);

/* 0, or error() for a net of images and a data set, called `set`, of text. */
int graph_check_data(const struct graph *g, bool text, const char *set);

void graph_free(struct graph *g);

/* Gives the layers that have one the memory of evaluation. */
void graph_test_memory(struct graph *g);

/*
 * The net g, called name, with the window and the memory of evaluation: g itself where they are
 * the same, else the caller frees it. NULL after error().
 */
struct graph *graph_for_test(const char *name, struct graph *g, const struct dataset *ds);

/*
 * 0, or error(): g keeps the text before a window, but ds is not read in order; or `test`, the
 * net of evaluation, keeps more than there is.
 */
int graph_check_memory(const struct graph *g, const struct graph *test, const struct dataset *ds);

/*
 * The first fully connected layer, if what is before it and what is after it meet in its input
 * alone, and there are parameters before it: *cut <- that offset. 0: there is none, and *cut {0}.
 */
int graph_cut(const struct graph *g, struct cut *cut);

/* stats <- those of n equal batches, each[n][stats_dim], taken together. */
void graph_merge_stats(const struct graph *g, int n, const float *const *each, float *stats);

/* Initial parameters: He normal for convolutions, as each file says; index = blob. */
void graph_init(const struct graph *g, uint64_t seed, float *x);

#endif
