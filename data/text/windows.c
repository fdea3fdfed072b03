/* Cuts rows of tokens into the windows that a net reads. */
#include "data/text/windows.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/math/rng.h"
#include "data/store.h"

#include <stdlib.h>

static const char *const split_names[] = { "training", "validation" };

int windows_fit(struct dataset *ds, const struct windows *w, int window, const char *what)
{
	const int test = w->test_window ? w->test_window : window;
	const int windows[] = { window, test };

	for (int k = 0; k < 2; k++)
		if (w->length[k] < (int64_t)windows[k] + 1)
			return error("%s: the %s text has %lld tokens, fewer than a window of %d "
				     "and the token after it. Choose a smaller %s%s.", what,
				     split_names[k], (long long)w->length[k], windows[k],
				     k && w->test_window ? "test_window" : "window",
				     w->cut ? " or another split" : "");
	ds->height = window;
	ds->width = ds->channels = 1;
	ds->tokens = true;
	ds->test_window = w->test_window;
	ds->streams = w->streams;
	ds->n[SPLIT_TRAIN] = (w->length[SPLIT_TRAIN] - 1) / window;
	ds->n[SPLIT_TEST] = (w->length[SPLIT_TEST] - 2 + test) / test;
	return 0;
}

/*
 * Earliest position of training window i; a drawn window begins before the earliest of the next
 * one.
 */
static int64_t windows_earliest(const struct windows *w, int window, int64_t i)
{
	const int64_t positions = w->length[SPLIT_TRAIN] - window;
	const int64_t n = (w->length[SPLIT_TRAIN] - 1) / window;

	return w->random ? (int64_t)((__int128)i * positions / n) : i * window;
}

/* First of n windows whose earliest position is at least `position`; n: none. */
static int64_t windows_search(const struct windows *w, int window, int64_t n, int64_t position)
{
	int64_t first = 0, end = n;

	while (first < end) {
		const int64_t middle = first + (end - first) / 2;

		if (windows_earliest(w, window, middle) < position)
			first = middle + 1;
		else
			end = middle;
	}
	return first;
}

void windows_within(const struct windows *w, int window, int64_t from, int64_t to,
		    int64_t *first, int64_t *n)
{
	const int64_t all = (w->length[SPLIT_TRAIN] - 1) / window;
	/* A drawn window begins before the earliest position of the next one. */
	const int64_t end = w->random
		? windows_search(w, window, all + 1, to - window + 1) - 1
		: windows_search(w, window, all, to - window);

	*first = windows_search(w, window, all, from);
	*n = end > *first ? end - *first : 0;
}

/* Position drawn from the i-th of n equal parts of all positions at which a window may begin. */
static int64_t windows_draw(const struct windows *w, int window, int64_t i, struct rng *r)
{
	const int64_t from = windows_earliest(w, window, i);
	const int64_t to = windows_earliest(w, window, i + 1);

	return from + (int64_t)rng_below(r, (uint64_t)(to - from));
}

void windows_read(const struct windows *w, int window, enum split split, int64_t i, struct rng *r,
		  float *tokens, int32_t *next)
{
	const int64_t own = i * window, last = w->length[split] - 1 - window;
	const bool drawn = r && w->random && !w->streams;
	const bool moved = own > last && !w->streams;
	const int64_t begin = drawn ? windows_draw(w, window, i, r) : moved ? last : own;
	const int32_t *at = w->tokens[split] + begin;

	for (int k = 0; k < window; k++) {
		const bool there = begin + k + 1 < w->length[split];

		tokens[k] = there ? (float)at[k] : 0;
		next[k] = there && (drawn || begin + k >= own) ? at[k + 1] : -1;
	}
}

uint64_t windows_digest(const struct windows *w)
{
	uint64_t h = 0;

	for (int k = 0; k < 2; k++)
		h = digest_bytes(h, (const uint8_t *)w->tokens[k],
				 (size_t)w->length[k] * sizeof(*w->tokens[k]));
	return h;
}

void windows_release(struct windows *w)
{
	free_all(w->tokens[0], w->tokens[1]);
}

/* ---- documents ---- */

/* A row of tokens, and the token that ends a line; -1: none does. */
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

/* *from, *to <- the line at *from, without surrounding white space. Returns the line's end. */
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

/* True for "= TITLE =", but not for "= = SECTION = =". */
static bool row_is_title(const struct row *r, int64_t from, int64_t to)
{
	int64_t next = from + 1;

	if (to - from < 3 || !row_is(r, from, '=') || !row_is(r, to - 1, '='))
		return false;
	while (row_is(r, next, ' '))
		next++;
	return next < to - 1 && !row_is(r, next, '=');
}

/*
 * Adds the documents after the first; text before the first title, or words, belongs to the first
 * one.
 */
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

/* The document, from `first` on, whose beginning is nearest to a position. */
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
