/* Events that are left when a run stops, and would do nothing, are counted without their order. */
#include "sim/world.h"
#include "tests/support/check.h"
#include "tests/support/toy.h"

#include <math.h>
#include <string.h>

enum { WORKERS = 400, GRADIENTS = 700 };

struct end {
	int64_t events, gradients;
	double time;
	struct ledger all[WORKERS + 1];
};

/* A run whose events are taken one by one to its end, if they are limited, however high. */
static void run_to(struct end *e, const char *algo, const char *link, int64_t events)
{
	struct sim s;
	struct toy t;

	toy_timing(&t, algo, WORKERS, GRADIENTS, link);
	toy_delay(&t, "gamma:cv=0.5");
	sim_begin(&s, &t.sim, &t.run, NULL);
	assert_int_equal(sim_pump(&s, events), 0);
	*e = (struct end){ .events = s.events, .gradients = s.gradients, .time = s.stop_time };
	for (int i = 0; i < s.nnodes; i++)
		e->all[i] = s.nodes[i].ledger;
	sim_close(&s);
	toy_close(&t);
}

static void counts_what_is_left(void **state)
{
	static const char *const of[][2] = {
		{ "asgd", "ideal" }, { "asgd", "nic" }, { "ad-psgd", "nic" },
		{ "allreduce", "nic" }, { "k-sync:k=100", "ideal" },
		{ "gossip-push", "nic" }, { "local-sgd:period=3", "ideal" },
	};
	static struct end one_by_one, end;

	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
		run_to(&one_by_one, of[i][0], of[i][1], INT64_MAX - 1);
		run_to(&end, of[i][0], of[i][1], INT64_MAX);
		assert_true(end.events > GRADIENTS);
		assert_true(memcmp(&end, &one_by_one, sizeof(end)) == 0);
	}
}

/* One that would be too late for the clock is an error, as it is in order. */
static void refuses_times_that_overflow(void **state)
{
	struct sim s;
	struct toy t;

	toy_timing(&t, "asgd", 4, 1, "ideal");
	sim_begin(&s, &t.sim, &t.run, NULL);
	heap_push(&s.heap, HUGE_VAL, SIM_GRAD, 1, NULL, -1);
	assert_int_equal(sim_pump(&s, INT64_MAX), -1);
	sim_close(&s);
	toy_close(&t);
}

RUN_ALL(counts_what_is_left, refuses_times_that_overflow)
