/* Describes which ranks wait for what when a run cannot go on. */
#include "core/engine/engine.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

static const struct {
	const char *one, *many;
} phrase[WAITS_KINDS] = {
	[WAITS_ALLREDUCE] = { "waits for an all-reduce", "wait for an all-reduce" },
	[WAITS_MESSAGE] = { "waits for a message", "wait for a message" },
	[WAITS_NOTHING] = { "has requested nothing", "have requested nothing" },
	[WAITS_STOPPED] = { "has stopped", "have stopped" },
};

struct line {                   /* being written; n may exceed size, as of snprintf() */
	char *at;
	size_t n, size;
};

static void __attribute__((format(printf, 2, 3))) add(struct line *l, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (l->n < l->size)
		l->n += (size_t)vsnprintf(l->at + l->n, l->size - l->n, fmt, ap);
	va_end(ap);
}

enum waits stall_waits(const struct node *nd, bool allreducing, bool stopped)
{
	if (allreducing)
		return WAITS_ALLREDUCE;
	if (stopped)
		return WAITS_STOPPED;
	return nd->role->msg ? WAITS_MESSAGE : WAITS_NOTHING;
}

/* The index after the span of equal kinds that begins at i. */
static int end_of_span(const enum waits *what, int i, int workers)
{
	int end = i + 1;

	while (end < workers && what[end] == what[i])
		end++;
	return end;
}

/* "ranks 0, 2-4"; how many they are. */
static int add_ranks(struct line *l, const enum waits *what, int workers, enum waits kind)
{
	int n = 0, end;

	for (int i = 0; i < workers; i++)
		n += what[i] == kind;
	if (n)
		add(l, "%s%s ", l->n ? "; " : "", n > 1 ? "ranks" : "rank");
	for (int i = 0, named = 0; i < workers; i = end) {
		end = end_of_span(what, i, workers);
		if (what[i] != kind)
			continue;
		add(l, "%s%d", named++ ? ", " : "", i);
		if (end - i > 1)
			add(l, "%s%d", end - i > 2 ? "-" : ", ", end - 1);
	}
	return n;
}

void stall_text(const enum waits *what, int n, int workers, char *text, size_t size)
{
	struct line l = { .at = text, .size = size };

	text[0] = '\0';
	for (int kind = 0; kind < WAITS_KINDS; kind++) {
		const int ranks = add_ranks(&l, what, workers, (enum waits)kind);

		if (ranks)
			add(&l, " %s", ranks > 1 ? phrase[kind].many : phrase[kind].one);
	}
	if (n > workers)
		add(&l, "; the server %s", phrase[what[workers]].one);
}

/* ---- splits an idle span of a node into time waited for others and time in communication ---- */

void ledger_idle(struct ledger *l, double *idle_from, double now, double since)
{
	const double from = *idle_from;

	if (from >= now)
		return;
	since = fmin(fmax(since, from), now);
	l->wait += since - from;
	l->comm += now - since;
	*idle_from = now;
}
