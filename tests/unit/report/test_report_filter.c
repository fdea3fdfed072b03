/* Filters: numbers in jq 1.6 and 1.7, programs of several filters, and what verdicts rest on. */
#include "report/filter/filter.h"

#include "core/base/mem.h"
#include "core/file/members.h"
#include "tests/support/check.h"

#include <stdlib.h>
#include <string.h>

/* {"outputs":[...]} or {"error":"..."}; releases the answer. The caller frees. */
static char *answer_text(struct filter_answer a)
{
	cJSON *json = OBJECT(j_if(a.outputs, j_json("outputs", a.outputs)),
			     j_if(a.error, j_text("error", a.error)));
	char *text = cJSON_PrintUnformatted(json);

	free(a.error);
	cJSON_Delete(json);
	return text;
}

static void assert_outputs(const char *filter, const char *json, const char *expected)
{
	struct filter_input *input = filter_input_new(json);
	char *text = answer_text(filter_run(filter, input, FILTER_SHOW));

	assert_string_equal(text, expected);
	free(text);
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
	struct filter_answer answer = filter_run(".", input, FILTER_SHOW);

	assert_non_null(answer.error);
	filter_answer_release(&answer);
	filter_input_free(input);
}

static void test_checked_together(void **state)
{
	const char *good[] = { ".a", "mean_of(.b)", "def f: 2; f", "\"(\" | length",
			       ".a # one" };
	const char *unknown[] = { ".a", "nowhere(.)" };
	const char *halves[] = { ".a) | (.b" };
	const char *quotes[] = { "\"", "\"" };

	assert_true(filter_check_all(0, NULL, false));
	assert_true(filter_check_all(4, good, false));
	assert_true(filter_check_all(3, good, true));
	assert_false(filter_check_all(2, unknown, true));
	assert_false(filter_check_all(5, good, false)); /* it must be asked alone, and compiles */
	assert_null(filter_check(good[4]));
	assert_false(filter_check_all(2, unknown, false));
	assert_false(filter_check_all(1, halves, false));
	assert_false(filter_check_all(2, quotes, false));
}

/* Compiled together or, where brackets of one might be those of another, each alone: alike. */
static void test_run_together(void **state)
{
	static const char *const plain[] = {
		".a", "error(\"no\")", ".a, .b | path(.)", "[$ENV, env] == [{}, {}]", "\"(\"",
		"\"\\(\")\" | length) \\\"\"", "[\"\\\\\", \"]\"]", "{a: \"}\"}",
	};
	/* What they are not alone they would be as halves of a program of both. */
	static const char *const hostile[][2] = {
		{ "\"(\" | true) elif $_k == 1 then ( \")\" | true", "false" },
		{ "\"(\" | true) elif .k == 1 then .v | ( \")\" | true", "false" },
		{ "true # )", "false" },
		{ "true # \\", ") elif $_k == 1 then (true" },
		{ "true) elif $_k == 1 then (true # \"", "false # \"" },
		{ "[(])", "false" },
		{ "\"\\(true) elif $_k == 1 then (\"\\(true)\"", "false" },
		{ "\"", "\" | true" },
		{ "def false: true; .", "false" },
	};
	struct filter_input *input = filter_input_new("{\"a\": 1, \"b\": [2]}");

	setenv("CONVOY_SECRET", "s", 1);
	for (size_t i = 0; i < 1 + sizeof(hostile) / sizeof(hostile[0]); i++) {
		const char *const *filters = i ? hostile[i - 1] : plain;
		const size_t n = i ? 2 : sizeof(plain) / sizeof(plain[0]);
		struct filter_set *set = filter_set_new(n, filters);

		for (size_t k = 0; k < n; k++) {
			char *expected = answer_text(filter_run(filters[k], input, FILTER_SHOW));
			char *text = answer_text(filter_set_run(set, k, input, FILTER_SHOW));

			assert_string_equal(text, expected);
			assert_true(i || k != 3 || !strcmp(text, "{\"outputs\":[true]}"));
			free(expected);
			free(text);
		}
		assert_true(!i == filter_check_all(n, filters, false) || i == 9);
		filter_set_free(set);
	}
	filter_input_free(input);
}

/* jq's own functions on nothing, null and ties: as they are, and where a verdict rests on them. */
static void test_judged(void **state)
{
	static const struct {
		const char *filter, *shown, *judged, *turned;
	} cases[] = {
		{ ".none < 5", "true", NULL, NULL },
		{ "5 >= ([] | add)", "true", NULL, NULL },
		{ "[] | all(.[]; . > 1)", "true", NULL, NULL },
		{ "[] | all", "true", NULL, NULL },
		{ "any(empty; .)", "false", NULL, NULL },
		{ "[] | min", "null", NULL, NULL },
		{ ".runs | max_by(.none).x", "3", NULL, NULL },
		{ "[.runs[].none] | add", "null", NULL, NULL },
		{ "[] | mean_of(.x)", "null", NULL, NULL },
		{ ".runs | sort_by(.none) | length", "3", NULL, NULL },
		{ ".runs | min_by(.t).x", "1", "1", "2" },
		{ ".runs | max_by(.x).x", "3", "3", "3" },
		{ ".runs | sort_by(.t) | map(.x)", "[1,2,3]", "[1,2,3]", "[2,1,3]" },
		{ ".runs | unique_by(.t) | map(.x)", "[1,3]", "[1,3]", "[2,3]" },
		{ "[1, 2] | all(. > 0) and any(. > 1) and min < max", "true", "true", "true" },
		{ "(1, 2) < (2, 3)", "true,false,true,true", "true,false,true,true",
		  "true,false,true,true" },
		{ ".none == null", "true", "true", "true" },
	};
	struct filter_input *input =
		filter_input_new("{\"runs\": [{\"x\": 1, \"t\": 5}, {\"x\": 2, \"t\": 5},"
				 " {\"x\": 3, \"t\": 7}]}");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (int mode = FILTER_SHOW; mode <= FILTER_TURN; mode++) {
			const char *const wanted = mode == FILTER_SHOW  ? cases[i].shown :
						   mode == FILTER_JUDGE ? cases[i].judged :
									  cases[i].turned;
			char *expected = wanted ? xasprintf("{\"outputs\":[%s]}", wanted) : NULL;
			char *text = answer_text(filter_run(cases[i].filter, input,
							    (enum filter_mode)mode));

			if (expected ? strcmp(text, expected) != 0
				     : !strstr(text, "no run has") && !strstr(text, "no runs"))
				fail_msg("%s, mode %d: %s", cases[i].filter, mode, text);
			free(expected);
			free(text);
		}
	filter_input_free(input);
}

RUN_ALL(test_numbers_print_as_doubles, test_numbers_compare_as_doubles, test_what_is_no_json,
	test_checked_together, test_run_together, test_judged)
