/*
 * replay.c - runs the handlers of a trace again, in an order that is possible for their inputs.
 */
#include "sim/replay/replay.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/codec.h"
#include "core/engine/engine.h"
#include "core/engine/pieces.h"
#include "core/math/vec.h"
#include "core/text/word.h"
#include "sim/link/packet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct replay_timer {
	struct replay_timer *next;
	int token;
};

struct replay_node {                    /* node->priv */
	struct replay *replay;
	const struct replay_event **event;      /* [n] its events, in their order */
	size_t n, done;
	double clock;                   /* in a handler: value of node_now() */
	bool stopped;
	/* The gradient in flight. */
	bool computing;
	int64_t grads_left;             /* gradients, stages to handle: later ones are not begun */
	int64_t index, stamp;           /* minibatches asked for; the model's clock */
	struct job job;
	float *snapshot, *g;            /* [dim]; after g[dim] what a stage gives */
	/* The all-reduce in flight. */
	bool allreducing, allreduced;           /* asked for; done */
	float *v;
	size_t nv;
	bool coded;                     /* the codec packs its gradients ... */
	void *codes;                    /* ... [codec_bytes], this node's */
	struct packet *inbox;           /* messages, first in, first out */
	struct replay_timer *timers;
};

struct replay {
	const struct run *run;
	struct node *nodes;             /* [nnodes], the server last */
	struct replay_node *priv;       /* [nnodes] */
	int nnodes;
	bool ring;                      /* all-reduces add in the order of a ring */
	int asked;                      /* workers whose all-reduce waits for others */
	struct arena arena;
	void *codes;                    /* [codec_bytes] of the gradient being sent */
	struct packets packets;
	int64_t handlers, gradients;
	const char *fault;              /* request of a handler that cannot be met; NULL: none */
	const struct replay_event *differs;
	int64_t differs_index;
	double differs_loss;
};

static inline struct replay_node *replay_node(const struct node *nd)
{
	return nd->priv;
}

/* ---- nodes ---- */

static struct replay *replay_of(const struct node *nd)
{
	return replay_node(nd)->replay;
}

static int location_of(const struct replay *re, int rank)
{
	return rank == SERVER ? re->nnodes - 1 : rank;
}

/* ---- requests ---- */

static void replay_grad(struct node *nd)
{
	struct replay *re = replay_of(nd);
	struct replay_node *rn = replay_node(nd);
	int64_t index;

	if (rn->stopped || !rn->grads_left)
		return;
	if (rn->computing) {
		re->fault = "it asks for a second gradient while one is in flight";
		return;
	}
	rn->computing = true;
	index = node_take(nd, &rn->index, &rn->stamp);
	vec_copy(nd->dim, nd->x, rn->snapshot);
	rn->job = node_job(nd, rn->snapshot, index, rn->g);
	pool_submit(re->run->pool, &rn->job);
}

static void replay_cancel(struct node *nd)
{
	struct replay_node *rn = replay_node(nd);

	if (!rn->computing)
		return;
	if (!pool_withdraw(replay_of(nd)->run->pool, &rn->job))
		pool_wait(replay_of(nd)->run->pool, &rn->job);
	rn->computing = false;
	nd->ledger.dropped++;
}

static void replay_send(struct node *nd, int to, const struct msg *m)
{
	struct replay *re = replay_of(nd);
	struct packet **at;

	if (to != SERVER && (to < 0 || to >= nd->workers))
		BUG("%s: rank %d sends to rank %d of %d", re->run->algo->plugin.name, nd->rank, to,
		    nd->workers);
	at = &re->priv[location_of(re, to)].inbox;
	while (*at)
		at = &(*at)->next;
	*at = packet_copy(&re->packets, nd, m, re->codes);
}

