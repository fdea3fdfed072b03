/* Hashes of training: settings that change times alone leave them as they are, others do not. */
#include "core/file/json.h"
#include "plan/plan.h"
#include "tests/support/check.h"

#include <string.h>

static uint64_t training(const char *key, const char *value)
{
	cJSON *set = cJSON_Parse("{\"net\": \"logistic\", \"algo\": \"asgd\", \"workers\": 4,"
				 " \"epochs\": 1}");
	struct setup su;
	uint64_t h;

	if (key) {
		cJSON_DeleteItemFromObject(set, key);
		cJSON_AddStringToObject(set, key, value);
	}
	setup_init(&su);
	assert_int_equal(settings_apply(&su.in, set, "test"), 0);
	assert_int_equal(setup_resolve(&su), 0);
	h = setup_training(&su);
	setup_release(&su);
	cJSON_Delete(set);
	return h;
}

static const char *const times[][2] = {
	{ "compute_s", "0.5" }, { "update_s", "0.1" }, { "host_copy_s", "0.1" },
	{ "shards", "2" }, { "overlap", "false" }, { "delay", "gamma:cv=0.2" }, { "slow", "0:2" },
	{ "time_from", "8" },
	{ "storage", "shared:samples_per_s=1000" },
};

static void times_do_not_matter(void **state)
{
	const uint64_t h = training(NULL, NULL);

	assert_true(h != 0);
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		assert_true(setting_facts(opt_find(settings_opts, times[i][0]))->times_only);
		assert_true(training(times[i][0], times[i][1]) == h);
	}
}

static void all_else_does(void **state)
{
	static const char *const others[][2] = {
		{ "batch", "16" }, { "seed", "2" }, { "lr", "0.2" }, { "workers", "5" },
		{ "epochs", "2" }, { "optim", "sgd:momentum=0.5" }, { "algo", "dc-asgd" },
		{ "codec", "qsgd" }, { "schedule", "cosine" }, { "warmup", "1" },
		{ "eval_every", "0.5" }, { "measures", "all" }, { "train_every", "0.5" },
		{ "net", "quadratic" }, { "gradients", "7" }, { "eval_samples", "3" },
	};
	const uint64_t h = training(NULL, NULL);

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_true(training(others[i][0], others[i][1]) != h);
}

/* Runs that learn by the clock, or not at all, or whose result has more than what is taken over. */
static void some_have_none(void **state)
{
	static const char *const none[][2] = {
		{ "timing", "true" }, { "seconds", "3" }, { "faults", "1:leave@1-2" },
		{ "algo", "async-local-sgd" }, { "algo", "hogwild" }, { "keep_model", "true" },
	};

	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		assert_true(training(none[i][0], none[i][1]) == 0);
}

RUN_ALL(times_do_not_matter, all_else_does, some_have_none)
