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
	char text[ERROR_TEXT];

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
	char text[ERROR_TEXT];

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

static int muted;               /* calls of context_mute() that have not ended */
static error_routine loud;      /* printed messages before the first of them */

void context_mute(void)
{
	error_routine before;

	context_find_usual();
	before = error_set_routine(context_hush);
	loud = muted++ ? loud : before;
}

void context_unmute(void)
{
	if (muted && --muted == 0)
		error_set_routine(loud);
}

void context_set(const char *where)
{
	context_find_usual();
	context = where;
	muted = 0;
	error_set_routine(where && *where ? context_say : usual);
}
