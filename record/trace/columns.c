/*
 * columns.c - the timeline of a trace as columns of numbers, for a page that draws it
 * (web/trace.js): little-endian, one column after the other, the widest numbers first; compressed
 * by zlib, in base64.
 */
#include "record/trace/trace.h"

#include "core/base/error.h"
#include "core/base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

struct bytes {
	unsigned char *v;
	size_t n, capacity;
};

static void put_bits(struct bytes *b, uint64_t bits, int width)
{
	if (b->n + (size_t)width > b->capacity) {
		b->capacity = b->capacity ? 2 * b->capacity : 1 << 16;
		b->v = xrealloc(b->v, b->capacity, 1);
	}
	for (int k = 0; k < width; k++)
		b->v[b->n++] = (unsigned char)(bits >> 8 * k);
}

static void put_real(struct bytes *b, double x)
{
	uint64_t bits;

	memcpy(&bits, &x, sizeof(bits));
	put_bits(b, bits, 8);
}

static void put_short_real(struct bytes *b, double x)
{
	const float single = (float)x;
	uint32_t bits;

	memcpy(&bits, &single, sizeof(bits));
	put_bits(b, bits, 4);
}

static void put_whole(struct bytes *b, int64_t x)
{
	const int64_t most = INT32_MAX, within = x < -1 ? -1 : x > most ? most : x;

	put_bits(b, (uint64_t)(uint32_t)within, 4);
}

/* Number of a rank's node; -1: none. */
static int node_of(const struct trace *t, int rank)
{
	return rank == SERVER && t->nodes > t->workers ? t->workers :
	       rank >= 0 && rank < t->workers ? rank : -1;
}

/* Sender of what ended the span; -1: none. */
static int span_peer(const struct trace *t, const struct span *s)
{
	const struct trace_row *r = &t->row[s->row];

	return r->kind == TRACE_MESSAGE ? node_of(t, r->peer) : -1;
}

/* Loss of a gradient, bytes of a message or an all-reduce. */
static double span_value(const struct trace *t, const struct span *s)
{
	const struct trace_row *r = &t->row[s->row];

	return r->kind == TRACE_COMPUTED ? r->loss : (double)r->bytes;
}

/* Staleness of the gradient that the handler applied: its row is before the handler's; -1: none. */
static int64_t span_staleness(const struct trace *t, const struct span *s)
{
	const struct trace_row *r = &t->row[s->row];

	if (!trace_is_handler(r->kind))
		return -1;
	for (size_t i = s->row; i-- > 0;) {
		const struct trace_row *before = &t->row[i];

		if (before->rank != r->rank ||
		    (before->kind != TRACE_SENT && before->kind != TRACE_STEPPED))
			return -1;
		if (before->kind == TRACE_STEPPED)
			return before->staleness;
	}
	return -1;
}

/* ---- lanes: of each node what it does, then what it handles while it computes ---- */

static size_t span_lane(const struct span *s)
{
	return 2 * (size_t)s->node + s->during_grad;
}

/* Spans that take time, by lane and in time. Where the lanes begin -> first. */
static struct span *spans_by_lane(const struct trace *t, size_t *first, size_t *n)
{
	const size_t lanes = 2 * (size_t)t->nodes;
	size_t all, *at = xcalloc(lanes + 1, sizeof(*at));
	struct span *s = trace_spans(t, &all), *out = xcalloc(all + 1, sizeof(*out));

	*n = 0;
	for (size_t i = 0; i < all; i++)
		if (s[i].to > s[i].from)
			s[(*n)++] = s[i];
	for (size_t i = 0; i < *n; i++)
		first[span_lane(&s[i]) + 1]++;
	for (size_t k = 0; k < lanes; k++) {
		at[k] = first[k];
		first[k + 1] += first[k];
	}
	for (size_t i = 0; i < *n; i++)
		out[at[span_lane(&s[i])]++] = s[i];
	free_all(at, s);
	return out;
}

