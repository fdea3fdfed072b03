/* The event list: sorted by time, ties by kind, node, order of pushing. */
#include "core/base/mem.h"
#include "core/math/rng.h"
#include "sim/events/heap.h"
#include "tests/support/check.h"

#include <math.h>
#include <stdlib.h>

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

/* Where the next push may be, of many laws: some have ties, some a long tail, some no end. */
static double time_after(struct rng *r, double now, int law)
{
	switch (law) {
	case 0:
		return now + 0.5 + rng_uniform(r);
	case 1:
		return now + 1.0;
	case 2:
		return now + pow(rng_uniform(r), -1.5);
	case 3:
		return rng_below(r, 3) ? floor(now) + 1.0 : (double)INFINITY;
	default:
		return rng_below(r, 2) ? now : now + 1e-9 * rng_uniform(r);
	}
}

/* So many that most are in buckets of time: a pop gives the least, and the oldest of equals. */
static void pops_many_in_order(void **state)
{
	enum { MANY = 30000, LAWS = 5 };
	double *left = xcalloc(MANY, sizeof(*left));

	for (int law = 0; law < LAWS; law++) {
		struct heap h = { 0 };
		struct sim_event ev, last = { .time = 0.0 };
		struct rng r;

		rng_at(&r, 3, RNG_ALGO, 0, (uint64_t)law);
		for (int i = 0; i < MANY; i++)
			heap_push(&h, time_after(&r, 0.0, law), SIM_GRAD, 0, NULL, i);
		for (int i = MANY; i < 8 * MANY; i++) {
			assert_true(heap_next(&h) != NULL);
			last = ev = *heap_next(&h);
			assert_true(heap_pop(&h, &ev));
			assert_true(ev.time == last.time && ev.num == last.num);
			if (isinf(ev.time))
				break;
			heap_push(&h, time_after(&r, ev.time, law), SIM_GRAD, 0, NULL, i);
			assert_true(heap_next(&h)->time >= ev.time);
			assert_true(heap_next(&h)->time > ev.time || heap_next(&h)->num > ev.num);
		}
		for (int i = 0; heap_pop(&h, &ev); i++)
			left[i] = ev.time;
		for (int i = 1; i < MANY - 1; i++)
			assert_true(left[i - 1] <= left[i]);
		heap_release(&h);
	}
	free(left);
}

/* The same events, of which many come later, have the same hash; one other has another. */
static void hashes_all_events(void **state)
{
	uint64_t hash[3];

	for (int k = 0; k < 3; k++) {
		struct heap h = { 0 };
		struct sim_event ev;
		struct rng r;

		rng_at(&r, 4, RNG_ALGO, 0, 0);
		for (int i = 0; i < 4000; i++)
			heap_push(&h, rng_uniform(&r), SIM_GRAD, 0, NULL, k == 2 && i == 3000);
		assert_true(heap_pop(&h, &ev));         /* in front: not a part of the hash */
		hash[k] = heap_hash(&h, 1);
		while (heap_pop(&h, &ev))
			assert_true(heap_hash(&h, 1) != hash[k]);
		assert_true(heap_hash(&h, 1) == 1);
		heap_release(&h);
	}
	assert_true(hash[0] == hash[1]);
	assert_true(hash[0] != hash[2]);
}

/* Between pops and pushes, events are taken in any order: each of those left once. */
static void takes_all_that_is_left(void **state)
{
	for (int n = 1; n <= 30000; n *= 30) {
		unsigned char *left = xcalloc((size_t)n * 2, 1);
		struct heap h = { 0 };
		struct sim_event ev;
		struct rng r;
		int taken = 0;

		rng_at(&r, 5, RNG_ALGO, 0, (uint64_t)n);
		for (int i = 0; i < n; i++, left[i - 1] = 1)
			heap_push(&h, rng_uniform(&r), SIM_GRAD, 0, NULL, i);
		for (int i = n; i < 2 * n - 1; i++, left[i - 1] = 1) {
			assert_true(heap_pop(&h, &ev));
			left[ev.num] = 0;
			heap_push(&h, time_after(&r, ev.time, i % 5), SIM_GRAD, 0, NULL, i);
		}
		assert_true(heap_pop(&h, &ev)); /* the top is open */
		left[ev.num] = 0;
		for (; heap_take(&h, &ev); taken++) {
			assert_int_equal(left[ev.num], 1);
			left[ev.num] = 0;
		}
		assert_int_equal(taken, n - 1);
		heap_release(&h);
		free(left);
	}
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

RUN_ALL(pops_in_the_written_order, pops_the_earliest_between_pushes, pops_many_in_order,
	hashes_all_events, takes_all_that_is_left, carries_what_it_was_given)