/* Every member's v[from, from + n) <- the sum over members in ring order, from rank `first` on. */
static void replay_add_piece(struct replay *re, int first, size_t from, size_t n)
{
	const int workers = re->run->workers;
	float *sum = re->priv[first].v + from;

	for (int k = 1; k < workers; k++)
		vec_axpy(n, 1.0f, re->priv[(first + k) % workers].v + from, sum);
	for (int k = 1; k < workers; k++)
		vec_copy(n, sum, re->priv[(first + k) % workers].v + from);
}

/* Every member's vector <- the sum of the decoded gradients, in the order of ranks. */
static void replay_add_codes(struct replay *re)
{
	const struct replay_node *all = re->priv;

	codec_unpack(re->run, all[0].nv, all[0].codes, all[0].v);
	for (int k = 1; k < re->run->workers; k++)
		codec_add(re->run, all[0].nv, all[k].codes, all[0].v);
	codec_round_sum(re->run, all[0].nv, all[0].codes, all[0].v);
	for (int k = 1; k < re->run->workers; k++)
		vec_copy(all[0].nv, all[0].v, all[k].v);
}

static void add_up(struct replay *re)
{
	const struct replay_node *all = re->priv;
	const int workers = re->run->workers;
	const size_t n = all[0].nv;

	for (int k = 1; k < workers; k++)
		if (all[k].nv != n || all[k].coded != all[0].coded) {
			re->fault = "members of a group all-reduce vectors of different lengths";
			return;
		}
	if (all[0].coded)
		replay_add_codes(re);
	else if (!re->ring)
		replay_add_piece(re, 0, 0, n);
	for (int k = 0; k < workers && re->ring && !all[0].coded; k++)
		replay_add_piece(re, k, ring_start(n, workers, k), ring_length(n, workers, k));
	for (int k = 0; k < workers; k++)
		re->priv[k].allreduced = true;
	re->asked = 0;
}

static void replay_allreduce(struct node *nd, float *v, size_t n, bool codes)
{
	struct replay *re = replay_of(nd);
	struct replay_node *rn = replay_node(nd);

	if (rn->allreducing) {
		re->fault = "it requests a second all-reduce before the first is done";
		return;
	}
	rn->allreducing = true;
	rn->v = v;
	rn->nv = n;
	rn->coded = codes && codec_packs(re->run);
	if (rn->coded)
		codec_pack(nd, n, v, rn->codes);
	if (++re->asked == re->run->workers)
		add_up(re);
}

static void replay_after(struct node *nd, double seconds, int token)
{
	struct replay_timer *t = xcalloc(1, sizeof(*t)), **at = &replay_node(nd)->timers;

	(void)seconds;
	t->token = token;
	while (*at)
		at = &(*at)->next;
	*at = t;
}

static void replay_stop(struct node *nd)
{
	replay_node(nd)->stopped = true;
}

static double replay_now(const struct node *nd)
{
	return replay_node(nd)->clock;
}

static int64_t replay_gradients(const struct node *nd)
{
	const struct replay_node *rn = replay_node(nd);

	return rn->event[rn->done]->gradients;
}

static double replay_epoch(const struct node *nd)
{
	return run_epochs(nd->run, replay_gradients(nd));
}

static void *replay_alloc(struct node *nd, size_t n, size_t size)
{
	return arena_alloc(&replay_of(nd)->arena, n, size);
}

static float *replay_floats(struct node *nd, size_t n)
{
	return arena_alloc(&replay_of(nd)->arena, n, sizeof(float));
}

static void replay_stepped(struct node *nd)
{
	struct replay_node *rn = replay_node(nd);

	rn->clock += rn->event[rn->done]->step_s;
}

static const struct engine replay_engine = {
	.name = "replay",
	.grad = replay_grad, .cancel = replay_cancel, .send = replay_send,
	.allreduce = replay_allreduce, .after = replay_after, .stop = replay_stop,
	.now = replay_now, .epoch = replay_epoch, .gradients = replay_gradients,
	.alloc = replay_alloc, .floats = replay_floats, .stepped = replay_stepped,
};

/* ---- open and close ---- */

