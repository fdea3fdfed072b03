/*
 * gradient_process.c - measuring in a process of its own, which answers through a pipe.
 */
#include "runner/estimate/gradient_rate.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "runner/signals.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TICK_MS = 200 };

/* What a child writes; the layers' times follow. */
struct answer {
	double rate, memory;
	int64_t gradients;
};

struct child {
	pid_t pid;
	int pipe;
};

static void write_all(int fd, const void *bytes, size_t n)
{
	const char *p = bytes;

	while (n) {
		ssize_t put = write(fd, p, n);

		if (put < 0)
			_exit(EXIT_DIE);
		p += put;
		n -= (size_t)put;
	}
}

/* As much as comes, up to n bytes. */
static size_t read_all(int fd, void *bytes, size_t n)
{
	size_t got = 0;
	ssize_t part;

	while (got < n && (part = read(fd, (char *)bytes + got, n - got)) != 0)
		if (part > 0)
			got += (size_t)part;
		else if (errno != EINTR)
			break;
	return got;
}

/* True in the child, whose end of the pipe is then in c->pipe. */
static bool spawn(struct child *c)
{
	int ends[2];

	if (pipe(ends) < 0)
		die("no pipe: %s", strerror(errno));
	c->pid = fork();
	if (c->pid < 0)
		die("no process: %s", strerror(errno));
	c->pipe = ends[c->pid == 0];
	close(ends[c->pid != 0]);
	if (c->pid == 0)
		signals_end_with_parent();
	return c->pid == 0;
}

/* Reads the answer and waits for the end; true when all of it came and all went well. */
static bool gather(struct child *c, void *bytes, size_t n, void (*tick)(void *), void *arg)
{
	struct pollfd p = { .fd = c->pipe, .events = POLLIN };
	size_t got;
	int status;

	while (poll(&p, 1, TICK_MS) <= 0)
		if (tick)
			tick(arg);
	got = read_all(c->pipe, bytes, n);
	close(c->pipe);
	while (waitpid(c->pid, &status, 0) < 0)
		if (errno != EINTR)
			return false;
	if (WIFSIGNALED(status))
		error("a measurement was killed by signal %d (%s)", WTERMSIG(status),
		      strsignal(WTERMSIG(status)));
	return got == n && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static _Noreturn void work(struct child *self, struct rate_case *c, double seconds)
{
	struct answer a = { 0 };

	if (c->limit_s)
		alarm(c->limit_s);
	if (rate_measure(c, seconds))
		_exit(EXIT_BAD);
	a = (struct answer){ c->rate, c->memory, c->gradients };
	write_all(self->pipe, &a, sizeof(a));
	if (c->times)
		write_all(self->pipe, c->times, (size_t)c->graph->n * sizeof(*c->times));
	_exit(EXIT_OK);
}

int rate_measure_apart(struct rate_case *c, double seconds, void (*tick)(void *), void *arg)
{
	const size_t layers = c->times ? (size_t)c->graph->n * sizeof(*c->times) : 0;
	char *bytes = xcalloc(sizeof(struct answer) + layers, 1);
	struct child child;
	struct answer a;
	bool ok;

	if (spawn(&child))
		work(&child, c, seconds);
	ok = gather(&child, bytes, sizeof(a) + layers, tick, arg);
	if (ok) {
		memcpy(&a, bytes, sizeof(a));
		c->rate = a.rate;
		c->memory = a.memory;
		c->gradients = a.gradients;
		if (layers)
			memcpy(c->times, bytes + sizeof(a), layers);
		c->done = true;
	}
	free(bytes);
	return ok ? 0 : error("%s on %s was not measured", c->net, c->backend->name);
}

/* One thread's part of a peak. */
struct product {
	pthread_t id;
	const struct rate_case *c;
	double rate;
};

static void *multiply(void *arg)
{
	struct product *p = arg;

	p->rate = p->c->backend->peak(p->c->conf.precision);
	return NULL;
}

static double rate_of_all(const struct rate_case *c)
{
	const int n = c->threads * c->team;
	struct product *p = xcalloc((size_t)n, sizeof(*p));
	double rate = 0;

	for (int i = 0; i < n; i++) {
		p[i].c = c;
		if (pthread_create(&p[i].id, NULL, multiply, &p[i]))
			die("cannot start a thread");
	}
	for (int i = 0; i < n; i++) {
		pthread_join(p[i].id, NULL);
		rate += p[i].rate;
	}
	free(p);
	return rate;
}

bool rate_same_peak(const struct rate_case *a, const struct rate_case *b)
{
	return a->backend == b->backend && a->conf.precision == b->conf.precision &&
	       a->threads * a->team == b->threads * b->team;
}

double rate_peak(const struct rate_case *c)
{
	struct child child;
	double rate = 0;

	if (!c->backend->peak)
		return 0;
	if (spawn(&child)) {
		rate = rate_of_all(c);
		write_all(child.pipe, &rate, sizeof(rate));
		_exit(EXIT_OK);
	}
	return gather(&child, &rate, sizeof(rate), NULL, NULL) ? rate : 0;
}
