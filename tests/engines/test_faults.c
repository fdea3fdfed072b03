/* Faults in simulated runs: what happens when, by hand, and what cannot happen. */
#include "algos/algos.h"
#include "tests/support/check.h"
#include "tests/support/toy.h"

#include <string.h>

enum { DIM = 5, SAMPLES = 256 };

static const char plain[] = "sgd:momentum=0,nesterov=false,weight_decay=0";

static void open_faulty(struct toy *t, const char *algo, int workers, const char *optim,
			const char *text)
{
	toy_open(t, algo, workers, optim);
	assert_true(toy_faults(t, text));
}

/* The moment of the last of so many gradients. */
static double time_of(const char *algo, int workers, const char *text, const char *link,
		      int64_t gradients)
{
	struct toy t;

	open_faulty(&t, algo, workers, plain, text);
	return toy_time(&t, link, gradients);
}

/* ---- by hand ---- */

/* g[DIM] of a worker's index-th minibatch at x. */
static void gradient(int workers, int rank, int64_t index, const float *x, float *g)
{
	struct problem *p = toy_new(DIM, SAMPLES);
	struct sampler s = { .seed = 3, .samples = SAMPLES, .workers = workers, .size = 4 };
	struct job j = { .kind = JOB_GRAD, .x = x, .rank = rank, .index = index, .out = g };

	job_run(p, &s, NULL, &j);
	p->ops->close(p);
}

static void step(const float *g, float *x)
{
	for (int i = 0; i < DIM; i++)
		x[i] -= 0.1f * g[i];
}

static void begin(float *x)
{
	struct problem *p = toy_new(DIM, SAMPLES);

	p->ops->init(p, 3, x);
	p->ops->close(p);
}

/*
 * Worker 0 gives a gradient at 1, 2, 3, ... s, worker 1 at 1 and 2 s; it leaves at 2.5 s, loses
 * its minibatch number 2, and is back at 4.25 s; it computes until 5.25 s, at the model of 4 s or
 * at that which it got at 2 s.
 */
static void leaves_and_returns(const char *text, bool fresh)
{
	float x[DIM], own[2][DIM], g[DIM];
	struct toy t;

	open_faulty(&t, "asgd", 2, plain, text);
	t.run.epochs = 0;
	t.run.gradients = 8;
	toy_run(&t);
	assert_int_equal(t.result.end, END_GRADIENTS);
	assert_true(t.result.time == 5.25);
	begin(x);
	memcpy(own[0], x, sizeof(x));
	memcpy(own[1], x, sizeof(x));
	for (int k = 0; k < 5; k++) {
		gradient(2, 0, k, own[0], g);
		step(g, x);
		memcpy(own[0], x, sizeof(x));
		if (k == 3 && fresh)
			memcpy(own[1], x, sizeof(x));
		if (k > 1)
			continue;
		gradient(2, 1, k, own[1], g);
		step(g, x);
		memcpy(own[1], x, sizeof(x));
	}
	gradient(2, 1, 3, own[1], g);
	step(g, x);
	assert_memory_equal(t.model, x, sizeof(x));
	assert_int_equal(t.nodes[0].ledger.gradients, 5);
	assert_int_equal(t.nodes[1].ledger.gradients, 3);
	assert_int_equal(t.nodes[0].ledger.dropped, 1);         /* in flight at the end */
	assert_int_equal(t.nodes[1].ledger.dropped, 1);
	assert_true(t.nodes[1].ledger.compute == 3.5);
	assert_true(t.nodes[1].ledger.wait == 1.75);
	toy_close(&t);
}

static void a_worker_returns_by_hand(void **state)
{
	leaves_and_returns("1:leave@2.5-4.25,copy=old", false);
	leaves_and_returns("1:leave@2.5-4.25,copy=fresh", true);
	leaves_and_returns("1:leave@2.5-4.25", true);
}

/*
 * 24 bytes a second, 0.5 s of latency: the question takes 1.5 s, the model of 24 + 20 bytes
 * 44 / 24 + 0.5 s. Alone, worker 0 loses its first gradient at 0.5 s.
 */
static void a_fresh_model_costs_a_message(void **state)
{
	const char *const texts[] = { "0:leave@0.5-2", "0:leave@0.5-2,copy=old" };
	const double times[] = { 2 + 1.5 + 44.0 / 24 + 0.5 + 1, 3 };

	for (int i = 0; i < 2; i++) {
		struct toy t;

		open_faulty(&t, "asgd", 1, plain, texts[i]);
		toy_link(&t, "nic:latency_s=0.5,bandwidth_GBps=2.4e-8");
		t.run.epochs = 0;
		t.run.gradients = 1;
		toy_run(&t);
		assert_near(t.result.time, times[i], 1e-9);
		assert_int_equal(t.nodes[1].ledger.messages, 2 - i);
		toy_close(&t);
	}
}

