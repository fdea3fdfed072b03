/* Claims about accuracies on the same test images, and the images in result files. */
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/paths.h"
#include "record/h5.h"
#include "record/record.h"
#include "record/recorder_file.h"
#include "report/claims/claims.h"
#include "report/claims/contrast.h"
#include "report/report.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"
#include "tests/support/files.h"
#include "tests/support/played.h"
#include "tests/support/quoted.h"

#include <stdlib.h>
#include <string.h>

/*
 * Two groups of three nets and 8 images, as in tests/unit/core/test_pairs.c: accuracies 3/4, 3/4,
 * 7/8 and 1/2, 1/2, 5/8. record[i]: the text of run i, or NULL.
 */
static const char *const whole[] = {
	"8 00000000000000ab 3f", "8 00000000000000ab 5f", "8 00000000000000ab 7f",
	"8 00000000000000ab 0f", "8 00000000000000ab 17", "8 00000000000000ab 1f"
};

static cJSON *runs_with(const char *const *record)
{
	static const double accuracy[] = { 0.75, 0.75, 0.875, 0.5, 0.5, 0.625 };
	cJSON *runs = cJSON_CreateArray();

	for (int i = 0; i < 6; i++) {
		char *text = xasprintf("{ 'point': { 'algo': '%s', 'seed': %d }, 'seed': %d,"
				       "  'status': 'done', 'test_accuracy': %.3f,"
				       "  'settings': { 'data': 'shapes:test=8' } }",
				       i < 3 ? "a" : "b", i % 3, i % 3, accuracy[i]);
		cJSON *run = quoted_json(text);

		if (record[i])
			cJSON_AddStringToObject(run, "test_correct", record[i]);
		cJSON_AddItemToArray(runs, run);
		free(text);
	}
	return runs;
}

struct case_of {
	const char *test, *verdict, *images;
	double low, high;
};

static void check_verdict(const struct case_of *c, const char *const *record)
{
	char *text = xasprintf("{ 'claims': [{ 'says': 'x', 'kind': 'ours', %s }] }", c->test);
	cJSON *spec = quoted_json(text), *json = runs_with(record);
	struct results runs = results_of_json(json);
	struct verdicts *all = claims_judge(spec, &runs, NULL, "laptop");
	const struct claim_contrast *compared = all->v[0].contrast;
	char *shown = verdict_interval(&all->v[0]);

	if (!all->v[0].word || strcmp(all->v[0].word, c->verdict) != 0)
		fail_msg("%s: %s, not %s (%s)", c->test, verdict_shown(&all->v[0]), c->verdict,
			 verdict_why(&all->v[0]));
	if (!strstr(shown, c->images))
		fail_msg("'%s' is not in: %s", c->images, shown);
	assert_near(compared->low, c->low, 1e-6);
	assert_near(compared->high, c->high, 1e-6);
	free(shown);
	verdicts_free(all);
	results_release(&runs);
	cJSON_Delete(json);
	cJSON_Delete(spec);
	free(text);
}

#define A "'a': { 'algo': 'a' }"
#define B "'b': { 'algo': 'b' }"
#define SIDES A ", " B
#define BACK "'a': { 'algo': 'b' }, 'b': { 'algo': 'a' }"
#define JQ_A ".runs[] | select(.point.algo == \\'a\\')"

/*
 * In pairs: seeds 1/576 + 1/576 with 4 degrees of freedom, images 1/288 with 7, so 1/144 with
 * 10.1818: 2.2227574 / 12. By the binomial distribution, with p = 19/24 and 13/24 of 8 images:
 * 2.7764451 sqrt(1/288) and 1.9599640 sqrt((p_a (1 - p_a) + p_b (1 - p_b)) / 8) in quadrature.
 */
static const double PAIRS = 0.185229782, BINOMIAL = 0.474525887;
#define IN_PAIRS "test images in pairs"
#define INDEPENDENT "binomial error of the test images"
#define THE_SAME "the published number's test images"

