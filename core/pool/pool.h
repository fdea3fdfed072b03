/*
 * pool.h - jobs that any thread, or any rank, may compute.
 *
 * A job is data, not a function, so that it can be sent to another rank. Parallelism is across
 * jobs; if there are fewer jobs than threads, idle threads help within a job (core/pool/team.h).
 * A patient job that is very short is computed by who waits for it: waking a thread takes longer.
 * Results do not depend on which thread computed a job, nor on the order of jobs.
 */
#ifndef CORE_POOL_POOL_H
#define CORE_POOL_POOL_H

#include "core/gradient.h"
#include "core/problem.h"
#include "core/samples/correct.h"

enum { EVAL_BATCH = 128 };      /* most samples of a JOB_STATS and of a JOB_SCORE */

enum job_kind { JOB_GRAD, JOB_STATS, JOB_SCORE };

struct job {
	enum job_kind kind;
	const float *x;         /* [dim], borrowed until the job is waited for */
	uint64_t model;         /* jobs with the same number have the same x; 0: no number */
	int rank;               /* GRAD: worker whose minibatch it is ... */
	int64_t index;          /* ... and index of the minibatch; STATS: index of its batch */
	const float *stats;     /* SCORE: [stats_dim] */
	enum split split;       /* SCORE: samples first .. first + n - 1 of this split */
	int64_t first;
	size_t n;
	/* GRAD: one stage of it, borrowed as x is, with its vectors; NULL: the whole gradient */
	const struct stage_data *stage;
	struct carried carried; /* GRAD, of a net with memory: borrowed as x is */
	float *out;             /* GRAD: g[dim], weighted (slice.h); STATS: stats[stats_dim] */
	struct grad_hook *hook; /* GRAD: receives parts of g, on the pool's threads; may be NULL */
	bool patient;           /* need not begin before pool_wait(), which is called for it */
	double loss;            /* GRAD, result: mean loss; in stages: the head's */
	struct score score;     /* SCORE, result */
	int state;              /* the pool's own */
	struct job *next, **link;       /* the pool's own */
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
	/* wait() for at most `seconds`; false when the job is not done by then */
	bool (*wait_for)(struct pool *p, struct job *j, double seconds);
	bool (*withdraw)(struct pool *p, struct job *j);
	struct job *(*take)(struct pool *p, double seconds);
	void (*done)(struct pool *p, struct job *j);
	void (*give_back)(struct pool *p, struct job *j);
	double (*gradient_s)(struct pool *p);
	void (*free)(struct pool *p);
};

/*
 * Starts compute threads for a problem; NULL after error(), also where the problem has failed by
 * the time that all threads have their working memory. pool_free() ends them.
 */
struct pool *pool_threads(const struct problem *problem, const struct sampler *sampler,
			  int threads);

void pool_submit(struct pool *p, struct job *j);
void pool_wait(struct pool *p, struct job *j);

/* pool_wait() for at most `seconds`; true once the job is done. */
bool pool_wait_for(struct pool *p, struct job *j, double seconds);

/* Withdraws a job that no thread has begun: true, and it must not be waited for; else false. */
bool pool_withdraw(struct pool *p, struct job *j);
void pool_free(struct pool *p);

/*
 * For a thread outside the pool: takes a job that all the pool's threads are too busy for, and
 * waits for one up to `seconds`; NULL: none. pool_done() returns the job with its results;
 * pool_return() returns it not computed, to be the next one again.
 */
struct job *pool_take(struct pool *p, double seconds);
void pool_done(struct pool *p, struct job *j);
void pool_return(struct pool *p, struct job *j);

/*
 * True when a job failed, or reading ahead for one, after error(). Results since then are invalid,
 * and the run has to end. p NULL: false.
 */
bool pool_failed(const struct pool *p);

/* Seconds that threads have spent on getting batches so far, added over threads. */
double pool_data_s(const struct pool *p);

/*
 * Median of the real seconds that the latest gradients took, scaled to a batch of the mean size if
 * batches are unequal. NaN: none yet.
 */
double pool_gradient_s(struct pool *p);

/* Runs one job in the calling thread with the given scratch. */
void job_run(const struct problem *problem, const struct sampler *sampler, void *scratch,
	     struct job *j);

/* ---- multiplies a gradient by its weight, part by part while the rest is being computed ---- */

struct weigher {
	struct grad_hook hook;  /* first member: the hook's address is that of the struct */
	struct grad_hook *next; /* receives parts once they are weighted; may be NULL */
	float *g;               /* the gradient */
	float weight;
};

/*
 * Hook to give to a problem that computes g, instead of `next`: g <- weight g, then `next` receives
 * the part. For weight 1 it is `next` itself. *w must live as long as the hook.
 */
struct grad_hook *weigh(struct weigher *w, struct grad_hook *next, float *g, double weight);

/* ---- evaluate.c ---- */

struct evaluation {             /* NaN: there is none */
	double loss;            /* mean */
	double accuracy;        /* in [0, 1]; only of a problem with classes */
	double metric[METRICS_MOST];    /* means, of the problem's metrics */
};

/*
 * Evaluates x: batch-norm statistics are re-estimated over `stat_batches` training batches, then
 * used for the first `limit` samples (0: all) of a split. The jobs run on the pool, under one model
 * number, and are done when the function returns; sums are in a fixed order. *correct <- which
 * samples are correct, to be released; none if there is no accuracy or problem.data is 0. NULL: not
 * wanted.
 */
struct evaluation evaluate(struct pool *p, const float *x, enum split split, int64_t limit,
			   int stat_batches, struct correct *correct);

#endif
