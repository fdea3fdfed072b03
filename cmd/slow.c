#include "cmd/slow.h"

#include "cmd/take.h"
#include "core/error.h"
#include "core/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Beyond these, virtual time has no digits left for the other workers. */
#define SMALLEST 1e-6
#define LARGEST 1e9
#define LARGEST_PRODUCT 1e12

enum { MOST_SLOW = 10000 };

/* RANK:FACTOR[@FROM-TO] */
static bool take_slow(const char **p, struct slow *s, double *rank)
{
	*s = (struct slow){ 0 };
	if (!take_number(p, rank) || !take_char(p, ':') || !take_number(p, &s->factor))
		return false;
	if (!take_char(p, '@'))
		return true;
	return take_span(p, &s->from, &s->to);
}

static int check_slow(struct slow *s, double rank, int64_t workers, const char *text)
{
	if (rank != floor(rank))
		return error("slow '%s': rank %g is not a whole number", text, rank);
	if (rank >= (double)workers)
		return error("slow '%s': there is no rank %.0f among %lld workers "
			     "(ranks are 0 to %lld)", text, rank, (long long)workers,
			     (long long)workers - 1);
	if (s->factor < SMALLEST || s->factor > LARGEST)
		return error("slow '%s': a factor must be between %g and %g", text, SMALLEST,
			     LARGEST);
	s->rank = (int)rank;
	return 0;
}

/* The latest one and those before it of the same rank together. */
static int check_product(const struct slow *slow, size_t n, const char *text)
{
	const struct slow *s = &slow[n];
	double product = s->factor;

	for (size_t i = 0; i < n; i++)
		if (slow[i].rank == s->rank)
			product *= slow[i].factor;
	if (n >= MOST_SLOW)
		return error("slow: more than %d slowdowns", MOST_SLOW);
	if (product > LARGEST_PRODUCT)
		return error("slow '%s': the factors of rank %d multiply to more than %g", text,
			     s->rank, LARGEST_PRODUCT);
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
		if (check_slow(&(*slow)[*n], rank, workers, text) < 0 ||
		    check_product(*slow, *n, text) < 0)
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
