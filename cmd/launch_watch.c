#include "cmd/launch_watch.h"

#include "cmd/signals.h"
#include "core/error.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOOK_MS = 200 };         /* between two looks at the child */

/*
 * mpirun's announcements stand between two lines of dashes; one it makes in a line. All
 * else is handed on as it comes, a progress line without an end too.
 */
struct speech {
	int fd;
	char line[512];         /* [n] of a line that may be dashes, or is of an announcement */
	size_t n;
	bool through;           /* the rest of this line is handed on */
	bool announcing;
	char text[4096];        /* [length] the announcement so far */
	size_t length;
	bool expected;          /* it only says what the ending says */
	char last;              /* that was handed on */
};

static const char dashes[] = "----------------", forwards[] = "mpirun: Forwarding signal ";

/* What mpirun says of an end whose cause we, or the ranks, tell. */
static const char *const known[] = { "Primary job ", "mpirun detected that one or more processes",
				     "MPI_ABORT was invoked", "mpirun noticed that process" };

static void pass_on(struct speech *s, const char *bytes, size_t n)
{
	fwrite(bytes, 1, n, stderr);
	if (n)
		s->last = bytes[n - 1];
}

/* An announcement's first or last line. */
static void turn(struct speech *s)
{
	if (s->announcing && !s->expected)
		pass_on(s, s->text, s->length);
	s->announcing = !s->announcing;
	s->expected = false;
	s->length = 0;
}

static void keep(struct speech *s)
{
	const size_t room = sizeof(s->text) - s->length, n = s->n < room ? s->n : room;

	memcpy(s->text + s->length, s->line, n);
	s->length += n;
}

/* A whole line of an announcement. */
static void read_line(struct speech *s, struct ending *e)
{
	struct ending found = { .status = 0 };

	s->line[s->n < sizeof(s->line) ? s->n : sizeof(s->line) - 1] = '\0';
	if (sscanf(s->line, "mpirun noticed that process rank %d with PID %*d on node %255s exited "
			    "on signal %d", &found.rank, found.host, &found.signal) == 3 &&
	    e->rank < 0)
		*e = found;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strncmp(s->line, known[i], strlen(known[i])) == 0)
			s->expected = true;
	keep(s);
}

/* True when the line, as far as it has come, begins like that. */
static bool begins(const struct speech *s, const char *text)
{
	return strncmp(s->line, text, s->n < strlen(text) ? s->n : strlen(text)) == 0;
}

static void end_line(struct speech *s, struct ending *e)
{
	if (s->n >= sizeof(dashes) && begins(s, dashes))
		turn(s);
	else if (s->announcing)
		read_line(s, e);
	else if (s->n < sizeof(forwards) || !begins(s, forwards))
		pass_on(s, s->line, s->n);
	s->n = 0;
	s->through = false;
}

static void hear(struct speech *s, struct ending *e, char c)
{
	if (s->through) {
		pass_on(s, &c, 1);
		s->through = c != '\n';
		return;
	}
	if (s->n < sizeof(s->line) - 1)
		s->line[s->n++] = c;
	if (c == '\n') {
		end_line(s, e);
	} else if (!s->announcing && !begins(s, dashes) && !begins(s, forwards)) {
		pass_on(s, s->line, s->n);
		s->n = 0;
		s->through = true;
	}
}

/*
 * Bytes heard; 0: there will be no more; -1: none now. A progress line has no end: whoever
 * speaks next begins anew.
 */
static int listen_on(struct speech *s, struct ending *e)
{
	char bytes[4096];
	ssize_t n = read(s->fd, bytes, sizeof(bytes));

	s->through = false;
	for (ssize_t i = 0; i < n; i++)
		hear(s, e, bytes[i]);
	fflush(stderr);
	if (n < 0)
		return errno == EINTR || errno == EAGAIN ? -1 : 0;
	return (int)n;
}

static void finish(struct speech *s, struct ending *e)
{
	while (listen_on(s, e) > 0)
		;
	if (s->announcing)
		turn(s);
	pass_on(s, s->line, s->n);
	if (s->last && s->last != '\n')
		pass_on(s, "\n", 1);
	close(s->fd);
}

/* In a group of its own, so that a terminal's Ctrl-C comes to us alone. */
static _Noreturn void become(char **words, int out)
{
	int nothing = open("/dev/null", O_RDONLY);

	setpgid(0, 0);
	if (nothing >= 0)
		dup2(nothing, STDIN_FILENO);
	if (isatty(STDERR_FILENO))
		setenv("CONVOY_TERMINAL", "1", 1);
	dup2(out, STDERR_FILENO);
	close(out);
	execvp(words[0], words);
	error("cannot start %s: %s; it comes with Debian's package openmpi-bin", words[0],
	      strerror(errno));
	_exit(EXIT_DIE);
}

static pid_t start(char **words, int *fd)
{
	int ends[2];
	pid_t child;

	if (pipe(ends) < 0)
		die("cannot make a pipe: %s", strerror(errno));
	fcntl(ends[0], F_SETFD, FD_CLOEXEC);
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	child = fork();
	if (child < 0)
		die("cannot start a process: %s", strerror(errno));
	if (child == 0)
		become(words, ends[1]);
	close(ends[1]);
	*fd = ends[0];
	return child;
}

static void hand_on_signals(pid_t child, int plea, int *told)
{
	if (signal_count <= *told)
		return;
	kill(child, *told ? SIGTERM : plea);
	(*told)++;
}

struct ending launch_watch(char **words, int plea)
{
	struct ending e = { .rank = -1 };
	struct speech s = { .announcing = false };
	pid_t child = start(words, &s.fd), ended = 0;
	bool speaking = true;
	int told = 0, status = 0;

	while (ended != child) {
		struct pollfd p = { .fd = speaking ? s.fd : -1, .events = POLLIN };

		if (poll(&p, 1, LOOK_MS) > 0)
			speaking = listen_on(&s, &e) != 0;
		hand_on_signals(child, plea, &told);
		ended = waitpid(child, &status, WNOHANG);
		if (ended < 0 && errno != EINTR)
			die("cannot wait for mpirun: %s", strerror(errno));
	}
	finish(&s, &e);
	e.status = status;
	return e;
}
