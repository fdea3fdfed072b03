/* What a run takes, by hand, from those before it that differ least. */
#include "runner/estimate/estimate.h"
#include "tests/support/check.h"

#include <math.h>

/* A run of batches of 32, but for what is said over it. */
static void resolve(struct setup *su, const char *over)
{
	cJSON *base = cJSON_Parse("{\"net\": \"mlp\", \"data\": \"shapes\", \"workers\": 4,"
				  " \"algo\": \"asgd\", \"batch\": 32}");
	cJSON *set = cJSON_Parse(over);

	setup_init(su);
	assert_int_equal(settings_apply(&su->in, base, "test"), 0);
	assert_int_equal(settings_apply(&su->in, set, "test"), 0);
	assert_int_equal(setup_resolve(su), 0);
	cJSON_Delete(base);
	cJSON_Delete(set);
}

/* Of 100 gradients. */
static void made(struct previous *past, const char *over, double wall_s, int threads)
{
	struct run_cost c = { .wall_s = wall_s, .gradients = 100, .threads = threads };
	cJSON *texts = cJSON_CreateObject();
	struct setup su;

	resolve(&su, over);
	c.macs = su.model.macs;
	for (size_t i = 0; i < su.ncanonical; i++)
		cJSON_AddStringToObject(texts, su.canonical[i].key, su.canonical[i].value);
	previous_add(past, texts, &c);
	setup_release(&su);
	cJSON_Delete(texts);
}

static double takes(struct previous *past, const char *over, int threads, double samples)
{
	struct setup su;
	double seconds;

	resolve(&su, over);
	seconds = previous_seconds(past, &su, threads, samples);
	setup_release(&su);
	return seconds;
}

/* 40 s for 2 x 3200 samples; what differs is not among them. */
static void runs_alike_count_together(void **state)
{
	struct previous past = { 0 };

	made(&past, "{}", 10, 2);
	made(&past, "{\"algo\": \"allreduce\"}", 1000, 2);
	made(&past, "{\"workers\": 8}", 1000, 2);
	made(&past, "{\"data\": \"shapes:seed=2\"}", 1000, 2);
	made(&past, "{\"batch\": 64}", 1000, 2);
	made(&past, "{}", 1000, 1);
	made(&past, "{\"seed\": 2}", 30, 2);
	assert_near(takes(&past, "{\"seed\": 3}", 2, 640), 4.0, 1e-12);
	assert_int_equal(previous_used(&past), 2);
	previous_release(&past);
}

/* Data before batch, batch before threads, threads before algorithm, algorithm before workers. */
static void what_matters_more_is_the_same(void **state)
{
	struct previous past = { 0 };

	made(&past, "{\"workers\": 8}", 32, 2);
	assert_near(takes(&past, "{}", 2, 100), 1.0, 1e-12);
	made(&past, "{\"algo\": \"allreduce\"}", 320, 2);
	assert_near(takes(&past, "{\"workers\": 2}", 2, 100), 1.0, 1e-12);
	made(&past, "{\"algo\": \"allreduce\"}", 64, 1);
	assert_near(takes(&past, "{}", 1, 100), 2.0, 1e-12);
	made(&past, "{\"batch\": 16}", 48, 1);
	assert_near(takes(&past, "{\"batch\": 16}", 2, 100), 3.0, 1e-12);
	made(&past, "{\"batch\": 16, \"data\": \"shapes:seed=2\"}", 64, 2);
	assert_near(takes(&past, "{\"data\": \"shapes:seed=2\"}", 2, 100), 4.0, 1e-12);
	assert_int_equal(previous_used(&past), 4);
	previous_release(&past);
}

/* 64 is half of 128, and nearly three times 22; half of it is as near as twice of it. */
static void numbers_differ_by_their_ratio(void **state)
{
	struct previous past = { 0 };

	made(&past, "{\"batch\": 22}", 22, 1);
	made(&past, "{\"batch\": 128}", 256, 1);
	assert_near(takes(&past, "{\"batch\": 64}", 1, 100), 2.0, 1e-12);
	assert_int_equal(previous_used(&past), 1);
	made(&past, "{\"batch\": 32}", 64, 1);
	made(&past, "{\"batch\": 32}", 128, 1);
	assert_near(takes(&past, "{\"batch\": 64}", 1, 192), 192 * 448.0 / 19200, 1e-12);
	assert_int_equal(previous_used(&past), 3);
	previous_release(&past);
}

/* A clock alone costs the same for a gradient, whatever the batch. */
static void clocks_count_gradients(void **state)
{
	struct previous past = { 0 };

	made(&past, "{\"timing\": true, \"samples\": 640}", 1, 1);
	assert_near(takes(&past, "{\"timing\": true, \"samples\": 640, \"batch\": 64}", 1, 640),
		    0.1, 1e-12);
	assert_true(isnan(takes(&past, "{}", 1, 640)));
	previous_release(&past);
}

/* A gradient of 4 minibatches has the samples of all four. */
static void all_minibatches_of_a_gradient_count(void **state)
{
	struct previous past = { 0 };

	made(&past, "{\"accumulate\": 4}", 128, 1);
	assert_near(takes(&past, "{\"seed\": 2, \"accumulate\": 4}", 1, 12800), 128.0, 1e-12);
	made(&past, "{\"algo\": \"allreduce\"}", 64, 1);
	assert_near(takes(&past, "{}", 1, 100), 2.0, 1e-12);
	previous_release(&past);
}

/* Another net, or one of the same name over larger images, costs something else. */
static void other_kinds_say_nothing(void **state)
{
	struct previous past = { 0 };

	assert_true(isnan(takes(&past, "{}", 1, 100)));
	made(&past, "{\"net\": \"lenet\"}", 1, 1);
	made(&past, "{\"data\": \"mnist\"}", 1, 1);
	assert_true(isnan(takes(&past, "{}", 1, 100)));
	assert_int_equal(previous_used(&past), 0);
	previous_release(&past);
}

RUN_ALL(runs_alike_count_together, what_matters_more_is_the_same, numbers_differ_by_their_ratio,
	clocks_count_gradients, all_minibatches_of_a_gradient_count, other_kinds_say_nothing)
