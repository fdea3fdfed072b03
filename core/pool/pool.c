/* Jobs of any pool: how one is computed, weighted gradients, evaluations. */
#include "core/pool/pool.h"

#include "core/base/mem.h"
#include "core/math/vec.h"
#include "core/samples/ahead.h"

#include <math.h>
#include <stdlib.h>

_Static_assert((int)EVAL_BATCH <= (int)SCORE_MARKED && EVAL_BATCH % 64 == 0,
	       "marks of a job are words");

/* ---- a gradient hook that multiplies each piece by a weight as soon as it is computed ---- */

static void weigh_part(struct grad_hook *h, size_t from, size_t to)
{
	struct weigher *w = (struct weigher *)h;

	vec_scale(to - from, w->weight, w->g + from);
	grad_done(w->next, from, to);
}

struct grad_hook *weigh(struct weigher *w, struct grad_hook *next, float *g, double weight)
{
	if (weight >= 1.0 && weight <= 1.0)
		return next;
	*w = (struct weigher){ { weigh_part }, next, g, (float)weight };
	return &w->hook;
}

/* ---- computing a job, in any pool ---- */

static void run_on_batch(const struct problem *problem, const struct sampler *s, void *scratch,
			 struct job *j)
{
	struct batch b = job_batch(s, j);
	struct weigher w;

	if (j->kind == JOB_GRAD && problem->carry.floats)
		problem->ops->carry(problem, scratch, &j->carried);
	if (j->stage)
		j->loss = problem->ops->stage(problem, scratch, j->stage, j->x, &b, j->out);
	else if (j->kind == JOB_GRAD)
		j->loss = problem->ops->grad(problem, scratch, j->x, &b, j->out,
					     weigh(&w, j->hook, j->out,
						   sampler_weight(s, j->rank)));
	else
		problem->ops->stats(problem, scratch, j->x, &b, j->out);
	job_batch_release(&b);
}

void job_run(const struct problem *problem, const struct sampler *sampler, void *scratch,
	     struct job *j)
{
	switch (j->kind) {
	case JOB_GRAD:
	case JOB_STATS:
		run_on_batch(problem, sampler, scratch, j);
		break;
	case JOB_SCORE:
		j->score = problem->ops->score(problem, scratch, j->x, j->stats, j->split,
					       j->first, j->n);
		break;
	}
}

void pool_submit(struct pool *p, struct job *j)
{
	p->ops->submit(p, j);
}

void pool_wait(struct pool *p, struct job *j)
{
	p->ops->wait(p, j);
}

bool pool_wait_for(struct pool *p, struct job *j, double seconds)
{
	return p->ops->wait_for(p, j, seconds);
}

bool pool_withdraw(struct pool *p, struct job *j)
{
	return p->ops->withdraw(p, j);
}

struct job *pool_take(struct pool *p, double seconds)
{
	return p->ops->take(p, seconds);
}

void pool_done(struct pool *p, struct job *j)
{
	p->ops->done(p, j);
}

void pool_return(struct pool *p, struct job *j)
{
	p->ops->give_back(p, j);
}

bool pool_failed(const struct pool *p)
{
	return p && p->problem->ops->failed && p->problem->ops->failed(p->problem);
}

double pool_data_s(const struct pool *p)
{
	return p->problem->ops->data_s ? p->problem->ops->data_s(p->problem) : 0.0;
}

double pool_gradient_s(struct pool *p)
{
	return p->ops->gradient_s ? p->ops->gradient_s(p) : (double)NAN;
}

void pool_free(struct pool *p)
{
	if (p)
		p->ops->free(p);
}

/* ---- evaluates a model on a split through the pool, with statistics of training batches ---- */

static void eval_merge(struct pool *p, int n, const struct job *jobs, float *stats)
{
	const float **each = xcalloc((size_t)n, sizeof(*each));

	for (int k = 0; k < n; k++)
		each[k] = jobs[k].out;
	p->problem->ops->merge(p->problem, n, each, stats);
	free(each);
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
	struct job *jobs = xcalloc((size_t)(njobs < JOBS_AT_ONCE ? njobs : JOBS_AT_ONCE),
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
	free(jobs);
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
