/* Links by hand: formulas of all-reduces, NICs with every setting, fair shares. */
#include "sim/allreduce/collective.h"
#include "sim/link/flows.h"
#include "sim/link/link.h"
#include "sim/world.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"

#include <math.h>
#include <string.h>

static const struct link *choose(struct choice *c, const char *text)
{
	assert_int_equal(choice_parse(c, link_table, "link", text), 0);
	return (const struct link *)c->plugin;
}

static struct collective_conf kind;

/* 16 bytes, or n times 2 of a gather, at 1 byte/s, latency 0.5 s, 0.25 s a message. */
static double allreduce_s(enum collective_kind k, int n, double both)
{
	const struct members m = { .n = n };
	const struct collective c = { .conf = &kind, .members = &m, .latency = 0.5,
				      .message = 0.25, .rate = 1.0, .both = both, .tries = 1.0 };

	kind = (struct collective_conf){ .kind = (int)k, .group = 4 };
	return collective_s(&c, 16.0);
}

static double gather_s(enum collective_kind k, int n)
{
	const struct members m = { .n = n };
	const struct collective c = { .conf = &kind, .members = &m, .latency = 0.5,
				      .message = 0.25, .rate = 1.0, .both = 1.0, .tries = 1.0 };

	kind = (struct collective_conf){ .kind = (int)k, .group = 4 };
	return collective_gather_s(&c, 2.0);
}

/* Doubled where both ways share a NIC. */
static void collectives_by_hand(void **state)
{
	assert_near(allreduce_s(COLLECTIVE_RING, 8, 1.0), 14.0 * 2.75, 1e-9);
	assert_near(gather_s(COLLECTIVE_RING, 8), 7.0 * 2.75, 1e-9);
	assert_near(allreduce_s(COLLECTIVE_DOUBLING, 8, 1.0), 3.0 * 16.75, 1e-9);
	assert_near(allreduce_s(COLLECTIVE_DOUBLING, 11, 1.0), 5.0 * 16.75, 1e-9);
	assert_near(gather_s(COLLECTIVE_DOUBLING, 8), 3.0 * 0.75 + 14.0, 1e-9);
	assert_near(allreduce_s(COLLECTIVE_RABENSEIFNER, 8, 1.0),
		    6.0 * 0.75 + 2.0 * (8.0 + 4.0 + 2.0), 1e-9);
	assert_near(allreduce_s(COLLECTIVE_RABENSEIFNER, 9, 1.0), 32.5 + 2.0 * 16.75, 1e-9);
	assert_near(allreduce_s(COLLECTIVE_TREE, 8, 1.0), 6.0 * 16.75, 1e-9);
	assert_near(allreduce_s(COLLECTIVE_TREE, 9, 1.0), 8.0 * 16.75, 1e-9);
	assert_near(allreduce_s(COLLECTIVE_HIERARCHICAL, 8, 1.0), 4.0 * 16.75 + 2.0 * 8.75, 1e-9);
	assert_near(allreduce_s(COLLECTIVE_HIERARCHICAL, 3, 1.0), 4.0 * 16.75, 1e-9);
	assert_near(allreduce_s(COLLECTIVE_HIERARCHICAL, 8, 2.0),
		    4.0 * 16.75 + 2.0 * (0.5 + 16.5), 1e-9);
	for (int k = COLLECTIVE_RING; k <= COLLECTIVE_HIERARCHICAL; k++)
		assert_near(allreduce_s((enum collective_kind)k, 1, 1.0), 0.0, 0.0);
}

/* What two messages of 1 s take, and an all-reduce of 8 bytes over 4. */
static void times(const char *settings, double *first, double *second, double *allreduce)
{
	char text[300] = "nic:latency_s=0.5,bandwidth_GBps=1e-9";
	struct nic a = { 0 }, to = { 0 };
	struct choice c = { 0 };
	const struct link *l = choose(&c, strcat(text, settings));

	*first = l->receive(c.conf, &to, l->send(c.conf, &a, 0.0, 1, NULL), 1, NULL);
	*second = l->receive(c.conf, &to, l->send(c.conf, &a, 0.0, 1, NULL), 1, NULL);
	*allreduce = link_collective_s(l, c.conf, &(struct members){ .n = 4 }, false, 8);
	choice_release(&c);
}

static void expect_times(const char *settings, double first, double second, double allreduce)
{
	double got[3];

	times(settings, &got[0], &got[1], &got[2]);
	assert_near(got[0], first, 1e-9);
	assert_near(got[1], second, 1e-9);
	assert_near(got[2], allreduce, 1e-9);
}

