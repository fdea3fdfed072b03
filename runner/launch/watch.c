#include "runner/launch/watch.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "runner/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOOK_MS = 200 };         /* between two looks at the child */
static const double orphans_s = 15.0;   /* for ranks to end after their launcher */

/* The child's stream goes into the pipe, which ends with the child. */
static void redirect(int stream, int pipe_end)
{
	if (pipe_end < 0)
		return;
	dup2(pipe_end, stream);
	close(pipe_end);
}

/*
 * In a group of its own, so that a terminal's Ctrl-C comes to us alone. The launcher ends
 * with us, and its ranks with it.
 */
static _Noreturn void become(char **words, pid_t parent, int out, int err)
{
	int nothing = open("/dev/null", O_RDONLY);

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(EXIT_SIGTERM);
	setpgid(0, 0);
	if (nothing >= 0)
		dup2(nothing, STDIN_FILENO);
	if (isatty(STDERR_FILENO))
		setenv("CONVOY_TERMINAL", "1", 1);
	redirect(STDOUT_FILENO, out);
	redirect(STDERR_FILENO, err);
	execvp(words[0], words);
	error("cannot start %s: %s", words[0], strerror(errno));
	_exit(EXIT_DIE);
}

/* A pipe into the speech; returns the end that is written into. */
static int open_speech(struct speech *s)
{
	int ends[2];

	if (pipe(ends) < 0)
		die("cannot make a pipe: %s", strerror(errno));
	fcntl(ends[0], F_SETFD, FD_CLOEXEC);
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	s->fd = ends[0];
	return ends[1];
}

static pid_t start(char **words, struct speech *out, struct speech *err)
{
	const int out_end = out->rules->on_stdout ? open_speech(out) : -1;
	const int err_end = open_speech(err);
	const pid_t parent = getpid();
	pid_t child;

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	child = fork();
	if (child < 0)
		die("cannot start a process: %s", strerror(errno));
	if (child == 0)
		become(words, parent, out_end, err_end);
	if (out_end >= 0)
		close(out_end);
	close(err_end);
	return child;
}

static void hand_on_signals(pid_t child, int request, int *told)
{
	if (signal_count <= *told)
		return;
	kill(child, *told ? SIGTERM : request);
	(*told)++;
}

/* Waits a moment for either stream. A stream that has ended is looked at no more. */
static void listen_to(struct speech *s[2], bool open[2])
{
	struct pollfd p[2];

	for (int i = 0; i < 2; i++)
		p[i] = (struct pollfd){ .fd = open[i] ? s[i]->fd : -1, .events = POLLIN };
	if (poll(p, 2, LOOK_MS) <= 0)
		return;
	for (int i = 0; i < 2; i++)
		if (p[i].fd >= 0 && p[i].revents)
			open[i] = speech_read(s[i]) != 0;
}

/*
 * Ranks of a launcher that was killed become our children. They end by themselves; a restart
 * must not meet them.
 */
static void await_orphans(struct speech *s[2], bool open[2])
{
	const double end = clock_s() + orphans_s;
	pid_t ended;

	do {
		listen_to(s, open);
		while ((ended = waitpid(-1, NULL, WNOHANG)) > 0)
			;
	} while (!(ended < 0 && errno == ECHILD) && clock_s() < end);
}

struct ending launch_watch(char **words, const struct speech_rules *rules, int request)
{
	struct ending e = { .rank = -1 };
	struct speech out = { .rules = rules, .ending = &e, .fd = -1, .to = stdout };
	struct speech err = { .rules = rules, .ending = &e, .fd = -1, .to = stderr };
	pid_t child = start(words, &out, &err), ended = 0;
	struct speech *s[] = { &out, &err };
	bool open[] = { true, true };
	int told = 0, status = 0;

	while (ended != child) {
		listen_to(s, open);
		hand_on_signals(child, request, &told);
		ended = waitpid(child, &status, WNOHANG);
		if (ended < 0 && errno != EINTR)
			die("cannot wait for %s: %s", words[0], strerror(errno));
	}
	if (WIFSIGNALED(status) || told > 1)
		await_orphans(s, open);
	speech_finish(&out);
	speech_finish(&err);
	e.status = status;
	return e;
}
