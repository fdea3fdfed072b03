/* Verdicts with intervals: beats, within, no_later by hand-computed numbers, and what decides. */
#include "core/base/mem.h"
#include "core/file/json.h"
#include "report/claims/claims.h"
#include "report/report.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"
#include "tests/support/quoted.h"

#include <stdlib.h>
#include <string.h>

/*
 * Three seeds each. Accuracies: a has mean 0.82 and variance 0.0004, b 0.71 and 0.0001; the test
 * set has 10,000 images. Both are evaluated at 1, 2 and 3 s.
 */
static cJSON *three_seeds(void)
{
	static const double accuracy[] = { 0.80, 0.82, 0.84, 0.70, 0.71, 0.72 };
	cJSON *runs = cJSON_CreateArray();

	for (int i = 0; i < 6; i++) {
		char *text = xasprintf(
			"{ 'point': { 'algo': '%s', 'seed': %d }, 'seed': %d, 'status': 'done',"
			"  'algo': '%s', 'workers': 4, 'batch': 8,"
			"  'settings': { 'data': 'cifar10', 'eval_samples': '0',"
			"    'timing': 'false' }, 'time_s': %d,"
			"  'test_accuracy': %.2f, 'eval': { 'time_s': [1, 2, 3],"
			"  'test_accuracy': [0.1, %.2f, %.2f] } }",
			i < 3 ? "a" : "b", i % 3 + 1, i % 3 + 1, i < 3 ? "a" : "b", i < 3 ? 4 : 5,
			accuracy[i],
			i < 3 ? 0.65 : 0.55, accuracy[i]);

		cJSON_AddItemToArray(runs, quoted_json(text));
		free(text);
	}
	return runs;
}

/* The one verdict on a claim with these members over runs, which are freed. The caller frees. */
static cJSON *judged_by(const char *test, const char *kind, const char *more, cJSON *runs)
{
	char *text = xasprintf("{ %s 'claims': [{ 'says': 'x', 'kind': '%s', %s }] }", more, kind,
			       test);
	cJSON *spec = quoted_json(text);
	struct results results = results_of_json(runs);
	struct verdicts *all = claims_judge(spec, &results, NULL, "laptop");
	cJSON *verdicts = verdicts_json(all);
	cJSON *verdict = cJSON_DetachItemFromArray(verdicts, 0);

	verdicts_free(all);
	cJSON_Delete(verdicts);
	results_release(&results);
	cJSON_Delete(spec);
	cJSON_Delete(runs);
	free(text);
	return verdict;
}

static cJSON *judged(const char *filter, const char *kind, const char *more, cJSON *runs)
{
	char *test = xasprintf("'jq': '%s'", filter);
	cJSON *verdict = judged_by(test, kind, more, runs);

	free(test);
	return verdict;
}

/* A kind, and that the claim is about simulated times. */
#define SIMULATED "ours', 'learnt': false, 'timed': false, 'quantity': 's"

#define A ".runs[] | select(.point.algo == \\'a\\')"
#define B ".runs[] | select(.point.algo == \\'b\\')"

/*
 * Seeds: the variance of the difference is (0.0004 + 0.0001) / 3, Welch's degrees of freedom
 * (5/3)^2 / ((4/3)^2 / 2 + (1/3)^2 / 2) = 2.9412, Student's quantile 3.2187: 0.041554. Test set:
 * 1.95996 sqrt((0.82 * 0.18 + 0.71 * 0.29) / 10000) = 0.011653. Together 0.043157.
 */
static const double HALF = 0.043157, HALF_A = 0.050250;