/* Each setting changes what it should, and nothing else. */
static void settings_of_nics(void **state)
{
	expect_times("", 1.5, 2.5, 6.0 * 2.5);
	expect_times(",message_s=0.25", 1.75, 3.0, 6.0 * 2.75);
	expect_times(",duplex=half", 1.5, 2.5, 6.0 * 4.5);
	expect_times(",timeout_s=9", 1.5, 2.5, 6.0 * 2.5);
	expect_times(",group=2", 1.5, 2.5, 6.0 * 2.5);
	expect_times(",collective=doubling", 1.5, 2.5, 2.0 * 8.5);
	expect_times(",collective=hierarchical,group=2", 1.5, 2.5, 2.0 * 8.5 + 2.0 * 4.5);
	/* measured with 4: between 4 and 16 bytes linear; in this run 4 workers too */
	expect_times(",collective=measured,allreduce_bytes=0/4/16,allreduce_s=1/3/5,"
		     "allreduce_ranks=4", 1.5, 2.5, 3.0 + 2.0 / 3.0);
}

/* Each step is tried twice on average, and a second try follows a timeout. */
static void losses_delay_each_step(void **state)
{
	double first, second, allreduce;

	times(",loss=0.5,timeout_s=3", &first, &second, &allreduce);
	assert_near(allreduce, 6.0 * (0.5 + 2.0 * 2.0 + 3.0), 1e-9);
}

/* One NIC: what comes waits for what goes, and what goes for what comes. */
static void half_duplex_nics_do_one_thing(void **state)
{
	struct choice c = { 0 };
	const struct link *l = choose(&c, "nic:latency_s=0,bandwidth_GBps=1e-9,duplex=half");
	struct nic a = { 0 };

	assert_near(l->send(c.conf, &a, 0.0, 2, NULL), 2.0, 1e-9);
	assert_near(l->receive(c.conf, &a, 1.0, 1, NULL), 3.0, 1e-9);
	assert_near(l->send(c.conf, &a, 2.0, 1, NULL), 4.0, 1e-9);
	choice_release(&c);
}

/* Latencies of many messages, each sent when the NIC is idle: mean, deviation. */
static void crossings(const char *text, double *mean, double *dev)
{
	enum { N = 20000 };
	struct choice c = { 0 };
	const struct link *l = choose(&c, text);
	struct nic a = { .seed = 3, .location = 2 };
	double s1 = 0.0, s2 = 0.0;

	for (int i = 0; i < N; i++) {
		const double at = 1000.0 * i, took = l->send(c.conf, &a, at, 1, NULL) - at;

		s1 += took;
		s2 += took * took;
	}
	assert_true(l->overtakes(c.conf));
	*mean = s1 / N;
	*dev = sqrt(s2 / N - *mean * *mean);
	choice_release(&c);
}

/* Jitter keeps the mean. With p = 0.2 a message is lost 0.25 times, deviation sqrt(p) / (1 - p). */
static void jitter_and_losses_have_their_moments(void **state)
{
	const double lost_dev = sqrt(0.2) / 0.8;
	double mean, dev;

	crossings("nic:latency_s=0.5,bandwidth_GBps=1e-9,jitter=0.4", &mean, &dev);
	assert_near(mean, 1.5, 0.01);
	assert_near(dev, 0.2, 0.01);
	crossings("nic:latency_s=0.5,bandwidth_GBps=1e-9,loss=0.2,timeout_s=3", &mean, &dev);
	assert_near(mean, 1.5 + 0.25 * 4.0, 0.06);
	assert_near(dev, lost_dev * 4.0, 0.08);
}

/* The k-th message of a node has its draw, whatever else happens. */
static void draws_are_addressed(void **state)
{
	struct choice c = { 0 };
	const struct link *l = choose(&c, "nic:latency_s=1,jitter=1");
	struct nic a = { .seed = 1, .location = 4 }, b = { .seed = 1, .location = 4 };
	struct nic other = { .seed = 1, .location = 5 };
	double first, second;

	first = l->send(c.conf, &a, 0.0, 0, NULL);
	second = l->send(c.conf, &a, 0.0, 0, NULL);
	assert_true(first != second);
	assert_true(l->send(c.conf, &other, 0.0, 0, NULL) != first);
	b.sent = 1;
	assert_near(l->send(c.conf, &b, 0.0, 0, NULL), second, 0.0);
	choice_release(&c);
}

