/* Recorded handlers, one after the other, wherever the next of a node can run. */
#include "sim/replay/replay.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/engine/engine.h"
#include "core/math/vec.h"
#include "core/text/word.h"
#include "sim/replay/node.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- whether what a handler receives is there ---- */

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

/* NULL when the node's next handler can run now, else what is missing. */
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

static void replay_enter(struct node *nd, int from, int64_t stamp)
{
	struct replay_node *rn = replay_node(nd);

	rn->clock = rn->event[rn->done]->time;
	node_enter(nd, from, stamp, rn->stamp);
}

static void show_gradient(struct replay *re, const struct node *nd, double loss)
{
	run_emit(re->run, &(struct event){ .kind = EV_GRAD, .node = nd, .loss = loss,
					   .time = replay_node(nd)->clock,
					   .gradients = ++re->gradients });
}

static void replay_on_grad(struct replay *re, struct node *nd)
{
	struct replay_node *rn = replay_node(nd);
	const struct replay_event *ev = rn->event[rn->done];
	struct grad g;

	pool_wait(re->run->pool, &rn->job);
	rn->computing = false;
	rn->grads_left--;
	node_memory_keep(nd, &rn->job);
	g = (struct grad){ .vec = rn->g, .loss = node_stage_loss(nd, rn->job.loss) };
	if (!is_same(g.loss, ev->loss) && (!re->differs || ev < re->differs)) {
		re->differs = ev;
		re->differs_index = rn->job.index;
		re->differs_loss = g.loss;
	}
	node_count(nd, ev->gradients - (re->run->algo->lockstep ? re->run->workers : 1));
	nd->ledger.gradients++;
	replay_enter(nd, NO_PEER, -1);
	show_gradient(re, nd, g.loss);
	node_deliver(nd, &g);
}

static void replay_on_stage(struct replay *re, struct node *nd)
{
	struct replay_node *rn = replay_node(nd);

	pool_wait(re->run->pool, &rn->job);
	rn->computing = false;
	rn->grads_left--;
	replay_enter(nd, NO_PEER, -1);
	node_stage_deliver(nd, rn->g, rn->job.loss);
}

static void replay_on_message(struct replay *re, struct node *nd, int from)
{
	struct packet **at = find_packet(replay_node(nd), from), *p = *at;

	if (!p)
		BUG("a message that was there is gone");
	*at = p->next;
	replay_enter(nd, p->msg.from, p->msg.stamp);
	node_receive(nd, &p->msg);
	nd->role->msg(nd, &p->msg);
	packet_put(&re->spare, p);
}

static void replay_on_allreduce(struct node *nd)
{
	struct replay_node *rn = replay_node(nd);

	rn->allreduced = rn->allreducing = false;
	replay_enter(nd, NO_PEER, -1);
	node_allreduced(nd, rn->v, rn->nv);
}

static void replay_on_timer(struct node *nd, int token)
{
	struct replay_timer **at = find_timer(replay_node(nd), token), *t = *at;

	if (!t)
		BUG("a timer that was there is gone");
	*at = t->next;
	free(t);
	replay_enter(nd, NO_PEER, -1);
	nd->role->timer(nd, token);
}

static bool replay_reacts(const struct node *nd, enum handler handler)
{
	const struct role *role = nd->role;
	const bool has[] = {
		[HANDLER_START] = true,
		[HANDLER_GRAD] = node_takes_grads(nd) && node_stage_is_last(nd),
		[HANDLER_MSG] = role->msg != NULL,  [HANDLER_ALLREDUCE] = role->allreduce != NULL,
		[HANDLER_TIMER] = role->timer != NULL,
		[HANDLER_STAGE] = role->stage && !node_stage_is_last(nd),
	};

	return has[handler];
}

static void replay_handle(struct replay *re, struct node *nd)
{
	struct replay_node *rn = replay_node(nd);
	const struct replay_event *ev = rn->event[rn->done];

	switch (ev->handler) {
	case HANDLER_START:
		replay_enter(nd, NO_PEER, -1);
		if (nd->role->start)
			nd->role->start(nd);
		break;
	case HANDLER_GRAD:
		replay_on_grad(re, nd);
		break;
	case HANDLER_STAGE:
		replay_on_stage(re, nd);
		break;
	case HANDLER_MSG:
		replay_on_message(re, nd, ev->peer);
		break;
	case HANDLER_ALLREDUCE:
		replay_on_allreduce(nd);
		break;
	case HANDLER_TIMER:
		replay_on_timer(nd, ev->peer);
		break;
	}
	node_leave(nd);
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

/* Of the nodes that wait in vain, the one whose event came first. */
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

/* One handler of every node that can run one; false when none could. */
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
	const float **xs = xcalloc((size_t)workers, sizeof(*xs));
	float *x = vec_new(re->run->dim);

	for (int i = 0; i < workers; i++)
		xs[i] = re->nodes[i].x;
	if (served)
		vec_copy(re->run->dim, re->nodes[re->nnodes - 1].x, x);
	else
		vec_mean(re->run->dim, workers, xs, x);
	free(xs);
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
