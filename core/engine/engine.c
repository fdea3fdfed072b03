/* The engine's side of nodes: requests, handlers, the memory of streams, ledgers, and stalls. */
#include "core/engine/engine.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- requests ---- */

void node_is_no_worker(const struct node *nd, const char *what)
{
	algo_mistake(nd->run, "the server asks for %s", what);
}

struct job node_job(struct node *nd, const float *x, int64_t index, float *g)
{
	const struct node_memory *m = nd->memory;
	struct job j = { .kind = JOB_GRAD, .x = x, .rank = nd->rank, .index = index, .out = g };

	if (nd->stages)
		return node_stage_job(nd, x, g);
	if (m)
		j.carried = (struct carried){ m->rows,
					      m->epoch == run_epoch_of(nd->run, index) ? m->n : 0,
					      g + nd->dim };
	return j;
}

void node_refuse(const struct node *nd, double now, int64_t gradients)
{
	run_emit(nd->run, &(struct event){ .kind = EV_REFUSE,
					   .time = now, .gradients = gradients,
					   .epoch = run_epochs(nd->run, gradients), .node = nd,
					   .asked = nd->goes_on ? (double)NAN : now });
}

/* ---- handlers ---- */

void node_lacks(const struct node *nd, const char *what)
{
	algo_mistake(nd->run, "rank %d has no handler for %s", nd->rank, what);
}

/* ---- the memory of a net's streams ---- */

void node_open_memory(struct node *nd)
{
	const struct run *run = nd->run;

	if (!run->pool || !run->carry.floats || nd->rank == SERVER)
		return;
	nd->memory = nd->engine->alloc(nd, 1, sizeof(*nd->memory));
	nd->memory->rows = node_floats(nd, node_memory_floats(nd));
}

/* In a repeated run (sim/checkpoint.c) jobs have no results: memory is read from the checkpoint. */
void node_memory_take(struct node *nd, const struct job *j)
{
	struct node_memory *m = nd->memory;

	memcpy(m->rows, j->carried.out, node_memory_floats(nd) * sizeof(*m->rows));
	m->n = carry_rows(&nd->run->carry, j->carried.rows);
	m->epoch = run_epoch_of(nd->run, j->index);
}

/* ---- stalls ---- */

static const struct {
	const char *one, *many;
} phrase[WAITS_KINDS] = {
	[WAITS_ALLREDUCE] = { "waits for an all-reduce", "wait for an all-reduce" },
	[WAITS_MESSAGE] = { "waits for a message", "wait for a message" },
	[WAITS_NOTHING] = { "has requested nothing", "have requested nothing" },
	[WAITS_STOPPED] = { "has stopped", "have stopped" },
};

struct engine_line { /* text being written; n may exceed size, as with snprintf() */
	char *at;
	size_t n, size;
};

static void __attribute__((format(printf, 2, 3))) add(struct engine_line *l, const char *fmt, ...)
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

/* Index after the span of nodes, from i on, that wait for the same. */
static int end_of_span(const enum waits *what, int i, int workers)
{
	int end = i + 1;

	while (end < workers && what[end] == what[i])
		end++;
	return end;
}

/* Adds "ranks 0, 2-4" for the nodes of one kind; returns their number. */
static int add_ranks(struct engine_line *l, const enum waits *what, int workers, enum waits kind)
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
	struct engine_line l = { .at = text, .size = size };

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
