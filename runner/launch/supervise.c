/*
 * supervise.c - runs an MPI launcher as a child process, and passes on its output and its signals.
 *
 * Announcements of the launcher are left out, all else is handed on as it comes. An announcement
 * stands between two bars, lines of dashes for example. A progress line without an end is handed on
 * at once too.
 */
#include "runner/launch/launcher.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/process.h"
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

static void hand_on(struct output_stream *s, const char *bytes, size_t n)
{
	static const char kept[] = KEPT_TEXT;

	if (s->blank)
		putc('\n', s->to);
	s->blank = false;
	fwrite(bytes, 1, n, s->to);
	/* A match that fails begins again, which finds every KEPT_TEXT that a space precedes. */
	for (size_t i = 0; i < n; i++) {
		s->matched = bytes[i] == kept[s->matched] ? s->matched + 1 : bytes[i] == kept[0];
		if (s->matched == sizeof(kept) - 1) {
			s->ending->kept_said = true;
			s->matched = 0;
		}
	}
	if (n)
		s->last = bytes[n - 1];
}

/* An announcement is over: left out where the ending says it, else handed on. */
static void judge_announcement(struct output_stream *s)
{
	bool known = false;

	for (const char *const *k = s->rules->known; *k; k++)
		known |= strstr(s->text, *k) != NULL;
	if (known) {
		s->blank = false;
		s->rules->read(s->text, s->ending);
	} else {
		hand_on(s, s->text, s->length);
	}
	s->length = 0;
}

/* True when the line, as far as it has come, begins like that. */
static bool line_begins(const struct output_stream *s, const char *text)
{
	return strncmp(s->line, text, s->n < strlen(text) ? s->n : strlen(text)) == 0;
}

static bool line_has(const struct output_stream *s, const char *text)
{
	return s->n > strlen(text) && line_begins(s, text);
}

static void end_line(struct output_stream *s)
{
	const bool bar = line_has(s, s->rules->bar);
	bool left_out = false;

	for (const char *const *l = s->rules->lines; *l && !s->announcing; l++)
		left_out |= line_has(s, *l);
	s->line[s->n] = '\0';
	if (bar || s->announcing) {
		const size_t left = sizeof(s->text) - 1 - s->length, n = s->n < left ? s->n : left;

		memcpy(s->text + s->length, s->line, n);
		s->length += n;
		s->text[s->length] = '\0';
	} else if (left_out)
		s->rules->read(s->line, s->ending);
	else if (s->n == 1 && s->rules->on_stdout && !s->blank)
		s->blank = true;
	else
		hand_on(s, s->line, s->n);
	if (bar && s->announcing)
		judge_announcement(s);
	s->announcing ^= bar;
	s->n = 0;
}

/* True when the line so far may become one of the launcher's. */
static bool is_undecided(const struct output_stream *s)
{
	if (s->announcing || line_begins(s, s->rules->bar))
		return true;
	for (const char *const *l = s->rules->lines; *l; l++)
		if (line_begins(s, *l))
			return true;
	return false;
}

/* Open MPI 5 ends its announcements by a zero byte. */
static void read_byte(struct output_stream *s, char c)
{
	if (c == '\0')
		return;
	if (s->through) {
		hand_on(s, &c, 1);
		s->through = c != '\n';
		return;
	}
	if (s->n < sizeof(s->line) - 2 || c == '\n')
		s->line[s->n++] = c;
	if (c == '\n') {
		end_line(s);
	} else if (!is_undecided(s)) {
		hand_on(s, s->line, s->n);
		s->n = 0;
		s->through = true;
	}
}

/*
 * Hands on what there is to read. Returns the bytes read; 0: the stream has ended;
 * -1: there is nothing now.
 */
