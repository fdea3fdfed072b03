/* Puts the name of the current run before every message, or mutes all but fatal ones. */
#include "core/base/context.h"

#include "core/base/error.h"

#include <stdio.h>
#include <unistd.h>

static const char *context;
static error_routine usual;     /* printed messages before the first context */

static void context_forward(error_routine to, enum severity sev, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	to(sev, fmt, ap);
	va_end(ap);
}

static void context_say(enum severity sev, const char *fmt, va_list ap)
{
	char text[1024];

	vsnprintf(text, sizeof(text), fmt, ap);
	if (isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
	context_forward(usual, sev, "%s: %s", context, text);
}

/* Finds the present routine: error_set_routine() returns it, and then sets it again. */
static void context_find_usual(void)
{
	if (usual)
		return;
	usual = error_set_routine(NULL);
	error_set_routine(usual);
}

/* Shows fatal errors and bugs; hides all other messages while muted. */
static void context_hush(enum severity sev, const char *fmt, va_list ap)
{
	if (sev == SEV_DIE || sev == SEV_BUG)
		usual(sev, fmt, ap);
}

static const char *about;
static error_routine without;   /* printed messages before context_about() */

static void context_say_about(enum severity sev, const char *fmt, va_list ap)
{
	char text[1024];

	vsnprintf(text, sizeof(text), fmt, ap);
	context_forward(without, sev, "%s: %s", about, text);
}

void context_about(const char *what)
{
	about = what;
	if (what)
		without = error_set_routine(context_say_about);
	else
		error_set_routine(without);
}

void context_mute(void)
{
	context_find_usual();
	error_set_routine(context_hush);
}

void context_unmute(void)
{
	error_set_routine(context && *context ? context_say : usual);
}

void context_set(const char *where)
{
	context_find_usual();
	context = where;
	error_set_routine(where && *where ? context_say : usual);
}
