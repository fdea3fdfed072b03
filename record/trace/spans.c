/* From rows to spans: what each node did with its time. */
#include "record/trace/trace.h"

#include "core/base/mem.h"

#include <math.h>
#include <stdlib.h>

const char *const span_state_name[] = {
	[SPAN_COMPUTING] = "computing",	  [SPAN_HANDLING] = "handling",
	[SPAN_COMMUNICATING] = "communicating", [SPAN_WAITING] = "waiting",
	[SPAN_AWAY] = "away",		  [SPAN_LOST] = "lost work",
	[SPAN_STATES] = NULL,
};

struct spans {
	struct span *v;
	size_t n;
};

struct absence {
	double from, to;
	size_t row;                     /* of its beginning, or of a pause */
};

struct walker {                         /* over the rows of one node */
	const struct trace *t;
	struct spans *out;
	int node;
	const size_t *row;              /* [n] its rows */
	size_t n;
	bool computing;
	double computed, dropped;       /* when a gradient last was */
	double idle_from;               /* HUGE_VAL while computing, and after the end */
	size_t next;                    /* the latest answer of next_begun() */
	struct absence *away;           /* [naway] in time, apart */
	size_t naway;
};

static void span_put(struct walker *w, bool during_grad, enum span_state state, double from,
		     double to, size_t row)
{
	struct spans *s = w->out;

	if (!(to > from) && state != SPAN_HANDLING)
		return;
	s->v = xgrown(s->v, s->n, sizeof(*s->v));
	s->v[s->n++] = (struct span){ w->node, during_grad, state, from, fmax(to, from), row };
}

/* The first absence that is not over at that time. */
static size_t absence_after(const struct walker *w, double time)
{
	size_t first = 0, last = w->naway;

	while (first < last) {
		const size_t middle = first + (last - first) / 2;

		if (w->away[middle].to <= time)
			first = middle + 1;
		else
			last = middle;
	}
	return first;
}

/* When what takes so long is done: it goes on after a pause. */
static double work_end(const struct walker *w, double from, double seconds)
{
	double end = from + seconds;

	for (size_t i = absence_after(w, from); i < w->naway && w->away[i].from < end; i++)
		if (w->t->row[w->away[i].row].kind == TRACE_PAUSED)
			end += w->away[i].to - w->away[i].from;
	return end;
}

/* What a node does, it does while it is there. */
static void span_add(struct walker *w, bool during_grad, enum span_state state, double from,
		     double to, size_t row)
{
	for (size_t i = absence_after(w, from); i < w->naway; i++) {
		const struct absence *a = &w->away[i];

		if (a->from >= to)
			break;
		if (a->from > from)
			span_put(w, during_grad, state, from, a->from, row);
		if (a->to >= to)
			return;
		from = a->to;
	}
	span_put(w, during_grad, state, from, to, row);
}

/* ---- absences ---- */

static void put_absence(struct walker *w, size_t row, double from, double to)
{
	w->away = xgrown(w->away, w->naway, sizeof(*w->away));
	w->away[w->naway++] = (struct absence){ .from = from, .to = to, .row = row };
}

/* A server that stalls has finished what it had begun; who leaves has not. */
static void begin_absence(struct walker *w, size_t row, double busy)
{
	const struct trace_row *r = &w->t->row[row];

	put_absence(w, row, r->rank == SERVER ? fmax(r->time, busy) : r->time, HUGE_VAL);
}

static void end_absence(struct walker *w, double time)
{
	struct absence *last = &w->away[w->naway - 1];

	last->to = time;
	if (last->to <= last->from)
		w->naway--;
}

/*
 * A worker that leaves again before it has a model counts as away. Where a failure pauses the whole
 * job, the pause holds the absence of the worker that failed.
 */
static void find_absences(struct walker *w)
{
	double busy = 0.0, paused = 0.0;
	bool away = false;

	for (size_t k = 0; k < w->n; k++) {
		const struct trace_row *r = &w->t->row[w->row[k]];
		const bool link = r->peer != r->rank;

		if (trace_is_handler(r->kind)) {
			busy = fmax(busy, r->time + r->seconds);
		} else if (r->kind == TRACE_PAUSED) {
			put_absence(w, w->row[k], r->begun, r->time);
			paused = r->time;
		} else if (r->kind == TRACE_FAULT && !link && !away && r->time >= paused) {
			begin_absence(w, w->row[k], busy);
			away = true;
		} else if (r->kind == TRACE_OVER && !link && away) {
			end_absence(w, r->time);
			away = false;
		}
	}
	if (away)
		end_absence(w, w->t->time);
}

static void add_absences(struct walker *w)
{
	for (size_t i = 0; i < w->naway; i++)
		span_put(w, false, SPAN_AWAY, w->away[i].from, w->away[i].to,
			 w->away[i].row);
}

