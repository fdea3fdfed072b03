/* Puts the name of the current run before every message, or mutes all but fatal ones. */
#include "core/base/context.h"

#include "core/base/error.h"

#include <stdio.h>
#include <unistd.h>

static const char *context;
static error_routine plain;

static void context_forward(enum severity sev, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	plain(sev, fmt, ap);
	va_end(ap);
}

static void context_say(enum severity sev, const char *fmt, va_list ap)
{
	char text[1024];

	vsnprintf(text, sizeof(text), fmt, ap);
	if (isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
	context_forward(sev, "%s: %s", context, text);
}

static void remember_plain(void)
{
	if (plain)
		return;
	plain = error_set_routine(NULL);
	error_set_routine(plain);
}

/* What is no mere message is still shown. */
static void context_hush(enum severity sev, const char *fmt, va_list ap)
{
	if (sev == SEV_DIE || sev == SEV_BUG)
		plain(sev, fmt, ap);
}

void context_mute(void)
{
	remember_plain();
	error_set_routine(context_hush);
}

void context_set(const char *where)
{
	remember_plain();
	context = where;
	error_set_routine(where && *where ? context_say : plain);
}