/* Allocates memory for a packed gradient. */
static void *node_new_codes(struct replay *re)
{
	return codec_packs(re->run) ? arena_alloc(&re->arena, 1, codec_bytes(re->run)) : NULL;
}

/* Gives every node the list of its events. */
static void deal_events(struct replay *re, const struct replay_event *event, size_t n)
{
	for (size_t i = 0; i < n; i++)
		re->priv[location_of(re, event[i].rank)].n++;
	for (int p = 0; p < re->nnodes; p++) {
		struct replay_node *rn = &re->priv[p];

		rn->event = xcalloc(rn->n + 1, sizeof(struct replay_event *));
		rn->n = 0;
	}
	for (size_t i = 0; i < n; i++) {
		struct replay_node *rn = &re->priv[location_of(re, event[i].rank)];

		rn->event[rn->n++] = &event[i];
		rn->grads_left += event[i].handler == HANDLER_GRAD ||
				  event[i].handler == HANDLER_STAGE;
	}
}

/* Makes the nodes at the beginning of the run, with their events. */
static void replay_open(struct replay *re, const struct run *run,
			const struct replay_event *event, size_t n)
{
	scoped float *x = vec_new(run->dim);

	*re = (struct replay){ .run = run, .nnodes = run->workers + (run->algo->server != NULL),
			       .packets.arena = &re->arena };
	re->nodes = xcalloc((size_t)re->nnodes, sizeof(*re->nodes));
	re->priv = xcalloc((size_t)re->nnodes, sizeof(*re->priv));
	run_start(run, x);
	re->codes = node_new_codes(re);
	for (int i = 0; i < re->nnodes; i++) {
		struct node *nd = &re->nodes[i];
		struct replay_node *rn = &re->priv[i];

		rn->replay = re;
		*nd = node_new(re->run, i, &replay_engine, rn);
		node_open(nd, NULL, x);
		if (nd->rank != SERVER || nd->stages) {
			rn->snapshot = arena_alloc(&re->arena, nd->dim, sizeof(float));
			rn->g = arena_alloc(&re->arena, node_grad_floats(nd), sizeof(float));
			rn->codes = nd->rank != SERVER ? node_new_codes(re) : NULL;
		}
	}
	deal_events(re, event, n);
}

static void replay_close(struct replay *re)
{
	for (int i = 0; i < re->nnodes; i++) {
		struct replay_node *rn = &re->priv[i];

		if (rn->computing)
			pool_wait(re->run->pool, &rn->job);
		for (struct replay_timer *t; (t = rn->timers);) {
			rn->timers = t->next;
			free(t);
		}
		free(rn->event);
	}
	arena_release(&re->arena);
	free(re->nodes);
	free(re->priv);
}

/* ---- whether a handler's input is there ---- */

static struct packet **find_packet(struct replay_node *rn, int from)
{
	struct packet **at = &rn->inbox;

	while (*at && (*at)->msg.from != from)
		at = &(*at)->next;
	return at;
}

static struct replay_timer **find_timer(struct replay_node *rn, int token)
{
	struct replay_timer **at = &rn->timers;

	while (*at && (*at)->token != token)
		at = &(*at)->next;
	return at;
}

/* NULL when the node's next handler can run now, else the missing input. */
static const char *replay_missing(struct replay_node *rn)
{
	const struct replay_event *ev = rn->event[rn->done];

	if ((ev->handler == HANDLER_START) != (rn->done == 0))
		return rn->done ? "it has started before" : "it has not started";
	switch (ev->handler) {
	case HANDLER_GRAD:
	case HANDLER_STAGE:
		return rn->computing ? NULL : "it has requested none";
	case HANDLER_MSG:
		return *find_packet(rn, ev->peer) ? NULL : "no message of that sender is in flight";
	case HANDLER_ALLREDUCE:
		return rn->allreduced ? NULL : "not all members have requested one";
	case HANDLER_TIMER:
		return *find_timer(rn, ev->peer) ? NULL : "it has set none with that token";
	default:
		return NULL;
	}
}

