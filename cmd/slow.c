#include "cmd/slow.h"

#include "core/error.h"
#include "core/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A number at *p that is not negative; moves *p behind it. */
static bool take_number(const char **p, double *value)
{
	char *end;

	if (**p < '0' || **p > '9')
		return false;
	*value = strtod(*p, &end);
	*p = end;
	return isfinite(*value);
}

static bool take_char(const char **p, char c)
{
	if (**p != c)
		return false;
	(*p)++;
	return true;
}

/* RANK:FACTOR[@FROM-TO] */
static bool take_slow(const char **p, struct slow *s, double *rank)
{
	*s = (struct slow){ 0 };
	if (!take_number(p, rank) || !take_char(p, ':') || !take_number(p, &s->factor))
		return false;
	if (!take_char(p, '@'))
		return true;
	return take_number(p, &s->from) && take_char(p, '-') && take_number(p, &s->to) &&
	       s->to > s->from;
}

static int check_slow(struct slow *s, double rank, int64_t workers, const char *text)
{
	if (rank != floor(rank))
		return error("slow '%s': rank %g is not a whole number", text, rank);
	if (rank >= (double)workers)
		return error("slow '%s': there is no rank %.0f among %lld workers "
			     "(ranks are 0 to %lld)", text, rank, (long long)workers,
			     (long long)workers - 1);
	if (s->factor <= 0)
		return error("slow '%s': the factor must be greater than 0", text);
	s->rank = (int)rank;
	return 0;
}

static int parse_list(const char *text, int64_t workers, struct slow **slow, size_t *n)
{
	const char *p = text;
	double rank;

	do {
		*slow = xrealloc(*slow, *n + 1, sizeof(**slow));
		if (!take_slow(&p, &(*slow)[*n], &rank))
			return error("slow '%s': expected none, or RANK:FACTOR or "
				     "RANK:FACTOR@FROM-TO, joined by '+'", text);
		if (check_slow(&(*slow)[*n], rank, workers, text) < 0)
			return -1;
		(*n)++;
	} while (take_char(&p, '+'));
	if (*p)
		return error("slow '%s': '%s' is left over", text, p);
	return 0;
}

int slow_parse(const char *text, int64_t workers, struct slow **slow, size_t *n)
{
	*slow = NULL;
	*n = 0;
	if (!text || strcmp(text, "none") == 0)
		return 0;
	if (parse_list(text, workers, slow, n) == 0)
		return 0;
	free(*slow);
	*slow = NULL;
	*n = 0;
	return -1;
}
