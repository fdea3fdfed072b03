/* Whole numbers from environment variables. */
#include "core/base/env.h"

#include <stdlib.h>
#include <string.h>

int text_count(const char *text, int most)
{
	long n;

	if (!*text)
		return 0;
	/* Nine digits fit into a long; more than that is more than any `most`. */
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
