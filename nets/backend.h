/*
 * backend.h - compute backends: the operators of a net.
 *
 * A context belongs to one thread, which idle threads may help (core/pool/team.h), and to batches
 * of up to max_batch. It keeps every activation that it needs, and allocates nothing inside a call,
 * except that onednn builds its primitives for a batch size when it first sees it. The same (x,
 * batch) gives bit-identical results in any context and on any thread.
 */
#ifndef NETS_BACKEND_H
#define NETS_BACKEND_H

#include "core/gradient.h"
#include "core/pool/team.h"
#include "nets/graph/graph.h"

enum precision {
	PRECISION_F32,
	PRECISION_BF16          /* activations and products; parameters and gradients are f32 */
};

/* Ways of openblas to turn a convolution into a product of matrices (Caffe con Troll). */
enum lowering {
	LOWERING_1,             /* cols of kernel^2 in values: all work before the product */
	LOWERING_2,             /* kernel in values: half before, half after */
	LOWERING_3,             /* in values: all work after the product */
	LOWERING_AUTO,          /* the fastest for each layer, as first measured on this machine */
	LOWERING_CAFFE          /* as BVLC Caffe: type 1 image by image, on a BLAS with threads */
};

/* Seconds spent on a layer, summed over calls and lanes. */
struct layer_time {
	double forward, backward;
};

struct backend_conf {
	enum precision precision;
	bool decided;                   /* use `precision`, whatever the backend's default is */
	enum lowering lowering;         /* openblas */
	int partitions;                 /* openblas: parts of a batch; 0: chosen for the net */
	bool unfused;                   /* openblas: a partition is lowered as a whole */
	struct layer_time *times;       /* [g->n], added to; NULL: not measured. Not with a team */
};

struct backend {
	const char *name, *brief;
	/*
	 * Opens a context. conf NULL: all defaults. The team (NULL: none) helps in every call. NULL
	 * after error() when the backend cannot compute this graph with this conf.
	 */
	void *(*open)(const struct graph *g, const struct backend_conf *conf, size_t max_batch,
		      struct team *team);
	/*
	 * Training-mode forward pass, and backward pass of the mean loss (g->loss).
	 * images[n][h][w][c], labels[n][graph_labels()], dropout masks by draws at (seed,
	 * RNG_DROPOUT, layer, use) for each sample (use NULL: no dropout). g[dim] is overwritten;
	 * the hook (NULL: none) receives its parts. Returns the mean loss.
	 */
	double (*grad)(void *ctx, const float *x, size_t n, const float *images,
		       const int32_t *labels, uint64_t seed, const uint64_t *use, float *g,
		       struct grad_hook *hook);
	/*
	 * One stage of grad(), for a graph that can be cut (graph_cut()): HEAD reads no images and
	 * writes g[at, dim), BACKWARD reads no labels and writes g[0, at), FORWARD does neither.
	 */
	double (*stage)(void *ctx, const struct stage_data *s, const float *x, size_t n,
			const float *images, const int32_t *labels, uint64_t seed,
			const uint64_t *use, float *g);
	/* Training-mode forward, no dropout; stats[stats_dim] <- this batch's mean, variance. */
	void (*stats)(void *ctx, const float *x, size_t n, const float *images, float *stats);
	/* Evaluation-mode forward with given statistics; logits[n][targets][classes]. */
	void (*logits)(void *ctx, const float *x, const float *stats, size_t n,
		       const float *images, float *logits);
	/*
	 * Sets the memory of a net that later calls of grad() and logits() read and write
	 * (core/gradient.h); *carried is copied. Before the first call, and for rows = 0, the
	 * memory is empty.
	 */
	void (*carry)(void *ctx, const struct carried *carried);
	/*
	 * True when a call failed, after error(): results since then are invalid. NULL: none can
	 * fail.
	 */
	bool (*failed)(const void *ctx);
	void (*close)(void *ctx);
	/*
	 * Precision that is used by default if `asked` is asked for: f32 instead of bf16 if that is
	 * refused, which it notes once.
	 */
	enum precision (*precision)(enum precision asked);
	/* NULL: bf16 is the default precision for bf16; else the reason why f32 is. */
	const char *(*no_bf16)(void);
	/* NULL: precision p can be forced (backend_conf.decided); else the reason why it cannot. */
	const char *(*cannot)(enum precision p);
	/*
	 * FLOP/s of the library's best large product of matrices on the calling thread, measured in
	 * about a second, to compare a net's rate with. Several threads may call it at the same
	 * time. 0 if the library does not have the precision.
	 */
	double (*peak)(enum precision precision);
};

