/* Runs an MPI launcher as a child process, passes on its output and its signals. */
#include "runner/launch/announcements.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/process.h"
#include "runner/launch/launcher.h"
#include "runner/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { LOOK_MS = 200 };         /* between two looks at the child */
static const double orphans_s = 15.0;   /* for ranks to end after their launcher */

/* What ranks ask of the process that has started their launcher. */
struct starter {
	bool terminal;          /* whether what they say reaches one: here it goes into a pipe */
	char text[300];         /* "PID@HOST" */
};

static struct starter starter_self(void)
{
	struct starter s = { .terminal = isatty(STDERR_FILENO) };
	struct utsname here = { 0 };

	uname(&here);
	snprintf(s.text, sizeof(s.text), "%d@%s", (int)getpid(), here.nodename);
	return s;
}

static int starter_pass(void *arg, int fd)
{
	const struct starter *s = arg;

	(void)fd;
	if (s->terminal)
		setenv("CONVOY_TERMINAL", "1", 1);
	setenv(STARTER_VARIABLE, s->text, 1);
	return 0;
}

/*
 * In a group of its own, so that a terminal's Ctrl-C comes to us alone. The launcher ends
 * with us, and its ranks with it. Its streams go into pipes, which end with it; -1 with errno.
 */
static int launch_watch_start(struct process *launcher, char **words, struct output_stream *out,
			      struct output_stream *err)
{
	struct starter starter = starter_self();
	struct process_way way = { .run = starter_pass, .arg = &starter, .words = words,
				   .in = PROCESS_NULL, .err = PROCESS_PIPE, .end_signal = SIGTERM,
				   .group = true, .nonblock = true };
	int ends[2] = { -1, -1 }, rc;

	if (out->rules->on_stdout) {
		if (process_pipe(ends) < 0)
			return -1;
		fcntl(ends[0], F_SETFL, O_NONBLOCK);
		out->fd = ends[0];
		way.out = ends[1];
	}
	process_adopt_orphans();
	rc = process_start(launcher, &way);
	if (ends[1] >= 0)
		close(ends[1]);
	err->fd = launcher->fd;         /* output_stream_finish() closes it */
	launcher->fd = -1;
	return rc;
}

static void hand_on_signals(const struct process *launcher, int request, int *told)
{
	if (signal_count <= *told)
		return;
	process_signal(launcher, *told ? SIGTERM : request);
	(*told)++;
}

/* Waits a moment for either stream. A stream that has ended is looked at no more. */
static void listen_to(struct output_stream *s[2], bool open[2])
{
	struct pollfd p[2];

	for (int i = 0; i < 2; i++)
		p[i] = (struct pollfd){ .fd = open[i] ? s[i]->fd : -1, .events = POLLIN };
	if (poll(p, 2, LOOK_MS) <= 0)
		return;
	for (int i = 0; i < 2; i++)
		if (p[i].fd >= 0 && p[i].revents)
			open[i] = output_stream_read(s[i]) != 0;
}

/*
 * Ranks of a launcher that was killed become our children. They end by themselves; a restart
 * must not meet them.
 */
static void await_orphans(struct output_stream *s[2], bool open[2])
{
	const double end = clock_s() + orphans_s;

	do
		listen_to(s, open);
	while (process_reap_orphans() && clock_s() < end);
}

struct ending launch_watch(char **words, const struct output_rules *rules, int request)
{
	struct ending e = { .rank = -1 };
	struct output_stream out = { .rules = rules, .ending = &e, .fd = -1, .to = stdout };
	struct output_stream err = { .rules = rules, .ending = &e, .fd = -1, .to = stderr };
	struct output_stream *s[] = { &out, &err };
	bool open[] = { true, true };
	struct process launcher;
	int told = 0;

	if (launch_watch_start(&launcher, words, &out, &err) < 0) {
		error("cannot start %s: %s", words[0], strerror(errno));
		e.status = -1;
	} else {
		do {
			listen_to(s, open);
			hand_on_signals(&launcher, request, &told);
		} while (!process_ended(&launcher, &e.status));
		if (process_signal_of(e.status) || told > 1)
			await_orphans(s, open);
	}
	output_stream_finish(&out);
	output_stream_finish(&err);
	return e;
}
