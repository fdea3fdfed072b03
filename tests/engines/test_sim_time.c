/* Virtual times computed by hand. */
#include "sim/storage.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"
#include "tests/support/toy.h"

enum { MODEL_BYTES = 5 * 4, MESSAGE_BYTES = MODEL_BYTES + 24 };

static struct toy timing(const char *algo, int workers, int64_t gradients)
{
	struct toy t;

	toy_open(&t, algo, workers, "sgd");
	t.threads = 0;
	t.run.epochs = 0.0;
	t.run.gradients = gradients;
	return t;
}

/* Two workers, one three times slower: rounds of 3 s and an all-reduce of 2 (0.5 + 10/1e9) s. */
static void allreduce_waits_for_the_slowest(void **state)
{
	struct toy t = timing("allreduce", 2, 4);
	const struct slow slow = { .rank = 1, .factor = 3.0 };
	const double allreduce_s = 2.0 * (0.5 + 10.0 / 1e9);

	toy_link(&t, "nic:latency_s=0.5,bandwidth_GBps=1");
	t.sim.pace.slow = &slow;
	t.sim.pace.nslow = 1;
	toy_run(&t);
	assert_near(t.result.time, 3.0 + allreduce_s + 3.0, 1e-12);
	assert_near(t.nodes[0].ledger.compute, 2.0, 1e-12);
	assert_near(t.nodes[0].ledger.wait, 4.0, 1e-12);
	assert_near(t.nodes[0].ledger.comm, allreduce_s, 1e-12);
	assert_near(t.nodes[1].ledger.compute, 6.0, 1e-12);
	assert_near(t.nodes[1].ledger.wait, 0.0, 1e-12);
	toy_close(&t);
}

/* One worker, one server: 1 s compute, 44 bytes at 44 B/s and 0.25 s each way, 0.5 s update. */
static void asgd_round_trip(void **state)
{
	struct toy t = timing("asgd", 1, 3);

	toy_link(&t, "nic:latency_s=0.25,bandwidth_GBps=4.4e-8");
	t.sim.update_s = 0.5;
	toy_run(&t);
	assert_int_equal(MESSAGE_BYTES, 44);
	assert_near(t.result.time, 3.0 + 2.0 * (1.25 + 0.5 + 1.25), 1e-9);
	/* idle for 3 s; for the last 1.25 of them the model is on its way back */
	assert_near(t.nodes[0].ledger.comm, 2.0 * 1.25, 1e-9);
	assert_near(t.nodes[0].ledger.wait, 2.0 * 1.75, 1e-9);
	toy_close(&t);
}

struct arrivals {
	struct hook hook;
	double at[8];
	int n;
};

static void note_arrival(struct hook *h, const struct event *ev)
{
	struct arrivals *a = (struct arrivals *)h;

	if (ev->node->rank == SERVER && ev->handler == HANDLER_MSG && a->n < 8)
		a->at[a->n++] = ev->time;
}

/* Three gradients reach the server together: its NIC takes 1 s for each. */
static void the_servers_card_takes_one_message_at_a_time(void **state)
{
	struct arrivals a = { .hook = { .mask = 1u << EV_HANDLED, .event = note_arrival } };
	struct toy t = timing("asgd", 3, 5);

	toy_link(&t, "nic:latency_s=0,bandwidth_GBps=4.4e-8");
	t.run.hooks = &a.hook;
	toy_run(&t);
	for (int i = 0; i < 3; i++)
		assert_near(a.at[i], 2.0 + i, 1e-9);
	toy_close(&t);
}

/* Two gradients reach the server together: its NIC takes 1 s for each, then updates queue. */
static void the_servers_card_and_update_are_queues(void **state)
{
	struct toy t = timing("asgd", 2, 4);

	toy_link(&t, "nic:latency_s=0,bandwidth_GBps=4.4e-8");
	t.sim.update_s = 3.0;
	toy_run(&t);
	/*
	 * computed at 1; whole at the server at 2 and 3; updated at 5 and 8; the
	 * models are there at 6 and 9; the second gradients are ready at 7 and 10.
	 */
	assert_near(t.result.time, 10.0, 1e-9);
	toy_close(&t);
}

