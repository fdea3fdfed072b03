/* Measuring in a process of its own, which answers through a pipe. */
#include "runner/estimate/gradient_rate.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/base/process.h"
#include "runner/signals.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What a child writes; the layers' times follow. */
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

	signals_end_with_parent();
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

/* What run() writes in a process of its own, bytes[n]; -1 when not all of it came. */
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
	char *bytes = xcalloc(sizeof(struct answer) + layers, 1);
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
	free(bytes);
	return rc == 0 ? 0 : error("%s on %s was not measured", c->net, c->backend->name);
}

/* One thread's part of a peak. */
struct product {
	pthread_t id;
	const struct rate_case *c;
	double rate;
};

static void *gradient_process_multiply(void *arg)
{
	struct product *p = arg;

	p->rate = p->c->backend->peak(p->c->conf.precision);
	return NULL;
}

/* Of all threads together; 0 where one cannot be started. */
static double rate_of_all(const struct rate_case *c)
{
	const int n = c->threads * c->team;
	struct product *p = xcalloc((size_t)n, sizeof(*p));
	double rate = 0;
	int started = 0;

	for (; started < n; started++) {
		p[started].c = c;
		if (pthread_create(&p[started].id, NULL, gradient_process_multiply, &p[started]))
			break;
	}
	for (int i = 0; i < started; i++) {
		pthread_join(p[i].id, NULL);
		rate += p[i].rate;
	}
	free(p);
	return started == n ? rate : 0;
}

static int measure_peak(void *arg, int fd)
{
	double rate;

	signals_end_with_parent();
	rate = rate_of_all(arg);
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
