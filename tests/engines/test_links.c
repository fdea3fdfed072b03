/* Links in runs: fair shares by hand, rings message by message, what no link may do. */
#include "tests/support/check.h"
#include "tests/support/toy.h"

#include <math.h>

enum { NOTED = 4096 };

struct received {
	double begun, at;
	size_t bytes;
	int from, to;
};

struct notes {
	struct hook hook;
	struct received received[NOTED];
	int n;
};

static void note(struct hook *h, const struct event *ev)
{
	struct notes *all = (struct notes *)h;

	if (ev->handler != HANDLER_MSG)
		return;
	assert_true(all->n < NOTED);
	all->received[all->n++] = (struct received){ ev->begun, ev->time, ev->bytes, ev->peer,
					       ev->node->rank };
}

static struct notes *noted(struct toy *t)
{
	static struct notes all;

	all = (struct notes){ .hook = { .mask = 1u << EV_HANDLED, .event = note } };
	t->run.hooks = &all.hook;
	toy_run(t);
	t->run.hooks = NULL;
	return &all;
}

/* Gradients of 44 bytes over NICs of 44 B/s; when the server has received each of the first. */
static void expect_arrivals(const char *link, const struct slow *slow, int workers,
			    const double *at)
{
	const struct notes *all;
	struct toy t;
	int found = 0;

	toy_timing(&t, "asgd", workers, 2 * workers, link);
	t.sim.pace.slow = slow;
	t.sim.pace.nslow = slow ? 1 : 0;
	all = noted(&t);
	for (int i = 0; i < all->n && found < workers; i++)
		if (all->received[i].to == SERVER)
			assert_near(all->received[i].at, at[found++], 1e-9);
	assert_int_equal(found, workers);
	toy_close(&t);
}

#define NICS "fair:bandwidth_GBps=4.4e-8,latency_s="

static void flows_share_by_hand(void **state)
{
	const struct slow late = { .rank = 1, .factor = 1.5 }, last = { .rank = 2, .factor = 2.0 };

	expect_arrivals(NICS "0", NULL, 1, (double[]){ 2.0 });
	expect_arrivals(NICS "0", NULL, 2, (double[]){ 3.0, 3.0 });
	expect_arrivals(NICS "0.25", NULL, 2, (double[]){ 3.25, 3.25 });
	/* half of the first alone, half at half; the second then has the rest for itself */
	expect_arrivals(NICS "0", &late, 2, (double[]){ 2.5, 3.0 });
	/* halves of two in [1, 2], thirds until 3.5, the third's other half alone */
	expect_arrivals(NICS "0", &last, 3, (double[]){ 3.5, 3.5, 4.0 });
}

/* The server is the location after the workers: of racks of two, another than theirs. */
static void switches_and_uplinks_are_lines(void **state)
{
	expect_arrivals(NICS "0,core_GBps=2.2e-8", NULL, 2, (double[]){ 5.0, 5.0 });
	expect_arrivals(NICS "0,rack=2,uplink_GBps=2.2e-8", NULL, 2, (double[]){ 5.0, 5.0 });
	expect_arrivals(NICS "0,rack=2,core_GBps=2.2e-8", NULL, 2, (double[]){ 5.0, 5.0 });
	expect_arrivals(NICS "0,rack=3,uplink_GBps=2.2e-8", NULL, 2, (double[]){ 3.0, 3.0 });
	expect_arrivals(NICS "0,rack=3,core_GBps=2.2e-8", NULL, 2, (double[]){ 3.0, 3.0 });
}

/* Five members, pieces of one float, 1 s each: 8 steps of 1.5 s, twice 1 s of computing. */
static void a_ring_of_messages_takes_what_the_formula_says(void **state)
{
	static const char *const links[] = {
		"nic:latency_s=0.5,bandwidth_GBps=4e-9",
		"nic:latency_s=0.5,bandwidth_GBps=4e-9,stepwise=true",
		"fair:latency_s=0.5,bandwidth_GBps=4e-9",
		"fair:latency_s=0.5,bandwidth_GBps=4e-9,stepwise=true",
		"fair:latency_s=0.5,bandwidth_GBps=8e-9,core_GBps=20e-9",
		"fair:latency_s=0.5,bandwidth_GBps=8e-9,core_GBps=20e-9,stepwise=true",
	};

	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
		struct toy t;

		toy_timing(&t, "allreduce", 5, 10, links[i]);
		toy_run(&t);
		assert_near(t.result.time, 1.0 + 12.0 + 1.0, 1e-9);
		assert_near(t.nodes[2].ledger.comm, 12.0, 1e-9);
		toy_close(&t);
	}
}

