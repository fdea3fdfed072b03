/* Parses, checks, sorts and formats the setting `slow`, RANK[-LAST]:FACTOR[@FROM-TO]. */
#include "core/slow.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/text/parse.h"
#include "core/text/ranks.h"
#include "core/text/word.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* With factors beyond these, virtual time has no digits left for the other workers. */
#define SMALLEST 1e-6
#define LARGEST 1e9
#define LARGEST_PRODUCT 1e12

enum { MOST_SLOW = 10000 };

/* RANK:FACTOR[@FROM-TO], of ranks s->rank to *last: RANK may be FIRST-LAST */
static bool parse_slow(const char **p, struct slow *s, int *last)
{
	bool negative;

	*s = (struct slow){ 0 };
	if (!rank_take(p, &s->rank))
		return false;
	*last = s->rank;
	if ((parse_char(p, '-') && !rank_take(p, last)) || !parse_char(p, ':'))
		return false;
	negative = parse_char(p, '-');
	if (!parse_number(p, &s->factor))
		return false;
	s->factor = negative ? -s->factor : s->factor;
	if (!parse_char(p, '@'))
		return true;
	return parse_span(p, &s->from, &s->to);
}

static int check_slow(const struct slow *s, int last, int64_t workers, const char *text)
{
	if (last < s->rank)
		return error("slow '%s': ranks %d-%d: the lower one stands first", text, s->rank,
			     last);
	if (last >= workers)
		return error("slow '%s': there is no rank %d among %lld worker%s "
			     "(ranks are 0 to %lld)", text, last, (long long)workers,
			     word_plural((double)workers),
			     (long long)workers - 1);
	if (s->factor < SMALLEST || s->factor > LARGEST)
		return error("slow '%s': a factor must be between %g and %g", text, SMALLEST,
			     LARGEST);
	return 0;
}

/* Checks the product of all factors of one rank, among the first n + 1 sorted entries. */
static int check_product(const struct slow *slow, size_t n, const char *text)
{
	const struct slow *s = &slow[n];
	double product = s->factor;

	for (size_t i = 0; i < n; i++)
		if (slow[i].rank == s->rank)
			product *= slow[i].factor;
	if (product > LARGEST_PRODUCT)
		return error("slow '%s': the factors of rank %d multiply to more than %g", text,
			     s->rank, LARGEST_PRODUCT);
	return 0;
}

static int refuse_slow(const char *text)
{
	static const struct parse_key no_keys = { 0 };
	static const char *const no_words[] = { NULL };

	if (parse_refuse("slow", text, &no_keys, no_words) < 0)
		return -1;
	return error("slow '%s': expected none, or RANK:FACTOR or RANK:FACTOR@FROM-TO, joined by "
		     "'+', as in 0:2+4-7:3 (ranks 4 to 7); a rank is a plain decimal integer",
		     text);
}

static int parse_list(const char *text, int64_t workers, struct slow **slow, size_t *n)
{
	const char *p = text;

	do {
		struct slow s;
		int last;

		if (!parse_slow(&p, &s, &last))
			return refuse_slow(text);
		if (check_slow(&s, last, workers, text) < 0)
			return -1;
		if (last - s.rank >= MOST_SLOW - (int)*n)
			return error("slow: more than %d slowdowns", MOST_SLOW);
		*slow = xrealloc(*slow, *n + (size_t)(last - s.rank) + 1, sizeof(**slow));
		for (; s.rank <= last; s.rank++)
			(*slow)[(*n)++] = s;
	} while (parse_char(&p, '+'));
	if (*p)
		return error("slow '%s': '%s' is left over", text, p);
	return 0;
}

static int by_rank(const void *a, const void *b)
{
	const struct slow *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (x->from < y->from || x->from > y->from)
		return x->from < y->from ? -1 : 1;
	if (x->to < y->to || x->to > y->to)
		return x->to < y->to ? -1 : 1;
	return (x->factor > y->factor) - (x->factor < y->factor);
}

static int slow_sort(struct slow *slow, size_t n, const char *text)
{
	qsort(slow, n, sizeof(*slow), by_rank);
	for (size_t i = 0; i < n; i++)
		if (check_product(slow, i, text) < 0)
			return -1;
	return 0;
}

int slow_parse(const char *text, int64_t workers, struct slow **slow, size_t *n)
{
	*slow = NULL;
	*n = 0;
	if (!text || strcmp(text, "none") == 0)
		return 0;
	if (parse_list(text, workers, slow, n) == 0 && slow_sort(*slow, *n, text) == 0)
		return 0;
	free(*slow);
	*slow = NULL;
	*n = 0;
	return -1;
}

static void put_slow(const void *slow, size_t i, FILE *out)
{
	const struct slow *s = (const struct slow *)slow + i;

	fprintf(out, "%d:", s->rank);
	put_number(s->factor, out);
	if (s->to > 0.0) {
		putc('@', out);
		put_span(s->from, s->to, out);
	}
}

char *slow_format(const struct slow *slow, size_t n)
{
	return list_text(n, put_slow, slow);
}

double slow_factor(const char *text)
{
	double largest = 1.0;
	struct slow s;
	int last;

	if (!*text || !strcmp(text, "none"))
		return 1.0;
	do {
		if (!parse_slow(&text, &s, &last))
			return (double)NAN;
		largest = fmax(largest, s.factor);
	} while (parse_char(&text, '+'));
	return *text ? (double)NAN : largest;
}