/* asgd: a worker that receives copies 5 floats: 10 read or written, 40 bytes at 40 B/s. */
static void handlers_cost_what_they_touch(void **state)
{
	struct toy t = timing("asgd", 1, 3);

	toy_link(&t, "measured:handler_GBps=4e-8");
	toy_run(&t);
	assert_near(t.result.time, 3.0 + 2.0 * 1.0, 1e-9);
	assert_near(t.nodes[0].ledger.compute, 3.0 + 2.0, 1e-9);
	toy_close(&t);
}

/* Each receives one message of 44 bytes during every gradient, which so takes 0.5 s longer. */
static void receiving_delays_a_gradient(void **state)
{
	struct toy t = timing("ad-psgd", 2, 4);

	toy_link(&t, "measured:receive_GBps=8.8e-8");
	toy_run(&t);
	assert_near(t.result.time, 2.0 * 1.5, 1e-9);
	assert_near(t.nodes[0].ledger.compute, 2.0 * 1.5, 1e-9);
	toy_close(&t);
}

/* The messages are received while the next samples are read: gradients take 1 s each. */
static void receiving_while_samples_are_read(void **state)
{
	struct toy t = timing("ad-psgd", 2, 4);

	toy_link(&t, "measured:receive_GBps=8.8e-8");
	assert_int_equal(choice_parse(&t.sim.storage, storage_table, "storage",
				      "shared:samples_per_s=1,workers=1,ahead=0"), 0);
	toy_run(&t);
	assert_near(t.result.time, 2.0 * (4.0 + 1.0), 1e-9);
	assert_near(t.nodes[0].ledger.compute, 2.0, 1e-9);
	assert_near(t.nodes[0].ledger.wait, 2.0 * 4.0, 1e-9);
	choice_release(&t.sim.storage);
	toy_close(&t);
}

/* A slowdown for a span: gradients that begin in [1, 2) take ten times as long. */
static void slow_for_a_span(void **state)
{
	struct toy t = timing("allreduce", 1, 4);
	const struct slow slow = { .rank = 0, .factor = 10.0, .from = 1.0, .to = 2.0 };

	t.sim.pace.slow = &slow;
	t.sim.pace.nslow = 1;
	toy_run(&t);
	assert_near(t.result.time, 1.0 + 10.0 + 1.0 + 1.0, 1e-12);
	toy_close(&t);
}

/* D-PSGD: 1 s compute, then two models of 1 s each through one NIC, 0.5 s of latency. */
static void d_psgd_exchange(void **state)
{
	struct toy t = timing("d-psgd", 4, 8);

	toy_link(&t, "nic:latency_s=0.5,bandwidth_GBps=4.4e-8");
	toy_run(&t);
	assert_near(t.result.time, 1.0 + 2.5 + 1.0, 1e-9);
	toy_close(&t);
}

/*
 * Both models cross, 1024 bytes at 512 B/s after a question of 24: rank 0 computes on, and rank 1
 * has its second gradient, the fifth of both, a second after the model.
 */
static void ad_psgd_exchanges_both_ways_at_once(void **state)
{
	struct toy t = timing("ad-psgd:exchange=duplex", 2, 5);

	t.run.dim = 250;
	toy_link(&t, "nic:latency_s=0,bandwidth_GBps=5.12e-7");
	toy_run(&t);
	assert_near(t.result.time, 24.0 / 512.0 + 2.0 + 1.0, 1e-9);
	assert_int_equal(t.nodes[1].ledger.gradients, 2);
	toy_close(&t);
}