/* Two members, rank 1 after 3 s: rank 0's seconds of communication, and the run's. */
static void expect_early(const char *link, double comm, double time)
{
	const struct slow slow = { .rank = 1, .factor = 3.0 };
	struct toy t;

	toy_timing(&t, "allreduce", 2, 4, link);
	t.run.dim = 4;
	t.sim.pace.slow = &slow;
	t.sim.pace.nslow = 1;
	toy_run(&t);
	assert_near(t.nodes[0].ledger.comm, comm, 1e-9);
	assert_near(t.nodes[1].ledger.comm, 5.0, 1e-9);
	assert_near(t.result.time, time, 1e-9);
	toy_close(&t);
}

#define EARLY "nic:latency_s=0.5,bandwidth_GBps=4e-9"

/*
 * Two members, pieces of 2 s and 0.5 s on their way. Rank 0 sends at 1, rank 1 at 3 and, having
 * received the former at 3.5, again from 5 on; rank 0 at 5.5. So rank 0's all-reduce is done at
 * 7.5, rank 1's at 8. In pairs, rank 1 sends again when its own piece has arrived, at 5.5.
 */
static void early_members_send_ahead(void **state)
{
	expect_early(EARLY, 5.0, 8.0 + 3.0);
	expect_early(EARLY ",stepwise=eager", 4.5, 8.0 + 3.0);
	expect_early(EARLY ",stepwise=pairs", 5.0, 8.0 + 3.0);
}

#define RACKS "fair:latency_s=1,bandwidth_GBps=4e-9,rack=2,uplink_GBps=1e-9"

/*
 * Four members in two racks: pieces take 1 s within a rack, 4 s over an uplink, and 1 s on their
 * way. Eager members keep the uplinks busy: piece j is over one at 4 (j + 1), there a second later;
 * of six pieces the last at 25. In pairs a step takes the 5 s of the slower message: 30.
 */
static void ring_across_racks_by_hand(void **state)
{
	static const char *const links[] = { RACKS ",stepwise=eager", RACKS ",stepwise=pairs",
					     RACKS ",stepwise=true", RACKS ",stepwise" };
	static const double seconds[][2] = { { 25.0, 23.0 }, { 30.0, 30.0 }, { 30.0, 30.0 },
					     { 30.0, 30.0 } };

	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
		struct toy t;

		toy_timing(&t, "allreduce", 4, 8, links[i]);
		t.run.dim = 4;
		toy_run(&t);
		assert_near(t.result.time, 1.0 + seconds[i][0] + 1.0, 1e-9);
		for (int rank = 0; rank < 4; rank++)
			assert_near(t.nodes[rank].ledger.comm, seconds[i][rank % 2], 1e-9);
		toy_close(&t);
	}
}

/* Rounds of a ring of messages, seconds; every member computes for 1 s. */
static double ring_seconds(const char *model, const char *settings, const char *stepwise)
{
	char link[300];
	struct toy t;
	double s;

	snprintf(link, sizeof(link), "%s:latency_s=0.5,bandwidth_GBps=4e-9%s%s", model, stepwise,
		 settings);
	toy_timing(&t, "allreduce", 8, 24, link);
	t.run.dim = 16;
	toy_run(&t);
	s = (t.result.time - 3.0) / 2.0;
	toy_close(&t);
	return s;
}

/* Message by message and by formula, on NICs and on shared lines: 14 steps of 8 bytes. */
static void rings_of_differing_links_agree(void **state)
{
	static const struct {
		const char *settings;
		double step;
	} all[] = {
		{ "", 2.5 }, { "; 3: bandwidth_GBps=1e-9", 8.5 },
		{ "; 2,5: bandwidth_GBps=2e-9; 3: latency_s=2.5", 5.5 },
		{ "; 6: latency_s=4.5", 4.5 },
		{ "; 3>4: bandwidth_GBps=1e-9,latency_s=0.25", 8.25 },
		{ ",message_s=0.25", 2.75 }, { ",node=4,node_GBps=64e-9,nics=2", 2.5 },
		{ ",node=4,node_GBps=2e-9,node_latency_s=0.1", 4.1 },
		{ ",node=4,node_GBps=64e-9; 4-7: bandwidth_GBps=2e-9", 4.5 },
	};
	static const char *const models[] = { "nic", "fair" };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		for (size_t k = 0; k < 2; k++) {
			assert_near(ring_seconds(models[k], all[i].settings, ""),
				    14.0 * all[i].step, 1e-9);
			assert_near(ring_seconds(models[k], all[i].settings, ",stepwise"),
				    14.0 * all[i].step, 1e-9);
		}
}