static void test_verdicts(void **state)
{
	/* A number of the same images: 4.3026527 / 24; with an error of 0.05, in quadrature. */
	static const double same = 0.179277197, error = 0.204313388, above = 0.125 / 3;
	const struct case_of cases[] = {
		{ "'beats': { " SIDES " }", "holds", IN_PAIRS, 0.25 - PAIRS, 0.25 + PAIRS },
		{ "'no_worse': { " SIDES ", 'margin': 0 }", "holds", IN_PAIRS, 0.25 - PAIRS,
		  0.25 + PAIRS },
		/* A margin that a filter adds. */
		{ "'jq': 'beats(" JQ_A " | .test_accuracy -= 0.05; .runs[]"
		  " | select(.point.algo == \\'b\\'))'", "holds", IN_PAIRS, 0.2 - PAIRS,
		  0.2 + PAIRS },
		{ "'no_worse': { " BACK ", 'margin': 44 }", "holds", IN_PAIRS, -0.25 - PAIRS,
		  -0.25 + PAIRS },
		{ "'no_worse': { " BACK ", 'margin': 43 }", "undecided", IN_PAIRS, -0.25 - PAIRS,
		  -0.25 + PAIRS },
		{ "'no_worse': { " BACK ", 'margin': 6 }", "fails", IN_PAIRS, -0.25 - PAIRS,
		  -0.25 + PAIRS },
		{ "'within': { " A ", 'b': { 'published': 0.75, 'same_images': true },"
		  " 'distance': 23 }", "holds", THE_SAME, above - same, above + same },
		{ "'within': { " A ", 'b': { 'published': 0.75, 'same_images': true,"
		  " 'error': 0.05 }, 'distance': 23 }", "undecided", THE_SAME, above - error,
		  above + error },
		{ "'jq': 'no_worse(" JQ_A "; {published: 0.75, same_images: true}; 14)'", "holds",
		  THE_SAME, above - same, above + same },
	};
	const struct case_of numbers = {
		"'within': { " A ", 'b': { 'published': 0.75 }, 'distance': 40 }", "holds",
		INDEPENDENT, -0.292005411, 0.375338744
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check_verdict(&cases[i], whole);
	check_verdict(&numbers, whole);
}

/* Without the images of one run, of another data set, or with an accuracy that a filter changed. */
static void test_no_record(void **state)
{
	static const struct case_of binomial = {
		"'beats': { " SIDES " }", "undecided", INDEPENDENT, 0.25 - 0.474525887,
		0.25 + 0.474525887
	};
	static const struct case_of changed = {
		"'jq': 'beats(" JQ_A "; .runs[] | select(.point.algo == \\'b\\')"
		" | .test_accuracy -= 0.125 * .seed)'", "undecided", INDEPENDENT, 0, 0
	};
	const char *record[6];
	struct case_of c = changed;

	memcpy(record, whole, sizeof(record));
	record[4] = NULL;
	check_verdict(&binomial, record);
	record[4] = "8 00000000000000ac 17";
	check_verdict(&binomial, record);
	/* p = 19/24 and 10/24, variances of the means 1/576 */
	c.low = 0.375 - 0.471883320;
	c.high = 0.375 + 0.471883320;
	check_verdict(&c, whole);
	assert_near(BINOMIAL, 0.25 - binomial.low, 1e-9);
}

/* A text that is cut short is an error, not another kind of interval. */
static void test_damaged_text(void **state)
{
	const char *record[6];
	cJSON *spec = quoted_json("{ 'claims': [{ 'says': 'x', 'kind': 'ours',"
				  " 'beats': { " SIDES " } }] }"), *json;
	struct verdicts *all;
	struct results runs;

	memcpy(record, whole, sizeof(record));
	record[2] = "8 00000000000000ab 7";
	json = runs_with(record);
	runs = results_of_json(json);
	all = claims_judge(spec, &runs, NULL, "laptop");
	assert_null(all->v[0].word);
	assert_non_null(strstr(all->v[0].error, "beats: test_correct of a run is damaged: it must "
						"be the number of test samples"));
	verdicts_free(all);
	results_release(&runs);
	cJSON_Delete(json);
	cJSON_Delete(spec);
}

/* What more seeds may decide: -0.25 is 0.18 from -0.43, and the images' error stays. */
static void test_planned(void **state)
{
	cJSON *spec = quoted_json("{ 'claims': [{ 'says': 'x', 'kind': 'ours',"
				  " 'no_worse': { " BACK ", 'margin': 43 } }] }");
	cJSON *json = runs_with(whole);
	struct results runs = results_of_json(json);
	struct verdicts *all = claims_judge(spec, &runs, NULL, "laptop");
	const struct claim_contrast *c = all->v[0].contrast;

	assert_near(c->spread.distance, 0.18, 1e-12);
	assert_near(c->spread.fixed * c->spread.fixed, 1.0 / 288, 1e-12);
	assert_int_equal(c->spread.seeds, 3);
	verdicts_free(all);
	results_release(&runs);
	cJSON_Delete(json);
	cJSON_Delete(spec);
}

static void test_refused(void **state)
{
	static const struct {
		const char *rule, *message;
	} cases[] = {
		{ "'no_worse': { 'a': 1, 'b': 1 }", "'margin' is missing" },
		{ "'no_worse': { 'a': 1, 'b': 1, 'margin': -1 }", "'margin' must be" },
		{ "'beats': { 'a': 1, 'b': { 'published': 'x' } }", "'published' must be" },
		{ "'beats': { 'a': 1, 'b': { 'published': 1, 'error': -1 } }", "'error' must be" },
		{ "'beats': { 'a': 1, 'b': { 'published': 1, 'same': true } }",
		  "unknown key 'same'" },
		{ "'beats': { 'a': { 'workers': 2 }, 'b': 90 }",
		  "f: claims[0]: beats: 90 cannot be a test_accuracy, which is a share from 0 to "
		  "1" },
		{ "'within': { 'a': { 'published': 91.5 }, 'b': { 'workers': 2 }, 'distance': 1 }",
		  "within: 91.5 cannot be" },
		{ "'order': { 'of': [{ 'workers': 2 }, -1], 'measure': 'wait_share' }",
		  "order: -1 cannot be a wait_share" },
		{ "'no_later': { 'a': { 'workers': 2 }, 'b': { 'workers': 3 }, "
		  "'target': 'test_accuracy>=80' }", "target: 80 cannot be a test_accuracy" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = xasprintf("{ 'base': { 'workers': 2 }, 'claims': [{ 'says': 'x', "
				       "'kind': 'ours', %s }] }", cases[i].rule);
		cJSON *spec = quoted_json(text);

		capture_start();
		assert_int_equal(report_check(spec, "f"), -1);
		capture_stop();
		if (!strstr(capture_text(), cases[i].message))
			fail_msg("'%s' is not in: %s", cases[i].message, capture_text());
		cJSON_Delete(spec);
		free(text);
	}
}

/* ---- result files ---- */

struct written {                /* the group "test" of a file */
	struct correct c;
	int64_t count;
	size_t words;
	const char *data;
};

static int write_correct(struct tree *file, const void *ctx)
{
	const struct written *w = ctx;
	struct tree *group;

	if (w->count < 0) {
		correct_put(&w->c, file);
		return 1;
	}
	group = tree_add(file, "test");
	tree_put_whole(group, "count", w->count);
	if (w->data)
		tree_put_text(group, "data", w->data);
	tree_put_words(group, "correct", w->words, w->c.word);
	return 1;
}

/* What is read of a file with that group: "test_correct", or the error. The caller frees. */
static char *read_with(const struct written *w)
{
	char *folder = folder_new(), *path = xasprintf("%s/run.h5", folder), *text;
	cJSON *run;

	assert_int_equal(recorder_close(play(path, &played_run), &played_result), 0);
	assert_int_equal(result_change(path, true, write_correct, w), 1);
	capture_start();
	run = tree_read(path);
	capture_stop();
	text = xstrdup(run ? json_string(run, "test_correct") : capture_text());
	cJSON_Delete(run);
	free(path);
	folder_remove(folder);
	return text;
}

static void test_files(void **state)
{
	uint64_t word[2] = { 0x80000000000000a5, 0x21 };
	const struct {
		struct written of;
		const char *text;
	} cases[] = {
		{ { { 70, 0x1234, word }, .count = -1 }, "70 0000000000001234 a50000000000008021" },
		{ { { 70, 0x1234, word }, 70, 2, "1234" },
		  "70 0000000000001234 a50000000000008021" },
		{ { { 70, 0, word }, 70, 1, "1234" },
		  "/test/correct must have 2 words of 64 bits, a bit for each of 70 test samples" },
		{ { { 70, 0, word }, 64, 2, "1234" }, "/test/correct must have 1 words" },
		{ { { 70, 0, word }, 69, 2, "1234" }, "has bits beyond its 69 test samples" },
		{ { { 70, 0, word }, 0, 2, "1234" }, "/test does not say of how many" },
		{ { { 70, 0, word }, 70, 2, NULL }, "/test does not say of how many" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = read_with(&cases[i].of);

		if (!text || !strstr(text, cases[i].text))
			fail_msg("%zu: '%s' is not in '%s'", i, cases[i].text, text);
		free(text);
	}
}

RUN_ALL(test_verdicts, test_no_record, test_damaged_text, test_planned, test_refused, test_files)
