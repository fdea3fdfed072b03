/* Evaluates a model on a split through a pool, with batch-norm statistics of training batches. */
#include "core/pool/pool.h"

#include "core/base/mem.h"

#include <math.h>
#include <stdlib.h>

_Static_assert((int)EVAL_BATCH <= (int)SCORE_MARKED && EVAL_BATCH % 64 == 0,
	       "marks of a job are words");

static void eval_merge(struct pool *p, int n, const struct job *jobs, float *stats)
{
	scoped const float **each = xcalloc((size_t)n, sizeof(*each));

	for (int k = 0; k < n; k++)
		each[k] = jobs[k].out;
	p->problem->ops->merge(p->problem, n, each, stats);
}

/*
 * Batch-norm statistics of `n` training batches at x, combined. The batches depend on the run's
 * seed only, so that all models are measured with the same ones.
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

enum { JOBS_AT_ONCE = 4096 };   /* of an evaluation: they take a megabyte */

/* Adds the score of one job. right: NULL, or the samples that are correct are set in it. */
static void score_add(struct score *sum, const struct job *j, int metrics, struct correct *right)
{
	sum->loss += j->score.loss;
	sum->n += j->score.n;
	for (int i = 0; i < metrics; i++)
		sum->metric[i] += j->score.metric[i];
	if (j->score.correct < 0)
		sum->correct = -1;
	else if (sum->correct >= 0)
		sum->correct += j->score.correct;
	for (size_t w = 0; right && w < correct_words((int64_t)j->n); w++)
		right->word[(size_t)j->first / 64 + w] = j->score.right[w];
}

static struct score sum_scores(struct pool *p, const float *x, const float *stats,
			       enum split split, int64_t n, struct correct *right)
{
	const int64_t njobs = (n + EVAL_BATCH - 1) / EVAL_BATCH;
	scoped struct job *jobs = xcalloc((size_t)(njobs < JOBS_AT_ONCE ? njobs : JOBS_AT_ONCE),
					  sizeof(*jobs));
	struct score sum = { 0 };

	for (int64_t first = 0; first < n && !pool_failed(p);) {
		int count = 0;

		for (; count < JOBS_AT_ONCE && first < n; count++, first += EVAL_BATCH) {
			const int64_t left = n - first;

			jobs[count] = (struct job){
				.kind = JOB_SCORE, .x = x, .model = p->models, .stats = stats,
				.split = split, .first = first, .patient = true,
				.n = (size_t)(left < EVAL_BATCH ? left : EVAL_BATCH) };
			pool_submit(p, &jobs[count]);
		}
		for (int k = 0; k < count; k++) {
			pool_wait(p, &jobs[k]);
			score_add(&sum, &jobs[k], p->problem->metrics, right);
		}
	}
	return sum;
}

struct evaluation evaluate(struct pool *p, const float *x, enum split split, int64_t limit,
			   int stat_batches, struct correct *correct)
{
	const int64_t all = p->problem->n[split];
	const int64_t n = limit > 0 && limit < all ? limit : all;
	struct correct right = { 0 };
	struct evaluation e;
	struct score sum;
	float *stats;

	if (correct && p->problem->data)
		right = correct_new(n, p->problem->data);
	p->models++;
	stats = estimate_stats(p, x, stat_batches);
	sum = sum_scores(p, x, stats, split, n, right.n ? &right : NULL);
	free(stats);
	e.loss = sum.n ? sum.loss / (double)sum.n : (double)NAN;
	/* A NaN score counts neither as correct nor as wrong: it has no largest class. */
	e.accuracy = sum.n && sum.correct >= 0 && !isnan(sum.loss) ?
			     (double)sum.correct / (double)sum.n : (double)NAN;
	for (int i = 0; i < METRICS_MOST; i++)
		e.metric[i] = sum.n && i < p->problem->metrics ?
				      sum.metric[i] / (double)sum.n : (double)NAN;
	if (isnan(e.accuracy))
		correct_release(&right);
	if (correct)
		*correct = right;
	return e;
}
