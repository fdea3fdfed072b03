/* The earliest event first, until the budget is spent, then drain. */
#include "sim/world.h"

#include "core/base/apart.h"
#include "core/base/clock.h"
#include "core/base/error.h"

#include <math.h>

/* ---- calls the handlers of nodes, and books their time ---- */

/* ---- a handler, from its instant to the effects it asked for ---- */

static double handler_enter(struct sim *s, struct node *nd, int from, int64_t stamp)
{
	sim_node(nd)->clock = s->now;
	if (s->blocks)
		nd->step = s->steps;
	node_enter(nd, from, stamp, sim_node(nd)->stamp);
	sim_uncharged(s);
	return s->run->pool ? clock_s() : 0.0;
}

APART static void handler_show(struct sim *s, struct node *nd, const struct handled *what)
{
	sim_charge(s, nd);
	run_handled(s->run, what, nd, s->now, sim_node(nd)->clock - s->now,
		    nd->engine->gradients(nd));
}

/* After handler_show(), for whom that is shown: describing what was handled takes its time. */
static inline void handler_leave(struct sim *s, struct node *nd, double began)
{
	struct sim_node *sn = sim_node(nd);

	sim_charge(s, nd);
	node_leave(nd);
	sn->free_at = sn->clock;
	sn->idle_from = sn->computing || s->stopping ? HUGE_VAL : sn->clock;
	if (s->run->pool)
		s->handler_s += clock_s() - began;
}

RARE static void handler_missing(const struct sim *s, const struct node *nd, const char *what)
{
	BUG("%s: rank %d has no handler for %s", s->run->algo->plugin.name, nd->rank, what);
}

static inline void handler_must_react(const struct sim *s, const struct node *nd, bool has,
				      const char *what)
{
	if (!has)
		handler_missing(s, nd, what);
}

/* ---- the events ---- */

static void handler_check_progress(struct sim *s, double loss)
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

/* False: it was cancelled, or messages have held it up. */
static bool handler_is_ready(struct sim *s, struct node *nd, int64_t ticket)
{
	struct sim_node *sn = sim_node(nd);

	if (!sn->computing || sn->ticket != ticket)
		return false;
	if (sn->held_up <= 0.0)
		return true;
	heap_push(&s->heap, s->now + sn->held_up, SIM_GRAD, sim_index(s, nd->rank), NULL, ticket);
	sn->compute += sn->held_up;
	sn->held_up = 0.0;
	return false;
}

/* A stage that is not a gradient's last. */
APART static void handler_on_stage(struct sim *s, struct node *nd)
{
	struct sim_node *sn = sim_node(nd);
	const double busy_until = sn->free_at;
	double began;

	handler_must_react(s, nd, nd->role->stage, "a stage");
	sim_await(s, nd);
	sn->computing = false;
	nd->ledger.compute += sn->compute;
	nd->ledger.wait += sn->stalled;
	run_emit(s->run, &(struct event){ .kind = EV_STAGE, .time = s->now,
					  .epoch = sim_epoch(s), .gradients = s->gradients,
					  .node = nd, .seconds = sn->compute,
					  .begun = sn->begun });
	began = handler_enter(s, nd, NO_PEER, -1);
	node_stage_deliver(nd, sn->g, s->run->pool ? sn->job.loss : (double)NAN);
	if (s->handled)
		handler_show(s, nd, &(struct handled){ .handler = HANDLER_STAGE, .begun = s->now });
	handler_leave(s, nd, began);
	sn->free_at = fmax(sn->free_at, busy_until);
}

void sim_handle_grad(struct sim *s, struct node *nd, int64_t ticket)
{
	struct sim_node *sn = sim_node(nd);
	struct grad g = { .loss = (double)NAN };
	double began;

	if (!handler_is_ready(s, nd, ticket))
		return;
	if (!node_stage_is_last(nd)) {
		handler_on_stage(s, nd);
		return;
	}
	handler_must_react(s, nd, node_takes_grads(nd), "a gradient");
	sim_await(s, nd);
	if (s->run->pool)
		g = (struct grad){ .vec = sn->g, .loss = node_stage_loss(nd, sn->job.loss) };
	node_memory_keep(nd, &sn->job);
	sn->computing = false;
	nd->ledger.compute += sn->compute;
	nd->ledger.wait += sn->stalled;
	nd->ledger.comm += s->host_copy;
	node_count(nd, nd->engine->gradients(nd));
	nd->ledger.gradients++;
	s->gradients++;
	run_emit(s->run, &(struct event){ .kind = EV_GRAD, .time = s->now,
					  .epoch = sim_epoch(s), .gradients = s->gradients,
					  .node = nd, .loss = g.loss, .seconds = sn->compute,
					  .begun = sn->begun, .asked = sn->first });
	began = handler_enter(s, nd, NO_PEER, -1);
	node_deliver(nd, &g);
	if (s->handled)
		handler_show(s, nd, &(struct handled){ .handler = HANDLER_GRAD, .begun = s->now });
	handler_leave(s, nd, began);
	handler_check_progress(s, g.loss);
}

