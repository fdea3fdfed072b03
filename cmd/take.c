#include "cmd/take.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool take_number(const char **p, double *value)
{
	char *end;

	if (**p < '0' || **p > '9')
		return false;
	*value = strtod(*p, &end);
	*p = end;
	return isfinite(*value);
}

bool take_char(const char **p, char c)
{
	if (**p != c)
		return false;
	(*p)++;
	return true;
}

bool take_word(const char **p, const char *word)
{
	const size_t n = strlen(word);

	if (strncmp(*p, word, n) != 0)
		return false;
	*p += n;
	return true;
}

bool take_span(const char **p, double *from, double *to)
{
	return take_number(p, from) && take_char(p, '-') && take_number(p, to) && *to > *from;
}
