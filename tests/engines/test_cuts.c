/* A server in shards, all-reduces in buckets: times by hand, and what they leave as it is. */
#include "tests/support/check.h"
#include "tests/support/toy.h"

#include <math.h>

/* ---- shards ---- */

/* Seconds of two gradients of one worker, whose server is two shards: pieces of 44 bytes. */
static void expect_two(const char *link, double seconds)
{
	struct toy t;

	toy_timing(&t, "asgd", 1, 2, link);
	t.run.dim = 10;
	t.sim.shards = 2;
	t.sim.update_s = 0.5;
	toy_run(&t);
	assert_near(t.result.time, seconds, 1e-9);
	assert_near(t.nodes[1].ledger.compute, 0.25, 1e-12);
	assert_int_equal(t.nodes[0].ledger.messages, 2 * 2);
	assert_int_equal(t.nodes[0].ledger.bytes_sent, 2 * 88);
	assert_int_equal(t.nodes[1].ledger.bytes_received, 2 * 88);
	toy_close(&t);
}

/* The gradient is ready at 1, an update takes 0.25 on each shard. NICs of 44 B/s. */
static void pieces_go_to_shards_by_hand(void **state)
{
	expect_two("ideal", 1.0 + 0.25 + 1.0);
	/* pieces leave the worker's NIC by 2 and 3; both shards send at 3.5; its NIC queues */
	expect_two("nic:latency_s=0.25,bandwidth_GBps=4.4e-8", 3.25 + 0.25 + 1.25 + 1.0 + 1.0);
	expect_two("nic:latency_s=0.25,bandwidth_GBps=4.4e-8,message_s=0.5",
		   4.25 + 0.25 + 1.75 + 1.5 + 1.0);
	/* two flows share the worker's NIC, either way */
	expect_two("fair:latency_s=0,bandwidth_GBps=4.4e-8", 3.0 + 0.25 + 2.0 + 1.0);
	/* the first shard is in the worker's rack, the second beyond uplinks of 11 B/s */
	expect_two("fair:latency_s=0,bandwidth_GBps=4.4e-8,rack=2,uplink_GBps=1.1e-8",
		   5.0 + 0.25 + 4.0 + 1.0);
}

static double time_of(int workers, int64_t gradients, int shards, double update_s,
		      const char *link)
{
	double time;
	struct toy t;

	toy_timing(&t, "asgd", workers, gradients, link);
	t.run.dim = 20;
	t.sim.shards = shards;
	t.sim.update_s = update_s;
	toy_run(&t);
	time = t.result.time;
	toy_close(&t);
	return time;
}

/* All 8 are there at 1; from then on a step takes 4 s / S, and a worker 1 s more. */
static void shards_update_at_once(void **state)
{
	for (int shards = 1; shards <= 4; shards *= 2)
		assert_near(time_of(8, 8 + 50, shards, 4.0, "ideal"), 2.0 + 200.0 / shards, 1e-9);
}

/* NICs of 44 B/s, where the server's are the bottleneck: 80 bytes of a vector and a header. */
static void shards_receive_at_once(void **state)
{
	static const char link[] = "nic:latency_s=0,bandwidth_GBps=4.4e-8";

	for (int shards = 1; shards <= 4; shards *= 2) {
		const double first = time_of(32, 320, shards, 0.0, link);
		const double later = time_of(32, 640, shards, 0.0, link);

		assert_near((later - first) / 320, (80.0 / shards + 24.0) / 44.0, 1e-9);
	}
}

/* Where there is no server, nor more than one shard, nothing changes. */
static void shards_are_the_servers_alone(void **state)
{
	const char *const link = "nic:latency_s=0.1,bandwidth_GBps=1e-7";
	struct toy a, b;

	assert_near(time_of(4, 40, 1, 0.5, link), time_of(4, 40, 0, 0.5, link), 0.0);
	toy_timing(&a, "ad-psgd", 4, 40, link);
	toy_timing(&b, "ad-psgd", 4, 40, link);
	b.sim.shards = 5;
	toy_run(&a);
	toy_run(&b);
	assert_near(a.result.time, b.result.time, 0.0);
	assert_int_equal(a.result.events, b.result.events);
	toy_close(&a);
	toy_close(&b);
}

