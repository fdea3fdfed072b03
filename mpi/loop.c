/* Rounds of the event loop: each delivers what had arrived when it began. */
#include "mpi/state.h"

#include "core/base/clock.h"
#include "core/codec.h"
#include "core/engine/engine.h"
#include "mpi/allreduce/allreduce.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* Idle processes poll at first and then sleep, so that there may be more ranks than cores. */
enum {
	REAL_SPINS = 50,        /* rounds before a process sleeps ... */
	ALLREDUCE_SPINS = 1000  /* ... in an all-reduce in memory: if one sleeps, all wait */
};
static const double sleep_least = 20e-6, sleep_most = 200e-6, sleep_alone = 20e-3;

/*
 * True when the node's gradient is computed and due; waits at most `wait` seconds for the
 * computation.
 */
static bool real_grad_due(struct real *r, const struct node *nd, double wait)
{
	struct real_node *sn = real_node(nd);
	double base = r->conf->compute_s;

	if (!sn->task)
		return false;
	if (!sn->ready && pool_wait_for(r->run.pool, &sn->task->job, wait)) {
		const double took = real_now(r) - sn->begun;

		base *= node_stage_weight(nd);
		sn->ready = true;
		sn->due = sn->begun + (base > 0.0 ? base : took) * sn->factor;
	}
	return sn->ready && real_now(r) >= sn->due;
}

/* Longest sleep while a gradient is computed. A single process need not poll for messages. */
static double wait_longest(const struct real *r, const struct real_node *sn)
{
	return r->size == 1 && !sn->timers ? sleep_alone : sleep_most;
}

void real_idle(struct real *r, int idle)
{
	struct real_node *sn = &r->priv[0];
	const bool computing = sn->task && !sn->ready;
	const bool allreducing = r->near && sn->allreducing && !computing;
	const int spins = allreducing ? ALLREDUCE_SPINS : REAL_SPINS;
	const double most = computing ? wait_longest(r, sn) : sleep_most;
	const double wait = fmin(ldexp(sleep_least, idle - spins), most);

	if (allreducing && idle < ALLREDUCE_POLLS)
		return;
	if (idle <= spins)
		sched_yield();
	else if (computing)
		real_grad_due(r, &r->nodes[0], wait);
	else
		clock_sleep(wait);
}

void real_sleep(int idle)
{
	if (idle <= REAL_SPINS)
		sched_yield();
	else
		clock_sleep(fmin(ldexp(sleep_least, idle - REAL_SPINS), sleep_most));
}

/* Runs rounds until the request is done. */
static void real_await(struct real *r, MPI_Request *request)
{
	int done = 0;

	for (int idle = 0; !done && !r->failed; idle++) {
		if (real_round(r))
			idle = 0;
		if (!r->failed)
			MPI_Test(request, &done, MPI_STATUS_IGNORE);
		if (!done && !r->failed)
			real_idle(r, idle);
	}
}

/*
 * After the end: delivers everything, so that no node is left waiting.
 *
 * Every process counts the messages sent and received, and the all-reduces asked for and delivered.
 * In a wave, an all-reduce adds up these counts. When two waves in succession agree and nothing is
 * missing, nothing is in flight (Mattern 1987, the four-counter method). If only some members of a
 * group have asked for an all-reduce, it would never end: the other members take part with zeros,
 * and no node receives the result.
 */

enum { SENT, RECEIVED, ASKED, DELIVERED, COUNTS };

static bool is_quiet(const struct real *r, const int64_t n[COUNTS])
{
	const int64_t workers = r->run.workers;

	return n[SENT] == n[RECEIVED] && n[DELIVERED] == n[ASKED] / workers * workers;
}

void settle(struct real *r)
{
	int64_t before[COUNTS] = { -1 };
	bool same;

	do {
		MPI_Request request;

		while (real_round(r))
			;
		if (r->failed)
			return;
		r->wave[SENT] = r->sent;
		r->wave[RECEIVED] = r->received;
		r->wave[ASKED] = r->wave[DELIVERED] = 0;
		for (int i = 0; i < r->n; i++) {
			r->wave[ASKED] += r->priv[i].allreduces;
			r->wave[DELIVERED] += r->priv[i].allreduced;
		}
		MPI_Iallreduce(MPI_IN_PLACE, r->wave, COUNTS, MPI_INT64_T, MPI_SUM, r->waves,
			       &request);
		real_await(r, &request);
		same = memcmp(r->wave, before, sizeof(before)) == 0;
		memcpy(before, r->wave, sizeof(before));
	} while (!r->failed && (!same || !is_quiet(r, before)));
}

