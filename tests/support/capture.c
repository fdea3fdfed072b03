/* Keeps the messages that error() and the like would print. */
#include "tests/support/capture.h"

#include "core/base/error.h"
#include "tests/support/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char said[16384];

static void keep(enum severity sev, const char *fmt, va_list ap)
{
	static const char *const name[] = { "note", "warning", "error", "die", "bug" };
	size_t used = strlen(said);

	snprintf(said + used, sizeof said - used, "%s: ", name[sev]);
	used = strlen(said);
	vsnprintf(said + used, sizeof said - used, fmt, ap);
	used = strlen(said);
	snprintf(said + used, sizeof said - used, "\n");
	if (sev >= SEV_DIE) {
		fputs(said, stderr);
		abort();
	}
}

void capture_start(void)
{
	said[0] = '\0';
	error_set_routine(keep);
}

const char *capture_text(void)
{
	return said;
}

void assert_said(const char *text)
{
	if (!strstr(said, text))
		fail_msg("expected \"%s\" in: %s", text, said);
}

void capture_stop(void)
{
	error_set_routine(NULL);
}
