/* The engine of recorded order: bit-identical results, and refusals of what cannot have been. */
#include "core/math/vec.h"
#include "sim/replay/replay.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"
#include "tests/support/toy.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 4096 };

struct record {
	struct hook hook;
	struct replay_event ev[MOST];
	size_t n;
	double loss[8];                 /* of the latest gradient of each worker */
	double update_s;
};

static void note(struct hook *h, const struct event *ev)
{
	struct record *r = (struct record *)h;

	if (ev->kind == EV_GRAD) {
		r->loss[ev->node->rank] = ev->loss;
		return;
	}
	assert_true(r->n < MOST);
	r->ev[r->n++] = (struct replay_event){
		.handler = ev->handler, .rank = ev->node->rank,
		.peer = ev->handler == HANDLER_TIMER ? ev->token : ev->peer, .time = ev->time,
		.step_s = ev->seconds > 0.0 ? r->update_s : 0.0, .gradients = ev->gradients,
		.loss = ev->node->rank == SERVER ? 0.0 : r->loss[ev->node->rank],
	};
}

static void run_recorded(struct toy *t, struct record *r)
{
	*r = (struct record){ .hook = { .mask = 1u << EV_GRAD | 1u << EV_HANDLED, .event = note },
			      .update_s = t->sim.update_s };
	t->run.hooks = &r->hook;
	toy_run(t);
	t->run.hooks = NULL;
}

static int replay(struct toy *t, const struct record *r, struct replay_result *result)
{
	struct sampler s = { .seed = t->run.seed, .samples = t->run.samples,
			     .workers = t->run.workers, .size = t->run.batch };
	int rc;

	t->run.pool = pool_threads(t->problem, &s, 2);
	rc = replay_run(&t->run, r->ev, r->n, false, result);
	pool_free(t->run.pool);
	return rc;
}

static void assert_replays(struct toy *t, struct record *r)
{
	struct replay_result result = { 0 };

	run_recorded(t, r);
	assert_int_equal(replay(t, r, &result), 0);
	assert_true(result.model == t->result.model);
	assert_true(result.gradients == t->result.gradients);
	assert_null(result.differs);
	free(result.x);
}

static struct record record;

static void every_algorithm_is_replayed(void **state)
{
	static const char *const algos[] = { "allreduce", "asgd", "d-psgd", "d-psgd:overlap=true",
					     "ad-psgd", "ad-psgd:exchange=duplex",
					     "gossip-pull", "gossip-push:tau=2",
					     "gossip-pull:order=first",
					     "gossip-push:order=first",
					     "sgp", "osgp", "osgp:tau=2,peers=all",
					     "local-sgd:period=3,post=1", "downpour:fetch=3,push=2",
					     "easgd:tau=2", "easgd:form=sync,tau=2", "eamsgd",
					     "post-local-sgd:start=3,period=2", "slowmo:period=3",
					     "diloco:period=3", "diloco:period=3,drop=0.5",
					     "streaming-diloco:period=6,delay=1",
					     "eager-diloco:period=3", "noloco:period=3",
					     "demo:side=3,top=4", "fedbuff:period=3,buffer=2",
					     "async-local-sgd:period=3",
					     "ca2fl:period=3,buffer=2",
					     "fadas:period=3,buffer=2,outer_lr=0.1",
					     "ringleader", "malenia", "ia2sgd", "mla:period=3",
					     "heloco:period=3,discount=true",
					     "sparseloco:period=2,chunk=3,top=2",
					     "palsgd:period=3", "des-loc:period=2",
					     "decoupled-diloco:period=4,fragments=2,quorum=2",
					     "halos:sizes=2/3,period=2,every=3" };

	for (size_t i = 0; i < sizeof(algos) / sizeof(algos[0]); i++) {
		struct toy t;

		toy_open(&t, algos[i], 5, "sgd:momentum=0.9");
		toy_delay(&t, "gamma:cv=0.7");
		toy_link(&t, "nic:latency_s=0.1,bandwidth_GBps=1e-7");
		t.sim.update_s = 0.125;
		t.run.epochs = 3;
		t.run.lr.warmup = 1;
		t.run.lr.warmup_from = 0.1;
		assert_replays(&t, &record);
		toy_close(&t);
	}
}

/* ---- an algorithm of whims: it cancels, sets timers, and mixes clock and epoch into x ---- */

static void look_at_the_clock(struct node *nd)
{
	for (size_t i = 0; i < nd->dim; i++)
		nd->x[i] += (float)(node_now(nd) * 1e-3 + node_epoch(nd));
}

static void whim_start(struct node *nd)
{
	node_grad(nd);
	node_after(nd, 0.5 + nd->rank, 7);
	node_after(nd, 0.75, 8);
}

static void whim_grad(struct node *nd, const struct grad *g)
{
	node_step(nd, g->vec, 1.0f);
	look_at_the_clock(nd);
	node_send(nd, (nd->rank + 1) % nd->workers, &(struct msg){ .vec = nd->x, .n = nd->dim });
	if (nd->ledger.gradients == 4 && nd->rank == 1)
		node_stop(nd);
	node_grad(nd);
}

static void whim_msg(struct node *nd, const struct msg *m)
{
	vec_axpby(nd->dim, 0.25f, m->vec, 0.75f, nd->x);
	look_at_the_clock(nd);
}

static void whim_timer(struct node *nd, int token)
{
	look_at_the_clock(nd);
	node_cancel(nd);
	node_grad(nd);
	if (nd->step < 3)
		node_after(nd, 1.5, token + 1);
}

static const struct role whim = {
	.start = whim_start, .grad = whim_grad, .msg = whim_msg, .timer = whim_timer,
};