void drain(struct real *r)
{
	struct {
		double time;
		int end;
	} first; /* earliest of all processes' reasons to stop */

	real_allreduce_settle(r);
	event_log_flush(r);
	settle(r);
	for (int i = 0; i < r->n && !r->failed; i++)
		marks_pass(r, &r->nodes[i], r->nodes[i].x);
	settle(r);
	if (r->failed)
		return;
	first.time = r->stop_time;
	first.end = (int)r->end;
	MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_DOUBLE_INT, MPI_MINLOC, r->waves);
	r->stop_time = first.time;
	r->end = (enum end_reason)first.end;
	while ((r->dropped || r->out.head) && !r->failed) {
		real_round(r);
		real_idle(r, 100);
	}
}

double real_now(const struct real *r)
{
	return clock_s() - r->began;
}

void real_stop_here(struct real *r, enum end_reason why, double time)
{
	if (r->stopping)
		return;
	r->stopping = true;
	r->end = why;
	r->stop_time = time;
	for (int i = 0; i < r->n; i++) {
		double now = real_now(r);
		struct real_node *sn = real_node(&r->nodes[i]);

		if (sn->task)
			r->nodes[i].ledger.compute += now - sn->begun;
		else if (sn->idle_from < now)
			r->nodes[i].ledger.wait += now - sn->idle_from;
		sn->idle_from = HUGE_VAL;
		real_drop(&r->nodes[i]);
	}
}

void real_stop(struct real *r, enum end_reason why, double time)
{
	if (r->stopping)
		return;
	post_all(r, &(struct header){ .kind = MESSAGE_STOP, .tag = why });
	real_stop_here(r, why, time);
}

/* ---- handlers ---- */

/* The vector of a message; if it came as codes, it is valid until the next message. */
static const float *vector_received(const struct real *r, const struct message *l)
{
	if (!message_header(l)->codes)
		return message_vec(l);
	codec_unpack(&r->run, r->run.dim, message_vec(l), r->decoded);
	return r->decoded;
}

/*
 * Calls a node's handler, after decoding: of the message l, or of an all-reduce's result. A
 * gradient takes its task along, perhaps into an all-reduce. Handling counts as computing, unless a
 * gradient is computed at the same time.
 */
static void real_handler_run(struct real *r, struct node *nd, struct call *c,
			     const struct message *l, struct task *t)
{
	struct real_node *sn = real_node(nd);
	const bool during_grad = sn->task;
	struct msg m;
	double now, took;

	sn->now = real_now(r);
	window_clock(r, nd);
	node_enter(nd, c->msg, sn->stamp);
	r->events++;
	if (t && c->what.handler == HANDLER_GRAD) {
		nd->ledger.comm += sn->now - c->what.begun; /* that time was counted already */
		node_memory_keep(nd, &t->job);
	}
	if (l) {
		m = *c->msg;
		m.vec = vector_received(r, l);
		c->msg = &m;
	}
	if (c->what.handler == HANDLER_ALLREDUCE)
		real_allreduce_decode(r, sn);
	if (t && nd->adds) {
		real_allreduce_task(r, nd, t);
	} else {
		if (t)
			nd->seen = t->x;
		node_react(nd, c);
		if (t)
			task_put(r, t);
	}
	now = real_now(r);
	took = now - sn->now;
	run_handled(&r->run, &c->what, nd, sn->now, took, nd->engine->gradients(nd));
	node_leave(nd);
	r->handler_s += took;
	if (r->stopping)
		return;
	if (!during_grad)
		nd->ledger.compute += took;
	sn->idle_from = sn->task ? HUGE_VAL : now;
}

/* Delivers a stage that is not a gradient's last. */
static void real_handler_on_stage(struct real *r, struct node *nd)
{
	struct real_node *sn = real_node(nd);
	struct task *t = sn->task;
	const double now = real_now(r);

	sn->task = NULL;
	nd->ledger.compute += now - sn->begun;
	run_emit(&r->run, &(struct event){ .kind = EV_STAGE,
					   .time = now, .epoch = run_epochs(&r->run, r->known),
					   .gradients = r->known, .node = nd,
					   .seconds = now - sn->begun,
					   .begun = sn->begun });
	real_handler_run(r, nd,
			 &(struct call){ .what = { .handler = HANDLER_STAGE, .begun = now },
					 .grad = { t->g, t->job.loss } },
			 NULL, t);
}

