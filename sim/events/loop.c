/*
 * loop.c - the event loop: handles events in the order of time until the budget is spent, and then
 * those that are left; ledgers of how nodes spend their time.
 */
#include "sim/world.h"

#include "core/base/apart.h"
#include "core/base/clock.h"
#include "core/base/error.h"

#include <float.h>
#include <math.h>

/* ---- ledgers: how each node spent its time ---- */

/* Ends the node's idle span now: it waited until `since`, and from then on communicated. */
static inline void ledger_settle(struct sim *s, struct node *nd, double since)
{
	if (sim_node(nd)->idle_from < s->now)
		ledger_idle(&nd->ledger, &sim_node(nd)->idle_from, s->now, since);
}

/* The gradient in flight: waits for samples until `begun`, computes, then copies it to the host. */
void ledger_unfinished(struct node *nd, double end)
{
	const struct sim_node *sn = sim_node(nd);
	const double spent = end - sn->begun;

	nd->ledger.wait += fmin(fmax(spent + sn->stalled, 0.0), sn->stalled);
	if (spent <= 0.0)
		return;
	nd->ledger.compute += fmin(spent, sn->compute);
	nd->ledger.comm += fmax(spent - sn->compute, 0.0);
}

/* Books an unfinished span at `end`. A job's time for checkpoints and repeated work is waiting. */
static void ledger_close(struct sim *s, struct node *nd, double end)
{
	struct sim_node *sn = sim_node(nd);

	if (sn->computing)
		ledger_unfinished(nd, end);
	else if (sn->idle_from < end)
		nd->ledger.wait += end - sn->idle_from;
	if (s->blocks)
		nd->ledger.compute -= fmin(blocks_unwritten(s, nd, end), nd->ledger.compute);
	if (s->line)
		nd->ledger.wait += fmax(timeline_at(s->line, end) - end, 0.0);
	sn->idle_from = HUGE_VAL;
}

/* ---- events for hooks ---- */

/* Passes an event on to the hooks, with the epoch, the number of gradients and the nodes. */
static void sim_show(struct sim *s, struct event ev)
{
	ev.epoch = sim_epoch(s);
	ev.gradients = s->gradients;
	ev.nodes = s->nodes;
	ev.nnodes = s->nnodes;
	run_emit(s->run, &ev);
}

void sim_emit(struct sim *s, enum event_kind kind, double time, const float *model)
{
	sim_show(s, (struct event){ .kind = kind, .time = time, .model = model });
}

void sim_mark(struct sim *s, double time, const float *model)
{
	const double began = clock_s();
	struct measured measured = { .spread = s->run->watch ? sim_spread(s) : (double)NAN };

	if (s->histories.kept)
		history_mark(s);
	if (run_wants(s->run, EV_MARK))
		sim_show(s, (struct event){ .kind = EV_MARK,
					    .time = time,
					    .model = model,
					    .measured = &measured });
	s->mark_s += clock_s() - began;
}

void sim_stop(struct sim *s, enum end_reason why, double time)
{
	if (s->stopping)
		return;
	s->stopping = true;
	limit_asks(s);
	s->asked = s->post.asked - s->post.lost;
	s->under_way = s->asked - s->post.answered;
	s->end = why;
	s->stop_time = time;
	sim_emit(s, EV_STOP, time, NULL);
	for (int i = 0; i < s->nnodes; i++) {
		ledger_close(s, &s->nodes[i], time);
		sim_drop(s, &s->nodes[i], time);
	}
}

/* ---- calling a node's handlers ---- */

/* Passes on to the hooks that a handler has returned; what it took is charged before. */
APART static void handler_show(struct sim *s, struct node *nd, const struct handled *what)
{
	sim_charge(s, nd);
	run_handled(s->run, what, nd, s->now, sim_node(nd)->clock - s->now,
		    nd->engine->gradients(nd));
}

/* Prepares a handler in runs with `extras`; returns the clock, if handlers are timed. */
APART static double handler_prepare(struct sim *s, struct node *nd, const struct call *c,
				    const struct packet *p)
{
	const double began = s->run->pool ? clock_s() : 0.0;

	if (s->histories.kept)
		history_handle(s, nd, c, p);
	sim_uncharged(s);
	return began;
}

/* Completes the handler in such runs. */
APART static void handler_finish(struct sim *s, struct node *nd, const struct handled *what,
				 double began)
{
	if (s->faults && what->handler == HANDLER_ALLREDUCE)
		membership_admit(s, nd);
	if (s->handled)
		handler_show(s, nd, what);
	sim_charge(s, nd);
	if (s->run->pool)
		s->handler_s += clock_s() - began;
}