extern const struct backend backend_onednn, backend_openblas;
extern const struct backend *const backend_table[];     /* NULL-ended; the default first */

static inline size_t size_least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static inline size_t size_most(size_t a, size_t b)
{
	return a > b ? a : b;
}

/* Tells the hook that the gradient of this layer's parameters, if it has any, is final. */
static inline void layer_done(const struct layer *l, struct grad_hook *hook)
{
	grad_done(hook, layer_first(l), layer_first(l) + l->weights + l->biases);
}

/* backend->failed(), which may be NULL. */
static inline bool backend_failed(const struct backend *b, const void *ctx)
{
	return b->failed && b->failed(ctx);
}
/* The backend of that name, or NULL after error() naming the nearest. */
const struct backend *backend_find(const char *name);

/*
 * Returns the mean loss of logits[n][classes]; dlogits[n][classes] <- its gradient (may be NULL).
 */
double softmax_loss(size_t n, int classes, const float *logits, const int32_t *labels,
		    float *dlogits);

/*
 * Returns the mean loss, by g->loss, of outputs[n][classes] for labels[n][graph_labels() of a
 * token]; slope[n][classes] <- its gradient (may be NULL).
 */
double loss_of(const struct graph *g, size_t n, const float *outputs, const int32_t *labels,
	       float *slope);

/*
 * Adds the rows of outputs[rows][classes] that have a label to a score. With mean squared error no
 * answer is right or wrong: correct is -1.
 */
void loss_score(const struct graph *g, size_t rows, const float *outputs, const int32_t *labels,
		struct score *score);

/*
 * mask[n][count] <- 0 or 1 / (1 - rate), drawn at (seed, RNG_DROPOUT, layer, use[i]) for sample i,
 * so that all backends drop the same units.
 */
void dropout_mask(size_t n, size_t count, double rate, uint64_t seed, int layer,
		  const uint64_t *use, float *mask);

/*
 * mask[count] <- the mask of units first .. first + count - 1 for one sample, whose use is `use`.
 * The address is the layer, or attention_address().
 */
void dropout_units(size_t first, size_t count, double rate, uint64_t seed, uint32_t address,
		   uint64_t use, float *mask);

/* Address of the draws for query i of a head: one unit for each key. */
static inline uint32_t attention_address(const struct layer *l, int layer, int head, int i)
{
	return (uint32_t)layer | (uint32_t)(head * l->is.h + i + 1) << 14;
}

/* ---- the rate of a large product of square matrices: for peak() ---- */

enum { PEAK_SIDE = 1536 };      /* of the matrices: a product is 2 * 1536^3 = 7.2 GFLOP */

/*
 * Median FLOP/s of several calls of multiply(arg), each one product, in about a second. The median
 * is robust when other threads, which measure too, begin later.
 */
double peak_measure(void (*multiply)(void *arg), void *arg);

/* A vector of n numbers in [-1, 1), the same each time; the caller frees with free(). */
float *peak_matrix(size_t n);

/* The backends' peak(). */
double onednn_peak(enum precision precision);
double openblas_peak(enum precision precision);

/* ---- support of bf16, decided by the kind of processor, never by a measurement ---- */

struct bf16_facts {             /* facts about a processor, as far as the library uses it */
	const char *vendor;     /* from CPUID, "GenuineIntel"; "": unknown */
	bool instructions;      /* AVX512_BF16 */
	bool matrix_units;      /* AMX, with bf16 */
};

enum bf16_wish { BF16_AUTO, BF16_ON, BF16_OFF };

/* Value of CONVOY_BF16: unset or empty, on, off; or -1 after error(). */
int bf16_wish(void);

/*
 * NULL: bf16 is used; else the reason to use f32. Intel's vdpbf16ps executes a quarter as often as
 * the f32 multiply-add, so that it does half the operations a second; only AMX is faster than f32.
 * AMD's, since Zen 4, does twice the operations.
 */
const char *bf16_refused(const struct bf16_facts *f, enum bf16_wish wish);

/* Vendor from CPUID, 12 characters; "" on other processors. */
void bf16_vendor(char vendor[13]);

#endif
