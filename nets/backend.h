/*
 * backend.h - compute backends: the operators of a net.
 *
 * A context belongs to one thread, which idle ones may help (core/pool/team.h), and to
 * batches of up to max_batch; it keeps
 * every activation it needs and allocates nothing inside a call, save what onednn
 * builds for a batch size when it first sees it, and keeps. The same (x, batch)
 * is bit-identical whichever context or thread computes it.
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

/* How openblas makes a convolution a product of matrices (Caffe con Troll). */
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
	bool decided;                   /* in that, whatever the default is (backend->precision) */
	enum lowering lowering;         /* openblas */
	int partitions;                 /* openblas: parts of a batch; 0: as many as suit the net */
	bool unfused;                   /* openblas: a partition is lowered as a whole */
	struct layer_time *times;       /* [g->n], added to; NULL: none. Not with a team */
};

struct backend {
	const char *name, *brief;
	/*
	 * conf NULL: all defaults. The team helps in every call; NULL: none.
	 * NULL after error() when the backend cannot run this graph so.
	 */
	void *(*open)(const struct graph *g, const struct backend_conf *conf, size_t max_batch,
		      struct team *team);
	/*
	 * Forward in training mode and backward of the mean softmax cross-entropy.
	 * images[n][h][w][c], labels[n][targets], masks by draws at (seed, RNG_DROPOUT,
	 * layer, use) for each sample (use NULL: no dropout). g[dim] is
	 * overwritten; the hook (NULL: none) receives its parts. Returns the mean loss.
	 */
	double (*grad)(void *ctx, const float *x, size_t n, const float *images,
		       const int32_t *labels, uint64_t seed, const uint64_t *use, float *g,
		       struct grad_hook *hook);
	/*
	 * A stage of the same, of a graph that can be cut (graph_cut()): HEAD reads no images
	 * and writes g[at, dim), BACKWARD reads no labels and writes g[0, at), FORWARD neither.
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
	 * What the calls of grad() and logits() from here on read and leave, of a net with memory
	 * (carried.h); copied. Until then, and for rows = 0, the memory is empty.
	 */
	void (*carry)(void *ctx, const struct carried *carried);
	/* Whether a call could not compute, after error(): no result since counts. NULL: never. */
	bool (*failed)(const void *ctx);
	void (*close)(void *ctx);
	/*
	 * What it computes in by default when that is asked: f32 where bf16 is refused, and says so
	 * once, by note().
	 */
	enum precision (*precision)(enum precision asked);
	/* NULL: bf16 is computed in bf16 by default; else why it is computed in f32. */
	const char *(*no_bf16)(void);
	/* NULL: it can be told to compute in that (backend_conf.decided); else why it cannot. */
	const char *(*cannot)(enum precision p);
	/*
	 * FLOP/s of this library's best large product of matrices on the calling thread,
	 * measured in about a second: what a net's rate is held against. Any number of threads
	 * at once. 0 where it has no such precision.
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

/* Tells the hook that the gradient's part of this layer, if it has any, is final. */
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

/* logits[n][classes] -> mean loss; dlogits[n][classes] <- its gradient (may be NULL). */
double softmax_loss(size_t n, int classes, const float *logits, const int32_t *labels,
		    float *dlogits);

/* Adds rows of a net's logits [rows][classes], those that have a label, to a score. */
void softmax_score(const struct graph *g, size_t rows, const float *logits, const int32_t *labels,
		   struct score *score);

/*
 * mask[n][count] <- 0 or 1 / (1 - rate), drawn at (seed, RNG_DROPOUT, layer,
 * use[i]) for sample i, so that both backends drop the same units.
 */
void dropout_mask(size_t n, size_t count, double rate, uint64_t seed, int layer,
		  const uint64_t *use, float *mask);

/*
 * mask[count] <- the same for a sample `use` alone, of its units from the first on. The address
 * is the layer, or what attention_address() gives.
 */
void dropout_units(size_t first, size_t count, double rate, uint64_t seed, uint32_t address,
		   uint64_t use, float *mask);

/* Where the probabilities of a head's query i are drawn, a unit for each key. */
static inline uint32_t attention_address(const struct layer *l, int layer, int head, int i)
{
	return (uint32_t)layer | (uint32_t)(head * l->is.h + i + 1) << 14;
}

/* ---- the rate of a large product of square matrices: for peak() ---- */

enum { PEAK_SIDE = 1536 };      /* of the matrices: a product is 2 * 1536^3 = 7.2 GFLOP */

/*
 * FLOP/s of multiply(arg), one product: by the median of several in about a second, so that
 * threads that measure at once are not judged by the moment before the others begin.
 */
double peak_measure(void (*multiply)(void *arg), void *arg);

/* A vector of n numbers in [-1, 1), the same each time; the caller frees with free(). */
float *peak_matrix(size_t n);

/* The backends' peak(). */
double onednn_peak(enum precision precision);
double openblas_peak(enum precision precision);

/* ---- in what precision=bf16 is computed: by what the processor is, never what it measures ---- */

struct bf16_facts {             /* of a processor, as far as the library uses it */
	const char *vendor;     /* CPUID's, "GenuineIntel"; "": not known */
	bool instructions;      /* AVX512_BF16 */
	bool matrix_units;      /* AMX, with bf16 */
};

enum bf16_wish { BF16_AUTO, BF16_ON, BF16_OFF };

/* What CONVOY_BF16 says: unset or empty, on, off; or -1 after error(). */
int bf16_wish(void);

/*
 * NULL: bf16 is computed in bf16. Else f32, and why. Intel's vdpbf16ps does a quarter of the
 * instructions a second that f32's multiply-add does, so half of the operations, and only AMX is
 * faster than f32; AMD's, since Zen 4, does twice the operations.
 */
const char *bf16_refused(const struct bf16_facts *f, enum bf16_wish wish);

/* The vendor that CPUID names, of 12 characters; "" on other processors. */
void bf16_vendor(char vendor[13]);

#endif