static void test_intervals(void **state)
{
	static const struct {
		const char *filter, *verdict;
		double low, high;
	} cases[] = {
		{ "beats(" A "; " B ")", "holds", 0.11 - HALF, 0.11 + HALF },
		{ "beats(" B "; " A ")", "fails", -0.11 - HALF, -0.11 + HALF },
		{ "beats([" A "]; [" B "])", "holds", 0.11 - HALF, 0.11 + HALF },
		{ "within(" A "; " B "; 16)", "holds", 0.11 - HALF, 0.11 + HALF },
		{ "within(" A "; " B "; 6)", "fails", 0.11 - HALF, 0.11 + HALF },
		{ "within(" A "; " B "; 11)", "undecided", 0.11 - HALF, 0.11 + HALF },
		/* A number: t(2) = 4.302653, 0.02 / sqrt(3), and the test set of a alone. */
		{ "within(" A "; 0.8; 8)", "holds", 0.02 - HALF_A, 0.02 + HALF_A },
		{ "within(" A "; 0.8; 5)", "undecided", 0.02 - HALF_A, 0.02 + HALF_A },
		/* a is there at 2 s, b at 3 s, and either may have been up to 1 s before. */
		{ "no_later(" A "; " B "; \\'test_accuracy>=0.6\\')", "holds", -2, 0 },
		{ "no_later(" B "; " A "; \\'test_accuracy>=0.6\\')", "undecided", 0, 2 },
		{ "no_later(" A "; " B ")", "undecided", -1, 1 },        /* to 0.70: both at 3 s */
		/* Times do not vary here, and are no evaluation. */
		{ "beats(" A "; " B "; \\'time_s\\')", "holds", -1, -1 },
		{ "beats(" B "; " A "; \\'time_s\\')", "fails", 1, 1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		cJSON *verdict = judged(cases[i].filter, "ours", "", three_seeds());
		const cJSON *interval = cJSON_GetObjectItem(
			cJSON_GetObjectItem(verdict, "interval"), "interval");

		if (strcmp(json_word(verdict, "verdict"), cases[i].verdict) != 0)
			fail_msg("%s: %s %s", cases[i].filter,
				 json_word(verdict, "verdict"),
				 json_word(verdict, "error"));
		if (!cJSON_IsArray(interval))
			fail_msg("%s has no interval", cases[i].filter);
		assert_near(interval->child->valuedouble, cases[i].low, 1e-4);
		assert_near(interval->child->next->valuedouble, cases[i].high, 1e-4);
		cJSON_Delete(verdict);
	}
}

/* Those runs of three_seeds() that have a seed up to last. */
static cJSON *seeds_up_to(int last)
{
	cJSON *runs = three_seeds(), *run = runs->child;

	while (run) {
		cJSON *next = run->next;

		if (cJSON_GetObjectItem(run, "seed")->valuedouble > last)
			cJSON_Delete(cJSON_DetachItemViaPointer(runs, run));
		run = next;
	}
	return runs;
}

static void assert_verdict(cJSON *verdict, const char *word, const char *reason)
{
	cJSON *list = cJSON_CreateArray();
	struct verdicts *read;
	char *interval;

	cJSON_AddItemToArray(list, cJSON_Duplicate(verdict, true));
	read = verdicts_read(list);
	interval = verdict_interval(&read->v[0]);
	if (strcmp(json_word(verdict, "verdict"), word) != 0)
		fail_msg("%s, not %s: %s", json_word(verdict, "verdict"), word,
			 json_word(verdict, "error"));
	if (!strstr(json_word(verdict, "reason"), reason) && !strstr(interval, reason))
		fail_msg("'%s' is in neither '%s' nor '%s'", reason,
			 json_word(verdict, "reason"), interval);
	free(interval);
	verdicts_free(read);
	cJSON_Delete(verdict);
}

static void test_few_seeds(void **state)
{
	static const char plain[] = "([" A " | .test_accuracy] | max) > 0.75";

	assert_verdict(judged("beats(" A "; " B ")", "ours", "", seeds_up_to(2)), "undecided",
		       "seeds 2 2, binomial error of the test images (2 seeds; at least "
		       "3 decide)");
	assert_verdict(judged("beats(" A "; " B ")", "ours", "", seeds_up_to(1)), "undecided",
		       "seeds 1 1 (1 seed; at least 3 decide)");
	assert_verdict(judged(plain, "statement", "", seeds_up_to(2)), "undecided",
		       "its filter gives no interval: use beats, within, no_worse or no_later, or "
		       "say \"learnt\": false, if it is about simulated times alone");
	assert_verdict(judged(plain, "ours", "", three_seeds()), "undecided",
		       "its filter gives no interval: use beats, within, no_worse or no_later");
	assert_verdict(judged(plain, "construction", "", seeds_up_to(1)), "holds", "");
	assert_verdict(judged(".runs[0].time_s < 9", SIMULATED, "", seeds_up_to(1)), "holds",
		       "");
	assert_verdict(judged(".runs[0].wall_s == null", "ours", "", seeds_up_to(1)), "undecided",
		       "its filter gives no interval");
	assert_verdict(judged("all_of(.runs[0].time_s < 9, beats(" A "; " B "))", "ours", "",
			      three_seeds()), "holds", "");
	assert_verdict(judged("all_of(false, beats(" A "; " B "))", "ours", "", seeds_up_to(2)),
		       "fails", "");
	assert_verdict(judged("any_of(false, beats(" A "; " B "))", "ours", "", seeds_up_to(2)),
		       "undecided", "at least 3 decide");
}

/* Filters that name nothing but settings and simulated times are known to be about those alone. */
static void test_simulated(void **state)
{
	static const struct {
		const char *filter, *verdict;
	} cases[] = {
		{ ".runs[0].time_s < 9", "holds" },
		{ ".runs[0].time_s > 9", "fails" },
		{ "[" A ".time_s] | add / length < 9", "holds" },
		{ "def r($a): .runs[] | select(.point.algo == $a); all(r(\\'a\\'); .time_s < 9)",
		  "holds" },
		{ "all(.runs[] | select(.algo == \\'a\\' and .workers == 4 and .batch == 8);"
		  " .time_s < 9)", "holds" },
		{ ".runs[0] as $r | $r.time_s < 9 and $r.settings.data == \\'cifar10\\'", "holds" },
		{ "all(.runs[]; .test_accuracy > 0)", "undecided" },
		{ "1 < 2", "undecided" },
		{ "all(.runs[]; .time_s > 0 and .test_loss != 7)", "undecided" },
		{ ".runs[0] | .time_s < 9 and .[\\'test_loss\\'] != 7", "undecided" },
		{ "(.runs[0].eval.time_s | last) < 9", "undecided" },
		{ "([.runs[0][] | numbers] | min) > 0.9", "undecided" },
		{ ".runs[0] | time_to(\\'test_accuracy>=0.6\\') < 9", "undecided" },
		{ "(.tables | length) == 0 and .runs[0].time_s < 9", "undecided" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		cJSON *verdict = judged(cases[i].filter, "ours", "", seeds_up_to(1));

		if (strcmp(json_word(verdict, "verdict"), cases[i].verdict) != 0)
			fail_msg("%s: %s %s", cases[i].filter, json_word(verdict, "verdict"),
				 json_word(verdict, "error"));
		cJSON_Delete(verdict);
	}
	/* As the claim says, whatever its filter names. */
	assert_verdict(judged(".runs[0].time_s < 9", "ours', 'learnt': true, 'quantity': 's", "",
			      seeds_up_to(1)), "undecided", "its filter gives no interval");
}

/* three_seeds() of a data set of users; the last of a's runs has a number of test samples, or 0. */
static cJSON *own_data(int n)
{
	cJSON *runs = three_seeds(), *run;

	cJSON_ArrayForEach(run, runs)
		cJSON_SetValuestring(cJSON_GetObjectItem(cJSON_GetObjectItem(run, "settings"),
							 "data"), "csv");
	if (n)
		cJSON_AddNumberToObject(cJSON_GetArrayItem(runs, 2), "test_samples", n);
	return runs;
}

/*
 * The number of test samples is the result's, and by the data set where a result has none. With
 * 100: 1.95996 sqrt(0.82 * 0.18 / 100) = 0.075299, and 4.302653 * 0.02 / sqrt(3) = 0.049683.
 */
static void test_test_samples(void **state)
{
	static const char size[] = "the size of the test set is not known";
	cJSON *v = judged("within(" A "; 0.8; 8)", "ours", "", own_data(100)), *marked;
	const cJSON *interval = json_get(json_get(v, "interval"), "interval");

	assert_near(interval->child->valuedouble, 0.02 - 0.090212, 1e-5);
	cJSON_Delete(v);
	marked = own_data(0);
	cJSON_AddStringToObject(marked->child, "test_correct", "100 0000000000000001 "
				"00000000000000000000000000");
	v = judged("within(" A "; 0.8; 8)", "ours", "", marked);
	interval = json_get(json_get(v, "interval"), "interval");
	assert_near(interval->child->valuedouble, 0.02 - 0.090212, 1e-5);
	cJSON_Delete(v);
	assert_verdict(judged("within(" A "; 0.8; 8)", "ours", "", own_data(0)), "undecided", size);
	v = judged("beats(" A "; " B ")", "ours", "", own_data(100));
	assert_true(cJSON_IsNull(json_get(json_get(v, "interval"), "test_error")));
	assert_verdict(v, "undecided", size);
}

/* A filter that has nothing to compare is an error; null is said on purpose. */
static void test_empty(void **state)
{
	static const char c[] = "\\'c\\' as $c | .runs[] | select(.point.algo == $c)";
	static const struct {
		const char *before, *after, *reason;
	} cases[] = {
		{ "beats(", "; " B ")", "beats: the first side has no runs" },
		{ "within(" A "; ", "; 2)", "within: the second side has no runs" },
		{ "no_later(" A "; ", ")", "no_later: the second side has no runs" },
		{ "no_later(empty; ", "; \\'test_accuracy>=0.6\\')",
		  "no_later: both sides have no runs" },
		{ "all_of(false, beats(" A "; ", "))", "beats: the second side has no runs" },
		{ "any_of(true, within([", "]; " B "; 2))",
		  "within: the first side has no runs" },
		{ "all_of(", " | .time_s < 9)", "all_of: there is no verdict" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *filter = xasprintf("%s%s%s", cases[i].before, c, cases[i].after);
		cJSON *verdict = judged(filter, "ours", "", three_seeds());

		assert_string_equal(json_word(verdict, "error"), cases[i].reason);
		cJSON_Delete(verdict);
		free(filter);
	}
	assert_verdict(judged("all_of(null, beats(" A "; " B "))", "ours", "", three_seeds()),
		       "not evaluated", "not evaluated at this scale");
}

static void test_smoke(void **state)
{
	assert_verdict(judged("beats(" A "; " B ")", "number",
			      "'paper_accuracy': { 'value': 1.69, 'source': 's' },", three_seeds()),
		       "not evaluated", "the best test accuracy, 0.840, is below half");
	assert_verdict(judged("beats(" A "; " B ")", "number",
			      "'paper_accuracy': { 'value': 1.67, 'source': 's' },", three_seeds()),
		       "holds", "");
	assert_verdict(judged(".runs[0].time_s < 9", SIMULATED,
			      "'paper_accuracy': { 'value': 1.69, 'source': 's' },", three_seeds()),
		       "holds", "");
}

/* What cannot be compared is an error, not a verdict. */
static void test_errors(void **state)
{
	static const struct {
		const char *filter, *error;
	} cases[] = {
		{ "beats(.runs[]; " B ")", "beats: the runs of a side differ in more than their "
		  "seeds; select one value of each setting" },
		{ "beats(" A "; " B "; \\'speed\\')", "beats: a run has no speed" },
		{ "beats(" A " | .wall_s = 1; " B " | .wall_s = 9 | .trained_by = \\'x\\';"
		  " \\'wall_s\\')", "beats: a run took its training from another, so it has no "
		  "wall_s of its own; 'convoy run --again' trains it" },
		{ "no_later(" A "; " B "; \\'accuracy>=1\\')", "no column 'accuracy'" },
		{ "within(" A "; " B "; -2)", "within: -2 is no distance; it takes a number from 0 "
		  "on" },
		{ "within(" A "; " B "; \\'2\\')", "within: 2 is no distance; it takes a number "
		  "from 0 on" },
		/* Names that no run has, in plain jq. */
		{ "([.runs[] | select(.point.algo == \\'bb\\') | .time_s] | add) < 5",
		  "no run has algo 'bb'; did you mean 'b'? Known: a, b" },
		{ "\\'bb\\' as $b | [.runs[] | select(.point.algo == $b)] | mean_of(.time_s) < 5",
		  "mean_of: there is nothing to look at: a group has no runs" },
		{ "\\'bb\\' as $b | [.runs[] | select(.point.algo == $b)] | all(.[]; .time_s > 5)",
		  "all: there is nothing to look at: a group has no runs" },
		{ "\\'bb\\' as $b | [.runs[] | select(.point.algo == $b)][0].time_s",
		  "the filter yields null, but does not say null: it reads a name that no run "
		  "has, or a group has no runs" },
		{ "\\'bb\\' as $b | [.runs[] | select(.point.algo == $b)][0].time_s < 5",
		  "<: a value is null: no run has that name, a run diverged, or a group has no "
		  "runs" },
		{ "[.runs[] | select(.point.algo == \\'bb\\' and .status == \\'diverged\\')]"
		  " | length == 0", "no run has algo 'bb'; did you mean 'b'? Known: a, b" },
		{ "all(.runs[]; .point.algo < 5)", "<: a text is compared with a number; tonumber "
		  "makes a number of a text, such as that of a setting" },
		{ "all(.runs[]; .tmie_s < 5)",
		  "no run has 'tmie_s', which is null then; did you mean 'time_s'?" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		cJSON *verdict = judged(cases[i].filter, "ours", "", three_seeds());

		assert_string_equal(json_word(verdict, "error"), cases[i].error);
		cJSON_Delete(verdict);
	}
}

/* Where none of a side gets there, the other is first; where some do, nothing is decided. */
static void test_never(void **state)
{
	cJSON *runs = three_seeds();

	assert_verdict(judged("no_later(" A "; " B "; \\'test_accuracy>=0.75\\')", "ours", "",
			      cJSON_Duplicate(runs, true)), "holds", "-∞ [-∞, -∞]");
	assert_verdict(judged("no_later(" B "; " A "; \\'test_accuracy>=0.75\\')", "ours", "",
			      cJSON_Duplicate(runs, true)), "fails", "∞ [∞, ∞]");
	assert_verdict(judged("no_later(" A "; " B "; \\'test_accuracy>=0.83\\')", "ours", "",
			      cJSON_Duplicate(runs, true)), "undecided", "neither gets there");
	assert_verdict(judged("no_later(" B "; " A "; \\'test_accuracy>=0.715\\')", "ours", "",
			      runs), "undecided", "some runs of a side do not get there");
}

/* The target is what the runs reach that did not diverge: those that did never get to it. */
static void test_diverged(void **state)
{
	cJSON *runs = three_seeds(), *run, *all;

	cJSON_ArrayForEach(run, runs) {
		const double time = cJSON_GetObjectItem(run, "time_s")->valuedouble;

		cJSON_AddNumberToObject(run, "gradient_wall_s", time);
		cJSON_AddNumberToObject(run, "samples_per_wall_s", time);
		if (time > 4)
			continue;       /* b */
		cJSON_SetValuestring(cJSON_GetObjectItem(run, "status"), "diverged");
		cJSON_ReplaceItemInObject(cJSON_GetObjectItem(run, "eval"), "test_accuracy",
					  quoted_json("[0.1, 0.1, 0.1]"));
	}
	assert_verdict(judged("no_later(" A "; " B ")", "ours", "", cJSON_Duplicate(runs, true)),
		       "fails", "∞ [∞, ∞]");
	assert_verdict(judged("no_later(" A "; " A ")", "ours", "", cJSON_Duplicate(runs, true)),
		       "not evaluated", "no run that did not diverge has an accuracy");
	/* An accuracy of a run that diverged is no number, and the mean of some of them none. */
	assert_verdict(judged("beats(" B "; " A ")", "ours", "", cJSON_Duplicate(runs, true)),
		       "holds", "∞ [∞, ∞]");
	assert_verdict(judged("within(" A "; " B "; 100)", "ours", "", cJSON_Duplicate(runs, true)),
		       "fails", "");
	all = cJSON_Duplicate(runs, true);
	cJSON_ArrayForEach(run, all)
		cJSON_SetValuestring(cJSON_GetObjectItem(run, "status"), "diverged");
	assert_verdict(judged("beats(" A "; " B ")", "ours", "", all), "undecided",
		       "3 of 3 and 3 of 3 diverged");
	/* A gradient's real time is no shorter for it; more samples a second are better. */
	assert_verdict(judged("beats(" A "; " B "; \\'gradient_wall_s\\')", "ours", "",
			      cJSON_Duplicate(runs, true)), "holds", "-1 [-1, -1]");
	assert_verdict(judged("beats(" A "; " B "; \\'samples_per_wall_s\\')", "ours", "",
			      cJSON_Duplicate(runs, true)), "fails", "-1 [-1, -1]");
	/* Their times are of less work. */
	assert_verdict(judged("beats(" A "; " B "; \\'time_s\\')", "ours", "",
			      cJSON_Duplicate(runs, true)), "undecided",
		       "3 of 3 diverged and ended early: their time_s is not comparable");
	all = cJSON_Duplicate(runs, true);      /* as a metric of one's own that is NaN */
	cJSON_DeleteItemFromObject(all->child, "time_s");
	assert_verdict(judged("beats(" A "; " B "; \\'time_s\\')", "ours", "", all), "undecided",
		       "3 of 3 diverged and ended early: their time_s is not comparable");
	assert_verdict(judged("within(" A "; 5; 9; \\'time_s\\')", SIMULATED, "",
			      cJSON_Duplicate(runs, true)), "undecided",
		       "3 of 3 diverged and ended early");
	cJSON_SetValuestring(cJSON_GetObjectItem(runs->child, "status"), "done");
	assert_verdict(judged("beats(" B "; " A ")", "ours", "", runs), "undecided",
		       "2 of 3 diverged");
}

/* Another of equal values, or of infinite ones, must not give another verdict. */
static void test_ties(void **state)
{
	static const char tied[] = "its filter takes one of several values that are equal or "
				   "infinite";
	cJSON *runs = three_seeds(), *run;

	cJSON_ArrayForEach(run, runs)
		cJSON_AddNumberToObject(run, "gradients", 7);
	assert_verdict(judged("beats(" A "; " B "; \\'gradients\\')", SIMULATED, "",
			      cJSON_Duplicate(runs, true)), "undecided", "0 [0, 0]");
	assert_verdict(judged("(.runs | min_by(.time_s)).point.algo == \\'a\\'", SIMULATED, "",
			      cJSON_Duplicate(runs, true)), "holds", "");
	assert_verdict(judged("(.runs | min_by(.time_s)).point.seed == 1", SIMULATED, "",
			      cJSON_Duplicate(runs, true)), "undecided", tied);
	assert_verdict(judged("(.runs | max_by(.time_s)).point.seed == 1", SIMULATED, "",
			      cJSON_Duplicate(runs, true)), "undecided", tied);
	assert_verdict(judged("(.runs | sort_by(.time_s))[0].point.seed == 1", SIMULATED, "",
			      cJSON_Duplicate(runs, true)), "undecided", tied);
	/* All of them diverged: the first is not the best. */
	cJSON_ArrayForEach(run, runs)
		cJSON_SetValuestring(cJSON_GetObjectItem(run, "status"), "diverged");
	assert_verdict(judged("def goal: if .status == \\'diverged\\' then infinite else .time_s"
			      " end; (.runs | min_by(goal)).point.algo == \\'a\\'",
			      "construction", "", cJSON_Duplicate(runs, true)), "undecided", tied);
	cJSON_ArrayForEach(run, runs)
		cJSON_SetValuestring(cJSON_GetObjectItem(run, "status"), "done");
	assert_verdict(judged("beats([.runs[] | select(.point.algo == \\'a\\')] | group_by(.seed)[]"
			      " | min_by(if .status == \\'done\\' then infinite else 0 end);"
			      " .runs[] | select(.point.algo == \\'b\\'); \\'time_s\\')",
			      "ours", "", runs), "holds", "");
}

#define SIDES "'a': { 'algo': 'a' }, 'b': { 'algo': ['b'] }"
#define BACK "'a': { 'algo': 'b' }, 'b': { 'algo': 'a' }"

/* Claims as data have the verdicts of the same filters, with the same intervals. */
static void test_data(void **state)
{
	static const struct {
		const char *rule, *filter;
	} cases[] = {
		{ "'beats': { " SIDES " }", "beats(" A "; " B ")" },
		{ "'beats': { " BACK ", 'measure': 'time_s' }",
		  "beats(" B "; " A "; \\'time_s\\')" },
		{ "'within': { " SIDES ", 'distance': 11 }", "within(" A "; " B "; 11)" },
		{ "'within': { 'a': { 'algo': 'a' }, 'b': 0.8, 'distance': 8 }",
		  "within(" A "; 0.8; 8)" },
		{ "'no_later': { " SIDES " }", "no_later(" A "; " B ")" },
		{ "'no_later': { " BACK ", 'target': 'test_accuracy>=0.6' }",
		  "no_later(" B "; " A "; \\'test_accuracy>=0.6\\')" },
		{ "'order': { 'of': [{ 'algo': 'a' }, { 'algo': 'b' }, 0.5] }",
		  "all_of(beats(" A "; " B "), beats(" B "; 0.5))" },
		{ "'any_of': [{ 'beats': { " BACK " } },"
		  " { 'all_of': [{ 'beats': { " SIDES " } }] }]",
		  "any_of(beats(" B "; " A "), all_of(beats(" A "; " B ")))" },
		{ "'not_at': 'laptop', 'beats': { " SIDES " }", "null" },
		{ "'only_at': ['big', 'paper'], 'jq': 'false'", "null" },
		{ "'beats': { 'a': {}, 'b': 0.5 }", "beats(.runs[]; 0.5)" },
		{ "'beats': { 'a': { 'algo': 'a' }, 'b': { 'algo': 'bb' } }",
		  "beats(" A "; .runs[] | select(.point.algo == \\'bb\\'))" },
		{ "'beats': { 'a': { 'algo': 'a' }, 'b': { 'seed': 7 } }",
		  "beats(" A "; .runs[] | select(.point.seed == 7))" },
		{ "'beats': { " SIDES ", 'measure': 'speed' }",
		  "beats(" A "; " B "; \\'speed\\')" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		cJSON *rule = judged_by(cases[i].rule, "ours", "", three_seeds());
		cJSON *jq = judged(cases[i].filter, "ours", "", three_seeds());

		if (!cJSON_Compare(rule, jq, true))
			fail_msg("%s: %s", cases[i].rule, cJSON_Print(rule));
		cJSON_Delete(rule);
		cJSON_Delete(jq);
	}
}

static void test_dates(void **state)
{
	struct verdicts *all = verdicts_read(
		quoted_json("[ { 'criterion': { 'since': '2024-02-01' } },"
			    " { 'criterion': { 'since': '2024-01-31' }, 'kind': 'ours' },"
			    " { 'criterion': { 'since': '2024-01-31' }, 'kind': 'construction' },"
			    " { 'criterion': { 'since': '2024-01-31' }, 'kind': 'ours',"
			    "   'verdict': 'not evaluated' },"
			    " { 'criterion': { 'since': '2024-02-01' }, 'kind': 'ours',"
			    "   'verdict': 'not evaluated',"
			    "   'reason': 'not evaluated at this scale' },"
			    " { 'criterion': { 'since': '2024-01-30' } }, {} ]"));
	cJSON *verdicts;

	capture_start();
	verdicts_check_dates(all, "2024-01-31T12:00:00Z", "f");
	capture_stop();
	verdicts = verdicts_json(all);
	assert_string_equal(capture_text(),
			    "warning: f: claims[0]: the criterion was set on 2024-02-01, after its "
			    "runs began on 2024-01-31 (UTC); judge it on new runs\n");
	assert_non_null(cJSON_GetObjectItem(verdicts->child, "warning"));
	assert_string_equal(json_word(verdicts->child->next, "warning"),
			    "the criterion was set on 2024-01-31, the day on which its runs began: "
			    "it may be newer than they are");
	for (int i = 2; i < 7; i++)
		assert_null(cJSON_GetObjectItem(cJSON_GetArrayItem(verdicts, i), "warning"));
	cJSON_Delete(verdicts);
	verdicts_free(all);
}

static void test_totals(void **state)
{
	struct verdicts *claims = verdicts_read(quoted_json(
				    "[ { 'kind': 'number', 'verdict': 'holds' },"
				    " { 'kind': 'number', 'verdict': 'undecided' },"
				    " { 'kind': 'ours', 'verdict': 'fails' },"
				    " { 'kind': 'ours' } ]"));
	const struct claim_total numbers = verdicts_total(claims, "number");
	const struct claim_total all = verdicts_total(claims, NULL);
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);

	assert_int_equal(numbers.holds + 10 * numbers.undecided, 11);
	assert_int_equal(all.fails + 10 * all.open, 11);
	verdicts_print_all(claims, out);
	fclose(out);
	assert_non_null(strstr(text, "together, of the paper"));
	assert_null(strstr(text, "theory"));
	free(text);
	verdicts_mark_yours(claims);
	out = open_memstream(&text, &n);
	verdicts_print_all(claims, out);
	fclose(out);
	assert_non_null(strstr(text, "at your settings"));
	assert_null(strstr(text, "of the paper"));
	free(text);
	verdicts_free(claims);
}

#define OURS "'claims': [{ 'says': 's', 'kind': 'ours', 'jq': 'true', 'criterion': { "
#define RULE "'claims': [{ 'says': 's', 'kind': 'ours', "
#define FORMER(since, verdict) "{ 'says': 's', 'since': '" since "', 'verdict': '" verdict "' }"

/* What a claim must say of itself. */
static void test_refusals(void **state)
{
	static const struct {
		const char *section, *message;
	} cases[] = {
		{ "'claims': [{ 'says': 's', 'jq': 'true' }]",
		  "f: claims[0]: 'kind' is missing (number, statement, theory, ours or "
		  "construction). Say what the claim is" },
		{ "'claims': [{ 'says': 's', 'kind': 'statment', 'jq': 'true' }]",
		  "f: claims[0]: unknown kind 'statment'; did you mean 'statement'?" },
		{ "'claims': [{ 'says': 's', 'kind': 'number', 'jq': 'true' }]",
		  "f: claims[0]: kind 'number' needs 'where' (the section, table or figure" },
		{ "'claims': [{ 'says': 's', 'kind': 'ours', 'jq': 'true', 'criterion': {} }]",
		  "f: claims[0]: criterion: 'since' is missing" },
		{ "'claims': [{ 'says': 's', 'kind': 'ours', 'jq': 'true',"
		  " 'criterion': { 'since': 'May 2024' } }]",
		  "f: claims[0]: criterion: since must be a date (such as 2024-01-31)" },
		{ "'claims': [{ 'says': 's', 'kind': 'ours', 'jq': 'true',"
		  " 'criterion': { 'since': '2024-01-31', 'was': [{ 'since': '2024-01-30' }] } }]",
		  "f: claims[0]: criterion: was: 'says' is missing" },
		{ "'claims': [{ 'says': 's', 'kind': 3, 'jq': 'true' }]",
		  "f: claims[0]: 'kind' must be a text" },
		{ "'claims': [{ 'says': 's', 'kind': 'number', 'where': 3, 'jq': 'true' }]",
		  "f: claims[0]: 'where' must be a text" },
		{ OURS "'since': '2026-13-01' } }]", "since must be a date" },
		{ OURS "'since': '2026-02-29' } }]", "since must be a date" },
		{ OURS "'since': '2100-02-29' } }]", "since must be a date" },
		{ OURS "'since': '2026-04-00' } }]", "since must be a date" },
		{ OURS "'since': '2024-02-29', 'was': [" FORMER("2024-02-30", "holds") "] } }]",
		  "f: claims[0]: criterion: was: since must be a date (such as 2024-01-31)" },
		{ OURS "'since': '2024-02-29', 'was': [" FORMER("2024-02-28", "maybe") "] } }]",
		  "f: claims[0]: criterion: was: unknown verdict 'maybe'; known: holds, fails, "
		  "undecided, not evaluated, not recorded" },
		{ OURS "'since': '2024-02-29', 'was': [" FORMER("2024-02-28", "holds") ","
		  FORMER("2024-02-27", "holds") "] } }]",
		  "f: claims[0]: criterion: was: 2024-02-28 is after 2024-02-27 (the oldest first)"
		},
		{ OURS "'since': '2024-02-29', 'was': [" FORMER("2024-02-29", "holds") ","
		  FORMER("2024-03-01", "holds") "] } }]",
		  "f: claims[0]: criterion: was: 2024-03-01 is after 2024-02-29, when the "
		  "criterion was set. Correct one of the dates." },
		{ "'claims': [{ 'says': '', 'kind': 'ours', 'jq': 'true' }]",
		  "f: claims[0]: 'says' is empty. Say the claim in words" },
		{ "'claims': [{ 'says': 's', 'kind': 'ours' }]",
		  "f: claims[0]: 'jq' is missing, or a rule" },
		{ RULE "'jq': 'true', 'beats': { 'a': 1, 'b': 2 } }]",
		  "f: claims[0]: 'jq' and 'beats' are two tests of one claim" },
		{ RULE "'beats': { 'a': {} } }]", "f: claims[0]: 'b' is missing" },
		{ RULE "'beats': { 'a': { 'algoo': 1 }, 'b': 1 } }]",
		  "beats: a: the setting 'algoo' is in neither the grid nor the base" },
		{ RULE "'beats': { 'a': { 'slow': '0:2' }, 'b': 1 } }]",
		  "beats: a: the setting 'slow' is in neither the grid nor the base; known: seed" },
		{ RULE "'beats': { 'a': 1, 'b': 1, 'measure': 'speeed' } }]",
		  "unknown measure 'speeed'; did you mean" },
		{ RULE "'within': { 'a': 1, 'b': 1, 'distance': -1 } }]",
		  "'distance' must be a number that is not negative" },
		{ RULE "'beats': { 'a': {}, 'b': {} } }]", "f: claims[0]: both sides have the "
		  "same runs" },
		{ RULE "'beats': { 'a': 1, 'b': { 'published': 2 } } }]", "f: claims[0]: both "
		  "sides are numbers" },
		{ RULE "'no_later': { 'a': 1, 'b': 1, 'target': 'x' } }]",
		  "eval and train have no column 'x'" },
		{ RULE "'order': { 'of': [1] } }]", "'of' must be a list of two or more sides" },
		{ RULE "'all_of': [] }]", "'all_of' must be a list of rules" },
		{ RULE "'any_of': [{ 'jq': 'true' }] }]", "f: claims[0]: unknown key 'jq'" },
		{ "'scales': { 'big': {} }, " RULE "'jq': 'true', 'only_at': ['bog'] }]",
		  "f: claims[0]: only_at: the spec has no scale 'bog'" },
		{ "'paper_accuracy': { 'value': 0.9 }", "f: paper_accuracy: 'source' is missing" },
		{ "'reads': 'tune.json'", "f: reads must be a list of names of files" },
		{ "'reads': ['a.json', '../tune.json']", "f: reads[1] must be the name of a JSON" },
		{ "'reads': ['.json']", "f: reads[0] must be the name of a JSON file" },
		{ "'reads': ['claims.json']", "and none that convoy writes there" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = xasprintf("{ %s }", cases[i].section);
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

RUN_ALL(test_intervals, test_few_seeds, test_simulated, test_test_samples, test_empty, test_smoke,
	test_errors, test_never, test_diverged, test_ties, test_data, test_dates, test_totals,
	test_refusals)
