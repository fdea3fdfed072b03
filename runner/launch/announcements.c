/*
 * announcements.c - announcements are left out, all else is handed on as it comes.
 *
 * An announcement stands between two bars, lines of dashes for example. A progress line
 * without an end is handed on at once too.
 */
#include "runner/launch/announcements.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* A match that fails begins again, which finds every KEPT_TEXT that a space precedes. */
static void look_for_kept(struct output_stream *s, char c)
{
	static const char text[] = KEPT_TEXT;

	s->matched = c == text[s->matched] ? s->matched + 1 : c == text[0];
	if (s->matched == sizeof(text) - 1) {
		s->ending->kept_said = true;
		s->matched = 0;
	}
}

static void hand_on(struct output_stream *s, const char *bytes, size_t n)
{
	if (s->blank)
		putc('\n', s->to);
	s->blank = false;
	fwrite(bytes, 1, n, s->to);
	for (size_t i = 0; i < n; i++)
		look_for_kept(s, bytes[i]);
	if (n)
		s->last = bytes[n - 1];
}

static bool announcements_is_known(const struct output_stream *s)
{
	for (const char *const *k = s->rules->known; *k; k++)
		if (strstr(s->text, *k))
			return true;
	return false;
}

static void keep_line(struct output_stream *s)
{
	const size_t free = sizeof(s->text) - 1 - s->length, n = s->n < free ? s->n : free;

	memcpy(s->text + s->length, s->line, n);
	s->length += n;
	s->text[s->length] = '\0';
}

/* An announcement is over: left out where the ending says it, else handed on. */
static void judge_announcement(struct output_stream *s)
{
	if (announcements_is_known(s)) {
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
	if (bar || s->announcing)
		keep_line(s);
	else if (left_out)
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

int output_stream_read(struct output_stream *s)
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
