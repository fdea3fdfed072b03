/* Messages in flight as flows, whose rates are shared again at each begin and end. */
#include "sim/link/flows.h"

#include "core/base/mem.h"
#include "sim/link/lines.h"

#include <math.h>
#include <stdlib.h>

struct flow {
	struct flow *next;      /* of the same sender */
	struct share share;
	int from, to;
	double latency;         /* seconds after the last byte */
	double cost;            /* bytes that a message takes in addition to its own */
	bool background;        /* no messages: it always has its rate, or its fair share */
	struct packet *first, **tail;   /* messages, in their order; first is on the lines */
	double left;            /* bytes of the first, at `since` */
	double since, rate;     /* bytes a second from then on */
	double end;             /* when the first will have left */
};

struct flows {
	struct lines lines;
	struct heap *heap;
	struct flow **flow;     /* [n] of those that have messages, and others' traffic */
	struct share **share;   /* [n] theirs */
	struct flow **of;       /* [locations] a sender's */
	size_t n, capacity;
	int64_t ticket;         /* of the SIM_NET that counts */
	bool settled;           /* rates are those of the flows that there are */
};

/* ---- flows ---- */

static struct flow *link_flows_find(const struct flows *f, int from, int to)
{
	struct flow *w = f->of[from];

	while (w && w->to != to)
		w = w->next;
	return w;
}

/* A message's cost goes over the flow's lines like bytes: NICs are busy with both. */
static void flows_set_costs(const struct lines *l, struct flow *w)
{
	const double alone = lines_alone(l, &w->share);
	double message = l->net->fabric.message_s;

	w->latency = l->net->fabric.latency_s;
	if (!l->net->plain) {
		const struct wire wire = network_wire(l->net, w->from, w->to);

		w->latency = wire.latency_s;
		message = fmax(wire.out_message, wire.in_message);
	}
	if (isinf(alone))
		w->latency += message;
	else
		w->cost = message * alone;
}

static void flows_keep(struct flows *f, struct flow *w)
{
	if (f->n == f->capacity) {
		f->capacity = f->capacity ? 2 * f->capacity : 16;
		f->flow = xrealloc(f->flow, f->capacity, sizeof(*f->flow));
		f->share = xrealloc(f->share, f->capacity, sizeof(*f->share));
	}
	f->flow[f->n] = w;
	f->share[f->n++] = &w->share;
	f->settled = false;
}

static struct flow *link_flows_add(struct flows *f, int from, int to)
{
	struct flow *w = xcalloc(1, sizeof(*w));

	*w = (struct flow){ .from = from, .to = to,
			    .share = lines_route(&f->lines, from, to) };
	flows_set_costs(&f->lines, w);
	w->tail = &w->first;
	w->next = f->of[from];
	f->of[from] = w;
	flows_keep(f, w);
	return w;
}

/* Traffic that is there without the run. */
static void flows_add_background(struct flows *f, const struct share *share)
{
	struct flow *w = xcalloc(1, sizeof(*w));

	*w = (struct flow){ .background = true, .share = *share, .end = HUGE_VAL };
	flows_keep(f, w);
}

/* The last is moved there. */
static void link_flows_drop(struct flows *f, size_t i)
{
	struct flow **link = &f->of[f->flow[i]->from];

	while (*link != f->flow[i])
		link = &(*link)->next;
	*link = (*link)->next;
	free(f->flow[i]);
	f->flow[i] = f->flow[--f->n];
	f->share[i] = f->share[f->n];
	f->settled = false;
}

/* The next message, if any, begins at `now`. */
static void link_flows_begin(struct flow *w, double now)
{
	w->left = w->first ? (double)w->first->bytes + w->cost : 0.0;
	w->since = now;
	w->end = now + w->left / w->rate;
}

/* ---- events ---- */

static void ask_again(struct flows *f, double time)
{
	heap_push(f->heap, time, SIM_NET, HEAP_NODE_MAX, NULL, ++f->ticket);
}

static void link_flows_arrive(struct flows *f, double now, int from, struct packet *p)
{
	struct flow *w = link_flows_find(f, from, p->location);

	if (!w) {
		w = link_flows_add(f, from, p->location);
		w->left = (double)p->bytes + w->cost;
		w->since = now;
		ask_again(f, now);
	}
	p->next = NULL;
	*w->tail = p;
	w->tail = &p->next;
}

static void link_flows_leave(struct flows *f, struct flow *w, double now)
{
	struct packet *p = w->first;

	w->first = p->next;
	if (!w->first)
		w->tail = &w->first;
	p->next = NULL;
	heap_push(f->heap, now + w->latency, SIM_RECEIVED, w->to, p, 0);
	link_flows_begin(w, now);
}

/* A rate that stays leaves the end as it was, to the last bit. */
static void link_flows_settle(struct flows *f, double now)
{
	share_fairly(f->lines.line, f->share, f->n);
	for (size_t i = 0; i < f->n; i++) {
		struct flow *w = f->flow[i];

		if (w->share.rate == w->rate || w->background)
			continue;
		w->left = fmax(w->left - w->rate * (now - w->since), 0.0);
		w->rate = w->share.rate;
		w->since = now;
		w->end = now + w->left / w->rate;
	}
	f->settled = true;
}

static double next_end(const struct flows *f)
{
	double first = HUGE_VAL;

	for (size_t i = 0; i < f->n; i++)
		first = fmin(first, f->flow[i]->end);
	return first;
}

/* What has left by now is on its way; rates are found again where flows have come or gone. */
static void link_flows_advance(struct flows *f, double now)
{
	double next;

	for (size_t i = f->n; i-- > 0;) {
		struct flow *w = f->flow[i];

		while (w->first && w->rate > 0.0 && w->end <= now)
			link_flows_leave(f, w, now);
		if (!w->first && !w->background)
			link_flows_drop(f, i);
	}
	if (!f->settled)
		link_flows_settle(f, now);
	next = next_end(f);
	if (next < HUGE_VAL)
		ask_again(f, next);
}

void flows_step(struct flows *f, const struct sim_event *ev)
{
	if (ev->ptr)
		link_flows_arrive(f, ev->time, sim_event_node(ev), ev->ptr);
	else if (ev->num == f->ticket)
		link_flows_advance(f, ev->time);
}

void flows_send(struct flows *f, double time, int from, int to, struct packet *p)
{
	p->location = to;
	heap_push(f->heap, time, SIM_NET, from, p, 0);
}

/* ---- made and freed ---- */

struct flows *flows_new(const struct network *net, struct heap *heap)
{
	struct flows *f = xcalloc(1, sizeof(*f));
	struct share *others;
	size_t n;

	f->heap = heap;
	lines_open(&f->lines, net, true);
	f->of = xcalloc((size_t)net->locations, sizeof(struct flow *));
	n = lines_others(&f->lines, &others);
	for (size_t i = 0; i < n; i++)
		flows_add_background(f, &others[i]);
	free(others);
	return f;
}

void flows_free(struct flows *f, struct packet **spare)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->n; i++) {
		for (struct packet *p; (p = f->flow[i]->first);) {
			f->flow[i]->first = p->next;
			packet_discard(spare, p);
		}
		free(f->flow[i]);
	}
	free(f->flow);
	free(f->share);
	free(f->of);
	lines_release(&f->lines);
	free(f);
}