/*
 * Calls a node's handler, or instead() with p, which stands for it: an errand of the engine, or the
 * return of an absent worker. The node is busy for the time that is charged, not that of hooks.
 * The address of c goes nowhere else, so that the compiler knows which handler it is.
 */
WITHIN static void handler_run(struct sim *s, struct node *nd, struct call c,
				   void (*instead)(struct sim *, struct node *,
						   const struct packet *),
				   const struct packet *p)
{
	struct sim_node *sn = sim_node(nd);
	double began = 0.0;

	sn->clock = s->now;
	if (s->blocks)
		nd->step = blocks_steps(s);
	node_enter(nd, c.msg, sn->stamp);
	if (s->extras) {
		const struct call copy = c;

		began = handler_prepare(s, nd, &copy, p);
	}
	if (instead)
		instead(s, nd, p);
	else
		node_react(nd, &c);
	if (s->extras) {
		const struct handled copy = c.what;

		handler_finish(s, nd, &copy, began);
	}
	node_leave(nd);
	sn->free_at = sn->clock;
	sn->idle_from = sn->computing || s->stopping ? HUGE_VAL : sn->clock;
}

static void handler_on_start(struct sim *s, struct node *nd)
{
	handler_run(s, nd, (struct call){ .what.handler = HANDLER_START }, NULL, NULL);
}

/* An instead() of handler_run(). */
static void node_return(struct sim *s, struct node *nd, const struct packet *p)
{
	(void)s, (void)p;
	nd->role->back(nd, NULL);
}

void sim_go_on(struct sim *s, struct node *nd)
{
	ledger_settle(s, nd, s->now);
	handler_run(s, nd, (struct call){ .what.handler = HANDLER_START }, node_return, NULL);
}

/* After a gradient: ends the run if it diverged or the budget is spent, or evaluates the model. */
static void sim_check_progress(struct sim *s, double loss)
{
	const struct run *run = s->run;

	if (run->pool && !isfinite(loss))
		sim_stop(s, END_DIVERGED, s->now);
	else if (s->budget && s->gradients >= s->budget)
		sim_stop(s, s->budget_end, s->now);
	else if (run->mark_every > 0.0 && sim_epoch(s) >= s->next_mark) {
		sim_mark(s, s->now, run_wants(run, EV_MARK) ? sim_model(s) : NULL);
		s->next_mark += run->mark_every;
	}
}

/* Delivers a stage that is not a gradient's last. */
APART static void handler_on_stage(struct sim *s, struct node *nd)
{
	struct sim_node *sn = sim_node(nd);
	const double busy_until = sn->free_at;  /* with an earlier handler: may be later than now */

	run_emit(s->run, &(struct event){ .kind = EV_STAGE, .time = s->now,
					  .epoch = sim_epoch(s), .gradients = s->gradients,
					  .node = nd, .seconds = sn->compute,
					  .begun = sn->begun });
	handler_run(
		s, nd,
		(struct call){ .what = { .handler = HANDLER_STAGE, .begun = s->now },
				.grad = { sn->g,
					  s->run->pool ? sn->rare->job.loss : (double)NAN } },
		NULL, NULL);
	sn->free_at = fmax(sn->free_at, busy_until);
}

/* Ends the node's gradient, unless it was cancelled (an old ticket) or messages delayed it. */
static void handler_on_grad(struct sim *s, struct node *nd, int64_t ticket)
{
	struct sim_node *sn = sim_node(nd);
	struct call c = { .what = { .handler = HANDLER_GRAD, .begun = s->now },
			  .grad.loss = (double)NAN };

	if (!sn->computing || sn->ticket != ticket)
		return;
	if (sn->held_up > 0.0) {
		heap_push(&s->heap, s->now + sn->held_up, SIM_GRAD, sim_index(s, nd->rank), NULL,
			  ticket);
		sn->compute += sn->held_up;
		sn->held_up = 0.0;
		return;
	}
	sim_await(s, nd);
	sn->computing = false;
	nd->ledger.compute += sn->compute;
	nd->ledger.wait += sn->stalled;
	if (!node_stage_is_last(nd)) {
		handler_on_stage(s, nd);
		return;
	}
	if (s->run->pool)
		c.grad = (struct grad){ sn->g, node_stage_loss(nd, sn->rare->job.loss) };
	node_memory_keep(nd, &sn->rare->job);
	nd->ledger.comm += sim_host_copy(s, nd);
	node_count(nd, nd->engine->gradients(nd));
	nd->ledger.gradients++;
	s->gradients++;
	run_emit(s->run, &(struct event){ .kind = EV_GRAD,
					  .time = s->now, .epoch = sim_epoch(s),
					  .gradients = s->gradients, .node = nd,
					  .loss = c.grad.loss, .seconds = sn->compute,
					  .begun = sn->begun,
					  .asked = sn->first });
	handler_run(s, nd, c, NULL, NULL);
	sim_check_progress(s, c.grad.loss);
}