/* What comes at 1 s is handled at 3 s; gradients then end at 4 and 5 s. */
static void a_server_stalls_by_hand(void **state)
{
	assert_true(time_of("asgd", 1, "none", "ideal", 3) == 3.0);
	assert_true(time_of("asgd", 1, "server:stall@0.5-3", "ideal", 3) == 5.0);
	assert_true(time_of("asgd", 1, "server:stall@0.5-3+server:stall@3-3.5", "ideal", 3) == 5.5);
	assert_true(time_of("asgd", 1, "server:stall@1.25-1.75", "ideal", 3) == 3.0);
}

/* What worker 0 sends at 1 s waits until 3 s; worker 1 gives gradients at 1, 2, 3 and 4 s. */
static void a_link_drops_by_hand(void **state)
{
	assert_true(time_of("asgd", 2, "none", "ideal", 6) == 3.0);
	assert_true(time_of("asgd", 2, "0-server:drop@0.5-3", "ideal", 6) == 4.0);
	assert_true(time_of("asgd", 2, "server-0:drop@0.5-3", "ideal", 6) == 4.0);
	assert_true(time_of("asgd", 2, "0-server:drop@0.5-2+server-0:drop@2-3", "ideal", 6) == 4.0);
	assert_true(time_of("asgd", 2, "0-server:drop@1.5-1.75", "ideal", 6) == 3.0);
	/* A round of d-psgd's four waits for the models that cross at 3 s. */
	assert_true(time_of("d-psgd", 4, "0-1:drop@0.5-3", "ideal", 8) == 4.0);
	/* worker 0 hosts the server of the region: worker 1's first update waits */
	assert_true(time_of("halos:regions=1,period=1", 2, "0-1:drop@0.5-3", "ideal", 6) == 4.0);
}

/* Only the two ends of a link that is down wait: others' messages pass the same NICs. */
static void a_held_message_holds_no_nic(void **state)
{
	struct toy t[2];

	for (int i = 0; i < 2; i++) {
		open_faulty(&t[i], "asgd", 3, plain, i ? "0-server:drop@0.5-30" : "0:leave@0.5");
		toy_link(&t[i], "nic:latency_s=0.1,bandwidth_GBps=1e-6");
		t[i].run.epochs = 0;
		t[i].run.seconds = 29;
		toy_run(&t[i]);
	}
	for (int k = 1; k < 3; k++)
		assert_int_equal(t[0].nodes[k].ledger.gradients, t[1].nodes[k].ledger.gradients);
	toy_close(&t[0]);
	toy_close(&t[1]);
}

/* ---- what was for a worker before it left ---- */

/*
 * The model of 2 s is on its way until 3 s, the worker away from 2.25 to 2.5 s. It computes until
 * 3.5 s; ringmaster's would begin again with a model.
 */
static void what_was_under_way_is_lost(void **state)
{
	assert_near(time_of("ringmaster", 1, "0:leave@2.25-2.5,copy=old",
			    "nic:latency_s=1,bandwidth_GBps=1e3", 2), 3.5, 1e-6);
}

/* Of the five blocks that the step of 1 s goes into the model by, three are there before 1.5 s. */
static void half_a_step_stays(void **state)
{
	float x[DIM], g[DIM];
	struct toy t;

	begin(x);
	gradient(1, 0, 0, x, g);
	open_faulty(&t, "hogwild:blocks=5,read_s=0,write_s=1", 1, plain, "0:leave@1.5-1.55");
	t.run.epochs = 0;
	t.run.seconds = 2;
	toy_run(&t);
	for (int i = 0; i < DIM; i++)
		assert_near((double)t.model[i], (double)(i < 3 ? x[i] - 0.1f * g[i] : x[i]), 1e-6);
	assert_near(t.nodes[0].ledger.compute, 1 + 0.5 + 0.45, 1e-12);
	toy_close(&t);
}

/*
 * Worker 0 gives a gradient at 1 s, and when it is back another one at 2.2 s, which is not for the
 * same step: that waits for worker 1, until 3 s. The fourth gradient is that of worker 0 at 4 s.
 */
static void a_step_takes_one_of_each(void **state)
{
	static const char *const algos[] = { "k-sync:k=2", "backup:b=0", "groups" };
	static const struct slow slow = { .rank = 1, .factor = 3 };

	for (int i = 0; i < 3; i++) {
		struct toy t;

		open_faulty(&t, algos[i], 2, plain, "0:leave@1.1-1.2,copy=old");
		t.sim.pace.slow = &slow;
		t.sim.pace.nslow = 1;
		t.run.epochs = 0;
		t.run.gradients = 4;
		toy_run(&t);
		assert_true(t.result.time == 4.0);
		assert_int_equal(t.nodes[2].ledger.dropped, 1);
		toy_close(&t);
	}
}

static int rung;

static void start_with_alarm(struct node *nd)
{
	node_after(nd, 2.0, 1);
	node_grad(nd);
}

static void compute_on(struct node *nd, const struct grad *g)
{
	(void)g;
	node_grad(nd);
}

static void alarm_rings(struct node *nd, int token)
{
	(void)nd;
	rung += token;
}