/* ---- buckets ---- */

struct bucketing {
	size_t bucket;          /* floats */
	double host_copy_s, slow; /* a factor, of that worker */
	int rank;
	const struct backward *backward;        /* [2], or NULL */
	size_t dim;
};

/* Two workers: when the first all-reduce is done. The second gradients are ready a second later. */
static struct toy allreduced(const char *link, struct bucketing c)
{
	const struct slow slow = { .rank = c.rank, .factor = c.slow, .to = 0.1 };
	struct toy t;

	toy_timing(&t, "allreduce", 2, 4, link);
	t.run.dim = c.dim ? c.dim : 10;
	t.sim.bucket = c.bucket;
	t.sim.host_copy_s = c.host_copy_s;
	t.sim.backward = c.backward;
	t.sim.nbackward = c.backward ? 2 : 0;
	t.sim.pace.slow = &slow;
	t.sim.pace.nslow = c.slow > 0.0;
	toy_run(&t);
	t.sim.pace.slow = NULL;
	return t;
}

static void expect_allreduce(const char *link, struct bucketing c, double seconds)
{
	struct toy t = allreduced(link, c);

	assert_near(t.result.time, seconds + 1.0 + c.host_copy_s, 1e-9);
	toy_close(&t);
}

/* A ring of two adds two of the ten floats in 8 / rate seconds: 1, 0.2, 0.1. */
#define RATE_8 "nic:latency_s=0,bandwidth_GBps=8e-9"
#define RATE_40 "nic:latency_s=0,bandwidth_GBps=4e-8"
#define RATE_80 "nic:latency_s=0,bandwidth_GBps=8e-8"
#define STEPS ",stepwise=true"

/* Pairs of floats are final at 7/15, 9/15, ... 1 s, from the last on. */
static void buckets_follow_each_other_by_hand(void **state)
{
	const struct bucketing pairs = { .bucket = 2 };

	expect_allreduce("ideal", pairs, 1.0);
	expect_allreduce(RATE_8, pairs, 7.0 / 15 + 5.0);
	expect_allreduce(RATE_8 STEPS, pairs, 7.0 / 15 + 5.0);
	expect_allreduce(RATE_40, pairs, 7.0 / 15 + 1.0);
	expect_allreduce(RATE_40 STEPS, pairs, 7.0 / 15 + 1.0);
	expect_allreduce(RATE_80, pairs, 1.0 + 0.1);
	expect_allreduce(RATE_80 STEPS, pairs, 1.0 + 0.1);
	expect_allreduce("fair:latency_s=0,bandwidth_GBps=8e-9,stepwise=true", pairs,
			 7.0 / 15 + 5.0);
	/* two of four floats and one of two, final at 9/15, 13/15 and 1 */
	expect_allreduce(RATE_40, (struct bucketing){ .bucket = 4 }, 9.0 / 15 + 1.0);
	expect_allreduce(RATE_80, (struct bucketing){ .bucket = 4 }, 13.0 / 15 + 0.3);
	/* every step of a tree has its latency: 2 (0.1 + 0.1) for a pair */
	expect_allreduce("nic:latency_s=0.1,bandwidth_GBps=8e-8,collective=tree", pairs,
			 7.0 / 15 + 2.0);
	expect_allreduce("nic:latency_s=0.1,bandwidth_GBps=8e-8,collective=doubling", pairs,
		   7.0 / 15 + 1.0);
}

/* A gradient of 3 s: its pairs are final at 1.4, 1.8, ... 3. */
static void buckets_wait_for_the_slowest(void **state)
{
	for (int rank = 0; rank < 2; rank++) {
		const struct bucketing slow = { .bucket = 2, .slow = 3.0, .rank = rank };

		expect_allreduce(RATE_8, slow, 1.4 + 5.0);
		expect_allreduce(RATE_40, slow, 3.0 + 0.2);
		expect_allreduce(RATE_40 STEPS, slow, 3.0 + 0.2);
	}
	expect_allreduce(RATE_8, (struct bucketing){ .slow = 3.0 }, 3.0 + 5.0);
	expect_allreduce(RATE_8, (struct bucketing){ .bucket = 2, .host_copy_s = 0.5 },
		   7.0 / 15 + 0.5 + 5.0);
	expect_allreduce(RATE_8 STEPS, (struct bucketing){ .bucket = 2, .host_copy_s = 0.5 },
		   7.0 / 15 + 0.5 + 5.0);
}

