/* error(), warning(), note(), die() and bug(): each writes one harmless line on stderr. */
#include "core/base/error.h"

#include "core/text/utf8.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void error_line(char line[ERROR_LINE], enum severity sev, const char *where, const char *fmt,
		va_list ap)
{
	static const char *const prefix[] = {
		[SEV_NOTE] = "",       [SEV_WARNING] = "warning: ", [SEV_ERROR] = "error: ",
		[SEV_DIE] = "fatal: ", [SEV_BUG] = "BUG: ",
	};
	char text[ERROR_TEXT];

	vsnprintf(text, sizeof text, fmt, ap);
	/* Text of a user or a file must not break the line or control the terminal. */
	utf8_make_printable(text);
	for (char *c = text; *c; c++)
		if (*c == '\n' || *c == '\t')
			*c = ' ';
	snprintf(line, ERROR_LINE, "convoy: %s%s%s\n", prefix[sev], where, text);
}

/* Writes one line in one call, so that lines of several threads do not mix. */
static void error_show(enum severity sev, const char *fmt, va_list ap)
{
	char line[ERROR_LINE];

	error_line(line, sev, "", fmt, ap);
	fputs(line, stderr);
}

/* Ends at once: exit() would destroy objects that other threads still use. */
_Noreturn static void leave(void)
{
	fflush(stdout);
	_exit(EXIT_DIE);
}

static void show_and_leave(enum severity sev, const char *fmt, va_list ap)
{
	error_show(sev, fmt, ap);
	if (sev == SEV_DIE)
		leave();
	if (sev == SEV_BUG)
		abort();
}

static _Atomic(error_routine) of_process = show_and_leave;
static _Thread_local error_routine of_thread;

error_routine error_set_routine(error_routine routine)
{
	return atomic_exchange(&of_process, routine ? routine : show_and_leave);
}

void error_set_thread_routine(error_routine routine)
{
	of_thread = routine;
}

void error_pass_on(enum severity sev, const char *fmt, va_list ap)
{
	error_routine show = atomic_load(&of_process);

	show(sev, fmt, ap);
}

static void current(enum severity sev, const char *fmt, va_list ap)
{
	(of_thread ? of_thread : error_pass_on)(sev, fmt, ap);
}

int error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	current(SEV_ERROR, fmt, ap);
	va_end(ap);
	return -1;
}

void warning(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	current(SEV_WARNING, fmt, ap);
	va_end(ap);
}

void note(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	current(SEV_NOTE, fmt, ap);
	va_end(ap);
}

void note_own(char *text)
{
	if (text)
		note("%s", text);
	free(text);
}

void notes_own(char **texts)
{
	for (size_t i = 0; texts && texts[i]; i++)
		note_own(texts[i]);
	free(texts);
}

void die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	current(SEV_DIE, fmt, ap);
	va_end(ap);
	leave();
}

/* Shows a message with a literal format, for bug(). */
static void say_bug(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	current(SEV_BUG, fmt, ap);
	va_end(ap);
}

void bug(const char *file, int line, const char *fmt, ...)
{
	char text[ERROR_TEXT];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	say_bug("%s:%d: %s", file, line, text);
	abort();
}