static bool is_same(double a, double b)
{
	/* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): bit-identical is what is meant */
	return memcmp(&a, &b, sizeof(a)) == 0 || (isnan(a) && isnan(b));
}

/* ---- the handlers ---- */

/* Takes the node's gradient: compares its loss with the recorded one, and shows it. */
static struct grad grad_take(struct replay *re, struct node *nd, const struct replay_event *ev)
{
	struct replay_node *rn = replay_node(nd);
	const struct grad g = { rn->g, node_stage_loss(nd, rn->job.loss) };

	node_memory_keep(nd, &rn->job);
	if (!is_same(g.loss, ev->loss) && (!re->differs || ev < re->differs)) {
		re->differs = ev;
		re->differs_index = rn->job.index;
		re->differs_loss = g.loss;
	}
	node_count(nd, ev->gradients - (re->run->algo->lockstep ? re->run->workers : 1));
	nd->ledger.gradients++;
	return g;
}

static bool replay_reacts(const struct node *nd, enum handler handler)
{
	const struct role *role = nd->role;
	const bool has[] = {
		[HANDLER_START] = true,
		[HANDLER_GRAD] = (nd->adds || role->grad) && node_stage_is_last(nd),
		[HANDLER_MSG] = role->msg != NULL,
		[HANDLER_ALLREDUCE] = role->allreduce != NULL,
		[HANDLER_TIMER] = role->timer != NULL,
		[HANDLER_STAGE] = role->stage && !node_stage_is_last(nd),
	};

	return has[handler];
}

/* Runs the node's next handler, whose input is there (replay_missing()). */
static void replay_handle(struct replay *re, struct node *nd)
{
	struct replay_node *rn = replay_node(nd);
	const struct replay_event *ev = rn->event[rn->done];
	struct call c = { .what.handler = ev->handler };
	struct replay_timer **timer, *fired = NULL;
	struct packet **at, *p = NULL;

	switch (ev->handler) {
	case HANDLER_START:
		break;
	case HANDLER_GRAD:
	case HANDLER_STAGE:
		pool_wait(re->run->pool, &rn->job);
		rn->computing = false;
		rn->grads_left--;
		c.grad = ev->handler == HANDLER_GRAD ? grad_take(re, nd, ev) :
						       (struct grad){ rn->g, rn->job.loss };
		break;
	case HANDLER_MSG:
		at = find_packet(rn, ev->peer);
		p = *at;
		*at = p->next;
		c.msg = &p->msg;
		break;
	case HANDLER_ALLREDUCE:
		rn->allreduced = rn->allreducing = false;
		c.v = rn->v;
		c.n = rn->nv;
		break;
	case HANDLER_TIMER:
		timer = find_timer(rn, ev->peer);
		fired = *timer;
		*timer = fired->next;
		c.what.token = ev->peer;
		break;
	}
	rn->clock = ev->time;
	node_enter(nd, c.msg, rn->stamp);
	if (ev->handler == HANDLER_GRAD)
		run_emit(re->run, &(struct event){ .kind = EV_GRAD,
						   .node = nd, .loss = c.grad.loss,
						   .time = rn->clock,
						   .gradients = ++re->gradients });
	node_react(nd, &c);
	node_leave(nd);
	if (p)
		packet_put(&re->packets, p);
	free(fired);
	rn->done++;
	re->handlers++;
}

/* ---- the run ---- */

static int replay_refuse(const struct node *nd, const char *why)
{
	static const char *const what[] = { "its start", "a gradient", "a message", "an all-reduce",
					    "a timer", "a stage of a gradient" };
	const struct replay_node *rn = replay_node(nd);
	const struct replay_event *ev = rn->event[rn->done];
	char name[32] = "the server";

	if (nd->rank != SERVER)
		snprintf(name, sizeof(name), "worker %d", nd->rank);
	return error("event %zu of %s, %s at %.9g s, cannot happen: %s", rn->done + 1, name,
		     what[ev->handler], ev->time, why);
}

