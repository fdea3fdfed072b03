/*
 * pool.h - jobs that any thread, or any rank, may compute.
 *
 * A job is data, not a function, so that it can be sent. Parallelism is across
 * jobs; where there are fewer than threads, idle threads help within one
 * (core/pool/team.h). Results do not depend on which thread computed
 * them nor in which order: that is the whole point.
 */
#ifndef CORE_POOL_POOL_H
#define CORE_POOL_POOL_H

#include "core/gradient.h"
#include "core/problem.h"

enum { EVAL_BATCH = 128 };      /* samples of one JOB_STATS, and of one JOB_SCORE at most */

enum job_kind { JOB_GRAD, JOB_STATS, JOB_SCORE };

struct job {
	enum job_kind kind;
	const float *x;         /* [dim], borrowed until the job is waited for */
	uint64_t model;         /* jobs of the same number have the same x; 0: no such number */
	int rank;               /* GRAD: whose minibatch ... */
	int64_t index;          /* ... and which; STATS: which of its own batches */
	const float *stats;     /* SCORE: [stats_dim] */
	enum split split;       /* SCORE: which samples */
	int64_t first;
	size_t n;
	/* GRAD: a stage of it; NULL: all. Borrowed as x is, and so are its vectors. */
	const struct stage_data *stage;
	struct carried carried; /* GRAD, of a net with memory: borrowed as x is */
	float *out;             /* GRAD: g[dim], weighed (slice.h); STATS: stats[stats_dim] */
	struct grad_hook *hook; /* GRAD: receives parts of g, on the pool's threads; may be NULL */
	double loss;            /* GRAD, result: mean loss; in stages: the head's */
	struct score score;     /* SCORE, result */
	int state;              /* the pool's own */
	struct job *next;       /* the pool's own */
};

struct pool {
	const struct pool_ops *ops;
	const struct problem *problem;
	struct sampler sampler;
	int width;              /* jobs that run at once */
	uint64_t models;        /* numbers given out for job.model */
};

struct pool_ops {
	void (*submit)(struct pool *p, struct job *j);  /* returns at once */
	void (*wait)(struct pool *p, struct job *j);    /* until done; once for every job */
	/* As wait, but no longer than so many seconds; false when it is not done by then. */
	bool (*wait_for)(struct pool *p, struct job *j, double seconds);
	bool (*withdraw)(struct pool *p, struct job *j);
	struct job *(*take)(struct pool *p, double seconds);
	void (*done)(struct pool *p, struct job *j);
	void (*give_back)(struct pool *p, struct job *j);
	double (*gradient_s)(struct pool *p);
	void (*free)(struct pool *p);
};

/* Compute threads over a problem; NULL after error(). pool_free() ends them. */
struct pool *pool_threads(const struct problem *problem, const struct sampler *sampler,
			  int threads);

void pool_submit(struct pool *p, struct job *j);
void pool_wait(struct pool *p, struct job *j);

/* True once the job is done, for which it waits so many seconds at most; then as pool_wait(). */
bool pool_wait_for(struct pool *p, struct job *j, double seconds);

/* True when no thread had begun the job: then it is not computed, and need not be waited for. */
bool pool_withdraw(struct pool *p, struct job *j);
void pool_free(struct pool *p);

/*
 * For a thread that computes elsewhere: a job that waits though every thread has one, if such a job
 * is there or comes within so many seconds; NULL: none. Once its results are in place it is given
 * back by pool_done(); not computed, by pool_return(), and is the next again.
 */
struct job *pool_take(struct pool *p, double seconds);
void pool_done(struct pool *p, struct job *j);
void pool_return(struct pool *p, struct job *j);

/*
 * Whether a job could not be computed, or read ahead for, after error(). Results since count for
 * nothing: the run has to end. NULL: false.
 */
bool pool_failed(const struct pool *p);

/* Seconds that threads spent on getting batches so far, all taken together. */
double pool_data_s(const struct pool *p);

/*
 * Real seconds from a gradient's begin to its end, the median of the latest ones; of unequal
 * batches, as long as one of the mean size would take. NaN: none yet.
 */
double pool_gradient_s(struct pool *p);

/* Runs one job here and now with the given scratch: what every pool's worker does. */
void job_run(const struct problem *problem, const struct sampler *sampler, void *scratch,
	     struct job *j);

/*
 * Evaluates x: statistics re-estimated over `stat_batches` training batches,
 * then the first `limit` samples (0: all) of a split. Jobs run on the pool, under one
 * number of a model, and all are over when it returns; sums are taken in a fixed order.
 * mean loss -> *loss, accuracy in [0, 1] -> *accuracy (NaN when the problem has no classes).
 */
void evaluate(struct pool *p, const float *x, enum split split, int64_t limit, int stat_batches,
	      double *loss, double *accuracy);

/* ---- a gradient times what it counts, part by part while the rest is being computed ---- */

struct weigher {
	struct grad_hook hook;  /* first: a problem hands us its address */
	struct grad_hook *next; /* receives parts once they are weighed; may be NULL */
	float *g;               /* the gradient */
	float weight;
};

/*
 * The hook for a problem that computes g, instead of `next`: g <- weight g, and parts are
 * handed on. For a weight of 1 it is `next` itself. *w lives as long as that.
 */
struct grad_hook *weigh(struct weigher *w, struct grad_hook *next, float *g, double weight);

#endif
