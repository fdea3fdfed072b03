/*
 * event_log.c - collects the events of all processes for the hooks of process 0.
 *
 * Every process records the events of its nodes and reports them to process 0 twice a second.
 * Process 0 calls its hooks ("shows" the events) up to the time until which all processes have
 * reported. So hooks see one run in the order of time, and training pays for a small message now
 * and then. The reports also serve as heartbeats (heartbeat.c).
 */
#include "mpi/state.h"

#include "core/watch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MANY = 4096 };                   /* as many records are reported before it is time */
static const double report_every_s = 0.5;
static const struct measured nothing_measured = { (double)NAN, (double)NAN, (double)NAN,
						  (double)NAN, (double)NAN };

/* An event without pointers, as it is sent. */
struct record {
	int32_t kind, rank, peer, handler, token, tag;
	double time, epoch, loss, seconds, begun, asked, lr;
	struct measured measured;
	int64_t gradients, staleness, bytes;
};

struct process_log {                    /* events of a process that process 0 has received */
	struct record *v;
	size_t first, n, capacity;      /* records [first, n) have yet to be shown */
	double until;                   /* all events before this time have been received */
};

struct event_log {
	struct hook hook;               /* first member: the hook's address is that of the struct */
	struct record *v;               /* [n] events of this process, to be reported */
	size_t n, capacity;
	double sent;                    /* time of the last report */
	/* Process 0 only: */
	struct process_log *logs;       /* [size] */
	int64_t shown;                  /* number of the last gradient shown */
	struct node *nodes;             /* [nnodes] as hooks see them, the server last */
};

/* v with space for at least `need` records. */
static void *event_log_grow(void *v, size_t *capacity, size_t need)
{
	if (need <= *capacity)
		return v;
	*capacity = need + *capacity;
	return xrealloc(v, *capacity, sizeof(struct record));
}

/* ---- on every process ---- */

/* The hook of every process. */
static void event_log_record(struct hook *h, const struct event *ev)
{
	struct event_log *own = (struct event_log *)h;

	own->v = event_log_grow(own->v, &own->capacity, own->n + 1);
	own->v[own->n++] = (struct record){
		.kind = (int32_t)ev->kind, .rank = ev->node ? ev->node->rank : 0,
		.peer = ev->peer, .handler = (int32_t)ev->handler, .token = ev->token,
		.tag = ev->tag, .time = ev->time, .epoch = ev->epoch, .loss = ev->loss,
		.seconds = ev->seconds, .begun = ev->begun, .asked = ev->asked, .lr = ev->lr,
		.measured = ev->measured ? *ev->measured : nothing_measured,
		.gradients = ev->gradients, .staleness = ev->staleness,
		.bytes = (int64_t)ev->bytes,
	};
}

/* Mask of the events that hooks of process 0 want, but for those that process 0 itself emits. */
static unsigned event_log_wanted(const struct real *r)
{
	unsigned mask = 0;

	for (int kind = EV_START; kind <= EV_END; kind++)
		mask |= run_wants(r->user, (enum event_kind)kind) ? 1u << kind : 0;
	mask &= ~(1u << EV_START | 1u << EV_STOP | 1u << EV_END | 1u << EV_SCORE);
	real_share(&mask, sizeof(mask));
	return mask;
}

/* The nodes that events of process 0 name. */
static void open_nodes(struct real *r)
{
	struct event_log *own = r->log;

	own->nodes = xcalloc((size_t)r->nnodes, sizeof(*own->nodes));
	for (int i = 0; i < r->nnodes; i++)
		own->nodes[i] = node_new(r->user, i, NULL, NULL);
}

void event_log_open(struct real *r)
{
	struct event_log *own = xcalloc(1, sizeof(*own));

	r->log = own;
	own->hook = (struct hook){ .mask = event_log_wanted(r), .event = event_log_record };
	r->run.hooks = &own->hook;
	if (r->rank)
		return;
	own->logs = xcalloc((size_t)r->size, sizeof(*own->logs));
	open_nodes(r);
}

void event_log_close(struct real *r)
{
	struct event_log *own = r->log;

	for (int p = 0; own->logs && p < r->size; p++)
		free(own->logs[p].v);
	free(own->logs);
	free(own->nodes);
	free(own->v);
	free(own);
}

bool event_log_due(const struct real *r)
{
	const struct event_log *own = r->log;

	return !r->stopping && (own->n >= MANY || real_now(r) - own->sent >= report_every_s);
}

/* Header of a report of n events. */
static struct header event_log_report(const struct real *r, size_t n)
{
	return (struct header){ .kind = MESSAGE_EVENTS, .from = r->rank, .tag = heartbeat_state(r),
				.stamp = r->events, .balance = r->balance, .n = n };
}