/*
 * Gradients of 44 bytes from 1 s on. NICs of 44 B/s: the server's, twice as fast, is no bound; a
 * slow worker's message arrives last, and half of each latency is its sender's.
 */
static void links_of_single_nodes_by_hand(void **state)
{
	for (int k = 0; k < 2; k++) {
		const char *model = k ? "fair" : "nic";
		char link[300];

		snprintf(link, sizeof(link), "%s:bandwidth_GBps=4.4e-8,latency_s=0; server: "
			 "bandwidth_GBps=8.8e-8; 1: bandwidth_GBps=1.1e-8", model);
		expect_arrivals(link, NULL, 2, (double[]){ 2.0, 5.0 });
		snprintf(link, sizeof(link), "%s:bandwidth_GBps=4.4e-8,latency_s=1; 0: "
			 "latency_s=3", model);
		expect_arrivals(link, NULL, 1, (double[]){ 4.0 });
		snprintf(link, sizeof(link), "%s:bandwidth_GBps=4.4e-8,latency_s=1; 0>server: "
			 "latency_s=3,bandwidth_GBps=2.2e-8,message_s=0.5", model);
		expect_arrivals(link, NULL, 1, (double[]){ 1.0 + 0.5 + 2.0 + 3.0 });
		/* two workers share a NIC, and two others have one each */
		snprintf(link, sizeof(link), "%s:bandwidth_GBps=4.4e-8,latency_s=0,node=2; server: "
			 "bandwidth_GBps=44e-8", model);
		expect_arrivals(link, NULL, 2, k ? (double[]){ 3.0, 3.0 } : (double[]){ 2.0, 3.0 });
		snprintf(link, sizeof(link), "%s:bandwidth_GBps=4.4e-8,latency_s=0,node=2,nics=2; "
			 "server: bandwidth_GBps=44e-8", model);
		expect_arrivals(link, NULL, 2, (double[]){ 2.0, 2.1 - 0.1 * k });
	}
}

/* A flow of 33 B/s to the server leaves 22 of 44 B/s; one of 11 B/s leaves 33. */
static void other_traffic_by_hand(void **state)
{
	expect_arrivals(NICS "0; 0>server: background_GBps=3.3e-8", NULL, 1, (double[]){ 3.0 });
	expect_arrivals(NICS "0; 0>server: background_GBps=1.1e-8", NULL, 1,
			(double[]){ 1.0 + 4.0 / 3.0 });
	expect_arrivals(NICS "0,rack=1,uplink_GBps=4.4e-8,background_GBps=3.3e-8", NULL, 1,
			(double[]){ 3.0 });
}

static const char *const links[] = {
	"nic:latency_s=0.05,bandwidth_GBps=1e-6,message_s=0.01",
	"nic:latency_s=0.05,bandwidth_GBps=1e-6,duplex=half,stepwise=true",
	"nic:latency_s=0.05,bandwidth_GBps=1e-6,stepwise=eager",
	"nic:latency_s=0.5,bandwidth_GBps=1e-6,jitter=1,loss=0.3,timeout_s=0.7,stepwise=true",
	"nic:latency_s=0.05,bandwidth_GBps=1e-7,collective=rabenseifner",
	"fair:latency_s=0.05,bandwidth_GBps=1e-7,core_GBps=2e-7",
	"fair:latency_s=0.05,bandwidth_GBps=1e-7,rack=2,uplink_GBps=5e-8,stepwise=true",
	"nic:latency_s=0.05,bandwidth_GBps=1e-6,node=3,node_GBps=1e-6; 1: latency_s=0.2; "
	"0<>4: bandwidth_GBps=1e-7",
	"fair:latency_s=0.05,bandwidth_GBps=1e-7,node=3,node_GBps=1e-7,message_s=0.01,"
	"stepwise=true; 1: latency_s=0.2; 0<>4: background_GBps=5e-8; server: latency_s=1",
};

