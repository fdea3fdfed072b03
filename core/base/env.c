/* Whole numbers from environment variables. */
#include "core/base/env.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int text_count(const char *text, int most)
{
	long n;

	if (!*text)
		return 0;
	/* Nine digits fit into a long, and are more than any `most`. */
	if (strspn(text, "0123456789") != strlen(text) || strlen(text) > 9)
		return -1;
	n = strtol(text, NULL, 10);
	return n < 1 || n > most ? -1 : (int)n;
}

int env_count(const char *name, int most)
{
	const char *text = getenv(name);

	return text ? text_count(text, most) : 0;
}

/* ---- abilities of a terminal, from the environment ---- */

bool terminal_moves(FILE *out)
{
	const char *term = getenv("TERM");

	return (isatty(fileno(out)) || getenv("CONVOY_TERMINAL")) && term && strcmp(term, "dumb");
}

bool terminal_colour(FILE *out)
{
	const char *plain = getenv("NO_COLOR");

	return terminal_moves(out) && !(plain && *plain);
}