APART static void handler_on_message(struct sim *s, struct node *nd, struct packet *p)
{
	struct sim_node *sn = sim_node(nd);
	const struct call c = { .what = { .handler = HANDLER_MSG,
					  .peer = p->msg.from, .begun = p->sent,
					  .bytes = p->bytes,
					  .tag = p->msg.tag },
				.msg = &p->msg };

	s->post.answered++;
	if (s->post.direct) /* none is lost: counted where the ledger is at hand */
		nd->ledger.bytes_received += p->bytes;
	ledger_settle(s, nd, p->sent);
	if (sn->computing && s->now >= sn->begun && s->link->receive_cost)
		sn->held_up += s->link->receive_cost(s->conf->link.conf, p->bytes);
	handler_run(s, nd, c, p->errand == ERRAND_NONE ? NULL : fault_errand, p);
	if (s->faults)
		neighbours_receive(s, p);
	packet_put(&s->post.packets, p);
}

/* Handles a report, which no node sends: its receiver learns that a neighbour is away. */
RARE static void handler_on_report(struct sim *s, struct node *nd, struct packet *p)
{
	ledger_settle(s, nd, s->now);
	handler_run(s, nd,
			(struct call){ .what = { .handler = HANDLER_TIMER,
						  .begun = s->now,
						  .token = p->msg.from } },
			fault_errand, p);
	packet_put(&s->post.packets, p);
}

APART static void handler_on_allreduce(struct sim *s, struct node *nd)
{
	struct sim_allreduce *sum = &sim_node(nd)->rare->sum;
	const struct call c = { .what = { .handler = HANDLER_ALLREDUCE,
					  .begun = sum->all_asked,
					  .bytes = sim_allreduce_bytes(s, sum) },
				.v = sum->v,
				.n = sum->n };

	s->post.answered++;
	ledger_settle(s, nd, sum->all_asked);
	sum->allreducing = false;
	nd->added = sum->added;
	if (s->faults) /* members may have made different numbers of rounds */
		nd->before = s->gradients > nd->added ? s->gradients - nd->added : 0;
	handler_run(s, nd, c, NULL, NULL);
}

APART static void handler_on_timer(struct sim *s, struct node *nd, int token)
{
	if (s->stopping)
		return;
	ledger_settle(s, nd, s->now);
	handler_run(s, nd,
			(struct call){ .what = { .handler = HANDLER_TIMER,
						  .begun = s->now,
						  .token = token } },
			NULL, NULL);
}

/* Calls the handler of a message, an all-reduce or a timer. */
static void handler_on(struct sim *s, struct node *nd, const struct sim_event *ev)
{
	struct packet *p;

	switch (sim_event_kind(ev)) {
	case SIM_MSG:
	case SIM_RECEIVED:
		p = ev->ptr;
		if (p->errand < ERRAND_LOST)
			handler_on_message(s, nd, p);
		else
			handler_on_report(s, nd, p);
		break;
	case SIM_ALLREDUCE:
		handler_on_allreduce(s, nd);
		break;
	case SIM_TIMER:
		handler_on_timer(s, nd, (int)ev->num);
		break;
	default:
		BUG("only a received message can be deferred");
	}
}

/* ---- busy nodes: their events wait in an inbox, first in, first out ---- */

static bool node_is_busy(const struct sim *s, const struct sim_node *sn)
{
	return s->now < sn->free_at || (sn->computing && !s->conf->overlap);
}

APART static void inbox_put(struct sim *s, struct sim_node *sn, const struct sim_event *ev)
{
	struct waiting *w = s->spare_waiting;

	if (w)
		s->spare_waiting = w->next;
	else
		w = arena_alloc(&s->arena, 1, sizeof(*w));
	*w = (struct waiting){ .ev = *ev };
	*sn->inbox_tail = w;
	sn->inbox_tail = &w->next;
}

/* Has the node woken when it is free; the end of a gradient does so by itself. */
APART static void node_wake_later(struct sim *s, struct node *nd)
{
	struct sim_node *sn = sim_node(nd);

	if (sn->wake || (sn->computing && !s->conf->overlap))
		return;
	sn->wake = true;
	heap_push(&s->heap, fmax(sn->free_at, s->now), SIM_WAKE, sim_index(s, nd->rank), NULL, 0);
}

/*
 * Handles waiting events until the node is busy again; all: even if it is, between two gradients.
 * This ends: what a handler asks for becomes events of the heap, which reach an inbox only when
 * they are popped.
 */
