/* All that a child writes, under limits of time and bytes. */
#include "core/base/process.h"

#include "core/base/clock.h"
#include "core/base/mem.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double tick_s = 0.2;       /* between two calls of tick() */
static const double doze_s = 0.005;     /* the longest between two looks at a child's end */

struct collection {
	struct process *p;
	const struct process_limits *limits;
	double end, next_tick;          /* on clock_s() */
	struct process_answer a;
};

/* False when a limit is reached: a.end says which. */
static bool may_go_on(struct collection *c)
{
	const double now = clock_s();

	if (now >= c->end)
		c->a.end = PROCESS_LATE;
	else if (c->limits->tick && now >= c->next_tick) {
		c->next_tick = now + tick_s;
		if (c->limits->tick(c->limits->arg))
			c->a.end = PROCESS_STOPPED;
	}
	return c->a.end == PROCESS_ENDED;
}

static void process_collect_keep(struct collection *c, const char *block, size_t n)
{
	if (c->limits->bytes && n > c->limits->bytes - c->a.n) {
		c->a.end = PROCESS_LONG;
		return;
	}
	c->a.text = xrealloc(c->a.text, c->a.n + n + 1, 1);
	memcpy(c->a.text + c->a.n, block, n);
	c->a.n += n;
	c->a.text[c->a.n] = '\0';
}

/* Reads once, or waits a moment; false when the pipe has ended. */
static bool read_block(struct collection *c)
{
	struct pollfd p = { .fd = c->p->fd, .events = POLLIN };
	const double left = fmin(c->end - clock_s(), tick_s);
	char block[4096];
	ssize_t k;

	if (poll(&p, 1, left > 0 ? (int)ceil(1e3 * left) : 0) <= 0)
		return true;
	k = read(c->p->fd, block, sizeof(block));
	if (k > 0)
		process_collect_keep(c, block, (size_t)k);
	return k > 0 || (k < 0 && (errno == EINTR || errno == EAGAIN));
}

/* A child may close its pipe and go on. */
static bool await_end(struct collection *c)
{
	for (double doze = 1e-4; !process_ended(c->p, &c->a.status); doze *= 2) {
		if (!may_go_on(c))
			return false;
		clock_sleep(fmin(doze, doze_s));
	}
	return true;
}

struct process_answer process_collect(struct process *p, const struct process_limits *limits)
{
	const double now = clock_s();
	struct collection c = { .p = p, .limits = limits, .next_tick = now + tick_s,
				.end = limits->seconds > 0 ? now + limits->seconds : HUGE_VAL,
				.a = { .text = xstrdup("") } };
	bool open = p->fd >= 0;

	while (may_go_on(&c) && open)
		open = read_block(&c);
	if (c.a.end != PROCESS_ENDED || !await_end(&c)) {
		kill(p->group ? -p->pid : p->pid, SIGKILL);
		c.a.status = process_wait(p);
		return c.a;
	}
	process_wait(p);
	return c.a;
}