static struct toy open_whim(struct algo *algo)
{
	struct toy t;

	toy_open(&t, "allreduce", 3, "sgd");
	*algo = (struct algo){ .plugin = { .name = "whim" }, .worker = &whim };
	t.run.algo = algo;
	t.run.epochs = 0;
	t.run.gradients = 30;
	return t;
}

static void timers_cancelling_and_clocks_are_replayed(void **state)
{
	struct algo algo;
	struct toy t = open_whim(&algo);
	int64_t dropped = 0;

	assert_replays(&t, &record);
	for (int i = 0; i < 3; i++)
		dropped += t.nodes[i].ledger.dropped;
	assert_true(dropped > 3);       /* more than the one each at the end */
	toy_close(&t);
}

/* A server whose clock goes on with each of its steps, and which looks at it. */
static void watch_msg(struct node *nd, const struct msg *m)
{
	node_step(nd, m->vec, 1.0f);
	look_at_the_clock(nd);
	node_step(nd, m->vec, 0.5f);
	look_at_the_clock(nd);
	node_send(nd, m->from, &(struct msg){ .vec = nd->x, .n = nd->dim });
}

static void serve_start(struct node *nd)
{
	node_grad(nd);
}

static void serve_grad(struct node *nd, const struct grad *g)
{
	node_send(nd, SERVER, &(struct msg){ .vec = g->vec, .n = nd->dim });
}

static void serve_msg(struct node *nd, const struct msg *m)
{
	vec_copy(nd->dim, m->vec, nd->x);
	node_grad(nd);
}

static const struct role watching_server = { .msg = watch_msg };
static const struct role served = { .start = serve_start, .grad = serve_grad, .msg = serve_msg };

static void a_server_whose_steps_take_time_is_replayed(void **state)
{
	struct algo algo;
	struct toy t = open_whim(&algo);

	algo = (struct algo){ .plugin = { .name = "watch" }, .server = &watching_server,
			      .worker = &served };
	t.sim.update_s = 0.5;
	assert_replays(&t, &record);
	toy_close(&t);
}

/* ---- what cannot have been ---- */

static const char *refusal(struct toy *t)
{
	struct replay_result result;

	capture_start();
	assert_int_equal(replay(t, &record, &result), -1);
	capture_stop();
	return capture_text();
}

/* The n-th event of a node and a handler, from 0. */
static size_t event_at(int rank, enum handler handler, int n)
{
	for (size_t i = 0; i < record.n; i++)
		if (record.ev[i].rank == rank && record.ev[i].handler == handler && n-- == 0)
			return i;
	fail();
	return 0;
}

static struct toy record_asgd(void)
{
	struct toy t;

	toy_open(&t, "asgd", 3, "sgd");
	toy_delay(&t, "gamma:cv=0.5");
	t.run.epochs = 0;
	t.run.gradients = 20;
	run_recorded(&t, &record);
	return t;
}

/* Workers send nothing to each other. */
static void a_message_that_was_not_sent_is_refused(void **state)
{
	struct toy t = record_asgd();

	record.ev[event_at(1, HANDLER_MSG, 0)].peer = 0;
	assert_non_null(strstr(refusal(&t), "event 3 of worker 1, a message"));
	assert_said("no message of that sender is in flight");
	toy_close(&t);
}

static void an_unrequested_gradient_is_refused(void **state)
{
	struct toy t = record_asgd();
	struct replay_event *ev = &record.ev[event_at(2, HANDLER_MSG, 0)];

	ev->handler = HANDLER_GRAD;
	assert_non_null(strstr(refusal(&t), "event 3 of worker 2, a gradient"));
	assert_said("it has requested none");
	toy_close(&t);
}

static void events_without_a_start_are_refused(void **state)
{
	struct toy t = record_asgd();
	struct replay_event *ev = &record.ev[event_at(1, HANDLER_START, 0)];

	ev->handler = HANDLER_TIMER;
	assert_non_null(strstr(refusal(&t), "event 1 of worker 1, a timer"));
	ev->handler = HANDLER_START;
	ev->rank = 7;
	assert_non_null(strstr(refusal(&t), "rank 7, which asgd with 3 workers does not have"));
	toy_close(&t);
}

static void an_allreduce_that_some_never_asked_for_is_refused(void **state)
{
	struct toy t;

	toy_open(&t, "allreduce", 3, "sgd");
	t.run.epochs = 0;
	t.run.gradients = 30;
	run_recorded(&t, &record);
	record.ev[event_at(2, HANDLER_GRAD, 0)].handler = HANDLER_ALLREDUCE;
	assert_non_null(strstr(refusal(&t), "not all members have requested one"));
	toy_close(&t);
}

/* Other data: the first loss that is not as it was is named. */
static void another_loss_is_noticed(void **state)
{
	struct toy t = record_asgd();
	struct replay_result result = { 0 };
	const size_t third = event_at(1, HANDLER_GRAD, 2);

	record.ev[third].loss += 1e-9;
	assert_int_equal(replay(&t, &record, &result), 0);
	assert_ptr_equal(result.differs, &record.ev[third]);
	assert_int_equal(result.differs_index, 2);
	free(result.x);
	toy_close(&t);
}

RUN_ALL(every_algorithm_is_replayed, timers_cancelling_and_clocks_are_replayed,
	a_server_whose_steps_take_time_is_replayed, a_message_that_was_not_sent_is_refused,
	an_unrequested_gradient_is_refused, events_without_a_start_are_refused,
	an_allreduce_that_some_never_asked_for_is_refused, another_loss_is_noticed)
