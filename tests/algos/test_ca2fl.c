/* CA2FL: steps along all workers' latest updates, of which K are new. */
#include "tests/support/check.h"
#include "tests/support/served.h"

/* Updates are X - x, so those of a worker that moves up are negative. */
static void sends_up(struct script *s, int from, float up, double x)
{
	script_msg(s, from, 0, s->nd.step, -up, 0.0f);
	assert_near((double)s->nd.x[0], x, 1e-6);
}

/* v = 4, 2, 0, -1. Fedbuff would end at 8. */
static void missing_updates_are_cached(void **state)
{
	struct script s;

	script_open(&s, "ca2fl:buffer=1", 2, SERVER, 1.0, 0.0f, 0.0f);
	sends_up(&s, 0, 4.0f, 4);
	script_sends(&s, 0, 1, 4.0, 0.0);
	sends_up(&s, 0, 4.0f, 6);
	sends_up(&s, 1, -2.0f, 6);
	sends_up(&s, 0, 2.0f, 5);
	script_close(&s);
	script_open(&s, "ca2fl:buffer=1,cache=false", 2, SERVER, 1.0, 0.0f, 0.0f);
	sends_up(&s, 0, 4.0f, 4);
	sends_up(&s, 0, 4.0f, 8);
	sends_up(&s, 1, -2.0f, 6);
	sends_up(&s, 0, 2.0f, 8);
	script_close(&s);
}

/* With K = n, each worker once: what is cached cancels, in the second round too. */
static void each_once_is_the_mean(void **state)
{
	struct script s;

	script_open(&s, "ca2fl:buffer=2,outer_lr=0.5", 2, SERVER, 1.0, 0.0f, 0.0f);
	sends_up(&s, 1, 6.0f, 0);
	sends_up(&s, 0, 2.0f, 2);
	sends_up(&s, 0, 8.0f, 2);
	sends_up(&s, 1, -4.0f, 3);
	script_close(&s);
}

/* The mean of the caches is the old one: v = 0 + (1 + 3 - 1)/2, then 3/2 + (5 - 3 + 2)/2. */
static void a_worker_may_come_twice(void **state)
{
	struct script s;

	script_open(&s, "ca2fl:buffer=2", 2, SERVER, 1.0, 0.0f, 0.0f);
	sends_up(&s, 0, 1.0f, 0);
	sends_up(&s, 0, 3.0f, 1.5);
	sends_up(&s, 0, 5.0f, 1.5);
	sends_up(&s, 1, 2.0f, 5);
	script_close(&s);
}

static void a_buffer_of_more_than_all_is_refused(void **state)
{
	refuses("ca2fl:buffer=3", 2, "error: ca2fl: buffer = 3 of 2 workers: at most buffer=2\n");
	refuses("ca2fl:buffer=3,cache=false", 2, NULL);
	refuses("ca2fl", 2, NULL);
}

RUN_ALL(missing_updates_are_cached, each_once_is_the_mean, a_worker_may_come_twice,
	a_buffer_of_more_than_all_is_refused)