/* The second layer's four floats are final in the middle of the backward pass, at 2/3 s. */
static void layers_say_when_buckets_are_final(void **state)
{
	const struct backward layers[] = { { 0, 1.0 }, { 6, 0.5 } };
	const struct bucketing pairs = { .bucket = 2, .backward = layers };

	expect_allreduce(RATE_40, pairs, 2.0 / 3 + 1.0);
	expect_allreduce(RATE_40 STEPS, pairs, 2.0 / 3 + 1.0);
	expect_allreduce(RATE_80, pairs, 1.0 + 0.3);
	/* the first bucket is of both layers */
	expect_allreduce(RATE_80, (struct bucketing){ .bucket = 6, .backward = layers }, 1.0 + 0.5);
}

/* With many small ones: forward + communication, or computing, whichever is longer. */
static void many_buckets_reach_the_bound(void **state)
{
	static const double rate[] = { 500.0, 2000.0, 4000.0, 8000.0, 64000.0 };

	for (size_t i = 0; i < sizeof(rate) / sizeof(rate[0]); i++) {
		const double comm = 4000.0 / rate[i];
		struct toy t;
		char link[80];

		snprintf(link, sizeof(link), "nic:latency_s=0,bandwidth_GBps=%g", 1e-9 * rate[i]);
		t = allreduced(link, (struct bucketing){ .bucket = 1, .dim = 1000 });
		assert_true(t.result.time - 1.0 >= fmax(1.0, 1.0 / 3 + comm));
		assert_near(t.result.time - 1.0, fmax(1.0, 1.0 / 3 + comm), 0.01);
		toy_close(&t);
	}
}

/* Bytes, gradients and computing stay; communication during it is gone. */
static void buckets_change_times_alone(void **state)
{
	struct toy whole = allreduced(RATE_40, (struct bucketing){ .bucket = 0 });
	struct toy one = allreduced(RATE_40, (struct bucketing){ .bucket = 10 });
	struct toy cut = allreduced(RATE_40, (struct bucketing){ .bucket = 2 });
	const struct ledger *a = &whole.nodes[1].ledger, *b = &cut.nodes[1].ledger;

	assert_near(one.result.time, whole.result.time, 0.0);
	assert_int_equal(one.result.events, whole.result.events);
	assert_int_equal(a->bytes_sent, b->bytes_sent);
	assert_int_equal(a->bytes_received, b->bytes_received);
	assert_int_equal(5 * a->messages, b->messages);
	assert_int_equal(a->gradients, b->gradients);
	assert_int_equal(a->steps, b->steps);
	assert_near(a->compute, b->compute, 0.0);
	assert_near(a->wait, b->wait, 1e-12);
	assert_near(a->comm, 1.0, 1e-12);
	assert_near(b->comm, 7.0 / 15, 1e-12);
	toy_close(&whole);
	toy_close(&one);
	toy_close(&cut);
}

/* Models are not gradients: their averages begin after the steps, as without. */
static void only_gradients_are_in_buckets(void **state)
{
	double time[2];

	for (int i = 0; i < 2; i++) {
		struct toy t;

		toy_timing(&t, "local-sgd:period=2", 2, 8, RATE_8 STEPS);
		t.sim.bucket = i ? 2 : 0;
		toy_run(&t);
		time[i] = t.result.time;
		toy_close(&t);
	}
	assert_true(time[0] > 4.0);
	assert_near(time[0], time[1], 0.0);
}

RUN_ALL(pieces_go_to_shards_by_hand, shards_update_at_once, shards_receive_at_once,
	shards_are_the_servers_alone, buckets_follow_each_other_by_hand,
	buckets_wait_for_the_slowest, layers_say_when_buckets_are_final,
	many_buckets_reach_the_bound, buckets_change_times_alone, only_gradients_are_in_buckets)
