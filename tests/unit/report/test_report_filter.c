/* Filters answer alike with jq 1.6, and with 1.7, which keeps the text of numbers. */
#include "report/filter/filter.h"
#include "tests/support/check.h"

#include <stdlib.h>
#include <string.h>

static void assert_outputs(const char *filter, const char *json, const char *expected)
{
	struct filter_input *input = filter_input_new(json);
	cJSON *answer = filter_run(filter, input);
	char *text = cJSON_PrintUnformatted(answer);

	assert_string_equal(text, expected);
	free(text);
	cJSON_Delete(answer);
	filter_input_free(input);
}

static void test_numbers_print_as_doubles(void **state)
{
	assert_outputs("tostring", "10000000.000", "{\"outputs\":[\"10000000\"]}");
	assert_outputs("tostring", "[0.00001, {\"x\": 1e20}]",
		       "{\"outputs\":[\"[1e-05,{\\\"x\\\":1e+20}]\"]}");
}

static void test_numbers_compare_as_doubles(void **state)
{
	assert_outputs(".[0] == .[1]", "[0.1, 0.10000000000000000001]", "{\"outputs\":[true]}");
	assert_outputs(".x.y[0] == 100000000000000000000",
		       "{\"x\": {\"y\": [100000000000000000001]}}", "{\"outputs\":[true]}");
}

static void test_what_is_no_json(void **state)
{
	struct filter_input *input = filter_input_new("[1,");
	cJSON *answer = filter_run(".", input);

	assert_non_null(cJSON_GetObjectItem(answer, "error"));
	cJSON_Delete(answer);
	filter_input_free(input);
}

static void test_checked_together(void **state)
{
	const char *good[] = { ".a # one", "mean_of(.b)", "def f: 2; f", "\"(\" | length" };
	const char *unknown[] = { ".a", "nowhere(.)" };
	const char *halves[] = { ".a) | (.b" };
	const char *quotes[] = { "\"", "\"" };

	assert_true(filter_check_all(0, NULL));
	assert_true(filter_check_all(3, good));
	assert_false(filter_check_all(4, good));        /* it must be asked alone, and compiles */
	assert_null(filter_check(good[3]));
	assert_false(filter_check_all(2, unknown));
	assert_false(filter_check_all(1, halves));
	assert_false(filter_check_all(2, quotes));
}

/* Compiled together or, where one needs its own brackets, each alone: the same answers. */
static void test_run_together(void **state)
{
	static const char *const filters[] = {
		".a # one", "error(\"no\")", ".a, .b | path(.)", "[$ENV, env] == [{}, {}]", "\"(\"",
	};
	struct filter_input *input = filter_input_new("{\"a\": 1, \"b\": [2]}");

	setenv("CONVOY_SECRET", "s", 1);
	for (size_t n = 4; n <= 5; n++) {
		struct filter_set *set = filter_set_new(n, filters);

		for (size_t k = 0; k < n; k++) {
			cJSON *one = filter_run(filters[k], input);
			cJSON *other = filter_set_run(set, k, input);
			char *expected = cJSON_PrintUnformatted(one);
			char *text = cJSON_PrintUnformatted(other);

			assert_string_equal(text, expected);
			assert_true(k != 3 || !strcmp(text, "{\"outputs\":[true]}"));
			cJSON_Delete(one);
			cJSON_Delete(other);
			free(expected);
			free(text);
		}
		filter_set_free(set);
	}
	filter_input_free(input);
}

RUN_ALL(test_numbers_print_as_doubles, test_numbers_compare_as_doubles, test_what_is_no_json,
	test_checked_together, test_run_together)
