/* Calls the handlers of nodes, and books their time. */
#include "sim/world.h"

#include "core/base/apart.h"
#include "core/base/clock.h"
#include "core/base/error.h"

#include <math.h>

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
