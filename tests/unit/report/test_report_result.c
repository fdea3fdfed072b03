/* Results in memory: a run object is read and written as it was, and its members are found. */
#include "core/file/json.h"
#include "record/result.h"
#include "tests/support/check.h"
#include "tests/support/files.h"
#include "tests/support/played.h"
#include "tests/support/quoted.h"

#include <math.h>
#include <stdlib.h>

static void is_written_as_it_was(const cJSON *run)
{
	char *before = json_format(run, false), *after;
	struct result r;
	cJSON *again;

	result_of_json(&r, run);
	again = result_json(&r, RESULT_ALL);
	after = json_format(again, false);
	assert_string_equal(before, after);
	free(before);
	free(after);
	cJSON_Delete(again);
	result_release(&r);
}

static void test_round_trip(void **state)
{
	char *dir;
	cJSON *run = play_and_read(&played_run, &played_result, &dir);
	cJSON *some = quoted_json(
		"{ 'hash': null, 'algo': 'asgd', 'workers': 4, 'time_s': 2.5, 'test_loss': null,"
		"  'settings': { 'net': 'a' }, 'eval': { 'epoch': [1, null], 'wall_s': [3] },"
		"  'wall_s': 5, 'point': { 'lr': 0.1, 'algo': 'asgd', 'timing': true },"
		"  'tuned': { 'lr': 0.1 }, 'tuned_by': 'x', 'is_baseline': true }");

	is_written_as_it_was(run);
	is_written_as_it_was(some);
	cJSON_Delete(run);
	cJSON_Delete(some);
	folder_remove(dir);
}

/* The grid's text comes before the canonical one, a setting before a member of the run. */
static void test_by_key(void **state)
{
	cJSON *run = quoted_json(
		"{ 'algo': 'asgd', 'batch': 32, 'time_s': 2.5, 'settings': { 'batch': '032',"
		"  'lr': '0.10', 'slow': '0:4', 'mfu': '0.4' },"
		"  'point': { 'lr': 0.1 },"
		"  'eval': { 'time_s': [1, 2], 'test_accuracy': [0.5, 0.9] } }");
	char space[32];
	struct result r;

	result_of_json(&r, run);
	assert_string_equal(result_text(&r, "lr", space), "0.1");
	assert_string_equal(result_text(&r, "batch", space), "032");
	assert_string_equal(result_text(&r, "algo", space), "asgd");
	assert_string_equal(result_text(&r, "time-s", space), "2.5");
	assert_null(result_text(&r, "seed", space));
	assert_near(result_number(&r, "batch"), 32, 0);
	assert_near(result_number(&r, "lr"), 0.1, 0);
	assert_near(result_number(&r, "slow_factor"), 4, 0);
	assert_near(result_number(&r, "time_to:test_accuracy>=0.8"), 2, 0);
	assert_true(isnan(result_number(&r, "algo")));
	assert_true(isnan(result_number(&r, "mfu")));   /* the setting is no measure */
	assert_true(isnan(result_number(&r, "test_loss")));
	result_say(&r, RESULT_STATUS, "diverged");
	assert_true(result_number(&r, "test_loss") >= HUGE_VAL);
	assert_true(result_number(&r, "test_accuracy") <= -HUGE_VAL);
	assert_near(result_last(&r, RESULT_EVAL, "time_s"), 2, 0);
	result_release(&r);
	cJSON_Delete(run);
}

RUN_ALL(test_round_trip, test_by_key)
