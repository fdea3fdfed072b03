/*
 * members.c - the slowest way that a step of an all-reduce waits for.
 *
 * In a ring's step each member sends to the next, all at once: rates are the fair ones of these
 * flows (sim/link/share.h). A step that another step is not faster than in anything need not be
 * kept.
 */
#include "sim/allreduce/members.h"

#include "core/base/mem.h"
#include "sim/link/lines.h"
#include "sim/link/network.h"

#include <math.h>
#include <stdlib.h>

static bool reach_is_slower(const struct reach *a, const struct reach *b)
{
	return a->latency >= b->latency && a->message >= b->message && a->rate <= b->rate;
}

/* Keeps the ones that no other is slower than. */
static void members_add_step(struct members *m, const struct reach *r)
{
	size_t kept = 0;

	for (size_t i = 0; i < m->nsteps; i++)
		if (reach_is_slower(&m->step[i], r))
			return;
	for (size_t i = 0; i < m->nsteps; i++)
		if (!reach_is_slower(r, &m->step[i]))
			m->step[kept++] = m->step[i];
	m->step = xrealloc(m->step, kept + 1, sizeof(*m->step));
	m->step[kept] = *r;
	m->nsteps = kept + 1;
}

static void members_find_steps(struct members *m, const struct network *net, const int *location,
			       bool shares)
{
	double *rate = xcalloc((size_t)m->n, sizeof(*rate));

	lines_ring_rates(net, location, m->n, shares, rate);
	for (int i = 0; i < m->n && m->n > 1; i++) {
		const int to = location[(i + 1) % m->n];
		struct reach r = { .rate = rate[i] };

		if (net->plain) {
			r.latency = net->fabric.latency_s;
			r.message = net->fabric.message_s;
		} else {
			const struct wire w = network_wire(net, location[i], to);

			r.latency = w.latency_s;
			r.message = fmax(w.out_message, w.in_message);
		}
		members_add_step(m, &r);
	}
	free(rate);
}

static void reach_slow(struct reach *r, double latency, double message, double rate)
{
	r->latency = fmax(r->latency, latency);
	r->message = fmax(r->message, message);
	r->rate = fmin(r->rate, rate);
}

static void members_find_slowest(struct members *m, const struct network *net, const int *location)
{
	const struct reach free_way = { .rate = HUGE_VAL };

	m->across = m->inside = free_way;
	for (int i = 0; i < m->n; i++) {
		const struct network_end *e = &net->end[location[i]];

		reach_slow(&m->across, e->latency_s, e->message_s, e->rate);
		reach_slow(&m->inside, e->node_latency_s, e->message_s, e->node_rate);
	}
}

/* The most members whose location divided by size is the same; *blocks <- how many these are. */
static int members_in_block(const int *location, int n, int64_t size, int *blocks)
{
	int most = 0, run = 0;

	*blocks = 0;
	for (int i = 0; i < n; i++) {
		const bool same = i && location[i] / size == location[i - 1] / size;

		*blocks += !same;
		run = same ? run + 1 : 1;
		most = run > most ? run : most;
	}
	return most;
}

struct members members_of(const struct network *net, const int *location, int n, bool shares)
{
	const struct fabric *f = &net->fabric;
	struct members m = { .n = n, .nodes = n, .node = 1, .nics = 1 };
	int racks;

	m.differ = !net->plain || f->background > 0.0;
	m.racked = f->rack > 0;
	if (m.racked) {
		m.rack = members_in_block(location, n, f->rack, &racks);
		m.rack = racks > 1 ? m.rack : 0;
	}
	if (!m.differ)
		return m;
	m.across = (struct reach){ f->latency_s, f->message_s, f->nic };
	if (f->node > 1) {
		m.node = members_in_block(location, n, f->node, &m.nodes);
		m.nics = (int)f->nics;
	}
	if (!net->plain)
		members_find_slowest(&m, net, location);
	members_find_steps(&m, net, location, shares);
	return m;
}

void members_release(struct members *m)
{
	free(m->step);
	*m = (struct members){ 0 };
}
