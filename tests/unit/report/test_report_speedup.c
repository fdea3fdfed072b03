/* Speedups against a baseline, and the reasons of those above the number of workers. */
#include "record/measure.h"

#include "report/table/table.h"
#include "tests/support/check.h"
#include "tests/support/quoted.h"

static void test_speedups(void **state)
{
	cJSON *runs = quoted_json("[ { 'time_per_epoch_s': 2 },"
			    "  { 'time_per_epoch_s': null, 'speedup': 1 } ]");
	cJSON *base = quoted_json("{ 'time_per_epoch_s': 3 }");

	result_speedup(cJSON_GetArrayItem(runs, 0), base);
	result_speedup(cJSON_GetArrayItem(runs, 1), base);
	assert_near(table_number(cJSON_GetArrayItem(runs, 0), "speedup"), 1.5, 0);
	assert_true(cJSON_IsNull(cJSON_GetObjectItem(cJSON_GetArrayItem(runs, 1), "speedup")));
	result_speedup(cJSON_GetArrayItem(runs, 0), NULL);
	assert_true(cJSON_IsNull(cJSON_GetObjectItem(cJSON_GetArrayItem(runs, 0), "speedup")));
	cJSON_Delete(runs);
	cJSON_Delete(base);
}

/* Two workers that are three times as fast as the baseline; `settings` of the run, then its. */
static void check_reason(const char *run_settings, const char *base_settings, const char *reason)
{
	cJSON *runs = quoted_json("[ { 'time_per_epoch_s': 1, 'workers': 2, 'algo': 'asgd' },"
				  "  { 'time_per_epoch_s': 1.5, 'workers': 2, 'algo': 'asgd' } ]");
	cJSON *bases = quoted_json("[ { 'time_per_epoch_s': 3, 'workers': 1, 'hash': 'x' } ]");
	cJSON *notes;

	cJSON_AddItemToObject(runs->child, "settings", quoted_json(run_settings));
	cJSON_AddItemToObject(bases->child, "settings", quoted_json(base_settings));
	result_speedup(runs->child, bases->child);
	result_speedup(runs->child->next, bases->child);
	notes = speedup_notes(runs, bases);
	assert_int_equal(cJSON_GetArraySize(notes), 1);
	assert_string_equal(notes->child->valuestring, reason);
	cJSON_Delete(notes);
	cJSON_Delete(bases);
	cJSON_Delete(runs);
}

#define ABOVE "Speedup above the number of workers in 1 run (at most 3, asgd with 2 workers): "

static void test_reasons(void **state)
{
	check_reason("{ 'batch': '8' }", "{ 'batch': '4' }",
		     ABOVE "the baseline has batch=4, these runs have not.");
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