/* Sends a report without events, as a heartbeat. */
static void post_heartbeat(struct real *r, int process)
{
	struct message *l = message_new(r, 0);

	*message_header(l) = event_log_report(r, 0);
	post_send(r, l, process, 0);
}

void event_log_flush(struct real *r)
{
	struct event_log *own = r->log;
	const size_t bytes = own->n * sizeof(*own->v);
	struct message *l = message_new(r, bytes);

	*message_header(l) = event_log_report(r, own->n);
	if (bytes)
		memcpy(message_vec(l), own->v, bytes);
	own->n = 0;
	own->sent = real_now(r);
	post_send(r, l, 0, bytes);
	if (r->rank == 0 && r->size > 1)        /* process 1 watches process 0 */
		post_heartbeat(r, 1);
}

/* ---- on process 0 ---- */

void event_log_show(struct real *r, struct event ev)
{
	if (r->rank)
		return;
	ev.nodes = r->log->nodes;
	ev.nnodes = r->nnodes;
	run_emit(r->user, &ev);
}

void event_log_resume(struct real *r, int64_t gradients)
{
	r->log->shown = gradients;
}

void event_log_begin(struct real *r)
{
	r->log->sent = real_now(r);
	event_log_show(r, (struct event){ .kind = EV_START });
}

static void show_record(struct real *r, const struct record *c)
{
	const int index = c->rank == SERVER ? r->nnodes - 1 : c->rank;  /* of r->log->nodes */

	event_log_show(r, (struct event){
		.kind = (enum event_kind)c->kind, .time = c->time, .epoch = c->epoch,
		.gradients = c->gradients, .peer = c->peer, .bytes = (size_t)c->bytes,
		.node = c->kind == EV_MARK ? NULL : &r->log->nodes[index],
		.staleness = c->staleness, .loss = c->loss, .seconds = c->seconds,
		.begun = c->begun, .asked = c->asked, .lr = c->lr, .measured = &c->measured,
		.handler = (enum handler)c->handler, .token = c->token, .tag = c->tag });
}

/*
 * True if the process's next record may be shown. Clocks differ a little, but gradients have
 * numbers, and are shown in that order.
 */
static bool may_show(const struct event_log *all, const struct process_log *log)
{
	const struct record *c;

	if (log->first >= log->n)
		return false;
	c = &log->v[log->first];
	return c->kind != EV_GRAD || c->gradients == all->shown + 1;
}

/* The process whose next record is the earliest that can be shown, or NULL. */
static struct process_log *event_log_earliest(struct real *r)
{
	struct process_log *first = NULL;

	for (int p = 0; p < r->size; p++) {
		struct process_log *log = &r->log->logs[p];

		if (may_show(r->log, log) &&
		    (!first || log->v[log->first].time < first->v[first->first].time))
			first = log;
	}
	return first;
}

/* Shows the next record; after a gradient, the mark that follows it. */
static void show_next(struct real *r, struct process_log *log)
{
	const struct record *c = &log->v[log->first++];

	show_record(r, c);
	if (c->kind == EV_GRAD) {
		r->log->shown = c->gradients;
		if (log->first < log->n && c[1].kind == EV_MARK)
			show_record(r, &log->v[log->first++]);
	}
	if (log->first == log->n)
		log->first = log->n = 0;
}

/* Shows the events before a time, in order; those after a missing gradient have to wait. */
static void show_before(struct real *r, double until)
{
	struct process_log *log;

	while ((log = event_log_earliest(r)) && log->v[log->first].time < until)
		show_next(r, log);
}

void event_log_receive(struct real *r, const struct message *l)
{
	const struct header *h = message_header(l);
	struct process_log *log;
	double until = HUGE_VAL;

	heartbeat_receive(r, h);
	if (r->rank)
		return;
	stall_receive(r, h);
	log = &r->log->logs[h->from];
	log->v = event_log_grow(log->v, &log->capacity, log->n + h->n);
	if (h->n)
		memcpy(log->v + log->n, message_vec(l), h->n * sizeof(*log->v));
	log->n += h->n;
	log->until = h->time;
	for (int p = 0; p < r->size; p++)
		until = fmin(until, r->log->logs[p].until);
	show_before(r, until);
}

void event_log_show_all(struct real *r)
{
	if (!r->rank)
		show_before(r, HUGE_VAL);
}

void event_log_end(struct real *r, const struct ledger *ledgers)
{
	if (r->rank)
		return;
	show_before(r, HUGE_VAL);
	for (int i = 0; i < r->nnodes; i++)
		r->log->nodes[i].ledger = ledgers[i];
}
