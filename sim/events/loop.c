/* The earliest event first, until the budget is spent, then drain. */
#include "sim/world.h"

#include "core/base/apart.h"
#include "core/base/clock.h"
#include "core/base/error.h"

#include <math.h>

/* ---- of many nodes the next event's is not in the cache: it comes meanwhile ---- */

/* Lines that events of most algorithms use: what else the structs have is after these. */
enum { FETCH_MANY = 2000, FETCH_LINE = 64, FETCH_NODE = 4, FETCH_PRIV = 2 };

/* Called after each pop. */
static void fetch_ahead(const struct sim *s)
{
	const struct sim_event *next = s->nnodes > FETCH_MANY ? heap_first(&s->heap) : NULL;
	const char *node, *priv;

	if (!next)
		return;
	node = (const char *)&s->nodes[sim_event_node(next)];
	priv = (const char *)&s->priv[sim_event_node(next)];
	for (size_t i = 0; i < FETCH_NODE; i++)
		__builtin_prefetch(node + i * FETCH_LINE, 1);
	for (size_t i = 0; i < FETCH_PRIV; i++)
		__builtin_prefetch(priv + i * FETCH_LINE, 1);
}

/* ---- events that hooks see ---- */

static void sim_loop_show(struct sim *s, struct event ev)
{
	ev.epoch = sim_epoch(s);
	ev.gradients = s->gradients;
	ev.nodes = s->nodes;
	ev.nnodes = s->nnodes;
	run_emit(s->run, &ev);
}

void sim_emit(struct sim *s, enum event_kind kind, double time, const float *model)
{
	sim_loop_show(s, (struct event){ .kind = kind, .time = time, .model = model });
}

void sim_mark(struct sim *s, double time, const float *model)
{
	const double began = clock_s();
	struct measured measured = { .spread = s->run->watch ? sim_spread(s) : (double)NAN };

	if (run_wants(s->run, EV_MARK))
		sim_loop_show(s, (struct event){ .kind = EV_MARK, .time = time, .model = model,
					.measured = &measured });
	s->mark_s += clock_s() - began;
}

void sim_stop(struct sim *s, enum end_reason why, double time)
{
	if (s->stopping)
		return;
	s->stopping = true;
	limit_asks(s);
	s->end = why;
	s->stop_time = time;
	ledger_close(s, time);
	sim_emit(s, EV_STOP, time, NULL);
	for (int i = 0; i < s->nnodes; i++)
		sim_drop(s, &s->nodes[i], time);
}

/* ---- busy nodes: what comes meanwhile waits its turn, first come first served ---- */

static bool sim_loop_busy(const struct sim *s, const struct sim_node *sn)
{
	return s->now < sn->free_at || (sn->computing && !s->conf->overlap);
}

APART static void put_off(struct sim *s, struct sim_node *sn, const struct sim_event *ev)
{
	struct waiting *w = s->spare_waiting;

	if (w)
		s->spare_waiting = w->next;
	else
		w = xcalloc(1, sizeof(*w));
	*w = (struct waiting){ .ev = *ev };
	*sn->inbox_tail = w;
	sn->inbox_tail = &w->next;
}

APART static void wake_later(struct sim *s, struct node *nd)
{
	struct sim_node *sn = sim_node(nd);

	if (sn->wake || (sn->computing && !s->conf->overlap))
		return;
	sn->wake = true;
	heap_push(&s->heap, fmax(sn->free_at, s->now), SIM_WAKE, sim_index(s, nd->rank), NULL, 0);
}

/*
 * Handles what waits, until the node is busy again; or all of it, between two
 * gradients. The round is bounded: a handler's requests become events of the
 * heap and never reach an inbox before they are popped.
 */
APART static void sim_loop_receive(struct sim *s, struct node *nd, bool all)
{
	struct sim_node *sn = sim_node(nd);
	struct waiting *w;

	while ((w = sn->inbox) && (all || !sim_loop_busy(s, sn))) {
		const struct sim_event ev = w->ev;
		struct packet *p;

		sim_forget(s, sn, &p);
		sim_handle(s, nd, &ev);
	}
}

static void sim_loop_offer(struct sim *s, struct node *nd, const struct sim_event *ev)
{
	struct sim_node *sn = sim_node(nd);

	if (sn->inbox || sim_loop_busy(s, sn))
		put_off(s, sn, ev);
	else
		sim_handle(s, nd, ev);
}

/* True of what is not as in most runs. */
APART static bool sim_loop_detour(struct sim *s, struct node *nd, const struct sim_event *ev)
{
	return (s->faulty && fault_takes(s, ev)) || (s->blocks && blocks_event(s, nd, ev)) ||
	       (s->nbuckets && sim_buckets_event(s, nd, ev));
}

static void sim_loop_dispatch(struct sim *s, const struct sim_event *ev)
{
	struct node *nd = sim_at(s, sim_event_node(ev));
	struct sim_node *sn = sim_node(nd);

	if (s->detours && sim_loop_detour(s, nd, ev))
		return;
	switch (sim_event_kind(ev)) {
	case SIM_WAKE:
		sn->wake = false;
		sim_loop_receive(s, nd, false);
		break;
	case SIM_GRAD:
		sim_handle_grad(s, nd, ev->num);
		if (sn->inbox)
			sim_loop_receive(s, nd, !s->conf->overlap);
		break;
	case SIM_MSG:
	case SIM_RECEIVED:
		if (packet_crosses(s, ev))
			return;
		/* fall through */
	default:
		sim_loop_offer(s, nd, ev);
	}
	if (sn->inbox)
		wake_later(s, nd);
}

/* ---- the run ---- */

void sim_start(struct sim *s)
{
	sim_emit(s, EV_START, 0.0, NULL);
	for (int i = s->nnodes - 1; i >= 0; i--)
		sim_handle_start(s, &s->nodes[i]);
	if (s->faulty)
		fault_open(s);
}

/* After error(): drops what is in flight. */
static int sim_loop_give_up(struct sim *s)
{
	sim_stop(s, END_STALLED, s->now);
	return -1;
}

/* Before an event of a run that computes, or goes back: 0, or error() when it cannot go on. */
APART static int sim_loop_prepare(struct sim *s)
{
	if ((s->run->pool && pool_failed(s->run->pool)) || (s->line && timeline_check(s->line) < 0))
		return -1;
	if (s->keeps)
		sim_keep(s);
	return 0;
}

int sim_pump(struct sim *s, int64_t events)
{
	const double limit = s->run->seconds > 0.0 ? s->run->seconds : HUGE_VAL;
	const bool prepares = s->run->pool || s->line;
	struct sim_event ev;

	while (s->events < events) {
		if (prepares && sim_loop_prepare(s) < 0)
			return sim_loop_give_up(s);
		if (!heap_pop(&s->heap, &ev))
			break;
		fetch_ahead(s);
		if (!isfinite(ev.time)) {
			error("virtual time overflows after %g s: delays or costs are too large",
			      s->now);
			return sim_loop_give_up(s);
		}
		if (ev.time > limit)
			sim_stop(s, END_SECONDS, limit);
		if (sim_event_kind(&ev) == SIM_GRAD && limit_time(s, ev.time) < 0)
			return sim_loop_give_up(s);
		s->now = ev.time;
		s->events++;
		if (sim_event_kind(&ev) == SIM_NET)
			flows_step(s->flows, &ev);
		else
			sim_loop_dispatch(s, &ev);
		if (!s->stopping && sim_interrupted(s))
			sim_stop(s, END_INTERRUPTED, s->now);
	}
	return 0;
}