static void put_spans(struct bytes *b, const struct trace *t, const struct span *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		put_whole(b, span_peer(t, &s[i]));
	for (size_t i = 0; i < n; i++)
		put_whole(b, t->row[s[i].row].gradients);
	for (size_t i = 0; i < n; i++)
		put_whole(b, span_staleness(t, &s[i]));
	for (size_t i = 0; i < n; i++)
		put_short_real(b, span_value(t, &s[i]));
}

/* ---- messages, by the time at which they were sent ---- */

static int by_begin(const void *a, const void *b)
{
	const struct trace_row *x = *(const struct trace_row *const *)a;
	const struct trace_row *y = *(const struct trace_row *const *)b;

	if (x->begun < y->begun || x->begun > y->begun)
		return x->begun < y->begun ? -1 : 1;
	return (x > y) - (x < y);
}

/* The rows of messages between two nodes; the caller frees. */
static const struct trace_row **messages_of(const struct trace *t, size_t *n)
{
	const struct trace_row **v = xcalloc(t->n + 1, sizeof(*v));

	*n = 0;
	for (size_t i = 0; i < t->n; i++)
		if (t->row[i].kind == TRACE_MESSAGE && node_of(t, t->row[i].peer) >= 0 &&
		    t->row[i].peer != t->row[i].rank)
			v[(*n)++] = &t->row[i];
	qsort(v, *n, sizeof(*v), by_begin);
	return v;
}

static void put_messages(struct bytes *b, const struct trace *t, const struct trace_row **m,
			 size_t n)
{
	for (size_t i = 0; i < n; i++)
		put_whole(b, node_of(t, m[i]->peer));
	for (size_t i = 0; i < n; i++)
		put_whole(b, node_of(t, m[i]->rank));
	for (size_t i = 0; i < n; i++)
		put_short_real(b, (double)m[i]->bytes);
}

/* ---- text ---- */

static char *base64_of(const unsigned char *v, size_t n)
{
	static const char digit[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char *text = xcalloc((n + 2) / 3 * 4 + 1, 1), *to = text;

	for (size_t i = 0; i < n; i += 3) {
		const uint32_t bits = (uint32_t)v[i] << 16 |
				      (i + 1 < n ? (uint32_t)v[i + 1] << 8 : 0) |
				      (i + 2 < n ? v[i + 2] : 0);

		*to++ = digit[bits >> 18];
		*to++ = digit[bits >> 12 & 63];
		*to++ = i + 1 < n ? digit[bits >> 6 & 63] : '=';
		*to++ = i + 2 < n ? digit[bits & 63] : '=';
	}
	return text;
}

/* Base64 of the compressed bytes, or NULL after error(). */
static char *compressed(const struct bytes *b)
{
	uLongf n = compressBound((uLong)b->n);
	scoped unsigned char *v = xcalloc(n, 1);
	char *text = NULL;

	/* Level 4 is twice as fast as 6, and gives 3 % more. */
	if (compress2(v, &n, b->v, (uLong)b->n, 4) == Z_OK)
		text = base64_of(v, n);
	else
		error("the timeline cannot be compressed: zlib failed");
	return text;
}

char *trace_columns(const struct trace *t, size_t *spans, size_t *messages)
{
	size_t *first = xcalloc(2 * (size_t)t->nodes + 1, sizeof(*first));
	struct span *s = spans_by_lane(t, first, spans);
	const struct trace_row **m = messages_of(t, messages);
	struct bytes b = { 0 };
	char *text;

	for (size_t i = 0; i < *spans; i++) {
		put_real(&b, s[i].from);
		put_real(&b, s[i].to);
	}
	for (size_t i = 0; i < *messages; i++) {
		put_real(&b, m[i]->begun);
		put_real(&b, fmax(m[i]->begun, m[i]->time));
	}
	for (size_t k = 0; k <= 2 * (size_t)t->nodes; k++)
		put_whole(&b, (int64_t)first[k]);
	put_spans(&b, t, s, *spans);
	put_messages(&b, t, m, *messages);
	for (size_t i = 0; i < *spans; i++)
		put_bits(&b, (uint64_t)s[i].state, 1);
	for (size_t i = 0; i < *spans; i++)
		put_bits(&b, t->row[s[i].row].kind, 1);
	text = compressed(&b);
	free_all(b.v, m, s, first);
	return text;
}
