/*
 * gradient_rate.c - how many samples a second a backend differentiates.
 *
 * Each thread has a context and a batch of its own. Helpers have neither: they
 * join the gradients of the others, as idle threads of a pool do.
 */
#include "runner/estimate/gradient_rate.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/math/median.h"
#include "core/pool/thread_group.h"
#include "nets/nets.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { WARM = 3, LEAST = 2, MOST = 1 << 16 };   /* gradients before, and timed */

struct data {
	float *x, *g, *images;
	int32_t *labels;
	uint64_t *use;
};

struct rig {
	struct rate_case *c;
	double seconds;
	struct thread_group group;
	bool closing;                   /* under the group's lock */
	pthread_barrier_t ready;
};

struct runner {
	struct rig *rig;
	struct team team;
	double *times;                  /* [MOST] seconds of each gradient */
	size_t n;
	bool failed;
};

static void data_init(struct data *d, const struct graph *g, size_t batch)
{
	const size_t values = (size_t)g->input.h * (size_t)g->input.w * (size_t)g->input.c;

	*d = (struct data){ vec_new(g->dim), vec_new(g->dim), vec_new(batch * values),
			    xcalloc(batch * (size_t)g->targets, sizeof(int32_t)),
			    xcalloc(batch, sizeof(uint64_t)) };
	graph_init(g, 1, d->x);
	graph_draw_batch(g, 1, batch, d->images, d->labels);
	for (size_t i = 0; i < batch; i++)
		d->use[i] = i;
}

static void data_release(struct data *d)
{
	free(d->x);
	free(d->g);
	free(d->images);
	free(d->labels);
	free(d->use);
}

static double one_gradient(const struct rate_case *c, void *ctx, const struct data *d)
{
	double from = clock_s();

	c->backend->grad(ctx, d->x, c->batch, d->images, d->labels, 1, d->use, d->g, NULL);
	return clock_s() - from;
}

/* Fewer where one gradient is a good part of the time there is. */
static void warm_up(struct runner *r, void *ctx, const struct data *d)
{
	const struct rate_case *c = r->rig->c;
	double first = one_gradient(c, ctx, d);

	for (int i = 1; i < WARM && first < r->rig->seconds / 4; i++)
		one_gradient(c, ctx, d);
	if (c->conf.times)
		memset(c->conf.times, 0, (size_t)c->graph->n * sizeof(*c->conf.times));
}

static void time_gradients(struct runner *r, void *ctx, const struct data *d)
{
	double end = clock_s() + r->rig->seconds;

	while (r->n < MOST && (r->n < LEAST || clock_s() < end))
		r->times[r->n++] = one_gradient(r->rig->c, ctx, d);
}

/* All threads begin when the last one was started; none where one could not be. */
static bool thread_is_unwanted(struct rig *rig)
{
	bool closing;

	pthread_mutex_lock(&rig->group.lock);
	closing = rig->closing;
	pthread_mutex_unlock(&rig->group.lock);
	return closing;
}

static void *gradient_rate_run(void *arg)
{
	struct runner *r = arg;
	const struct rate_case *c = r->rig->c;
	struct data d;
	void *ctx;

	if (thread_is_unwanted(r->rig))
		return NULL;
	ctx = c->backend->open(c->graph, &c->conf, c->batch, c->team > 1 ? &r->team : NULL);
	r->failed = !ctx;
	data_init(&d, c->graph, c->batch);
	if (ctx)
		warm_up(r, ctx, &d);
	pthread_barrier_wait(&r->rig->ready);
	if (ctx) {
		time_gradients(r, ctx, &d);
		r->failed = backend_failed(c->backend, ctx);
		c->backend->close(ctx);
	}
	data_release(&d);
	return NULL;
}

static void *gradient_rate_help(void *arg)
{
	struct rig *rig = arg;
	struct thread_group *group = &rig->group;

	pthread_mutex_lock(&group->lock);
	while (!rig->closing) {
		if (thread_group_help(group))
			continue;
		group->idle++;
		pthread_cond_wait(&group->wake, &group->lock);
		group->idle--;
	}
	pthread_mutex_unlock(&group->lock);
	return NULL;
}

static int gradient_rate_collect(struct rate_case *c, struct runner *runners)
{
	struct rusage usage;

	for (int i = 0; i < c->threads; i++) {
		struct runner *r = &runners[i];

		if (r->failed)
			return -1;
		c->rate += (double)c->batch / median_of(r->times, r->n);
		c->gradients += (int64_t)r->n;
	}
	for (int i = 0; c->times && i < c->graph->n; i++) {
		c->times[i].forward /= (double)c->gradients;
		c->times[i].backward /= (double)c->gradients;
	}
	getrusage(RUSAGE_SELF, &usage);
	c->memory = 1024 * (double)usage.ru_maxrss;
	c->done = true;
	return 0;
}

/*
 * Starts those that take gradients first, then the helpers, which all wait for the group's lock
 * meanwhile. Returns how many could be started.
 */
static int start_threads(struct rig *rig, struct runner *runners, pthread_t *ids, int all)
{
	int n = 0, rc = 0;

	pthread_mutex_lock(&rig->group.lock);
	for (; n < all && !rc; n += !rc)
		rc = n < rig->c->threads ?
			     pthread_create(&ids[n], NULL, gradient_rate_run, &runners[n]) :
			     pthread_create(&ids[n], NULL, gradient_rate_help, rig);
	rig->closing = n < all;
	pthread_mutex_unlock(&rig->group.lock);
	return n;
}

/* 0, or error(). */
static int run_all(struct rig *rig, struct runner *runners)
{
	const int n = rig->c->threads, all = n * rig->c->team;
	pthread_t *ids = xcalloc((size_t)all, sizeof(*ids));
	const int started = start_threads(rig, runners, ids, all);

	for (int i = 0; i < n && i < started; i++)
		pthread_join(ids[i], NULL);
	pthread_mutex_lock(&rig->group.lock);
	rig->closing = true;
	pthread_cond_broadcast(&rig->group.wake);
	pthread_mutex_unlock(&rig->group.lock);
	for (int i = n; i < started; i++)
		pthread_join(ids[i], NULL);
	free(ids);
	return started < all ? error("cannot start thread %d of %d", started + 1, all) : 0;
}

int rate_measure(struct rate_case *c, double seconds)
{
	struct rig rig = { .c = c, .seconds = seconds };
	struct runner *runners = xcalloc((size_t)c->threads, sizeof(*runners));
	int ret;

	c->conf.times = c->times;
	thread_group_init(&rig.group, c->threads * c->team);
	pthread_barrier_init(&rig.ready, NULL, (unsigned)c->threads);
	for (int i = 0; i < c->threads; i++) {
		runners[i].rig = &rig;
		runners[i].times = xcalloc(MOST, sizeof(*runners[i].times));
		team_init(&runners[i].team, &rig.group);
	}
	ret = run_all(&rig, runners);
	if (ret == 0)
		ret = gradient_rate_collect(c, runners);
	for (int i = 0; i < c->threads; i++) {
		team_release(&runners[i].team);
		free(runners[i].times);
	}
	pthread_barrier_destroy(&rig.ready);
	thread_group_release(&rig.group);
	free(runners);
	return ret;
}
