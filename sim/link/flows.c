/* Messages in flight as flows, whose rates are computed again when a flow begins or ends. */
#include "sim/link/flows.h"

#include "core/base/mem.h"
#include "core/node.h"
#include "sim/link/wan.h"

#include <math.h>
#include <stdlib.h>

/* ---- max-min fair rates: the most contended line fixes its flows first ---- */

/* Counts each line's flows; a rate below 0 means that it is not final. */
static void share_begin(struct line *lines, struct share *const *share, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (int k = 0; k < share[i]->nlines; k++) {
			struct line *l = &lines[share[i]->line[k]];

			l->left = l->capacity;
			l->flows = 0;
		}
	for (size_t i = 0; i < n; i++) {
		share[i]->rate = share[i]->nlines || share[i]->cap > 0.0 ? -1.0 : HUGE_VAL;
		for (int k = 0; k < share[i]->nlines; k++)
			lines[share[i]->line[k]].flows++;
	}
}

/* Rate that the tightest line of a flow can give it, at most its cap. */
static double share_offer(const struct line *lines, const struct share *s)
{
	double least = s->cap > 0.0 ? s->cap : HUGE_VAL;

	for (int k = 0; k < s->nlines; k++) {
		const struct line *l = &lines[s->line[k]];

		least = fmin(least, fmax(l->left, 0.0) / l->flows);
	}
	return least;
}

/* Least rate that a flow is offered; HUGE_VAL: all rates are final. */
static double share_tightest(const struct line *lines, struct share *const *share, size_t n)
{
	double least = HUGE_VAL;

	for (size_t i = 0; i < n; i++)
		if (share[i]->rate < 0.0)
			least = fmin(least, share_offer(lines, share[i]));
	return least;
}

/*
 * Sets max-min fair rates. As flows get their rates, rounding changes a line's offer a little:
 * offers within a part in 10^12 count as equal.
 */
void share_fairly(struct line *lines, struct share *const *share, size_t n)
{
	double rate;

	share_begin(lines, share, n);
	while ((rate = share_tightest(lines, share, n)) < HUGE_VAL)
		for (size_t i = 0; i < n; i++) {
			struct share *s = share[i];

			if (s->rate >= 0.0 || share_offer(lines, s) > rate * (1.0 + 1e-12))
				continue;
			s->rate = rate;
			for (int k = 0; k < s->nlines; k++) {
				lines[s->line[k]].left -= rate;
				lines[s->line[k]].flows--;
			}
		}
}

/* ---- lines: NICs, uplinks and the core, by index ---- */

static int lines_core(const struct lines *l)
{
	return 2 * l->nics;
}

static int lines_uplink(const struct lines *l, int rack)
{
	return lines_core(l) + 1 + rack;
}

/* Index of the line from a worker to others of its node. */
static int lines_lane(const struct lines *l, int location)
{
	return lines_uplink(l, 2 * l->racks) + location;
}

static int lines_rack(const struct lines *l, int location)
{
	return l->racks ? (int)(location / l->net->fabric.rack) : 0;
}

/* Bytes a second of a line; a rate of 0 is unlimited. */
static double lines_capacity(double rate)
{
	return isinf(rate) ? 0.0 : rate;
}

/* Sets capacities; NICs have `nics` times their rate. */
static void lines_set(struct lines *l, double nics)
{
	const struct network *net = l->net;

	for (int i = 0; i < net->locations; i++) {
		const int nic = network_nic(net, i);
		const double rate = nics * (net->end ? net->end[i].rate : net->fabric.nic);

		l->line[nic].capacity = l->line[l->nics + nic].capacity = lines_capacity(rate);
		if (net->fabric.wan)
			l->line[nic].capacity =
				lines_capacity(wan_shaped(net->fabric.wan, rate));
		if (net->end)
			l->line[lines_lane(l, i)].capacity =
				l->line[lines_lane(l, net->locations + i)].capacity =
					lines_capacity(net->end[i].node_rate);
	}
	l->line[lines_core(l)].capacity = net->fabric.core;
	for (int i = 0; i < 2 * l->racks; i++)
		l->line[lines_uplink(l, i)].capacity = net->fabric.uplink;
}

static void lines_take(const struct lines *l, struct share *s, int line)
{
	if (l->line[line].capacity > 0.0)
		s->line[s->nlines++] = line;
}

/* Lines that a flow between two locations uses, and its cap. */
static struct share lines_route(const struct lines *l, int from, int to)
{
	const int a = lines_rack(l, from), b = lines_rack(l, to);
	const struct link_values *pair = network_pair(l->net, from, to);
	struct share s = { 0 };