static void real_check_progress(struct real *r, int64_t gradients, double loss, double time)
{
	if (!isfinite(loss))
		real_stop(r, END_DIVERGED, time);
	else if (r->budget && gradients >= r->budget)
		pause_at_budget(r, PAUSE_BUDGET, gradients, time);
	else {
		mark_if_due(r, gradients);
		checkpoint_if_due(r, gradients);
	}
}

static void real_handler_on_grad(struct real *r, struct node *nd)
{
	struct real_node *sn = real_node(nd);
	struct task *t = sn->task;
	const double loss = node_stage_loss(nd, t->job.loss), now = real_now(r);
	const int64_t gradients = counter_next(r);

	if (r->failed)
		return;
	if (r->budget && gradients > r->budget) {
		pause_over_budget(r, now);
		return;
	}
	if (gradients > r->known)
		r->known = gradients;
	sn->task = NULL;
	nd->ledger.compute += now - sn->begun;
	node_count(nd, node_counted(nd, gradients - 1));
	nd->ledger.gradients++;
	run_emit(&r->run, &(struct event){ .kind = EV_GRAD, .time = now,
					   .epoch = run_epochs(&r->run, gradients),
					   .gradients = gradients, .node = nd, .loss = loss,
					   .seconds = now - sn->begun, .begun = sn->begun,
					   .asked = sn->first });
	mark_note(r, gradients, now);
	real_handler_run(r, nd,
			 &(struct call){ .what = { .handler = HANDLER_GRAD, .begun = now },
					 .grad = { t->g, loss } },
			 NULL, t);
	real_check_progress(r, gradients, loss, now);
}

static void real_handler_on_message(struct real *r, struct node *nd, const struct message *l)
{
	const struct header *h = message_header(l);
	const size_t bytes = sizeof(*h) + h->bytes;
	const struct msg m = { .tag = h->tag,
			       .from = h->from, .stamp = h->stamp, .n = h->n, .codes = h->codes,
			       .before = h->since < 0 ? -1 : h->count - h->since };

	if (!r->stopping)
		ledger_idle(&nd->ledger, &real_node(nd)->idle_from, real_now(r), h->time);
	nd->ledger.bytes_received += bytes;
	real_handler_run(r, nd,
			 &(struct call){ .what = { .handler = HANDLER_MSG,
						   .peer = m.from, .tag = m.tag, .begun = h->time,
						   .bytes = bytes },
					 .msg = &m },
			 l, NULL);
}

static void real_handler_on_allreduce(struct real *r, struct node *nd)
{
	struct real_node *sn = real_node(nd);
	const double last = sn->most[1];
	struct call c = { .what = { .handler = HANDLER_ALLREDUCE,
				    .begun = last,
				    .bytes = real_allreduce_bytes(r, sn) },
			  .v = sn->v,
			  .n = sn->n };

	if (!r->stopping)
		ledger_idle(&nd->ledger, &sn->idle_from, real_now(r), last);
	real_allreduce_close(r, sn);
	sn->allreduced++;
	real_handler_run(r, nd, &c, NULL, NULL);
}

static void real_handler_on_timer(struct real *r, struct node *nd, int token)
{
	const double now = real_now(r);

	ledger_idle(&nd->ledger, &real_node(nd)->idle_from, now, now);
	real_handler_run(r, nd,
			 &(struct call){ .what = { .handler = HANDLER_TIMER,
						   .begun = now,
						   .token = token } },
			 NULL, NULL);
}

/* ---- messages ---- */

/* True when messages wait until the gradient is computed. */
static bool defers_messages(const struct real *r, const struct real_node *sn)
{
	return sn->task && !r->conf->overlap;
}

static void receive_message(struct real *r, struct message *l)
{
	struct node *nd = real_find(r, message_header(l)->to);
	struct real_node *sn = real_node(nd);

	if (sn->inbox.head || defers_messages(r, sn)) {
		messages_push(&sn->inbox, l);
		return;
	}
	real_handler_on_message(r, nd, l);
	message_put(r, l);
}