/* What no node sends: it learns who is away. */
RARE static void handler_on_report(struct sim *s, struct node *nd, struct packet *p)
{
	double began;

	ledger_settle(s, nd, s->now);
	began = handler_enter(s, nd, NO_PEER, -1);
	fault_errand(s, nd, p);
	if (s->handled)
		handler_show(s, nd, &(struct handled){ .handler = HANDLER_TIMER,
						       .begun = s->now, .token = p->msg.from });
	handler_leave(s, nd, began);
	packet_put(&s->spare, p);
}

APART static void handler_on_message(struct sim *s, struct node *nd, struct packet *p)
{
	struct sim_node *sn = sim_node(nd);
	double began;

	handler_must_react(s, nd, p->errand != ERRAND_NONE || nd->role->msg, "a message");
	s->answered++;
	ledger_settle(s, nd, p->sent);
	if (sn->computing && s->now >= sn->begun && s->link->receive_cost)
		sn->held_up += s->link->receive_cost(s->conf->link.conf, p->bytes);
	began = handler_enter(s, nd, p->msg.from, p->msg.stamp);
	node_receive(nd, &p->msg);
	if (p->errand == ERRAND_NONE)
		nd->role->msg(nd, &p->msg);
	else
		fault_errand(s, nd, p);
	if (s->handled)
		handler_show(s, nd, &(struct handled){ .handler = HANDLER_MSG, .peer = p->msg.from,
					 .begun = p->sent, .bytes = p->bytes, .tag = p->msg.tag });
	handler_leave(s, nd, began);
	if (s->faulty)
		neighbours_receive(s, p);
	packet_put(&s->spare, p);
}

APART static void handler_on_allreduce(struct sim *s, struct node *nd)
{
	struct sim_node *sn = sim_node(nd);
	const double last = sn->all_asked;
	const size_t bytes = sim_allreduce_bytes(s, sn);
	double began;

	handler_must_react(s, nd, nd->role->allreduce != NULL, "an all-reduce");
	s->answered++;
	ledger_settle(s, nd, last);
	sn->allreducing = false;
	nd->added = sn->added;
	if (s->faulty)          /* members have made different numbers of rounds */
		nd->before = s->gradients > nd->added ? s->gradients - nd->added : 0;
	began = handler_enter(s, nd, NO_PEER, -1);
	node_allreduced(nd, sn->v, sn->n);
	if (s->faulty)
		membership_admit(s, nd);
	if (s->handled)
		handler_show(s, nd, &(struct handled){ .handler = HANDLER_ALLREDUCE, .begun = last,
					 .bytes = bytes });
	handler_leave(s, nd, began);
}

APART static void handler_on_timer(struct sim *s, struct node *nd, int token)
{
	double began;

	if (s->stopping)
		return;
	handler_must_react(s, nd, nd->role->timer != NULL, "a timer");
	ledger_settle(s, nd, s->now);
	began = handler_enter(s, nd, NO_PEER, -1);
	nd->role->timer(nd, token);
	if (s->handled)
		handler_show(s, nd, &(struct handled){ .handler = HANDLER_TIMER,
						       .begun = s->now, .token = token });
	handler_leave(s, nd, began);
}

void sim_handle_start(struct sim *s, struct node *nd)
{
	const double began = handler_enter(s, nd, NO_PEER, -1);

	if (nd->role->start)
		nd->role->start(nd);
	if (s->handled)
		handler_show(s, nd, &(struct handled){ .handler = HANDLER_START });
	handler_leave(s, nd, began);
}

void sim_go_on(struct sim *s, struct node *nd)
{
	double began;

	ledger_settle(s, nd, s->now);
	began = handler_enter(s, nd, NO_PEER, -1);
	nd->role->back(nd, NULL);
	if (s->handled)
		handler_show(s, nd, &(struct handled){ .handler = HANDLER_START });
	handler_leave(s, nd, began);
}

void sim_handle(struct sim *s, struct node *nd, const struct sim_event *ev)
{
	struct packet *p;

	switch (sim_event_kind(ev)) {
	case SIM_MSG:
	case SIM_RECEIVED:
		p = ev->ptr;
		(p->errand < ERRAND_LOST ? handler_on_message : handler_on_report)(s, nd, p);
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

/* ---- where each node's time went ---- */

/* The node waits for its samples until `begun`; then it computes, and hands the gradient over. */
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

/*
 * Writing to a shared model was booked when it began. What a job stops for, and does again, is
 * waiting.
 */
void ledger_close(struct sim *s, double end)
{
	for (int i = 0; i < s->nnodes; i++) {
		struct node *nd = &s->nodes[i];
		struct sim_node *sn = sim_node(nd);

		if (sn->computing)
			ledger_unfinished(nd, end);
		else if (sn->idle_from < end)
			nd->ledger.wait += end - sn->idle_from;
		nd->ledger.compute -= fmin(fmax(sn->write_end - end, 0.0), nd->ledger.compute);
		if (s->line)
			nd->ledger.wait += fmax(timeline_at(s->line, end) - end, 0.0);
		sn->idle_from = HUGE_VAL;
	}
}

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
