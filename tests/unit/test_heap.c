/* The event list: sorted by time, ties by kind, node, order of pushing. */
#include "core/math/rng.h"
#include "sim/heap.h"
#include "tests/support/check.h"

static void pops_in_the_written_order(void **state)
{
	enum { N = 5000 };
	struct heap h = { 0 };
	struct sim_event last = { .time = -1.0 }, ev;
	struct rng r;

	rng_at(&r, 1, RNG_ALGO, 0, 0);
	for (int i = 0; i < N; i++)
		heap_push(&h, (double)rng_below(&r, 20), (enum sim_kind)rng_below(&r, 6),
			  (int)rng_below(&r, 10), NULL, i);
	for (int i = 0; i < N; i++) {
		assert_true(heap_pop(&h, &ev));
		assert_true(ev.time >= last.time);
		if (ev.time == last.time) {
			assert_true(sim_event_kind(&ev) >= sim_event_kind(&last));
			if (sim_event_kind(&ev) == sim_event_kind(&last)) {
				assert_true(sim_event_node(&ev) >= sim_event_node(&last));
				if (sim_event_node(&ev) == sim_event_node(&last))
					assert_true(ev.num > last.num);
			}
		}
		last = ev;
	}
	assert_false(heap_pop(&h, &ev));
	heap_release(&h);
}

/* The naive list's earliest; taken out. */
static double take_least(double *list, int *n)
{
	int least = 0;
	double t;

	for (int i = 1; i < *n; i++)
		if (list[i] < list[least])
			least = i;
	t = list[least];
	list[least] = list[--*n];
	return t;
}

/* Pushes before and after what is there, between pops, as a run does. */
static void pops_the_earliest_between_pushes(void **state)
{
	enum { ROUNDS = 20000, CAPACITY = 400 };
	struct heap h = { 0 };
	double list[CAPACITY];
	struct sim_event ev;
	struct rng r;
	int n = 0;

	rng_at(&r, 2, RNG_ALGO, 0, 0);
	for (int i = 0; i < ROUNDS; i++) {
		if (n < CAPACITY && (n == 0 || rng_below(&r, 2))) {
			list[n] = rng_uniform(&r);
			heap_push(&h, list[n++], SIM_MSG, 0, NULL, i);
		} else {
			assert_true(heap_pop(&h, &ev));
			assert_true(ev.time == take_least(list, &n));
		}
	}
	while (n > 0) {
		assert_true(heap_pop(&h, &ev));
		assert_true(ev.time == take_least(list, &n));
	}
	assert_false(heap_pop(&h, &ev));
	heap_release(&h);
}

static void carries_what_it_was_given(void **state)
{
	struct heap h = { 0 };
	struct sim_event ev;
	int x;

	heap_push(&h, 2.5, SIM_TIMER, HEAP_NODE_MAX, &x, -7);
	assert_true(heap_pop(&h, &ev));
	assert_true(ev.time == 2.5 && ev.ptr == &x && ev.num == -7);
	assert_int_equal(sim_event_kind(&ev), SIM_TIMER);
	assert_int_equal(sim_event_node(&ev), HEAP_NODE_MAX);
	heap_release(&h);
}

RUN_ALL(pops_in_the_written_order, pops_the_earliest_between_pushes, carries_what_it_was_given)
