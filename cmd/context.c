#include "cmd/context.h"

#include "core/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char *context;

static const char *const verb[] = {
	[SEV_NOTE] = "", [SEV_WARNING] = "warning: ", [SEV_ERROR] = "error: ",
	[SEV_DIE] = "fatal: ", [SEV_BUG] = "BUG: "
};

static void say(enum severity sev, const char *fmt, va_list ap)
{
	char text[1024];

	vsnprintf(text, sizeof(text), fmt, ap);
	fprintf(stderr, "%sconvoy: %s%s: %s\n", isatty(STDERR_FILENO) ? "\r\033[K" : "",
		verb[sev], context, text);
	if (sev == SEV_DIE)
		exit(EXIT_DIE);
	if (sev == SEV_BUG)
		abort();
}

void context_set(const char *where)
{
	context = where;
	error_set_routine(where && *where ? say : NULL);
}
