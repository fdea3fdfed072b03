/* The reference's passes on threads, and how far they are. */
#include "study/check/check.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "nets/nets.h"
#include "nets/reference/reference.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct job {
	void *(*work)(void *arg);
	void *arg;
	atomic_int left;                /* threads that have not ended */
	double macs;                    /* of the whole check */
};

/* Passes forward that all is worth: gradient, statistics and logits of the batch, differences. */
static double check_work_passes(const struct check *c)
{
	return 3 + 1 + (c->graph->stats_dim ? 1 : 0) + check_difference_passes(c) +
	       c->more_passes;
}

static void check_work_show(struct check *c, const struct job *job)
{
	progress_show(&c->progress, 0, fmin((double)reference_macs() / job->macs, 0.99), 0);
}

static void *check_work_run(void *arg)
{
	struct job *job = arg;

	job->work(job->arg);
	atomic_fetch_sub(&job->left, 1);
	return NULL;
}

void check_work(struct check *c, int threads, void *(*work)(void *arg), void *arg)
{
	const double pass = (double)graph_macs(c->graph) * (double)c->n;
	struct job job = { .work = work, .arg = arg, .macs = pass * check_work_passes(c) };
	pthread_t *ids = xcalloc((size_t)threads, sizeof(*ids));

	atomic_init(&job.left, threads);
	for (int i = 0; i < threads; i++)
		if (pthread_create(&ids[i], NULL, check_work_run, &job))
			die("cannot start a thread");
	while (atomic_load(&job.left) > 0) {
		check_work_show(c, &job);
		clock_sleep(0.02);
	}
	for (int i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
	free(ids);
}
