/* Saved answers of advise: read and written again they are equal, and damaged ones are refused. */
#include "core/base/context.h"
#include "core/file/json.h"
#include "record/environ.h"
#include "study/advise/answer.h"
#include "tests/support/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define BASIS \
	"\"settings\":{\"workers\":4,\"delay\":\"constant\"},\"assumed\":{\"link\":\"neutral\"}," \
	"\"seed\":1"
#define RANKED \
	"\"step_s\":0.1,\"epoch_s\":null,\"bytes\":8,\"progress\":1,\"progress_low\":0.5," \
	"\"progress_high\":2,\"progress_from\":\"kept\",\"progress_source\":\"s\"," \
	"\"progress_capped\":true,\"progress_far\":false,\"same_loss_s\":0.1," \
	"\"same_loss_s_low\":0.05,\"same_loss_s_high\":0.2,\"p_first\":0.75"
#define ROW(x) \
	"{\"x\":" x ",\"first_s\":{\"median\":1,\"low\":0.5,\"high\":2},\"second_s\":{\"median\":" \
	"null,\"low\":null,\"high\":null},\"p_second_faster\":null,\"slow_periods\":null," \
	"\"failures\":3,\"checkpoints\":null"

static const char among[] =
	"{\"among\":[\"a\",\"b\"],\"answer\":\"a is the first.\",\"doubt\":\"P = 1\","
	"\"ranking\":[{\"algorithm\":\"a\"," RANKED "}],"
	"\"left_out\":[{\"algorithm\":\"b\",\"why\":\"no\"}],"
	"\"options\":[\"a: x\"],\"gaps\":[],\"draws\":8,"
	"\"progress_level\":0.95,\"same_loss_level\":0.9,"
	"\"points\":[{\"slow\":1,\"first\":\"a\",\"ranking\":[]},{\"slow\":2,\"first\":null,"
	"\"ranking\":[{\"algorithm\":\"b\"," RANKED "}]}],"
	"\"changes\":[{\"below\":1,\"above\":2,\"from\":\"a\",\"to\":\"b\","
	"\"from_is_unranked_above\":false,\"to_is_unranked_below\":true}],"
	"\"command\":\"convoy\",\"given\":{\"workers\":\"4\"},"
	"\"version\":\"%s\",\"commit\":\"%s\"," BASIS "}";

static const char between[] =
	"{\"vary\":\"slow\",\"unit\":\"\",\"between\":[\"a\",\"b\"],\"draws\":2,"
	"\"draws_with_break_even\":1,\"level\":0.9,"
	"\"break_even\":{\"median\":1.5,\"low\":\"below\",\"high\":\"above\"},"
	"\"second_faster\":\"above\",\"progress\":[1,0.5],"
	"\"measured_progress\":{\"net\":\"lenet\",\"runs\":6,\"error\":0.1,"
	"\"points\":[{\"x\":1,\"progress\":0.5}]},"
	"\"switches\":[{\"algorithm\":\"a\",\"library\":\"NCCL\",\"from\":\"ring\","
	"\"to\":\"tree\",\"below\":1,\"above\":2,\"step_s_below\":0.5,"
	"\"step_s_above\":0.25,\"at_break_even\":true}],"
	"\"finer\":[" ROW("1.5") "}],"
	"\"points\":[" ROW("1") "}," ROW("2") ",\"no_data\":\"why\"}],"
	"\"sensitivity\":[{\"value\":\"compute_s\",\"low\":1,\"high\":2,"
	"\"break_even_at_low\":\"below\",\"break_even_at_high\":2,\"share\":0.5}],"
	"\"rest\":0.5,\"version\":\"%s\",\"commit\":\"%s\","
	"\"given\":{\"workers\":\"4\"}," BASIS ","
	"\"uncertain\":[{\"value\":\"compute_s\",\"mean\":1,\"deviation\":0.1}],"
	"\"model_error\":null}";

/* The format has the version and the commit, which are those of the program that writes. */
static char *filled(const char *format)
{
	static char text[4096];

	snprintf(text, sizeof(text), format, environ_version, environ_commit);
	return text;
}

static void check_written_again(const char *format)
{
	const char *text = filled(format);
	cJSON *json = json_parse(text, "saved"), *again;
	struct answer answer;
	char *out;

	assert_non_null(json);
	assert_true(answer_is(json));
	assert_int_equal(answer_read(&answer, json, "saved"), 0);
	again = answer_json(&answer);
	out = json_format(again, false);
	assert_string_equal(out, text);
	free(out);
	cJSON_Delete(again);
	cJSON_Delete(json);
	answer_release(&answer);
}

static void test_saved_answers_are_written_as_they_were(void **state)
{
	(void)state;
	check_written_again(among);
	check_written_again(between);
}

static void test_values_are_typed(void **state)
{
	cJSON *json = json_parse(filled(between), "saved");
	struct answer answer;

	(void)state;
	assert_int_equal(answer_read(&answer, json, "saved"), 0);
	assert_int_equal(answer.kind, ANSWER_BETWEEN);
	assert_string_equal(answer.vary[0], "slow");
	assert_true(answer.between.crosses && isinf(answer.between.even.lo));
	assert_int_equal(answer.between.direction, 1);
	assert_int_equal(answer.between.rows.n, 2);
	assert_string_equal(point_text(&answer.given, "workers"), "4");
	assert_string_equal(point_text(&answer.assumed, "link"), "neutral");
	answer_release(&answer);
	cJSON_Delete(json);
}

/* Settings of another version are left out; without a ranking, or points, there is no page. */
static void test_damaged_answers_are_refused(void **state)
{
	static const char *const bad[] = {
		"{\"among\":[\"a\"],\"ranking\":[]}",
		"{\"among\":[\"a\"],\"ranking\":{\"a\":1}}",
		"{\"between\":[\"a\"],\"points\":[{\"x\":1},{\"x\":2}]}",
		"{\"between\":[\"a\",\"b\"],\"points\":[{\"x\":1},{\"x\":\"y\"}]}",
		"{\"neither\":1}",
	};
	struct answer answer;
	cJSON *json;

	(void)state;
	context_mute();
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		json = json_parse(bad[i], "saved");
		assert_int_equal(answer_read(&answer, json, "saved"), -1);
		answer_release(&answer);
		cJSON_Delete(json);
	}
	context_unmute();
	json = json_parse("{\"among\":[],\"ranking\":[1],\"given\":{\"bogus\":1,\"seed\":2}}", "f");
	assert_int_equal(answer_read(&answer, json, "f"), 0);
	assert_int_equal(answer.given.n, 1);
	answer_release(&answer);
	cJSON_Delete(json);
}

RUN_ALL(test_saved_answers_are_written_as_they_were, test_values_are_typed,
	test_damaged_answers_are_refused)
