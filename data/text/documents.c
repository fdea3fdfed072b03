/* documents.c - see documents.h. */
#include "data/text/documents.h"

#include "core/base/mem.h"
#include "data/text/tokens.h"

#include <stdlib.h>

/* A row of tokens, and the one that ends a line; -1: none does. */
struct row {
	const struct vocabulary *v;
	const int32_t *tokens;
	int64_t n;
	int32_t line_break;
};

static void documents_add(struct documents *d, int64_t at)
{
	if (d->n && d->at[d->n - 1] == at)
		return;
	if (!(d->n & (d->n - 1)))
		d->at = xrealloc(d->at, d->n ? 2 * (size_t)d->n : 1, sizeof(*d->at));
	d->at[d->n++] = at;
}

static bool row_is(const struct row *r, int64_t i, char c)
{
	const struct symbol *s = &r->v->symbols[r->tokens[i]];

	return s->n == 1 && *s->at == c;
}

static int32_t row_line_break(const struct vocabulary *v)
{
	if (v->unit == UNIT_WORD)
		return 0;
	for (int32_t k = 0; k < v->n; k++)
		if (v->symbols[k].n == 1 && *v->symbols[k].at == '\n')
			return k;
	return -1;
}

/* *from, *to <- the line that begins at *from, without the blanks around it. Its end. */
static int64_t row_line(const struct row *r, int64_t *from, int64_t *to)
{
	int64_t end = *from;

	while (end < r->n && r->tokens[end] != r->line_break)
		end++;
	*to = end;
	while (*from < *to && row_is(r, *from, ' '))
		++*from;
	while (*from < *to && row_is(r, *to - 1, ' '))
		--*to;
	return end;
}

/* "= TITLE =", but not "= = SECTION = =". */
static bool row_is_title(const struct row *r, int64_t from, int64_t to)
{
	int64_t next = from + 1;

	if (to - from < 3 || !row_is(r, from, '=') || !row_is(r, to - 1, '='))
		return false;
	while (row_is(r, next, ' '))
		next++;
	return next < to - 1 && !row_is(r, next, '=');
}

/* What is before the first title, or the first words, belongs to the first document. */
static void documents_find_lines(struct documents *d, const struct row *r, enum document how)
{
	bool blank = true, begun = false;

	for (int64_t at = 0, end; at < r->n; at = end + 1) {
		int64_t from = at, to;
		bool begins;

		end = row_line(r, &from, &to);
		begins = how == DOCUMENT_TITLE ? row_is_title(r, from, to) : blank && from < to;
		if (begins && begun)
			documents_add(d, at);
		begun |= begins;
		blank = from == to;
	}
}

struct documents documents_find(const struct vocabulary *v, enum document how,
				const int32_t *tokens, int64_t n)
{
	const struct row r = { v, tokens, n, v->unit == UNIT_GPT2 ? -1 : row_line_break(v) };
	struct documents d = { NULL, 0 };

	documents_add(&d, 0);
	if (v->unit != UNIT_GPT2) {
		documents_find_lines(&d, &r, how);
		return d;
	}
	for (int64_t i = 0; i < n; i++)
		if (tokens[i] == GPT2_END)
			documents_add(&d, i);
	return d;
}

/* The document from `first` on that begins nearest to a position. */
static int64_t documents_nearest(const struct documents *d, int64_t first, double position)
{
	int64_t k = first;

	while (k + 1 < d->n && (double)d->at[k + 1] <= position)
		k++;
	if (k + 1 < d->n && (double)d->at[k + 1] - position < position - (double)d->at[k])
		k++;
	return k;
}

int documents_cut(const struct documents *d, int64_t length, int parts, int64_t *from)
{
	int64_t k = 0;

	if (d->n < parts)
		return -1;
	from[0] = 0;
	from[parts] = length;
	for (int p = 1; p < parts; p++) {
		const int64_t last = d->n - (parts - p);
		const double position = (double)length / parts * p;

		k = documents_nearest(d, k + 1, position);
		k = k < last ? k : last;
		from[p] = d->at[k];
	}
	return 0;
}
