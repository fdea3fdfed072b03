/* Jobs of any pool: how one is computed, and weighted gradients. */
#include "core/pool/pool.h"

#include "core/base/mem.h"
#include "core/math/vec.h"
#include "core/samples/ahead.h"

#include <math.h>

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
	scoped_by(job_batch_release) struct batch b = job_batch(s, j);
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
