/* Parses, checks, compares and prints lists of ranks such as "0,4-7". */
#include "core/text/ranks.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/node.h"
#include "core/text/word.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_DIGITS = 9 };       /* digits that fit in any int */

bool rank_take(const char **p, int *rank)
{
	const size_t digits = strspn(*p, "0123456789");

	if (digits == 0 || digits > MOST_DIGITS)
		return false;
	*rank = (int)strtol(*p, NULL, 10);
	*p += digits;
	return true;
}

/* ---- parsing ---- */

static void ranks_skip_spaces(const char **p)
{
	*p += strspn(*p, " \t\r\n");
}

static bool ranks_take_word(const char **p, const char *word)
{
	const size_t n = strlen(word);

	if (strncmp(*p, word, n) != 0)
		return false;
	*p += n;
	ranks_skip_spaces(p);
	return true;
}

/* Parses "server", "3" or "0-7", and spaces after it. */
static bool ranks_take_span(const struct ranks_rule *rule, const char **p, struct rank_span *s)
{
	bool good;

	if (rule->server && ranks_take_word(p, "server")) {
		*s = (struct rank_span){ SERVER, SERVER };
		return true;
	}
	good = rank_take(p, &s->first);
	ranks_skip_spaces(p);
	s->last = s->first;
	if (good && ranks_take_word(p, "-")) {
		good = rank_take(p, &s->last);
		ranks_skip_spaces(p);
	}
	return good;
}

int ranks_take(const struct ranks_rule *rule, const char **p, struct rank_list *r)
{
	const int n = rule->workers;
	struct rank_span s;
	bool more;

	do {
		const bool good = ranks_take_span(rule, p, &s);

		more = good && ranks_take_word(p, ",");
		if (!good || (!more && rule->end && **p != rule->end))
			return error("%s '%s': expected %s", rule->setting, rule->text,
				     rule->expected);
		if (s.last < s.first)
			return error("%s '%s': ranks %d-%d: the first is the larger; did you mean "
				     "%d-%d?", rule->setting, rule->text, s.first, s.last, s.last,
				     s.first);
		if (s.last >= n && (n > 1 || !rule->alone))
			return error("%s '%s': there is no rank %d among %d worker%s (ranks are 0 "
				     "to %d)", rule->setting, rule->text, s.last, n,
				     word_plural(n), n - 1);
		if (s.first >= n)
			continue;
		s.last = s.last < n ? s.last : n - 1;
		APPEND(r->span, r->n) = s;
	} while (more);
	*p += rule->end != 0;
	ranks_skip_spaces(p);
	return 0;
}

void ranks_release(struct rank_list *r)
{
	free(r->span);
	*r = (struct rank_list){ 0 };
}

/* ---- queries ---- */

bool ranks_has(const struct rank_list *r, int rank)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->span[i].first <= rank && rank <= r->span[i].last)
			return true;
	return false;
}

int ranks_common(const struct rank_list *a, const struct rank_list *b)
{
	for (size_t i = 0; i < a->n; i++)
		for (size_t k = 0; k < b->n; k++) {
			const struct rank_span *x = &a->span[i], *y = &b->span[k];
			const int first = x->first > y->first ? x->first : y->first;

			if (first <= x->last && first <= y->last)
				return first;
		}
	return NO_PEER;
}

int ranks_twice(const struct rank_list *r)
{
	int rank = NO_PEER;

	for (size_t i = 1; i < r->n && rank == NO_PEER; i++)
		rank = ranks_common(&(struct rank_list){ r->span + i, 1 },
				    &(struct rank_list){ r->span, i });
	return rank;
}

void ranks_put(const struct rank_list *r, FILE *out)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct rank_span *s = &r->span[i];

		fputs(i ? "," : "", out);
		if (s->first == SERVER)
			fputs("server", out);
		else if (s->first == s->last)
			fprintf(out, "%d", s->first);
		else
			fprintf(out, "%d-%d", s->first, s->last);
	}
}
