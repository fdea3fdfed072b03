/*
 * gradient_rate.c - how many samples a second a backend differentiates, measured in a process of
 * its own, which answers through a pipe.
 *
 * Each thread has a context and a batch of its own. Helpers have neither: they join the gradients
 * of the others, as idle threads of a pool do.
 */
#include "runner/estimate/gradient_rate.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/base/process.h"
#include "core/base/thread.h"
#include "core/math/median.h"
#include "core/pool/thread_group.h"
#include "nets/nets.h"
#include "runner/signals.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

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

static double one_gradient(const struct rate_case *c, void *ctx, const struct data *d)
{
	double from = clock_s();

	c->backend->grad(ctx, d->x, c->batch, d->images, d->labels, 1, d->use, d->g, NULL);
	return clock_s() - from;
}

static void *rate_run(void *arg)
{
	struct runner *r = arg;
	struct rig *rig = r->rig;
	const struct rate_case *c = rig->c;
	const struct graph *g = c->graph;
	const size_t values = (size_t)g->input.h * (size_t)g->input.w * (size_t)g->input.c;
	struct data d;
	bool closing;
	double first, end;
	void *ctx;

	/* All threads begin when the last one was started; none where one could not be. */
	pthread_mutex_lock(&rig->group.lock);
	closing = rig->closing;
	pthread_mutex_unlock(&rig->group.lock);
	if (closing)
		return NULL;
	ctx = c->backend->open(g, &c->conf, c->batch, c->team > 1 ? &r->team : NULL);
	r->failed = !ctx;
	d = (struct data){ vec_new(g->dim), vec_new(g->dim), vec_new(c->batch * values),
			   xcalloc(c->batch * (size_t)g->targets, sizeof(int32_t)),
			   xcalloc(c->batch, sizeof(uint64_t)) };
	graph_init(g, 1, d.x);
	graph_draw_batch(g, 1, c->batch, d.images, d.labels);
	for (size_t i = 0; i < c->batch; i++)
		d.use[i] = i;
	if (ctx) {
		/* Fewer to warm up where one gradient is a good part of the time there is. */
		first = one_gradient(c, ctx, &d);
		for (int i = 1; i < WARM && first < rig->seconds / 4; i++)
			one_gradient(c, ctx, &d);
		if (c->conf.times)
			memset(c->conf.times, 0, (size_t)g->n * sizeof(*c->conf.times));
	}
	pthread_barrier_wait(&rig->ready);
	if (ctx) {
		end = clock_s() + rig->seconds;
		while (r->n < MOST && (r->n < LEAST || clock_s() < end))
			r->times[r->n++] = one_gradient(c, ctx, &d);
		r->failed = backend_failed(c->backend, ctx);
		c->backend->close(ctx);
	}
	free_all(d.x, d.g, d.images, d.labels, d.use);
	return NULL;
}

static void *rate_help(void *arg)
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

static int rate_collect(struct rate_case *c, struct runner *runners)
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

/* 0, or error(). */
static int run_all(struct rig *rig, struct runner *runners)
{
	const int n = rig->c->threads, all = n * rig->c->team;
	scoped pthread_t *ids = xcalloc((size_t)all, sizeof(*ids));
	int started = 0, rc = 0;

	/* Threads that take gradients first, then helpers; all wait for the lock meanwhile. */
	pthread_mutex_lock(&rig->group.lock);
	for (; started < all && !rc; started += !rc)
		rc = started < n ? thread_start(&ids[started], rate_run, &runners[started])
				 : thread_start(&ids[started], rate_help, rig);
	rig->closing = started < all;
	pthread_mutex_unlock(&rig->group.lock);
	for (int i = 0; i < n && i < started; i++)
		pthread_join(ids[i], NULL);
	pthread_mutex_lock(&rig->group.lock);
	rig->closing = true;
	pthread_cond_broadcast(&rig->group.wake);
	pthread_mutex_unlock(&rig->group.lock);
	for (int i = n; i < started; i++)
		pthread_join(ids[i], NULL);
	return started < all ? error("cannot start thread %d of %d", started + 1, all) : 0;
}

/* Fills a case's results; for a process that then ends. 0 or error(). */
static int rate_measure(struct rate_case *c, double seconds)
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
		ret = rate_collect(c, runners);
	for (int i = 0; i < c->threads; i++) {
		team_release(&runners[i].team);
		free(runners[i].times);
	}
	pthread_barrier_destroy(&rig.ready);
	thread_group_release(&rig.group);
	free(runners);
	return ret;
}

/* ---- in a process of its own ---- */

