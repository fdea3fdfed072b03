/* Lists the batches that queued and next jobs will need, and tells the loader. */
#include "core/samples/ahead.h"

#include "core/base/mem.h"

#include <stdlib.h>

void ahead_note(struct ahead *a, const struct job *begun)
{
	size_t kept = 0;

	if (begun->kind != JOB_GRAD)
		return;
	for (size_t i = 0; i < a->n; i++)
		if (a->later[i].rank != begun->rank)
			a->later[kept++] = a->later[i];
	a->n = kept;
	if (a->n < AHEAD_MOST)
		a->later[a->n++] = (struct job){ .kind = JOB_GRAD, .rank = begun->rank,
						 .index = begun->index + 1 };
}

size_t ahead_list(const struct ahead *a, const struct job *queue, struct job *list, size_t most,
		  size_t *sure)
{
	size_t n = 0;

	for (; queue && n < most; queue = queue->next)
		list[n++] = *queue;
	*sure = n;
	for (size_t i = 0; i < a->n && n < most; i++)
		list[n++] = a->later[i];
	return n;
}

void ahead_announce(const struct problem *problem, const struct sampler *sampler,
		    const struct job *list, size_t n, size_t sure)
{
	bool accepted = true;

	for (size_t i = 0; i < n && accepted; i++) {
		scoped_by(job_batch_release) struct batch b = job_batch(sampler, &list[i]);
		enum split split = list[i].kind == JOB_SCORE ? list[i].split : SPLIT_TRAIN;

		accepted = problem->ops->expect(problem, split, &b, i < sure);
	}
}

/*
 * Sampler for statistics: its batch size does not depend on the run's, so that accuracies of runs
 * with different batches can be compared.
 */
static struct sampler stats_sampler(const struct sampler *s)
{
	struct sampler own = *s;

	own.workers = 1;
	own.slice = NULL;
	own.part = NULL;
	own.size = s->samples < EVAL_BATCH ? (size_t)s->samples : EVAL_BATCH;
	return own;
}

static struct batch score_batch(const struct job *j)
{
	int64_t *sample = xcalloc(j->n, sizeof(*sample));

	for (size_t i = 0; i < j->n; i++)
		sample[i] = j->first + (int64_t)i;
	return (struct batch){ .n = j->n, .sample = sample };
}

struct batch job_batch(const struct sampler *sampler, const struct job *j)
{
	const struct sampler s = j->kind == JOB_STATS ? stats_sampler(sampler) : *sampler;
	size_t n;
	int64_t *sample;
	uint64_t *use;

	if (j->kind == JOB_SCORE)
		return score_batch(j);
	n = sampler_size(&s, j->rank);
	sample = xcalloc(n, sizeof(*sample));
	use = xcalloc(n, sizeof(*use));
	sampler_batch(&s, j->rank, j->index, sample, use);
	return (struct batch){ n, sample, use, s.seed };
}

void job_batch_release(struct batch *b)
{
	free((void *)(uintptr_t)b->sample);
	free((void *)(uintptr_t)b->use);
	*b = (struct batch){ 0 };
}
