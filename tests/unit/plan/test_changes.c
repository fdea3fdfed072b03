/* Hashes of runs that mean what they did stay; those of others are new, and the former is known. */
#include "core/base/mem.h"
#include "core/file/json.h"
#include "plan/plan.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"
#include "tests/support/files.h"
#include "tests/support/played.h"

#include <stdlib.h>
#include <string.h>

static void resolve(struct setup *su, const char *text)
{
	cJSON *set = cJSON_Parse(text);

	assert_non_null(set);
	setup_init(su);
	assert_int_equal(settings_apply(&su->in, set, "test"), 0);
	assert_int_equal(setup_resolve(su), 0);
	cJSON_Delete(set);
}

/* `hash` is what earlier versions of the program gave. */
static void check(const char *text, const char *hash, const char *meant)
{
	struct setup su;

	resolve(&su, text);
	assert_string_equal(su.former, hash);
	if (meant) {
		assert_string_not_equal(su.hash, hash);
		assert_non_null(setup_former(&su));
		assert_non_null(strstr(setup_former(&su), meant));
	} else {
		assert_string_equal(su.hash, hash);
		assert_null(setup_former(&su));
	}
	setup_release(&su);
}

static void schedules(void **state)
{
	check("{\"net\": \"quadratic\"}", "2781f95862a88480", NULL);
	check("{\"net\": \"quadratic\", \"schedule\": \"cosine\"}", "d6df27fcd073916d",
	      "a step ahead");
	check("{\"net\": \"quadratic\", \"warmup\": 1}", "97361778df65aa7b", "a step ahead");
}

static void shuffles(void **state)
{
	check("{\"net\": \"logistic\"}", "5af38565c49c5bfc", "order");
	check("{\"net\": \"logistic:samples=8192\"}", "82ec672a4cfa49f6", NULL);
	check("{\"net\": \"lenet\", \"data\": \"shapes\"}", "6aadbf3f4cec6f8e", NULL);
	check("{\"net\": \"lenet\", \"data\": \"shapes:train=2000\"}", "352e5430e27fd483", "order");
	check("{\"net\": \"lenet\", \"data\": \"shapes:train=2000\", \"timing\": true,"
	      " \"gradients\": 100}", "1ebef4053c9517c6", NULL);
	check("{\"net\": \"quadratic\", \"algo\": \"noloco\", \"workers\": 16}", "8dec4a5d3bfdb50e",
	      "pairs");
	check("{\"net\": \"quadratic\", \"algo\": \"noloco\", \"workers\": 2}", "03efab1b55f9f0e9",
	      NULL);
}

static void decays(void **state)
{
	check("{\"net\": \"squeezenet\"}", "7471cac6d9afdad6", "decay");
	check("{\"net\": \"squeezenet\", \"optim\": \"sgd:weight_decay=0\"}", "64c2188b8f4e3395",
	      NULL);
	check("{\"net\": \"squeezenet\", \"optim\": \"lars\"}", "886e24cd9ab4590c", NULL);
}

static void credits(void **state)
{
#define SENT "{\"net\": \"bytes:1e8,layers=1\", \"timing\": true, \"compute_s\": 1, " \
	     "\"gradients\": 4, \"algo\": \"allreduce\", \"workers\": 4, \"link\": \"nic:"
	check(SENT "shaped_GBps=0.1\"}", "cbb6bba673e0d33c", NULL);
	check(SENT "shaped_GBps=0.1,burst_bytes=1e6\"}", "12d67fadf839b1fd", "token buckets");
	check(SENT "slow_start_bytes=14600\"}", "e33ecdf7c4b73c46", "connections");
#undef SENT
}

/* Checkpoints have names of their own for both. */
static void lineages(void **state)
{
	struct setup su;
	char now[17], then[17];

	resolve(&su, "{\"net\": \"quadratic\", \"warmup\": 1}");
	setup_lineage(&su, false, now);
	setup_lineage(&su, true, then);
	assert_string_not_equal(now, then);
	setup_release(&su);
	resolve(&su, "{\"net\": \"quadratic\"}");
	setup_lineage(&su, false, now);
	setup_lineage(&su, true, then);
	assert_string_equal(now, then);
	setup_release(&su);
}

/* Writes a finished result of that hash. */
static void record(const char *path, const char *hash)
{
	struct record_info info = played_info;
	struct recorder *r;

	info.hash = hash;
	r = recorder_open(path, &info, &played_run);
	assert_non_null(r);
	assert_int_equal(recorder_close(r, &played_result), 0);
}

/* Next to the new name, or under the same one, a result of the former hash is found and named. */
static void former_results_are_named(void **state)
{
	char *folder = folder_new(), *path, *former, *found;
	struct setup su;

	resolve(&su, "{\"net\": \"quadratic\", \"schedule\": \"cosine\"}");
	path = xasprintf("%s/%s.h5", folder, su.hash);
	former = xasprintf("%s/%s.h5", folder, su.former);
	assert_null(plan_former_result(&su, path));
	record(former, su.former);
	found = plan_former_result(&su, path);
	assert_string_equal(found, former);
	assert_false(result_finished(path, su.hash));
	capture_start();
	plan_warn_of_former(&su, path);
	capture_stop();
	assert_said("learning rates that were a step ahead of their schedule");
	assert_said(former);
	free(found);
	free(path);
	path = xasprintf("%s/mine.h5", folder);
	record(path, su.former);
	found = plan_former_result(&su, path);
	assert_string_equal(found, path);
	free(found);
	free(former);
	free(path);
	setup_release(&su);
	folder_remove(folder);
}

RUN_ALL(schedules, shuffles, decays, credits, lineages, former_results_are_named)
