/* Delay and link models: moments and quantiles, queues by hand. */
#include "delays/delay.h"
#include "sim/allreduce/collective.h"
#include "sim/link/link.h"
#include "tests/support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DRAWS = 100000 };

static void sample(const char *text, double *mean, double *dev, double *above)
{
	struct choice c = { 0 };
	double s1 = 0, s2 = 0, over = 0;

	assert_int_equal(choice_parse(&c, delay_table, "delay model", text), 0);
	for (uint64_t i = 0; i < DRAWS; i++) {
		struct rng r;
		double x;

		rng_at(&r, 5, RNG_DELAY, 0, i);
		x = delay_draw(&c, &r);
		assert_true(x > 0.0);
		s1 += x;
		s2 += x * x;
		over += x > 1.25;
	}
	*mean = s1 / DRAWS;
	*dev = sqrt(s2 / DRAWS - *mean * *mean);
	*above = over / DRAWS;
	choice_release(&c);
}

/* P(x > 1.25) = 0.94 % for cv = 0.1 is the check value of the CVB model. */
static void gamma_has_its_moments(void **state)
{
	double mean, dev, above;

	sample("gamma:cv=0.1", &mean, &dev, &above);
	assert_near(mean, 1.0, 0.002);
	assert_near(dev, 0.1, 0.002);
	assert_near(above, 0.0094, 0.0015);
	sample("gamma:cv=1", &mean, &dev, &above);      /* the exponential */
	assert_near(mean, 1.0, 0.015);
	assert_near(dev, 1.0, 0.02);
	assert_near(above, exp(-1.25), 0.006);
	sample("gamma:cv=2", &mean, &dev, &above);      /* shape below 1 */
	assert_near(mean, 1.0, 0.03);
	assert_near(dev, 2.0, 0.08);
	sample("constant", &mean, &dev, &above);
	assert_near(mean, 1.0, 1e-9);
	assert_near(dev, 0.0, 1e-6);
}

/* Messages of 1 s on the wire and 0.5 s latency. */
static void nics_queue(void **state)
{
	struct choice c = { 0 };
	struct nic a = { 0 }, b = { 0 }, to = { 0 };
	const struct link *l;

	assert_int_equal(choice_parse(&c, link_table, "link",
				      "nic:latency_s=0.5,bandwidth_GBps=1e-9"), 0);
	l = (const struct link *)c.plugin;
	assert_near(l->send(c.conf, &a, 0.0, 1, NULL), 1.5, 1e-9);
	assert_near(l->send(c.conf, &a, 0.25, 1, NULL), 2.5, 1e-9);
	assert_near(l->send(c.conf, &b, 0.25, 1, NULL), 1.75, 1e-9);
	assert_near(l->receive(c.conf, &to, 1.5, 1, NULL), 1.5, 1e-9);
	assert_near(l->receive(c.conf, &to, 1.75, 1, NULL), 2.5, 1e-9);
	assert_near(l->receive(c.conf, &to, 9.0, 1, NULL), 9.0, 1e-9);
	/* ring of 4 over 8 bytes: 6 steps of 0.5 + 2 s */
	assert_near(link_collective_s(l, c.conf, &(struct members){ .n = 4 }, false, 8), 15.0,
		    1e-9);
	choice_release(&c);
}

/* Each of the factors as often, of mean 1: 0.5 and 1.5, of which one is above 1.25. */
static void measured_factors_have_mean_1(void **state)
{
	double mean, dev, above;

	sample("measured:factors=1/3", &mean, &dev, &above);
	assert_near(mean, 1.0, 0.01);
	assert_near(dev, 0.5, 0.01);
	assert_near(above, 0.5, 0.01);
}

/* 1 s at 0 bytes, 3 s at 10, 4 s at 20; all-reduces of two: 2 s at 8 bytes, 6 s at 16. */
static void measured_links_interpolate(void **state)
{
	struct choice c = { 0 };
	struct nic a = { 0 }, to = { 0 };
	const struct link *l;
	char *text;

	assert_int_equal(choice_parse(&c, link_table, "link",
				      "measured:message_bytes=0/10/20,message_s=1/3/4,"
				      "allreduce_bytes=8/16,allreduce_s=2/6,handler_GBps=1e-9,"
				      "beside_GBps=2e-9"), 0);
	l = (const struct link *)c.plugin;
	assert_int_equal(l->check(c.conf), 0);
	assert_near(l->send(c.conf, &a, 0.0, 5, NULL), 2.0, 1e-9);
	assert_near(l->send(c.conf, &a, 0.0, 30, NULL), 1.0 + 4.0 + 1.0, 1e-9);      /* after it */
	assert_near(l->receive(c.conf, &to, 2.0, 5, NULL), 2.0, 1e-9);
	assert_near(l->receive(c.conf, &to, 2.5, 10, NULL), 4.0, 1e-9);
	assert_near(l->allreduce(c.conf, &(struct members){ .n = 2 }, 4), 2.0, 1e-9);
	assert_near(l->allreduce(c.conf, &(struct members){ .n = 2 }, 12), 4.0, 1e-9);
	/* Of 4: three times the latency, and 6/4 for 2/2 of the bytes. */
	assert_near(l->allreduce(c.conf, &(struct members){ .n = 4 }, 12), 6.0 + 2.0 * 1.5, 1e-9);
	assert_near(l->handle(c.conf, 2), 8.0, 1e-9);
	assert_near(l->receive_cost(c.conf, 8), 4.0, 1e-9);
	text = choice_format(&c);
	assert_non_null(strstr(text, ",receive_GBps=2e-9"));
	assert_null(strstr(text, "beside"));    /* the name in older files */
	free(text);
	choice_release(&c);
}

RUN_ALL(gamma_has_its_moments, nics_queue, measured_factors_have_mean_1, measured_links_interpolate)