/*
 * error() for the first recorded event, among those of nodes that wait for something that never
 * comes.
 */
static int refuse_first(struct replay *re)
{
	const struct replay_event *first = NULL;
	struct node *stuck = NULL;

	for (int i = 0; i < re->nnodes; i++) {
		const struct replay_node *rn = &re->priv[i];

		if (rn->done == rn->n || (first && rn->event[rn->done] > first))
			continue;
		first = rn->event[rn->done];
		stuck = &re->nodes[i];
	}
	if (!stuck)
		BUG("no node has a handler left, but the replay is not over");
	return replay_refuse(stuck, replay_missing(replay_node(stuck)));
}

/* Runs one handler of every node that can run one; *some <- true if any could. 0 or error(). */
static int replay_sweep(struct replay *re, bool *some)
{
	*some = false;
	for (int i = 0; i < re->nnodes; i++) {
		struct node *nd = &re->nodes[i];
		struct replay_node *rn = &re->priv[i];

		if (rn->done == rn->n || replay_missing(rn))
			continue;
		if (!replay_reacts(nd, rn->event[rn->done]->handler))
			return replay_refuse(nd, "its algorithm has no handler for one");
		replay_handle(re, nd);
		*some = true;
		if (pool_failed(re->run->pool))
			return -1;
		if (!re->fault)
			continue;
		rn->done--;
		return replay_refuse(nd, re->fault);
	}
	return 0;
}

/* Runs all n handlers. 0, 1 after an interrupt, or error(). */
static int replay_play(struct replay *re, size_t n)
{
	bool some = true;

	while (re->handlers < (int64_t)n) {
		if (re->run->interrupted && *re->run->interrupted)
			return 1;
		if (replay_sweep(re, &some) < 0)
			return -1;
		if (!some)
			return refuse_first(re);
	}
	return 0;
}

static int64_t count_steps(const struct replay *re)
{
	int64_t steps = 0;

	for (int i = 0; i < re->nnodes; i++)
		steps += re->nodes[i].ledger.steps;
	return steps;
}

/* The server's model, or the workers' mean. */
static float *final_model(const struct replay *re)
{
	const int workers = re->run->workers;
	const bool served = re->run->algo->server;
	scoped const float **xs = xcalloc((size_t)workers, sizeof(*xs));
	float *x = vec_new(re->run->dim);

	for (int i = 0; i < workers; i++)
		xs[i] = re->nodes[i].x;
	if (served)
		vec_copy(re->run->dim, re->nodes[re->nnodes - 1].x, x);
	else
		vec_mean(re->run->dim, workers, xs, x);
	return x;
}

static int replay_check(const struct run *run, const struct replay_event *event, size_t n)
{
	if (run->algo->shared)
		return error("%s cannot be replayed: a trace does not say in which order workers "
			     "read and write the model that they share", run->algo->plugin.name);
	for (size_t i = 0; i < n; i++)
		if (event[i].rank >= run->workers || event[i].rank < SERVER ||
		    (event[i].rank == SERVER && !run->algo->server))
			return error("an event of rank %d, which %s with %d worker%s does not have",
				     event[i].rank, run->algo->plugin.name, run->workers,
				     word_plural(run->workers));
	return run_check(run);
}

int replay_run(const struct run *run, const struct replay_event *event, size_t n, bool ring,
	       struct replay_result *result)
{
	struct replay re;
	int rc;

	if (replay_check(run, event, n) < 0)
		return -1;
	replay_open(&re, run, event, n);
	re.ring = ring;
	rc = replay_play(&re, n);
	if (!rc)
		*result = (struct replay_result){
			.x = final_model(&re), .handlers = re.handlers,
			.gradients = re.gradients, .steps = count_steps(&re),
			.differs = re.differs, .differs_index = re.differs_index,
			.differs_loss = re.differs_loss,
		};
	if (!rc)
		result->model = vec_digest(run->dim, result->x);
	replay_close(&re);
	return rc;
}