static void compute_again(struct node *nd, const struct msg *m)
{
	(void)m;
	node_grad(nd);
}

static void alarms_are_off(void **state)
{
	static const struct role worker = { .start = start_with_alarm, .grad = compute_on,
					    .timer = alarm_rings, .back = compute_again };
	static const struct algo alone = { .plugin = { .name = "alone" }, .worker = &worker };
	struct toy t;

	open_faulty(&t, "allreduce", 3, plain, "1:leave@0.5-1,copy=old+2:leave@1.5");
	t.run.algo = &alone;
	toy_run(&t);
	/* One, and three in the undisturbed run that its goodput is relative to. */
	assert_int_equal(rung, 1 + 3);
	toy_close(&t);
}

static void a_ring_waits_for_its_link(void **state)
{
	assert_near(time_of("allreduce", 4, "2-3:drop@0.5-7",
			    "nic:latency_s=0,bandwidth_GBps=1,stepwise=true", 8), 8.0, 1e-6);
}

/* A fault after the end, or of no moment, changes no bit. */
static void what_does_not_happen_changes_nothing(void **state)
{
	const char *const texts[] = { "none", "1:leave@1e6", "server:stall@0.25-0.75",
				      "2-server:drop@0.25-0.75" };
	float x[DIM];

	for (int i = 0; i < 4; i++) {
		struct toy t;

		open_faulty(&t, "asgd", 4, "sgd", texts[i]);
		toy_run(&t);
		if (i == 0)
			memcpy(x, t.model, sizeof(x));
		assert_memory_equal(t.model, x, sizeof(x));
		assert_true(t.result.time == 16.0);
		toy_close(&t);
	}
}

/* Worker 0 gives 9 gradients in 9 s; worker 1 two in 2.5 s, and from 5 s on four: 15 at 9 s. */
static void the_order_of_the_text_changes_nothing(void **state)
{
	assert_true(time_of("asgd", 2, "1:leave@2.5-4,copy=old+1:leave@4-5,copy=old", "ideal",
			    15) == 9.0);
	assert_true(time_of("asgd", 2, "1:leave@4-5,copy=old+1:leave@2.5-4,copy=old", "ideal",
			    15) == 9.0);
}

/* ---- refused ---- */

static void refused(const char *algo, const char *text, const char *because)
{
	struct toy t;

	toy_open(&t, algo, 4, "sgd");
	toy_faults_refused(&t, text, because);
}

static void the_impossible_is_refused(void **state)
{
	refused("asgd", "4:leave@1", "there is no rank 4 among 4 workers (ranks are 0 to 3)");
	refused("asgd", "3:leave@-1", "RANK:leave@TIME");
	refused("asgd", "3:leave@2-1", "FROM = 2 must be before TO = 1");
	refused("asgd", "3:leave@2-2", "FROM = 2 must be before TO = 2");
	refused("asgd", "3:leave@inf", "RANK:leave@TIME");
	refused("asgd", "1.5:leave@2", "ranks are plain decimal integers");
	refused("asgd", "3:leave@2,copy=new", "is left over");
	refused("asgd", "3:leave@2-3,copy=new", "copy=old|fresh");
	refused("asgd", "3:leave@2+", "joined by '+'");
	refused("asgd", "3:leave@2;", "';' is left over");
	refused("asgd", "server:stall@2", "server:stall@FROM-TO");
	refused("asgd", "server:leave@2", "server:stall@FROM-TO");
	refused("asgd", "3:leave@5-9+3:leave@1-6", "leave at 5 s begins before the one at 1 s");
	refused("asgd", "3:leave@1+3:leave@6-7", "leave at 6 s begins before the one at 1 s");
	refused("asgd", "server:stall@1-3+server:stall@2-4", "stall at 2 s begins before");
	refused("asgd", "0-server:drop@1-3+server-0:drop@2-4", "drop at 2 s begins before");
	refused("asgd", "0:leave@1+1:leave@1+2:leave@1+3:leave@2", "workers (4) leave for good");
	refused("asgd", "0-1:drop@1-2", "send to the server alone");
	refused("asgd", "1-1:drop@1-2", "its two ends are one");
	refused("d-psgd", "0-2:drop@1-2", "no neighbours in the graph");
	refused("d-psgd", "server:stall@1-2", "d-psgd has no server");
	refused("d-psgd", "0-server:drop@1-2", "d-psgd has no server");
	refused("allreduce", "0-1:drop@1-2", "nic:stepwise=pairs");
	refused("hogwild", "0-1:drop@1-2", "sends no messages");
}

RUN_ALL(a_worker_returns_by_hand, a_fresh_model_costs_a_message, a_server_stalls_by_hand,
	a_link_drops_by_hand, a_held_message_holds_no_nic, what_was_under_way_is_lost,
	half_a_step_stays, a_step_takes_one_of_each, alarms_are_off, a_ring_waits_for_its_link,
	what_does_not_happen_changes_nothing, the_order_of_the_text_changes_nothing,
	the_impossible_is_refused)