static int output_stream_read(struct output_stream *s)
{
	char bytes[4096];
	ssize_t n = read(s->fd, bytes, sizeof(bytes));

	/* A progress line has no end: the next rank that speaks begins again. */
	if (n > 0 && s->to == stderr)
		s->through = false;
	for (ssize_t i = 0; i < n; i++)
		read_byte(s, bytes[i]);
	fflush(s->to);
	if (n < 0)
		return errno == EINTR || errno == EAGAIN ? -1 : 0;
	return (int)n;
}

void output_stream_finish(struct output_stream *s)
{
	if (s->fd < 0)
		return;
	while (output_stream_read(s) > 0)
		;
	if (s->announcing)
		judge_announcement(s);
	hand_on(s, s->line, s->n);
	if (s->last && s->last != '\n' && s->to == stderr)
		hand_on(s, "\n", 1);
	fflush(s->to);
	close(s->fd);
	s->fd = -1;
}

/* ---- the launcher as a child ---- */

enum { LOOK_MS = 200 };         /* between two looks at the child */
static const double orphans_s = 15.0;   /* for ranks to end after their launcher */

/* Facts of the process that has started a launcher, for its ranks. */
struct starter {
	bool terminal;          /* whether what they say reaches one: here it goes into a pipe */
	char text[300];         /* "PID@HOST" */
};

static int starter_pass(void *arg, int fd)
{
	const struct starter *s = arg;

	(void)fd;
	if (s->terminal)
		setenv("CONVOY_TERMINAL", "1", 1);
	setenv(STARTER_VARIABLE, s->text, 1);
	if (getenv("PATH"))
		setenv(PATH_VARIABLE, getenv("PATH"), 1);
	return 0;
}

/*
 * In a group of its own, so that a terminal's Ctrl-C comes to us alone. The launcher ends
 * with us, and its ranks with it. Its streams go into pipes, which end with it, as it would not
 * say that they cannot be written; -1 with errno.
 */
static int launcher_start(struct process *launcher, char **words, struct output_stream *out,
			  struct output_stream *err)
{
	struct starter starter = { .terminal = isatty(STDERR_FILENO) };
	struct utsname here = { 0 };
	struct process_way way = { .run = starter_pass, .arg = &starter, .words = words,
				   .in = PROCESS_NULL, .err = PROCESS_PIPE, .end_signal = SIGTERM,
				   .group = true, .nonblock = true };
	int ends[2], rc;

	if (process_pipe(ends) < 0)
		return -1;
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	out->fd = ends[0];
	way.out = ends[1];
	uname(&here);
	snprintf(starter.text, sizeof(starter.text), "%d@%s", (int)getpid(), here.nodename);
	process_adopt_orphans();
	rc = process_start(launcher, &way);
	close(ends[1]);
	err->fd = launcher->fd;         /* output_stream_finish() closes it */
	launcher->fd = -1;
	return rc;
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

struct ending launch_supervise(char **words, const struct output_rules *rules, int request)
{
	struct ending e = { .rank = -1 };
	struct output_stream out = { .rules = rules, .ending = &e, .fd = -1, .to = stdout };
	struct output_stream err = { .rules = rules, .ending = &e, .fd = -1, .to = stderr };
	struct output_stream *s[] = { &out, &err };
	bool open[] = { true, true };
	struct process launcher;
	int told = 0;

	if (launcher_start(&launcher, words, &out, &err) < 0) {
		error("cannot start %s: %s", words[0], strerror(errno));
		e.status = -1;
	} else {
		do {
			listen_to(s, open);
			if (signal_count > told)
				process_signal(&launcher, told++ ? SIGTERM : request);
		} while (!process_ended(&launcher, &e.status));
		/*
		 * Ranks of a launcher that was killed become our children. They end by themselves;
		 * a restart must not meet them.
		 */
		for (double end = clock_s() + orphans_s; process_signal_of(e.status) || told > 1;) {
			listen_to(s, open);
			if (!process_reap_orphans() || clock_s() >= end)
				break;
		}
	}
	output_stream_finish(&out);
	output_stream_finish(&err);
	return e;
}