APART static void inbox_handle(struct sim *s, struct node *nd, bool all)
{
	struct sim_node *sn = sim_node(nd);
	struct waiting *w;

	while ((w = sn->inbox) && (all || !node_is_busy(s, sn))) {
		const struct sim_event ev = w->ev;
		struct packet *p;

		sim_forget(s, sn, &p);
		handler_on(s, nd, &ev);
	}
}

/* True if the event was handled in an unusual way: by faults, blocks, or buckets. */
APART static bool event_takes_detour(struct sim *s, struct node *nd, const struct sim_event *ev)
{
	return (s->faults && fault_takes(s, ev)) || (s->blocks && blocks_event(s, nd, ev)) ||
	       (s->allreduces.nbuckets && sim_buckets_event(s, nd, ev));
}

/* Handles an event now, or puts it into the inbox of a busy node. */
static void dispatch(struct sim *s, const struct sim_event *ev)
{
	struct node *nd = sim_at(s, sim_event_node(ev));
	struct sim_node *sn = sim_node(nd);

	if (s->detours && event_takes_detour(s, nd, ev))
		return;
	switch (sim_event_kind(ev)) {
	case SIM_WAKE:
		sn->wake = false;
		inbox_handle(s, nd, false);
		break;
	case SIM_GRAD:
		handler_on_grad(s, nd, ev->num);
		if (sn->inbox)
			inbox_handle(s, nd, !s->conf->overlap);
		break;
	case SIM_MSG:
	case SIM_RECEIVED:
		if (packet_may_cross(s, ev->ptr) && packet_crosses(s, ev))
			return;
		/* fall through */
	default:
		if (sn->inbox || node_is_busy(s, sn))
			inbox_put(s, sn, ev);
		else
			handler_on(s, nd, ev);
	}
	if (sn->inbox)
		node_wake_later(s, nd);
}

/* ---- the run ---- */

void sim_start(struct sim *s)
{
	sim_emit(s, EV_START, 0.0, NULL);
	for (int i = s->nnodes - 1; i >= 0; i--)
		handler_on_start(s, &s->nodes[i]);
	if (s->faults)
		fault_open(s);
}

/*
 * Called before each event of a run that computes, or that goes back to checkpoints after failures.
 * 0, or error() if it cannot continue.
 */
APART static int event_prepare(struct sim *s)
{
	if ((s->run->pool && pool_failed(s->run->pool)) || (s->line && timeline_check(s->line) < 0))
		return -1;
	if (s->saving.keeps)
		sim_keep(s);
	return 0;
}

static int time_overflows(const struct sim *s)
{
	return error("virtual time overflows after %g s: delays or costs are too large", s->now);
}

/* Takes the next event, and advances the clock to it: 1; 0: there is none; -1: error(). */
static inline int event_take(struct sim *s, double limit, struct sim_event *ev)
{
	if (s->prepares && event_prepare(s) < 0)
		return -1;
	if (!heap_pop(&s->heap, ev))
		return 0;
	if (!(ev->time <= limit)) {
		if (!isfinite(ev->time))
			return time_overflows(s);
		sim_stop(s, END_SECONDS, limit);
	}
	if (sim_event_kind(ev) == SIM_GRAD && limit_time(s, ev->time) < 0)
		return -1;
	s->now = ev->time;
	s->events++;
	return 1;
}

/*
 * True when a run that is stopping has nothing left to do: all messages and all-reduces that nodes
 * asked for are there. The events to come are ends of gradients that were dropped.
 */
static bool rest_is_dropped(const struct sim *s)
{
	return s->post.asked == s->post.answered && !s->detours && !s->timers &&
	       !s->post.flows;
}

/* Counts the events to come, each of which would do nothing. 0, or error(), as event_take(). */
static int rest_count(struct sim *s)
{
	struct sim_event ev;

	while (heap_take(&s->heap, &ev)) {
		if (!isfinite(ev.time))
			return time_overflows(s);
		s->events++;
	}
	return 0;
}

int sim_pump(struct sim *s, int64_t events)
{
	const double limit = s->run->seconds > 0.0 ? s->run->seconds : DBL_MAX;
	struct sim_event ev;
	int taken = 1;

	while (s->events < events && (taken = event_take(s, limit, &ev)) > 0) {
		if (sim_event_kind(&ev) == SIM_NET)
			flows_step(s->post.flows, &ev);
		else
			dispatch(s, &ev);
		if (!s->stopping) {
			if (sim_interrupted(s))
				sim_stop(s, END_INTERRUPTED, s->now);
		} else if (events == INT64_MAX && rest_is_dropped(s)) {
			taken = rest_count(s);
			break;
		}
	}
	if (taken < 0) /* drops gradients and messages in flight */
		sim_stop(s, END_STALLED, s->now);
	return taken < 0 ? -1 : 0;
}
