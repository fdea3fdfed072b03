/* Evaluates a model on a split through the pool, with statistics of training batches. */
#include "core/pool/pool.h"

#include "core/base/mem.h"

#include <math.h>
#include <stdlib.h>

static void eval_merge(struct pool *p, int n, const struct job *jobs, float *stats)
{
	const float **each = xcalloc((size_t)n, sizeof(*each));

	for (int k = 0; k < n; k++)
		each[k] = jobs[k].out;
	p->problem->ops->merge(p->problem, n, each, stats);
	free(each);
}

/*
 * The statistics of `n` training batches at x, taken together. Which batches
 * they are depends on the run's seed only, so that all models are measured alike.
 */
static float *estimate_stats(struct pool *p, const float *x, int n)
{
	const size_t dim = p->problem->stats_dim;
	struct job *jobs;
	float *stats;

	if (!dim)
		return NULL;
	jobs = xcalloc((size_t)n, sizeof(*jobs));
	stats = vec_new(dim);
	for (int k = 0; k < n; k++) {
		jobs[k] = (struct job){ .kind = JOB_STATS, .x = x, .model = p->models, .index = k,
					.out = vec_new(dim) };
		pool_submit(p, &jobs[k]);
	}
	for (int k = 0; k < n; k++)
		pool_wait(p, &jobs[k]);
	eval_merge(p, n, jobs, stats);
	for (int k = 0; k < n; k++)
		free(jobs[k].out);
	free(jobs);
	return stats;
}

static struct score sum_scores(struct pool *p, const float *x, const float *stats,
			       enum split split, int64_t n)
{
	const size_t njobs = (size_t)((n + EVAL_BATCH - 1) / EVAL_BATCH);
	struct job *jobs = xcalloc(njobs, sizeof(*jobs));
	struct score sum = { 0 };

	for (size_t k = 0; k < njobs; k++) {
		int64_t first = (int64_t)k * EVAL_BATCH;
		int64_t left = n - first;

		jobs[k] = (struct job){ .kind = JOB_SCORE, .x = x, .model = p->models,
					.stats = stats, .split = split, .first = first,
					.n = (size_t)(left < EVAL_BATCH ? left : EVAL_BATCH) };
		pool_submit(p, &jobs[k]);
	}
	for (size_t k = 0; k < njobs; k++) {
		pool_wait(p, &jobs[k]);
		sum.loss += jobs[k].score.loss;
		sum.n += jobs[k].score.n;
		if (jobs[k].score.correct < 0)
			sum.correct = -1;
		else if (sum.correct >= 0)
			sum.correct += jobs[k].score.correct;
	}
	free(jobs);
	return sum;
}

void evaluate(struct pool *p, const float *x, enum split split, int64_t limit, int stat_batches,
	      double *loss, double *accuracy)
{
	const int64_t all = p->problem->n[split];
	const int64_t n = limit > 0 && limit < all ? limit : all;
	struct score sum;
	float *stats;

	p->models++;
	stats = estimate_stats(p, x, stat_batches);
	sum = sum_scores(p, x, stats, split, n);
	free(stats);
	*loss = sum.n ? sum.loss / (double)sum.n : (double)NAN;
	/* A score of NaN is no hit and no miss: it has no largest class. */
	*accuracy = sum.n && sum.correct >= 0 && !isnan(sum.loss) ?
			    (double)sum.correct / (double)sum.n : (double)NAN;
}