/* Answer of a child; the layers' times follow. */
struct answer {
	double rate, memory;
	int64_t gradients;
};

struct measurement {
	struct rate_case *c;
	double seconds;
};

static int measure_rate(void *arg, int fd)
{
	struct measurement *m = arg;
	struct rate_case *c = m->c;
	struct answer a;

	signals_end_with_parent(SIGNALS_PATIENCE_S);
	if (c->limit_s)
		alarm(c->limit_s);
	if (rate_measure(c, m->seconds))
		return EXIT_BAD;
	a = (struct answer){ c->rate, c->memory, c->gradients };
	if (process_write(fd, &a, sizeof(a)) < 0)
		return EXIT_DIE;
	if (c->times &&
	    process_write(fd, c->times, (size_t)c->graph->n * sizeof(*c->times)) < 0)
		return EXIT_DIE;
	return EXIT_OK;
}

struct ticker {
	void (*tick)(void *);
	void *arg;
};

static bool tick_on(void *arg)
{
	const struct ticker *t = arg;

	if (t->tick)
		t->tick(t->arg);
	return false;
}

/* Fills bytes[n] with what run() writes in a process of its own; -1: not all of it came. */
static int measure_apart(int (*run)(void *, int), void *arg, struct ticker ticker, void *bytes,
			 size_t n)
{
	const struct process_way way = { .run = run, .arg = arg };
	const struct process_limits limits = { .tick = tick_on, .arg = &ticker };
	struct process_answer a;
	struct process child;
	char how[96];
	bool ok;

	if (process_start(&child, &way) < 0)
		return error("cannot start a process to measure in: %s", strerror(errno));
	a = process_collect(&child, &limits);
	ok = a.n == n && process_succeeded(a.status);
	if (ok)
		memcpy(bytes, a.text, n);
	else if (process_signal_of(a.status)) {
		process_ending(a.status, how);
		error("a measurement was %s", how);
	}
	free(a.text);
	return ok ? 0 : -1;
}

int rate_measure_apart(struct rate_case *c, double seconds, void (*tick)(void *), void *arg)
{
	const size_t layers = c->times ? (size_t)c->graph->n * sizeof(*c->times) : 0;
	scoped char *bytes = xcalloc(sizeof(struct answer) + layers, 1);
	struct measurement m = { c, seconds };
	struct answer a;
	int rc;

	rc = measure_apart(measure_rate, &m, (struct ticker){ tick, arg }, bytes,
			   sizeof(a) + layers);
	if (rc == 0) {
		memcpy(&a, bytes, sizeof(a));
		c->rate = a.rate;
		c->memory = a.memory;
		c->gradients = a.gradients;
		if (layers)
			memcpy(c->times, bytes + sizeof(a), layers);
		c->done = true;
	}
	return rc == 0 ? 0 : error("%s on %s was not measured", c->net, c->backend->name);
}

/* One thread's part of a peak. */
struct product {
	pthread_t id;
	const struct rate_case *c;
	double rate;
};

static void *rate_multiply(void *arg)
{
	struct product *p = arg;

	p->rate = p->c->backend->peak(p->c->conf.precision);
	return NULL;
}

/* Peak of all threads together; 0 where one cannot be started. */
static double peak_of_all(const struct rate_case *c)
{
	const int n = c->threads * c->team;
	scoped struct product *p = xcalloc((size_t)n, sizeof(*p));
	double rate = 0;
	int started = 0;

	for (; started < n; started++) {
		p[started].c = c;
		if (thread_start(&p[started].id, rate_multiply, &p[started]))
			break;
	}
	for (int i = 0; i < started; i++) {
		pthread_join(p[i].id, NULL);
		rate += p[i].rate;
	}
	return started == n ? rate : 0;
}

static int measure_peak(void *arg, int fd)
{
	double rate;

	signals_end_with_parent(SIGNALS_PATIENCE_S);
	rate = peak_of_all(arg);
	return process_write(fd, &rate, sizeof(rate)) < 0 ? EXIT_DIE : EXIT_OK;
}

bool rate_same_peak(const struct rate_case *a, const struct rate_case *b)
{
	return a->backend == b->backend && a->conf.precision == b->conf.precision &&
	       a->threads * a->team == b->threads * b->team;
}

double rate_peak(const struct rate_case *c)
{
	struct rate_case copy = *c;
	double rate = 0;

	if (!c->backend->peak ||
	    measure_apart(measure_peak, &copy, (struct ticker){ 0 }, &rate, sizeof(rate)) < 0)
		return 0;
	return rate;
}