static void no_message_overtakes(void **state)
{
	struct order o = { 0 };

	for (int to = 0; to < 100; to++)
		assert_near(order_keep(&o, to, to), to, 0.0);
	assert_near(order_keep(&o, 50, 3.0), 50.0, 0.0);
	assert_near(order_keep(&o, 50, 60.0), 60.0, 0.0);
	assert_near(order_keep(&o, 50, 59.0), 60.0, 0.0);
	assert_near(order_keep(&o, 2, 3.0), 3.0, 0.0);
	order_release(&o);
}

/* Lines of 12, 4 and 10: flows over 0, 0+1, 0+1, 0+2 have 4, 2, 2, 4; line 0 is full. */
static void shares_are_max_min_fair(void **state)
{
	struct line lines[] = { { .capacity = 12 }, { .capacity = 4 }, { .capacity = 10 } };
	struct share s[] = { { .line = { 0 }, .nlines = 1 }, { .line = { 0, 1 }, .nlines = 2 },
			     { .line = { 0, 1 }, .nlines = 2 }, { .line = { 0, 2 }, .nlines = 2 } };
	struct share *all[] = { &s[0], &s[1], &s[2], &s[3] };

	share_fairly(lines, all, 4);
	assert_near(s[0].rate, 4.0, 1e-12);
	assert_near(s[1].rate, 2.0, 1e-12);
	assert_near(s[2].rate, 2.0, 1e-12);
	assert_near(s[3].rate, 4.0, 1e-12);
	share_fairly(lines, all, 1);
	assert_near(s[0].rate, 12.0, 1e-12);
}

/* A ring of 4 and 8 bytes: 6 steps of 0.5 s and 2 bytes at what each flow has. */
static void fair_rings(void **state)
{
	static const struct {
		const char *settings;
		double rate;
	} all[] = { { "", 1.0 }, { ",core_GBps=2e-9", 0.5 }, { ",rack=2", 1.0 },
		    { ",rack=2,uplink_GBps=0.25e-9", 0.25 }, { ",rack=4,uplink_GBps=1e-9", 1.0 } };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		char text[200] = "fair:latency_s=0.5,bandwidth_GBps=1e-9";
		struct choice c = { 0 };
		const struct link *l = choose(&c, strcat(text, all[i].settings));

		assert_near(link_collective_s(l, c.conf, &(struct members){ .n = 4 }, false, 8),
			    6.0 * (0.5 + 2.0 / all[i].rate), 1e-9);
		choice_release(&c);
	}
}

static void refuse(const char *text, const char *why)
{
	struct choice c = { 0 };

	capture_start();
	if (choice_parse(&c, link_table, "link model", text) == 0)
		assert_int_equal(((const struct link *)c.plugin)->check(c.conf), -1);
	assert_said(why);
	capture_stop();
	choice_release(&c);
}

static void refuses_with_the_key(void **state)
{
	refuse("nic:message_s=-1", "message_s");
	refuse("nic:loss=1", "loss must be a number, from 0 to 0.99");
	refuse("nic:collective=rign", "ring");
	refuse("nic:duplex=quarter", "duplex");
	refuse("nic:group=0", "group");
	refuse("nic:stepwise=true,collective=tree", "collective=ring");
	refuse("nic:jitter=1,latency_s=0", "latency_s");
	refuse("fair:uplink_GBps=1", "rack must be at least 1");
	refuse("fair:core_GBps=-1", "core_GBps");
	refuse("fair:background_GBps=1", "'RANKS>RANKS: background_GBps=...'");
	refuse("fair:stepwise=true,collective=tree", "collective=ring");
	refuse("nic:collective=measured", "needs a table");
	refuse("nic:collective=measured,allreduce_bytes=0/8,allreduce_s=1", "go in pairs");
	refuse("nic:collective=measured,allreduce_bytes=8/0,allreduce_s=1/2", "must ascend");
	refuse("fair:collective=measured,allreduce_bytes=0/8,allreduce_s=1/-2", "allreduce_s");
	refuse("nic:allreduce_bytes=0/8,allreduce_s=1/2", "are of collective=measured, not ring");
}

RUN_ALL(collectives_by_hand, settings_of_nics, losses_delay_each_step,
	half_duplex_nics_do_one_thing,
	jitter_and_losses_have_their_moments, draws_are_addressed, no_message_overtakes,
	shares_are_max_min_fair, fair_rings, refuses_with_the_key)
