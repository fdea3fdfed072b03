/* Asks the environment what a terminal can do. */
#include "core/base/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
