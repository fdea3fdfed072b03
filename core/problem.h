/*
 * problem.h - the function to minimise: f(x) over a flat vector x.
 *
 * A gradient is a pure function of (x, batch) and, for nets with memory, of what the batch before
 * it left (gradient.h). There is no hidden state, so it can be computed on any thread, in any
 * order, and replayed. Batch-norm statistics for evaluation are re-estimated from training batches.
 */
#ifndef CORE_PROBLEM_H
#define CORE_PROBLEM_H

#include "core/gradient.h"
#include "core/metric.h"
#include "core/pool/team.h"
#include "core/samples/batch.h"
#include "core/samples/dataset.h"

enum { SCORE_MARKED = 128 };    /* samples of a score whose answers are marked */

struct score {
	double loss;            /* sum over samples */
	int64_t correct;        /* top-1; -1 when the problem has no classes */
	int64_t n;
	uint64_t right[SCORE_MARKED / 64];      /* bit i % 64 of [i / 64]: sample first + i is
						 * correct; only if problem.data is not 0 */
	double metric[METRICS_MOST];            /* sums, of the problem's metrics */
};

struct blob {                   /* a named part of x, for layer-wise optimisers and exports */
	char name[64];
	size_t offset, count;   /* floats */
	bool decay;             /* weight decay applies */
	int shape[4], rank;
	bool hidden;            /* a matrix that neither reads the input nor gives the output */
	bool embedding;         /* a table with a row for each token or position */
};

struct problem {
	const struct problem_ops *ops;
	char name[64];
	size_t dim;             /* floats of x */
	size_t stats_dim;       /* floats of batch-norm statistics; 0: none */
	int64_t n[2];           /* samples of each split; n[SPLIT_TEST] may be 0 */
	struct cut cut;         /* where a gradient may be cut into stages */
	bool tokens;            /* losses are per token of a text */
	uint64_t data;          /* digest of a data set of one label a sample; 0: another one */
	bool streams;           /* batches are read as parallel streams (batch.h) */
	struct carry carry;     /* memory carried from a gradient to the next one of its streams */
	int ahead;              /* batches to announce for each thread; 0: none */
	int accumulate;         /* parts of a batch, computed one after the other; 0: one */
	size_t nblobs;
	const struct blob *blobs;       /* [nblobs], owned by the problem */
	int metrics;            /* numbers that a score has with the loss, and their keys */
	char metric[METRICS_MOST][METRIC_KEY];
	void *priv;
};

struct problem_ops {
	/* Initial x [dim] for a seed. */
	void (*init)(const struct problem *p, uint64_t seed, float *x);
	/*
	 * Working memory for one thread, for batches up to max_batch. The team (NULL: none) may
	 * help that thread. Freed by scratch_free().
	 */
	void *(*scratch_new)(const struct problem *p, size_t max_batch, struct team *team);
	void (*scratch_free)(const struct problem *p, void *scratch);
	/*
	 * g[dim] <- gradient of the batch's mean loss at x[dim]; returns that loss. The hook
	 * receives parts of g as soon as they are final; NULL: no hook.
	 * hook receives parts as they are final; NULL: none.
	 */
	double (*grad)(const struct problem *p, void *scratch, const float *x,
		       const struct batch *b, float *g, struct grad_hook *hook);
	/* Sets the memory that the next grad() reads and writes; only if carry.floats is not 0. */
	void (*carry)(const struct problem *p, void *scratch, const struct carried *carried);
	/*
	 * Computes one stage of grad(), bit-identical to that part of it: HEAD writes g[at, dim)
	 * and returns the loss, BACKWARD writes g[0, at), FORWARD nothing of g. Only for a problem
	 * that can be cut.
	 */
	double (*stage)(const struct problem *p, void *scratch, const struct stage_data *s,
			const float *x, const struct batch *b, float *g);
	/* stats[stats_dim] <- statistics of this training batch at x. */
	void (*stats)(const struct problem *p, void *scratch, const float *x,
		      const struct batch *b, float *stats);
	/* stats[stats_dim] <- the statistics each[n][stats_dim] of n equal batches, combined. */
	void (*merge)(const struct problem *p, int n, const float *const *each, float *stats);
	/*
	 * Loss and correct answers over samples first .. first + n - 1 of a split; n <= max_batch.
	 */
	struct score (*score)(const struct problem *p, void *scratch, const float *x,
			      const float *stats, enum split split, int64_t first, size_t n);
	/*
	 * Announces a batch: it will surely, or likely, be asked for. False when there is no memory
	 * for more. Called only if `ahead` is not 0; never waits for data.
	 */
	bool (*expect)(const struct problem *p, enum split split, const struct batch *b,
		       bool sure);
	/* Seconds that threads have spent on getting batches so far; NULL: none. */
	double (*data_s)(const struct problem *p);
	/*
	 * True when a call failed, after error(): results since then are invalid. NULL: none can
	 * fail.
	 */
	bool (*failed)(const struct problem *p);
	void (*close)(struct problem *p);       /* frees everything, p too */
};

#endif