static const char *const algos[] = { "allreduce", "asgd", "ad-psgd", "d-psgd", "gossip-push" };

enum parted { WHOLE, CUT };        /* a server of three shards, gradients of three buckets */

static struct run_result outcome(const char *algo, const char *link, enum parted cut, int threads)
{
	struct run_result r;
	struct toy t;

	toy_timing(&t, algo, 6, 90, link);
	t.sim.shards = cut ? 3 : 1;
	t.sim.bucket = cut ? 2 : 0;
	t.threads = threads;
	toy_run(&t);
	r = t.result;
	toy_close(&t);
	return r;
}

/* The clock is the training run's, the learning that of any number of threads. */
static void clocks_and_bits(void **state)
{
	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++)
		for (size_t k = 0; k < sizeof(algos) / sizeof(algos[0]); k++) {
			const enum parted cut = k < 2 ? CUT : WHOLE;
			const struct run_result a = outcome(algos[k], links[i], cut, 0);
			const struct run_result b = outcome(algos[k], links[i], cut, 1);
			const struct run_result c = outcome(algos[k], links[i], cut, 2);

			assert_near(a.time, b.time, 0.0);
			assert_int_equal(a.events, b.events);
			assert_int_equal(b.model, c.model);
			assert_near(b.time, c.time, 0.0);
		}
}

/* All-reduce learns the same over any link, in buckets or not. */
static void links_change_times_alone(void **state)
{
	const uint64_t model = outcome("allreduce", "ideal", WHOLE, 1).model;

	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
		const struct run_result whole = outcome("allreduce", links[i], WHOLE, 1);
		const struct run_result cut = outcome("allreduce", links[i], CUT, 1);

		assert_int_equal(whole.model, model);
		assert_int_equal(cut.model, model);
		assert_true(cut.time != whole.time);
	}
}

/* What any run of messages brought a node, since the first of them was sent, fits its NIC. */
static void check_nic(const struct notes *all, int to, double rate)
{
	for (int i = 0; i < all->n; i++) {
		double since = HUGE_VAL, bytes = 0.0;

		for (int k = i; k < all->n; k++) {
			if (all->received[k].to != to)
				continue;
			since = fmin(since, all->received[k].begun);
			bytes += (double)all->received[k].bytes;
			assert_true(bytes <= rate * (all->received[k].at - since) * (1.0 + 1e-9));
		}
	}
}

static void check_order(const struct notes *all)
{
	for (int i = 0; i < all->n; i++)
		for (int k = i + 1; k < all->n; k++)
			if (all->received[i].from == all->received[k].from &&
			    all->received[i].to == all->received[k].to)
				assert_true(all->received[i].begun <= all->received[k].begun);
}

static void no_nic_carries_more_than_it_can(void **state)
{
	static const double rate[] = { 1e3, 1e3, 1e3, 1e3, 1e2, 1e2, 1e2, 1e3, 1e2 };

	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++)
		for (size_t k = 1; k < sizeof(algos) / sizeof(algos[0]); k++) {
			const struct notes *all;
			struct toy t;

			toy_timing(&t, algos[k], 6, 120, links[i]);
			all = noted(&t);
			assert_true(all->n > 50);
			for (int to = SERVER; to < 6; to++)
				check_nic(all, to, rate[i]);
			check_order(all);
			toy_close(&t);
		}
}

/* Latencies of 10 s, and much longer, between gradients of 1 s: some would overtake. */
static void jitter_keeps_the_order_of_two_nodes(void **state)
{
	struct toy t;

	toy_timing(&t, "gossip-push", 4, 200, "nic:latency_s=10,jitter=1,loss=0.2");
	check_order(noted(&t));
	toy_close(&t);
}

RUN_ALL(flows_share_by_hand, switches_and_uplinks_are_lines,
	a_ring_of_messages_takes_what_the_formula_says, early_members_send_ahead,
	ring_across_racks_by_hand, rings_of_differing_links_agree, links_of_single_nodes_by_hand,
	other_traffic_by_hand, clocks_and_bits, links_change_times_alone,
	no_nic_carries_more_than_it_can, jitter_keeps_the_order_of_two_nodes)