	if (pair && pair->bandwidth > 0.0)
		s.cap = pair->bandwidth * 1e9;
	if (network_inside(l->net, from, to)) {
		lines_take(l, &s, lines_lane(l, from));
		lines_take(l, &s, lines_lane(l, l->net->locations + to));
		return s;
	}
	if (l->net->fabric.wan) {
		const double flow = wan_flow_rate(
			l->net->fabric.wan, network_wire(l->net, from, to).latency_s);

		if (isfinite(flow))
			s.cap = s.cap > 0.0 ? fmin(s.cap, flow) : flow;
	}
	/* Only NICs, if uplinks and the core are not shared. */
	lines_take(l, &s, network_nic(l->net, from));
	lines_take(l, &s, l->nics + network_nic(l->net, to));
	if (!l->shares)
		return s;
	if (!l->racks || a != b)
		lines_take(l, &s, lines_core(l));
	if (a != b) {
		lines_take(l, &s, lines_uplink(l, a));
		lines_take(l, &s, lines_uplink(l, l->racks + b));
	}
	return s;
}

/* Bytes a second of a flow without other flows. */
static double lines_alone(const struct lines *l, const struct share *s)
{
	double rate = s->cap > 0.0 ? s->cap : HUGE_VAL;

	for (int k = 0; k < s->nlines; k++)
		rate = fmin(rate, l->line[s->line[k]].capacity);
	return rate;
}

static void lines_open(struct lines *l, const struct network *net, bool shares, double nics)
{
	const struct fabric *b = &net->fabric;
	const size_t lanes = net->end ? 2 * (size_t)net->locations : 0;

	*l = (struct lines){ .net = net, .nics = network_nics(net), .shares = shares };
	l->racks = b->rack ? (int)((net->locations + b->rack - 1) / b->rack) : 0;
	l->line = xcalloc(2 * ((size_t)l->nics + (size_t)l->racks) + 1 + lanes, sizeof(*l->line));
	lines_set(l, nics);
}

static void lines_release(struct lines *l)
{
	free(l->line);
	*l = (struct lines){ 0 };
}

/* ---- background traffic ---- */

struct lines_list {
	struct share *share;
	size_t n;
};

static void lines_add_other(struct lines_list *list, struct share s, double rate)
{
	s.cap = s.cap > 0.0 ? fmin(s.cap, rate) : rate;
	APPEND(list->share, list->n) = s;
}

static bool lines_is_of(const struct network *net, const struct rank_list *who, int location)
{
	return ranks_has(who, location < net->workers ? location : SERVER);
}

static void lines_add_pairs(const struct lines *l, const struct rank_list *from,
			    const struct rank_list *to, double rate, struct lines_list *list)
{
	for (int i = 0; i < l->net->locations; i++)
		for (int k = 0; lines_is_of(l->net, from, i) && k < l->net->locations; k++)
			if (i != k && lines_is_of(l->net, to, k))
				lines_add_other(list, lines_route(l, i, k), rate);
}

/* *others[] <- background flows; returns their number. The caller frees the list. */
static size_t lines_others(const struct lines *l, struct share **others)
{
	const double rate = l->net->fabric.background;
	struct lines_list list = { 0 };

	for (int i = 0; i < 2 * l->racks && l->shares && rate > 0.0; i++)
		lines_add_other(&list, (struct share){ .line = { lines_uplink(l, i) },
						       .nlines = 1 }, rate);
	for (size_t i = 0; i < l->net->own->n; i++) {
		const struct link_clause *c = &l->net->own->clause[i];

		if (c->set.background < 0.0)
			continue;
		lines_add_pairs(l, &c->from, &c->to, c->set.background * 1e9, &list);
		if (c->back)
			lines_add_pairs(l, &c->to, &c->from, c->set.background * 1e9, &list);
	}
	*others = list.share;
	return list.n;
}

void lines_ring_rates(const struct network *net, const int *location, int n, bool shares,
		      double nics, double *rate)
{
	scoped struct share *ring = xcalloc((size_t)n, sizeof(*ring)), *others = NULL, **all = NULL;
	scoped_by(lines_release) struct lines l;
	size_t more;

	lines_open(&l, net, shares, nics);
	more = lines_others(&l, &others);
	all = xcalloc((size_t)n + more, sizeof(struct share *));
	for (int i = 0; i < n; i++) {
		ring[i] = lines_route(&l, location[i], location[(i + 1) % n]);
		all[i] = &ring[i];
	}
	for (size_t i = 0; i < more; i++)
		all[(size_t)n + i] = &others[i];
	share_fairly(l.line, all, (size_t)n + more);
	for (int i = 0; i < n; i++)
		rate[i] = ring[i].rate;
}

struct flow {
	struct flow *next;      /* of the same sender */
	struct share share;
	int from, to;
	double latency;         /* seconds after the last byte has left */
	double cost;            /* additional bytes of a message */
	bool background;        /* no messages: it always has its rate, or its fair share */
	double cap;             /* of the share after slow start; 0: none */
	double doubles_at, rtt; /* slow start: the next doubling of the cap; HUGE_VAL: it is over */
	struct packet *first, **tail;   /* in their order; the first one is in flight */
	double left;            /* bytes of the first, at `since` */
	double since, rate;     /* bytes a second from then on */
	double end;             /* time at which the first message will have left */
};