/* ---- what a node does ---- */

/* When the next gradient of the node began that is ready, or dropped, after its k-th row. */
static double next_begun(struct walker *w, size_t k)
{
	if (w->next <= k)
		w->next = k + 1;
	while (w->next < w->n && !trace_ends_computing(w->t->row[w->row[w->next]].kind))
		w->next++;
	return w->next < w->n ? w->t->row[w->row[w->next]].begun : HUGE_VAL;
}

/* A gradient begins after a wait for its samples: the node is no longer idle. */
static void begin_gradient(struct walker *w, double begun, size_t row)
{
	span_add(w, false, SPAN_WAITING, w->idle_from, begun, row);
	w->computing = true;
	w->idle_from = HUGE_VAL;
}

/* Computing, and then handing over where that takes time. At its end, a run drops all in flight. */
static void end_gradient(struct walker *w, size_t row)
{
	const struct trace_row *r = &w->t->row[row];
	const double ready = fmin(work_end(w, r->begun, r->seconds), r->time);
	const bool lost = r->kind == TRACE_DROPPED && r->time < w->t->time;

	begin_gradient(w, fmin(r->begun, r->time), row);
	span_add(w, false, lost ? SPAN_LOST : SPAN_COMPUTING, r->begun, ready, row);
	/* A rest by rounding is no hand-over. */
	if (r->time - ready > 1e-12 * r->time)
		span_add(w, false, SPAN_COMMUNICATING, ready, r->time, row);
	w->computing = false;
	*(r->kind == TRACE_DROPPED ? &w->dropped : &w->computed) = r->time;
}

/* The node was idle until it received something that was on its way since r->begun. */
static void end_idle(struct walker *w, size_t row)
{
	const struct trace_row *r = &w->t->row[row];
	const double from = w->idle_from, to = r->time;
	const double since = fmin(fmax(r->begun, from), to);

	if (from >= to)
		return;
	if (to > w->t->time) {
		span_add(w, false, SPAN_WAITING, from, w->t->time, row);
		return;
	}
	span_add(w, false, SPAN_WAITING, from, since, row);
	span_add(w, false, SPAN_COMMUNICATING, since, to, row);
}

static void end_handler(struct walker *w, size_t k)
{
	const size_t row = w->row[k];
	const struct trace_row *r = &w->t->row[row];
	const double begun = next_begun(w, k);
	double end = work_end(w, r->time, r->seconds);
	bool during_grad;

	if (w->idle_from < begun && begun < r->time)
		begin_gradient(w, begun, row);
	during_grad = w->computing || w->dropped > r->time;
	if (r->kind == TRACE_GRAD || r->kind == TRACE_STAGE)    /* it had to be counted first */
		span_add(w, false, SPAN_COMMUNICATING, w->computed, r->time, row);
	else if (!during_grad)
		end_idle(w, row);
	w->computing = begun <= end;
	w->idle_from = w->computing ? HUGE_VAL : end;
	if (w->computing && !during_grad && begun >= r->time)
		end = begun;
	span_add(w, during_grad, SPAN_HANDLING, r->time, end, row);
}

static void rows_walk(struct walker *w)
{
	for (size_t k = 0; k < w->n; k++) {
		const struct trace_row *r = &w->t->row[w->row[k]];

		if (trace_ends_computing(r->kind))
			end_gradient(w, w->row[k]);
		else if (trace_is_handler(r->kind))
			end_handler(w, k);
	}
	if (w->n && w->idle_from < w->t->time)
		span_add(w, false, SPAN_WAITING, w->idle_from, w->t->time, w->row[w->n - 1]);
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

static size_t row_node(const struct trace *t, size_t i)
{
	return (size_t)(t->row[i].rank == SERVER ? t->workers : t->row[i].rank);
}

/* The rows of every node, node by node; where each node's begin -> first[nodes + 1]. */
static size_t *deal_rows(const struct trace *t, size_t *first)
{
	size_t *row = xcalloc(t->n + 1, sizeof(*row));
	scoped size_t *at = xcalloc((size_t)t->nodes, sizeof(*at));

	for (size_t i = 0; i < t->n; i++)
		first[row_node(t, i) + 1]++;
	for (int node = 0; node < t->nodes; node++) {
		first[node + 1] += first[node];
		at[node] = first[node];
	}
	for (size_t i = 0; i < t->n; i++)
		row[at[row_node(t, i)]++] = i;
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

		find_absences(&w);
		rows_walk(&w);
		add_absences(&w);
		free(w.away);
	}
	if (out.n)
		qsort(out.v, out.n, sizeof(*out.v), by_time);
	free_all(first, row);
	*n = out.n;
	return out.v;
}
