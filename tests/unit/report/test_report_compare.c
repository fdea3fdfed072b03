/* Comparisons of two results: pairs, differences, and Student's and Welch's numbers by hand. */
#include "core/file/json.h"
#include "core/math/statistics.h"
#include "report/compare/compare.h"
#include "report/table/table.h"
#include "tests/support/check.h"
#include "tests/support/quoted.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Quantiles as tables of Student's distribution have them. */
static void test_student(void **state)
{
	static const struct {
		double p, df, t;
	} cases[] = {
		{ 0.975, 1, 12.706205 },  { 0.975, 2, 4.302653 }, { 0.975, 4, 2.776445 },
		{ 0.975, 10, 2.228139 },  { 0.95, 5, 2.015048 },  { 0.025, 30, -2.042272 },
		{ 0.5, 3, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_near(student_quantile(cases[i].p, cases[i].df), cases[i].t, 1e-5);
	assert_near(student_cdf(1, 1), 0.75, 1e-12);            /* arctan */
	assert_near(student_cdf(-1, 1), 0.25, 1e-12);
}

/* 1 2 3 and 4 5 6: 3 -+ t(4) sqrt(1/3 + 1/3). */
static void test_welch(void **state)
{
	const struct spread a = { .mean = 2, .dev = 1, .n = 3 };
	const struct spread b = { .mean = 5, .dev = 1, .n = 3 };
	const struct spread one = { .mean = 5, .dev = (double)NAN, .n = 1 };
	const struct spread fixed = { .mean = 2, .dev = 0, .n = 3 };
	struct interval i = welch_interval(&a, &b, 0.05);

	assert_near(i.low, 3 - 2.776445 * sqrt(2.0 / 3), 1e-5);
	assert_near(i.high, 3 + 2.776445 * sqrt(2.0 / 3), 1e-5);
	assert_true(isnan(welch_interval(&a, &one, 0.05).low));
	assert_near(welch_interval(&fixed, &fixed, 0.05).high, 0, 0);
	i = welch_interval(&fixed, &b, 0.05);                         /* df 2 */
	assert_near(i.high, 3 + 4.302653 * sqrt(1.0 / 3), 1e-5);
}

#define RUN(algo, lr, workers, seed, time) \
	"{ 'settings': { 'algo': '" algo "', 'lr': '" lr "', 'workers': '" workers "', 'seed': '" \
	seed "' }, 'time_s': " time " }"

/* Two lists of run objects, which may be freed after it. */
static struct comparison compared(const cJSON *a, const cJSON *b, const char *const *measures)
{
	struct results ra = results_of_json(a), rb = results_of_json(b);
	struct comparison c = results_compare(&(struct compared){ "a", &ra },
					      &(struct compared){ "b", &rb }, measures);

	results_release(&ra);
	results_release(&rb);
	return c;
}

static cJSON *compared_json(const cJSON *a, const cJSON *b, const char *const *measures)
{
	struct comparison c = compared(a, b, measures);
	cJSON *json = comparison_json(&c);

	compare_release(&c);
	return json;
}

/* Sums of the same times in another order are equal, of one run as of several. */
static void rounding_is_no_difference(void **state)
{
	static const char *const measures[] = { "time_s", NULL };
	cJSON *a = quoted_json("[" RUN("x", "1", "2", "1", "0.3") "," RUN("x", "1", "2", "2", "0.3")
			       "]");
	cJSON *b = quoted_json("[" RUN("x", "3", "2", "1", "0.30000000000000004") ","
			       RUN("x", "3", "2", "2", "0.30000000000000004") "]");
	cJSON *c = compared_json(a, b, measures);
	const cJSON *time = json_get(json_get(c, "pairs")->child, "measures")->child;

	(void)state;
	assert_near(table_number(time, "difference"), 0, 0);
	assert_near(table_number(time, "ratio"), 1, 0);
	assert_true(cJSON_IsFalse(json_get(time, "beyond_seeds")));
	cJSON_Delete(a);
	cJSON_Delete(b);
	cJSON_Delete(c);
}

/* lr differs as a whole, workers tell the runs apart, 8 has no partner. */
static void test_pairs(void **state)
{
	static const char *const measures[] = { "time_s", NULL };
	cJSON *a = quoted_json("[" RUN("x", "1", "2", "1", "1") "," RUN("x", "1", "2", "2", "2") ","
			       RUN("x", "1", "2", "3", "3") "," RUN("x", "1", "4", "1", "7") ","
			       RUN("x", "1", "8", "1", "9") "]");
	cJSON *b = quoted_json("[" RUN("x", "3", "2", "1", "14") "," RUN("x", "3", "2", "2", "15")
			       "," RUN("x", "3", "2", "3", "16") "," RUN("x", "3", "4", "1", "14")
			       "]");
	cJSON *c = compared_json(a, b, measures);
	const cJSON *pairs = json_get(c, "pairs"),
		    *first = json_get(pairs->child, "measures")->child;

	assert_int_equal(cJSON_GetArraySize(json_get(c, "settings")), 1);
	assert_string_equal(json_word(json_get(c, "settings")->child, "setting"), "lr");
	assert_int_equal(cJSON_GetArraySize(pairs), 2);
	assert_string_equal(json_word(pairs->child, "runs"), "workers=2");
	assert_near(table_number(first, "difference"), 13, 1e-12);
	assert_near(table_number(first, "ratio"), 7.5, 1e-12);
	assert_true(json_is_true(first, "beyond_seeds"));
	assert_true(cJSON_IsNull(
		json_get(json_get(pairs->child->next, "measures")->child, "beyond_seeds")));
	assert_string_equal(json_get(c, "only_a")->child->valuestring, "workers=8");
	assert_null(json_get(c, "only_b")->child);
	cJSON_Delete(a);
	cJSON_Delete(b);
	cJSON_Delete(c);
}

#define ENDED(algo, seed, status, time, loss) \
	"{ 'settings': { 'algo': '" algo "', 'seed': '" seed "' }, 'status': '" status "', " \
	"'time_s': " time ", 'train_loss': " loss " }"

/* The comparison of two groups, printed; the caller frees. */
static char *printed(const cJSON *a, const cJSON *b, const char *const *measures,
		     enum table_format format)
{
	struct comparison c = compared(a, b, measures);
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);

	compare_print(&c, format, out);
	fclose(out);
	compare_release(&c);
	return text;
}

/* Runs that diverged are in no mean: their losses are infinite, their times left out. */
static void test_diverged(void **state)
{
	cJSON *a = quoted_json("[" ENDED("x", "1", "done", "1", "1") ","
			       ENDED("x", "2", "done", "1.1", "1.5") "]");
	cJSON *b = quoted_json("[" ENDED("y", "1", "diverged", "9", "null") ","
			       ENDED("y", "2", "done", "9.1", "2") "]");
	cJSON *c = compared_json(a, b, NULL);
	const cJSON *time = json_get(json_get(c, "pairs")->child, "measures")->child;
	char *text = printed(a, b, NULL, TABLE_TEXT);

	assert_string_equal(json_word(time, "measure"), "time_s");
	assert_near(table_number(time, "difference"), 9.1 - 1.05, 1e-12);
	assert_true(cJSON_IsNull(json_get(time, "beyond_seeds")));
	assert_near(table_number(json_get(time, "b"), "diverged"), 1, 0);
	assert_non_null(strstr(text, "9.100 (1 of 2 diverged)"));
	assert_non_null(strstr(text, "∞ (1 of 2 diverged)"));
	assert_non_null(strstr(text, "diverged\n"));
	assert_non_null(strstr(text, "\nLosses of runs that diverged count as infinite"));
	free(text);
	cJSON_Delete(a);
	cJSON_Delete(b);
	cJSON_Delete(c);
}

/* As in a table: keys, all digits, inf; how many reached a target; numbers at the right. */
static void test_formats(void **state)
{
	static const char *const measures[] = { "time_s", "time_to:test_loss<=1", NULL };
	cJSON *a = quoted_json("[" RUN("x", "1", "2", "1", "1") "," RUN("x", "1", "2", "2", "2")
			       "]");
	cJSON *b = quoted_json("[" RUN("y", "1", "2", "1", "1.23456789") "]");
	char *csv, *text, *latex;

	cJSON_AddItemToObject(a->child, "eval", quoted_json("{ 'time_s': [3], 'test_loss': [1] }"));
	cJSON_AddItemToObject(a->child->next, "eval",
			      quoted_json("{ 'time_s': [3], 'test_loss': [2] }"));
	csv = printed(a, b, measures, TABLE_CSV);
	text = printed(a, b, measures, TABLE_TEXT);
	latex = printed(a, b, measures, TABLE_LATEX);
	assert_non_null(strstr(csv, "runs,measure,a_measured,a_deviation,a_n,b_measured,"));
	assert_non_null(strstr(csv, "\n,time_s,1.5,0.7071067811865476,2,1.23456789,,1,-0.265"));
	assert_non_null(strstr(csv, "\n,time_to:test_loss<=1,inf,,2,,,0,,,,,,,\n"));
	assert_non_null(strstr(text, "∞ (1 of 2 runs reached it)"));
	assert_non_null(strstr(latex, "\\begin{tabular}{lrrrrr}\n"));
	free(csv);
	free(text);
	free(latex);
	cJSON_Delete(a);
	cJSON_Delete(b);
}

/* What is left alone on either side is a pair: here x of 4 against y of 4, not those of 1. */
static void test_last_pair(void **state)
{
	cJSON *a = quoted_json("[" RUN("z", "1", "1", "1", "1") ","
			       RUN("x", "1", "4", "1", "2") "]");
	cJSON *b = quoted_json("[" RUN("z", "1", "1", "1", "1") ","
			       RUN("y", "1", "4", "1", "3") "]");
	cJSON *c = compared_json(a, b, NULL);
	const cJSON *last = json_get(c, "pairs")->child->next;

	assert_string_equal(json_word(last, "runs"), "a algo=x, b algo=y");
	assert_near(table_number(json_get(last, "measures")->child, "ratio"), 1.5, 1e-12);
	assert_null(json_get(c, "only_a")->child);
	cJSON_Delete(a);
	cJSON_Delete(b);
	cJSON_Delete(c);
}

RUN_ALL(test_student, test_welch, test_pairs, rounding_is_no_difference, test_diverged,
	test_formats, test_last_pair)
