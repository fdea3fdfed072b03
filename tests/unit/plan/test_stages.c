/* test_stages.c - each stage of a run's settings stands after those that set what it reads. */
#include "plan/resolve/setup.h"
#include "tests/support/check.h"

#include <string.h>

enum { MOST = 32 };

static size_t count(void)
{
	size_t n = 0;

	while (setup_stages[n].name)
		n++;
	assert_within(n, 2, MOST - 1);
	return n;
}

static void every_need_is_set_before(void **state)
{
	unsigned set = 0;

	assert_null(stages_unmet(setup_stages));
	for (size_t i = 0; i < count(); i++) {
		assert_true(setup_stages[i].sets);
		assert_false(setup_stages[i].sets & set);
		set |= setup_stages[i].sets;
	}
}

/* Any two, of which the later one reads what the earlier one sets. */
static void a_swap_is_found(void **state)
{
	const size_t n = count();
	size_t swaps = 0;

	for (size_t k = 1; k < n; k++) {
		const size_t before = swaps;

		for (size_t i = 0; i < k; i++) {
			struct stage swapped[MOST];

			if (!(setup_stages[k].needs & setup_stages[i].sets))
				continue;
			memcpy(swapped, setup_stages, sizeof(setup_stages[0]) * (n + 1));
			swapped[i] = setup_stages[k];
			swapped[k] = setup_stages[i];
			assert_ptr_equal(stages_unmet(swapped), &swapped[i]);
			swaps++;
		}
		assert_true(swaps > before || setup_stages[k].needs == 0);
	}
}

/* An order that the needs allow, in which each stage comes as late as the table had it early. */
static void reorder(struct stage *to)
{
	const size_t n = count();
	bool taken[MOST] = { false };
	unsigned set = 0;

	for (size_t i = 0; i < n; i++) {
		size_t k = n;

		do {
			assert_true(k > 0);
			k--;
		} while (taken[k] || setup_stages[k].needs & ~set);
		taken[k] = true;
		set |= setup_stages[k].sets;
		to[i] = setup_stages[k];
	}
	to[n] = setup_stages[n];
}

static void resolve(struct setup *su, const char *text, const struct stage *stages)
{
	cJSON *set = cJSON_Parse(text);

	setup_init(su);
	assert_int_equal(settings_apply(&su->in, set, "test"), 0);
	assert_int_equal(stages_walk(stages, su), 0);
	cJSON_Delete(set);
}

/* No stage reads what it does not name: in another order the run is the same, and its sources. */
static void needs_are_all_that_is_read(void **state)
{
	static const char *const runs[] = {
		"{}",
		"{\"algo\": \"ad-psgd\", \"slow\": \"0:10\", \"timing\": true, \"workers\": 32}",
		"{\"algo\": \"allreduce\", \"shares\": \"speed\", \"slow\": \"1:2\","
		" \"warmup_from\": \"workers\", \"net\": \"vgg\", \"gradients\": 100}",
		"{\"algo\": \"asgd\", \"faults\": \"0:leave@1-2\", \"shards\": 2,"
		" \"delay\": \"gamma:cv=0.2\"}",
		"{\"net\": \"quadratic\", \"link\": \"nic\", \"compute_s\": 1}",
		"{\"engine\": \"mpi\", \"workers\": 3, \"algo\": \"asgd\", \"server\": \"shared\"}",
	};
	struct stage other[MOST];

	reorder(other);
	assert_null(stages_unmet(other));
	assert_memory_not_equal(other, setup_stages, sizeof(other[0]) * count());
	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		struct setup a, b;

		resolve(&a, runs[i], setup_stages);
		resolve(&b, runs[i], other);
		assert_string_equal(a.hash, b.hash);
		for (size_t k = 0; k < a.ncanonical; k++) {
			assert_string_equal(a.canonical[k].value, b.canonical[k].value);
			assert_int_equal(a.sources[k].from, b.sources[k].from);
		}
		assert_int_equal(a.sim.shards, b.sim.shards);
		assert_true(a.sim.batch_s <= b.sim.batch_s && a.sim.batch_s >= b.sim.batch_s);
		setup_release(&a);
		setup_release(&b);
	}
}

RUN_ALL(every_need_is_set_before, a_swap_is_found, needs_are_all_that_is_read)