/* AD-PSGD hides an exchange that is shorter than a gradient; handing over is paid. */
static void ad_psgd_hides_its_exchange(void **state)
{
	struct toy t = timing("ad-psgd", 2, 20);

	toy_link(&t, "nic:latency_s=0.1,bandwidth_GBps=4.4e-7");
	t.sim.host_copy_s = 0.125;
	toy_run(&t);
	assert_near(t.result.time, 10.0 * 1.125, 1e-9);
	toy_close(&t);
}

/*
 * ... and cannot, when messages are received only between gradients: rank 0 receives
 * the first question at 1, rank 1 the answer at 1.25 and begins again then.
 */
static void without_overlap_answers_come_late(void **state)
{
	struct toy t = timing("ad-psgd", 2, 4);

	toy_link(&t, "nic:latency_s=0.25,bandwidth_GBps=1e9");
	t.sim.overlap = false;
	toy_run(&t);
	assert_near(t.result.time, 2.25, 1e-9);
	toy_close(&t);
}

/* Of two bounds the nearer one ends the run, and is named. */
static void the_nearer_bound_ends_the_run(void **state)
{
	struct toy a = timing("allreduce", 2, 10), b = timing("allreduce", 2, 10);

	a.run.epochs = 1.0;             /* 64 gradients */
	b.run.epochs = 0.125;           /* 8 */
	toy_run(&a);
	toy_run(&b);
	assert_int_equal(a.result.end, END_GRADIENTS);
	assert_int_equal(a.result.gradients, 10);
	assert_int_equal(b.result.end, END_EPOCHS);
	assert_int_equal(b.result.gradients, 8);
	toy_close(&a);
	toy_close(&b);
}

/* However short, a run has a gradient; no bound of 0 comes of rounding. */
static void the_shortest_run_is_one_gradient(void **state)
{
	struct toy t = timing("allreduce", 1, 0);

	t.run.epochs = 1e-13;
	toy_run(&t);
	assert_int_equal(t.result.gradients, 1);
	toy_close(&t);
}

static void refuse(struct toy *t, const char *why)
{
	capture_start();
	assert_int_equal(sim_run(&t->sim, &t->run, NULL), -1);
	assert_said(why);
	capture_stop();
	toy_close(t);
}

static void refuses_what_makes_no_sense(void **state)
{
	const struct slow slow = { .rank = 0, .factor = 1e308 }, no_worker = { .rank = 2 };
	struct toy t = timing("allreduce", 2, 0);

	refuse(&t, "needs an end");
	t = timing("allreduce", 2, 0);
	t.run.epochs = 1e300;
	refuse(&t, "too many gradients");
	t = timing("allreduce", 0, 1);
	refuse(&t, "workers");
	t = timing("asgd", 2, 9);
	t.sim.pace.slow = &no_worker;
	t.sim.pace.nslow = 1;
	refuse(&t, "no worker 2");
	t = timing("asgd", 2, 9);
	t.sim.batch_s = 1e10;
	t.sim.pace.slow = &slow;
	t.sim.pace.nslow = 1;
	refuse(&t, "overflows");
}

static void ends_at_a_time(void **state)
{
	struct toy t = timing("allreduce", 3, 0);

	t.run.seconds = 4.5;
	toy_run(&t);
	assert_int_equal(t.result.end, END_SECONDS);
	assert_near(t.result.time, 4.5, 1e-12);
	assert_int_equal(t.result.gradients, 12);
	assert_near(t.nodes[0].ledger.compute, 4.5, 1e-12);
	toy_close(&t);
}

RUN_ALL(allreduce_waits_for_the_slowest, asgd_round_trip,
	the_servers_card_takes_one_message_at_a_time, the_servers_card_and_update_are_queues,
	handlers_cost_what_they_touch, receiving_delays_a_gradient,
	receiving_while_samples_are_read, slow_for_a_span, d_psgd_exchange,
	ad_psgd_exchanges_both_ways_at_once, ad_psgd_hides_its_exchange,
	without_overlap_answers_come_late, the_nearer_bound_ends_the_run,
	the_shortest_run_is_one_gradient, refuses_what_makes_no_sense, ends_at_a_time)
