/* Speedups against a baseline, and the reasons of those above the number of workers. */
#include "core/file/paths.h"
#include "record/result.h"
#include "tests/support/check.h"
#include "tests/support/quoted.h"

#include <math.h>

static void test_speedups(void **state)
{
	cJSON *json = quoted_json("[ { 'time_per_epoch_s': 2 },"
			    "  { 'time_per_epoch_s': null, 'speedup': 1 },"
			    "  { 'time_per_epoch_s': 3 } ]");
	struct results runs = results_of_json(json);
	const struct result *base = &runs.v[2];

	result_speedup(&runs.v[0], base);
	result_speedup(&runs.v[1], base);
	assert_near(runs.v[0].number[MEASURE_SPEEDUP], 1.5, 0);
	assert_true(isnan(runs.v[1].number[MEASURE_SPEEDUP]));
	result_speedup(&runs.v[0], NULL);
	assert_true(runs.v[0].has[MEASURE_SPEEDUP] && isnan(runs.v[0].number[MEASURE_SPEEDUP]));
	results_release(&runs);
	cJSON_Delete(json);
}

/* Two workers that are three times as fast as the baseline; `settings` of the run, then its. */
static void check_reason(const char *run_settings, const char *base_settings, const char *reason)
{
	cJSON *runs = quoted_json("[ { 'time_per_epoch_s': 1, 'workers': 2, 'algo': 'asgd' },"
				  "  { 'time_per_epoch_s': 1.5, 'workers': 2, 'algo': 'asgd' } ]");
	cJSON *bases = quoted_json("[ { 'time_per_epoch_s': 3, 'workers': 1, 'hash': 'x' } ]");
	struct results r, b;
	char **notes;

	cJSON_AddItemToObject(runs->child, "settings", quoted_json(run_settings));
	cJSON_AddItemToObject(bases->child, "settings", quoted_json(base_settings));
	r = results_of_json(runs);
	b = results_of_json(bases);
	result_speedup(&r.v[0], &b.v[0]);
	result_speedup(&r.v[1], &b.v[0]);
	notes = speedup_notes(&r, &b);
	assert_string_equal(notes[0], reason);
	assert_null(notes[1]);
	path_list_free(notes);
	results_release(&r);
	results_release(&b);
	cJSON_Delete(bases);
	cJSON_Delete(runs);
}

#define ABOVE "Speedup above the number of workers in 1 run (at most 3, asgd with 2 workers): "

static void test_reasons(void **state)
{
	check_reason("{ 'batch': '8' }", "{ 'batch': '4' }",
		     ABOVE "the baseline has batch=4, these runs have not.");
	check_reason("{ 'device': 'h100', 'accumulate': '4' }",
		     "{ 'device': 'h100', 'accumulate': '8' }",
		     ABOVE "the baseline has accumulate=8, these runs have not.");
	check_reason("{ 'slow': '0:2+1:0.5' }", "{ 'slow': 'none' }",
		     ABOVE "slow=0:2+1:0.5 makes a worker faster than the baseline's.");
	check_reason("{ 'delay': 'exponential', 'slow': '0:2' }", "{ 'delay': 'exponential' }",
		     ABOVE "compute times vary by delay=exponential, and the baseline's one "
			   "worker is slower than these workers on average.");
	check_reason("{ 'delay': 'constant', 'engine': 'mpi' }",
		     "{ 'delay': 'constant', 'engine': 'mpi' }",
		     ABOVE "real ranks were timed in several runs, between which caches, clock "
			   "rates and other load differ.");
	check_reason("{}", "{}", ABOVE "no reason known, check the baseline.");
}

RUN_ALL(test_speedups, test_reasons)