static void message_handle(struct real *r, struct message *l)
{
	const struct header *h = message_header(l);

	r->received++;
	if (h->count > r->known)
		r->known = h->count;
	switch ((enum message_kind)h->kind) {
	case MESSAGE_MSG:
		r->balance--;
		receive_message(r, l);
		return;
	case MESSAGE_STOP:
		real_stop_here(r, (enum end_reason)h->tag, h->time);
		break;
	case MESSAGE_STOPPED:
		if (++r->stopped_workers == r->run.workers)
			real_stop(r, END_STOPPED, real_now(r));
		break;
	case MESSAGE_MARK:
		mark_send(r, l);
		break;
	case MESSAGE_MODEL:
		mark_receive(r, l);
		break;
	case MESSAGE_EVENTS:
		event_log_receive(r, l);
		break;
	case MESSAGE_PAUSE:
		pause_receive(r, h);
		break;
	}
	message_put(r, l);
}

/* Handles messages that came while the node did not receive; between two gradients, all of them. */
static bool receive_inbox(struct real *r, struct node *nd)
{
	struct real_node *sn = real_node(nd);
	struct messages now = { 0 };
	struct message *l;

	if (!sn->inbox.head || defers_messages(r, sn))
		return false;
	messages_move(&sn->inbox, &now);
	while ((l = messages_pop(&now))) {
		real_handler_on_message(r, nd, l);
		message_put(r, l);
	}
	return true;
}

/* ---- a round ---- */

static bool fire_timers(struct real *r, struct node *nd)
{
	struct real_node *sn = real_node(nd);
	const double now = real_now(r);
	bool some = false;

	if (r->pause >= 0 && !r->stopping)
		return false;
	for (struct timer *t; (t = sn->timers) && (t->time <= now || r->stopping);) {
		sn->timers = t->next;
		if (!r->stopping)
			real_handler_on_timer(r, nd, t->token);
		free(t);
		some = true;
	}
	return some;
}

/*
 * In lockstep each worker has its part of the budget, so that the result does not depend on which
 * are faster.
 */
static bool has_delivered_its_part(const struct real *r, const struct node *nd)
{
	const int64_t n = r->run.workers;

	return r->budget && r->run.algo->lockstep &&
	       nd->ledger.gradients >= (r->budget + n - 1 - nd->rank) / n;
}

bool real_will_deliver(const struct real *r, const struct node *nd)
{
	return real_node(nd)->task && !has_delivered_its_part(r, nd);
}

static bool node_serve(struct real *r, struct node *nd)
{
	bool some;

	real_allreduce_parts(r, nd);
	some = real_allreduce_done(r, nd);
	if (some)
		real_handler_on_allreduce(r, nd);
	if (!r->stopping && r->pause < 0 && real_grad_due(r, nd, 0.0) &&
	    !has_delivered_its_part(r, nd)) {
		(node_stage_is_last(nd) ? real_handler_on_grad : real_handler_on_stage)(r, nd);
		some = true;
	}
	some |= fire_timers(r, nd);
	return receive_inbox(r, nd) || some;
}

/*
 * Checks of each round for events that no message brings: time limit, Ctrl-C, heartbeats. Skipped
 * while other processes may rely on having received everything.
 */
static void round_watch(struct real *r)
{
	const struct run *run = &r->run;

	heartbeat_watch(r);
	if (run->interrupted && *run->interrupted)
		gone_watch(r);
	if (r->stopping || r->pause >= 0)
		return;
	if (run->seconds > 0.0 && real_now(r) >= run->seconds)
		pause_at_budget(r, PAUSE_SECONDS, r->known, run->seconds);
	else if (run->interrupted && *run->interrupted)
		pause_to_interrupt(r);
	else if (event_log_due(r))
		event_log_flush(r);
}

bool real_round(struct real *r)
{
	struct messages arrived = { 0 };
	struct message *l;
	bool some;

	if (r->failed)
		return false;
	post_collect(r, &arrived);
	some = arrived.head;
	while ((l = messages_pop(&arrived)))
		message_handle(r, l);
	for (int i = 0; i < r->n; i++)
		some |= node_serve(r, &r->nodes[i]);
	some |= post_reap(r);
	real_reap(r);
	round_watch(r);
	if (pool_failed(r->run.pool))
		real_fail(r);
	return some && !r->failed;
}

void real_start(struct real *r)
{
	for (int i = r->n - 1; i >= 0; i--)
		real_handler_run(r, &r->nodes[i], &(struct call){ .what.handler = HANDLER_START },
				 NULL, NULL);
}
