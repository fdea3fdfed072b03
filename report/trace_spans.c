/*
 * trace_spans.c - from rows to spans: what each node did with its time.
 */
#include "report/trace.h"

#include "core/mem.h"

#include <math.h>
#include <stdlib.h>

const char *const span_state_name[] = {
	[SPAN_COMPUTING] = "computing",	  [SPAN_HANDLING] = "handling",
	[SPAN_COMMUNICATING] = "communicating", [SPAN_WAITING] = "waiting",
	[SPAN_STATES] = NULL,
};

struct spans {
	struct span *v;
	size_t n, room;
};

struct walker {                         /* over the rows of one node */
	const struct trace *t;
	struct spans *out;
	int node;
	const size_t *row;              /* [n] its rows */
	size_t n;
	bool computing;
	double computed, dropped;       /* when a gradient last was */
	double idle_from;               /* HUGE_VAL while computing, and behind the end */
};

static void add(struct walker *w, bool beside, enum span_state state, double from, double to,
		size_t row)
{
	struct spans *s = w->out;

	if (!(to > from) && state != SPAN_HANDLING)
		return;
	if (s->n == s->room) {
		s->room = s->room ? 2 * s->room : 1024;
		s->v = xrealloc(s->v, s->room, sizeof(*s->v));
	}
	s->v[s->n++] = (struct span){ w->node, beside, state, from, fmax(to, from), row };
}

/* When the next gradient of the node began that is ready, or dropped, behind its k-th row. */
static double next_begun(const struct walker *w, size_t k)
{
	while (++k < w->n) {
		const struct trace_row *r = &w->t->row[w->row[k]];

		if (r->kind == TRACE_COMPUTED || r->kind == TRACE_DROPPED)
			return r->begun;
	}
	return HUGE_VAL;
}

/* Computing, and then handing over where that takes time. */
static void end_gradient(struct walker *w, size_t row)
{
	const struct trace_row *r = &w->t->row[row];
	const double ready = fmin(r->begun + r->seconds, r->time);

	add(w, false, SPAN_COMPUTING, r->begun, ready, row);
	/* What rounding leaves is no handing over. */
	if (r->time - ready > 1e-12 * r->time)
		add(w, false, SPAN_COMMUNICATING, ready, r->time, row);
	w->computing = false;
	w->idle_from = HUGE_VAL;
	*(r->kind == TRACE_DROPPED ? &w->dropped : &w->computed) = r->time;
}

/* The node was idle until it heard something that was on its way since r->begun. */
static void end_idle(struct walker *w, size_t row)
{
	const struct trace_row *r = &w->t->row[row];
	const double from = w->idle_from, to = r->time;
	const double since = fmin(fmax(r->begun, from), to);

	if (from >= to)
		return;
	if (to > w->t->time) {
		add(w, false, SPAN_WAITING, from, w->t->time, row);
		return;
	}
	add(w, false, SPAN_WAITING, from, since, row);
	add(w, false, SPAN_COMMUNICATING, since, to, row);
}

static void end_handler(struct walker *w, size_t k)
{
	const size_t row = w->row[k];
	const struct trace_row *r = &w->t->row[row];
	const bool beside = w->computing || w->dropped > r->time;
	const double begun = next_begun(w, k);
	double end = r->time + r->seconds;

	if (r->kind == TRACE_GRAD)      /* it had to be counted first */
		add(w, false, SPAN_COMMUNICATING, w->computed, r->time, row);
	else if (!beside)
		end_idle(w, row);
	w->computing = begun <= end;
	w->idle_from = w->computing ? HUGE_VAL : end;
	if (w->computing && !beside && begun >= r->time)
		end = begun;
	add(w, beside, SPAN_HANDLING, r->time, end, row);
}

static void walk(struct walker *w)
{
	for (size_t k = 0; k < w->n; k++) {
		const struct trace_row *r = &w->t->row[w->row[k]];

		if (r->kind == TRACE_COMPUTED || r->kind == TRACE_DROPPED)
			end_gradient(w, w->row[k]);
		else if (r->kind >= TRACE_START)
			end_handler(w, k);
	}
	if (w->n && w->idle_from < w->t->time)
		add(w, false, SPAN_WAITING, w->idle_from, w->t->time, w->row[w->n - 1]);
}

static int by_time(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	if (x->from < y->from || x->from > y->from)
		return x->from < y->from ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

/* The rows of every node, node by node; where each node's begin -> first[nodes + 1]. */
static size_t *deal_rows(const struct trace *t, size_t *first)
{
	size_t *row = xcalloc(t->n + 1, sizeof(*row)), n = 0;

	for (int node = 0; node < t->nodes; node++) {
		const int rank = node == t->workers ? SERVER : node;

		first[node] = n;
		for (size_t i = 0; i < t->n; i++)
			if (t->row[i].rank == rank)
				row[n++] = i;
	}
	first[t->nodes] = n;
	return row;
}

struct span *trace_spans(const struct trace *t, size_t *n)
{
	size_t *first = xcalloc((size_t)t->nodes + 1, sizeof(*first)), *row = deal_rows(t, first);
	struct spans out = { 0 };

	for (int node = 0; node < t->nodes; node++) {
		struct walker w = { .t = t, .out = &out, .node = node, .row = row + first[node],
				    .n = first[node + 1] - first[node], .computed = HUGE_VAL,
				    .dropped = -HUGE_VAL, .idle_from = HUGE_VAL };

		walk(&w);
	}
	if (out.n)
		qsort(out.v, out.n, sizeof(*out.v), by_time);
	free(first);
	free(row);
	*n = out.n;
	return out.v;
}