struct flows {
	struct lines lines;
	struct heap *heap;
	struct flow **flow;     /* [n] flows with messages, and background traffic */
	struct share **share;   /* [n] shares of these flows */
	struct flow **of;       /* [locations] flows of each sender */
	size_t n, capacity;
	int64_t ticket;         /* number of the only valid SIM_NET */
	bool settled;           /* rates are those of the present flows */
};

/* ---- flows ---- */

static struct flow *link_flows_find(const struct flows *f, int from, int to)
{
	struct flow *w = f->of[from];

	while (w && w->to != to)
		w = w->next;
	return w;
}

/* Sets costs of messages, which use the flow's lines like bytes: NICs are busy with both. */
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

/* The flow's connection was idle: its first RTT carries the initial window. */
static void flows_start_slowly(const struct flows *f, struct flow *w, double now)
{
	const struct wan_conf *wan = f->lines.net->fabric.wan;

	w->doubles_at = HUGE_VAL;
	if (!wan || network_inside(f->lines.net, w->from, w->to))
		return;
	w->rtt = 2.0 * w->latency;
	w->cap = w->share.cap;
	if (wan_window(wan) < w->rtt * lines_alone(&f->lines, &w->share)) {
		w->share.cap = wan_window(wan) / w->rtt;
		w->doubles_at = now + w->rtt;
	}
}

/* Doubles the window of a flow in slow start, until its lines or its limit carry no more. */
static void flows_double(struct flows *f, struct flow *w)
{
	struct share whole = w->share;

	whole.cap = w->cap;
	w->share.cap *= 2.0;
	w->doubles_at += w->rtt;
	if (w->share.cap >= lines_alone(&f->lines, &whole)) {
		w->share.cap = w->cap;
		w->doubles_at = HUGE_VAL;
	}
	f->settled = false;
}

static struct flow *link_flows_add(struct flows *f, int from, int to, double now)
{
	struct flow *w = xcalloc(1, sizeof(*w));

	*w = (struct flow){ .from = from, .to = to,
			    .share = lines_route(&f->lines, from, to) };
	flows_set_costs(&f->lines, w);
	flows_start_slowly(f, w, now);
	w->tail = &w->first;
	w->next = f->of[from];
	f->of[from] = w;
	flows_keep(f, w);
	return w;
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
		w = link_flows_add(f, from, p->location, now);
		w->left = (double)p->bytes + w->cost;
		w->since = now;
		ask_again(f, now);
	}
	p->next = NULL;
	*w->tail = p;
	w->tail = &p->next;
}

/* Computes rates. If a rate does not change, its flow's end does not either, to the last bit. */
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
		first = fmin(first, fmin(f->flow[i]->end, f->flow[i]->doubles_at));
	return first;
}

/*
 * Completes messages whose last byte has left by now; computes new rates if flows have begun or
 * ended.
 */
static void link_flows_advance(struct flows *f, double now)
{
	double next;

	for (size_t i = f->n; i-- > 0;) {
		struct flow *w = f->flow[i];

		if (w->doubles_at <= now)
			flows_double(f, w);
		while (w->first && w->rate > 0.0 && w->end <= now) {
			struct packet *p = w->first;

			w->first = p->next;
			if (!w->first)
				w->tail = &w->first;
			p->next = NULL;
			heap_push(f->heap, now + w->latency, SIM_RECEIVED, w->to, p, 0);
			/* The next message, if any, begins at `now`. */
			w->left = w->first ? (double)w->first->bytes + w->cost : 0.0;
			w->since = now;
			w->end = now + w->left / w->rate;
		}
		if (!w->first && !w->background) {
			/* The last flow replaces it in the list. */
			struct flow **link = &f->of[f->flow[i]->from];

			while (*link != f->flow[i])
				link = &(*link)->next;
			*link = (*link)->next;
			free(f->flow[i]);
			f->flow[i] = f->flow[--f->n];
			f->share[i] = f->share[f->n];
			f->settled = false;
		}
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

/* ---- open and close ---- */

struct flows *flows_new(const struct network *net, struct heap *heap)
{
	struct flows *f = xcalloc(1, sizeof(*f));
	scoped struct share *others = NULL;
	size_t n;

	f->heap = heap;
	lines_open(&f->lines, net, true, 1.0);
	f->of = xcalloc((size_t)net->locations, sizeof(struct flow *));
	n = lines_others(&f->lines, &others);
	for (size_t i = 0; i < n; i++) {
		/* Background traffic. */
		struct flow *w = xcalloc(1, sizeof(*w));

		*w = (struct flow){ .background = true, .share = others[i], .end = HUGE_VAL,
				    .doubles_at = HUGE_VAL };
		flows_keep(f, w);
	}
	return f;
}

void flows_free(struct flows *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->n; i++)
		free(f->flow[i]);
	free(f->flow);
	free(f->share);
	free(f->of);
	lines_release(&f->lines);
	free(f);
}
