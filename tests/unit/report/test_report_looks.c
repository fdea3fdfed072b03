/* Planned looks at claims: which runs each sees, its level, and verdicts that stay. */
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/math/statistics.h"
#include "report/claims/contrast.h"
#include "report/claims/looks.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"
#include "tests/support/quoted.h"
#include "tests/support/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Losses of a and b by seed, from 1 on: at 3 and 4 seeds they overlap, at 6 they do not. */
static const double loss_a[] = { 1.0, 2.0, 1.4, 1.3, 1.5, 1.4, 1.4, 1.5 };
static const double loss_b[] = { 2.9, 1.9, 2.6, 2.5, 2.6, 2.4, 0.1, 0.1 };

/* n seeds of each; the later ones need not stand in their order. */
static struct results runs_of(int n, bool backwards)
{
	cJSON *list = cJSON_CreateArray();
	struct results runs;

	for (int i = 0; i < 2 * n; i++) {
		const int k = i % n, seed = (backwards && k >= 3 ? n + 2 - k : k) + 1;
		char *text = xasprintf("{ 'point': { 'algo': '%s', 'seed': %d }, 'seed': %d,"
				       "  'hash': '%s%d', 'status': 'done', 'train_loss': %g,"
				       "  'settings': { 'engine': 'sim' } }",
				       i < n ? "a" : "b", seed, seed, i < n ? "a" : "b", seed,
				       i < n ? loss_a[seed - 1] : loss_b[seed - 1]);

		cJSON_AddItemToArray(list, quoted_json(text));
		free(text);
	}
	runs = results_of_json(list);
	cJSON_Delete(list);
	return runs;
}

static struct looks *looks_of(const cJSON *spec, int n, bool looked)
{
	struct looks *looks = looks_new(12);
	struct verdicts *all = verdicts_new(json_get(spec, "claims"));
	bool *before = xcalloc(all->n + 1, sizeof(*before));

	for (size_t i = 0; i < all->n; i++)
		before[i] = looked;
	looks_add_claims(looks, all, before);
	for (int side = 0; side < 2 && n > 3; side++) {
		cJSON *point = quoted_json(side ? "{ 'algo': 'b', 'seed': 1 }" :
						  "{ 'algo': 'a' }");
		struct looks_group *g = looks_group(looks, point, true);

		g->seed = xcalloc((size_t)n, sizeof(*g->seed));
		for (int seed = 4; seed <= n; seed++)
			g->seed[g->n++] = seed;
		cJSON_Delete(point);
	}
	free(before);
	verdicts_free(all);
	return looks;
}

#define LESS(A, B) "'beats': { 'measure': 'train_loss', 'a': { 'algo': '" A "' }, " \
		   "'b': { 'algo': '" B "' } }"
#define CLAIM(TEST) "{ 'claims': [{ 'says': 'x', 'kind': 'ours', " TEST " }] }"

/* The verdict on a claim of three seeds and those added up to n of `most`. The caller frees. */
static cJSON *judged_of(const char *claims, int n, int most, bool looked, bool backwards)
{
	cJSON *spec = quoted_json(claims), *json, *verdict;
	struct results runs = runs_of(n, backwards);
	struct looks *looks = looks_of(spec, n, looked);
	struct verdicts *all;

	looks->most = most;
	all = looks_judge(spec, &runs, NULL, "laptop", looks);
	json = verdicts_json(all);
	verdict = cJSON_DetachItemFromArray(json, 0);
	cJSON_Delete(json);
	verdicts_free(all);
	looks_free(looks);
	results_release(&runs);
	cJSON_Delete(spec);
	return verdict;
}

static cJSON *judged(const char *claims, int n, bool looked, bool backwards)
{
	return judged_of(claims, n, 12, looked, backwards);
}

static double look_number(const cJSON *verdict, int i, const char *key)
{
	return json_number(cJSON_GetArrayItem(json_get(json_get(verdict, "looks"), "made"), i),
			   key);
}

static int looks_made(const cJSON *verdict)
{
	return cJSON_GetArraySize(json_get(json_get(verdict, "looks"), "made"));
}

static void each_look_has_its_seeds_and_level(void **state)
{
	cJSON *v = judged(CLAIM(LESS("a", "b")), 6, false, false);

	(void)state;
	assert_string_equal(json_word(v, "verdict"), "holds");
	assert_int_equal(looks_made(v), 3);
	assert_near(look_number(v, 0, "seeds"), 3, 0);
	assert_near(look_number(v, 1, "seeds"), 4, 0);
	assert_near(look_number(v, 2, "seeds"), 6, 0);
	assert_near(look_number(v, 0, "level"), 0.0109, 0);
	assert_near(json_number(json_get(v, "looks"), "decided_at_look"), 3, 0);
	cJSON_Delete(v);
}

/*
 * At four seeds p is 0.0122: below the level of four looks, 0.0134, and above a half of it, with
 * which one of two comparisons fails.
 */
static void one_of_several_fails_by_a_part_of_the_level(void **state)
{
	static const struct {
		const char *test, *verdict;
		double level;
	} cases[] = {
		{ LESS("b", "a"), "fails", 0.0134 },
		{ "'all_of': [{ " LESS("b", "a") " }, { " LESS("b", "a") " }]", "undecided",
		  0.0134 },
		{ "'all_of': [{ " LESS("a", "b") " }, { " LESS("a", "b") " }]", "holds", 0.0134 },
		{ "'any_of': [{ " LESS("a", "b") " }, { " LESS("b", "a") " }]", "undecided",
		  0.0067 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *claim = xasprintf("{ 'claims': [{ 'says': 'x', 'kind': 'ours', %s }] }",
					cases[i].test);
		cJSON *v = judged_of(claim, 4, 8, false, false);

		assert_int_equal(looks_made(v), 2);
		assert_string_equal(json_word(v, "verdict"), cases[i].verdict);
		assert_near(look_number(v, 1, "level"), cases[i].level, 1e-12);
		cJSON_Delete(v);
		free(claim);
	}
}

/* With seeds 7 and 8 the difference is gone; the order of the runs does not matter. */
static void a_claim_once_decided_stays_decided(void **state)
{
	for (int backwards = 0; backwards < 2; backwards++) {
		cJSON *v = judged(CLAIM(LESS("a", "b")), 8, false, backwards);
		const cJSON *looks = json_get(v, "looks"), *now = json_get(looks, "now");

		(void)state;
		assert_string_equal(json_word(v, "verdict"), "holds");
		assert_near(json_number(looks, "decided_at_look"), 3, 0);
		assert_near(json_number(json_get(v, "interval"), "difference"),
				   8.6 / 6 - 14.9 / 6, 1e-12);
		assert_int_equal(cJSON_GetArraySize(now), 1);
		assert_near(json_number(now->child, "difference"), 11.5 / 8 - 15.1 / 8,
				   1e-12);
		assert_string_equal(json_word(now->child, "verdict"), "undecided");
		cJSON_Delete(v);
	}
}

/* b has the six seeds of the look, a two more: their mean is shown, too. */
static void more_seeds_of_one_side_are_shown(void **state)
{
	cJSON *spec = quoted_json(CLAIM(LESS("a", "b")));
	struct results runs = runs_of(8, false);
	struct looks *looks = looks_of(spec, 8, false);
	const struct claim_contrast *now;
	struct verdicts *all;
	char *text;

	(void)state;
	runs.n -= 2;
	all = looks_judge(spec, &runs, NULL, "laptop", looks);
	now = contrast_at(all->v[0].looks->now, 0);
	assert_non_null(now);
	assert_near(now->difference, 11.5 / 8 - 14.9 / 6, 1e-12);
	text = verdict_looks(&all->v[0]);
	assert_non_null(strstr(text, "decided at look 3 of 5 with 6 seeds, level 0.0109; with all "
				     "seeds: train_loss, algo=a minus algo=b: -1.046 ["));
	assert_non_null(strstr(text, "], seeds 8 6"));
	free(text);
	verdicts_free(all);
	runs.n += 2;
	looks_free(looks);
	results_release(&runs);
	cJSON_Delete(spec);
}

/* Four seeds are a look, five are none: a claim waits for its next one. */
static void a_look_waits_for_its_seeds(void **state)
{
	cJSON *four = judged(CLAIM(LESS("a", "b")), 4, false, false);
	cJSON *five = judged(CLAIM(LESS("a", "b")), 5, false, false);

	(void)state;
	assert_int_equal(looks_made(four), 2);
	assert_int_equal(looks_made(five), 2);
	assert_string_equal(json_word(five, "verdict"), "undecided");
	assert_true(cJSON_Compare(json_get(four, "interval"), json_get(five, "interval"), true));
	cJSON_Delete(four);
	cJSON_Delete(five);
}

/* Two seeds decide nothing, so no claim needs as few, however large its difference is. */
static void three_seeds_are_needed_at_least(void **state)
{
	cJSON *spec = quoted_json(CLAIM("'beats': { 'measure': 'train_loss', 'a': { 'algo': 'a' }, "
					"'b': 1000 }"));
	struct results runs = runs_of(2, false);
	struct verdicts *all = looks_judge(spec, &runs, NULL, "laptop", NULL);

	(void)state;
	assert_string_equal(all->v[0].word, "undecided");
	assert_int_equal(all->v[0].needs, LOOK_FIRST);
	verdicts_free(all);
	results_release(&runs);
	cJSON_Delete(spec);
}

/* A verdict at 0.05 before the plan is no part of it: all looks are judged at its level. */
static void claims_looked_at_before_have_the_levels_of_the_plan(void **state)
{
	cJSON *v = judged(CLAIM(LESS("a", "b")), 6, true, false);

	(void)state;
	for (int i = 0; i < 3; i++)
		assert_near(look_number(v, i, "level"), 0.0109, 0);
	assert_true(json_is_true(json_get(v, "looks"), "looked_before"));
	cJSON_Delete(v);
}

/* The level of each comparison of any_of is divided by their number; all_of needs none. */
static void any_of_is_corrected(void **state)
{
	cJSON *any = judged(CLAIM("'any_of': [{" LESS("a", "b") "}, {" LESS("b", "a") "}]"), 4,
			    false, false);
	cJSON *all = judged(CLAIM("'all_of': [{" LESS("a", "b") "}, {" LESS("a", "b") "}]"), 4,
			    false, false);
	cJSON *before = judged(CLAIM("'any_of': [{" LESS("a", "b") "}, {" LESS("b", "a") "}]"), 4,
			       true, false);

	(void)state;
	assert_near(look_number(any, 0, "level"), 0.0109 / 2, 0);
	assert_near(json_number(json_get(any, "looks"), "best_of"), 2, 0);
	assert_near(look_number(all, 0, "level"), 0.0109, 0);
	assert_near(look_number(before, 0, "level"), 0.0109 / 2, 0);
	cJSON_Delete(any);
	cJSON_Delete(all);
	cJSON_Delete(before);
}

/* Differences of seeds 1 to 6: mean -1.05; the interval is that of one sample. */
static void pairs_are_compared_seed_by_seed(void **state)
{
	cJSON *v = judged(CLAIM("'paired': true, " LESS("a", "b")), 6, false, false);
	double d[6], half;
	struct spread s;

	(void)state;
	for (int i = 0; i < 6; i++)
		d[i] = loss_a[i] - loss_b[i];
	s = spread_of(d, 6);
	half = student_quantile(1 - 0.0109 / 2, 5) * s.dev / sqrt(6);
	assert_near(json_number(json_get(v, "interval"), "paired_deviation"), s.dev, 1e-12);
	assert_near(cJSON_GetArrayItem(json_get(json_get(v, "interval"), "interval"), 0)
				   ->valuedouble, s.mean - half, 1e-9);
	cJSON_Delete(v);
}

static void what_claims_json_has_is_read_again(void **state)
{
	cJSON *v = judged(CLAIM(LESS("a", "b")), 8, true, false), *again;
	struct claim_looks *l = claim_looks_read(json_get(v, "looks"));
	char *text = claim_looks_text(l);

	(void)state;
	again = claim_looks_json(l);
	assert_true(cJSON_Compare(again, json_get(v, "looks"), true));
	assert_non_null(strstr(text, "seeds"));
	assert_null(claim_looks_read(NULL));
	cJSON_Delete(again);
	free(text);
	claim_looks_free(l);
	cJSON_Delete(v);
	for (int i = 0; i < 4; i++) {
		static const char *const odd[] = { "{}", "{ 'made': 3, 'looks': -1 }",
			"{ 'looks': 1e9, 'made': [{}, 3, { 'seeds': 1e300 }] }",
			"{ 'looks': 7, 'made': [[], [], [], [], [], [], [], [], []], 'now': 3 }" };
		cJSON *json = quoted_json(odd[i]);

		l = claim_looks_read(json);
		free(claim_looks_text(l));
		cJSON_Delete(claim_looks_json(l));
		claim_looks_free(l);
		cJSON_Delete(json);
	}
}

/* A claim is closed for the runs that showed it: none after a change of their settings. */
static void other_runs_open_a_closed_claim(void **state)
{
	cJSON *spec = quoted_json(CLAIM(LESS("a", "b")));
	struct results runs = runs_of(3, false);
	struct looks *looks = looks_of(spec, 3, false);

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct looks_claim *c = &looks->claim[0];
		struct verdicts *all = looks_judge(spec, &runs, NULL, "laptop", looks);

		/* not closed; closed by these runs; and by those before the change */
		assert_int_equal(all->v[0].looks->closed != NULL, i == 1);
		if (i == 0) {
			c->closed = xstrdup("why");
			c->closed_by = xstrdup(all->v[0].looks->runs);
		}
		verdicts_free(all);
		runs.v[0].text[RESULT_HASH][0] = 'x';
		if (i == 0)
			runs.v[0].text[RESULT_HASH][0] = 'a';
	}
	looks_free(looks);
	results_release(&runs);
	cJSON_Delete(spec);
}

#define LEVEL ((struct look_levels){ 0.0109, 0.0109 })

#define CONTRAST(difference, low, high)                                                         \
	"{ 'rule': 'beats', 'measure': 'train_loss', 'verdict': 'undecided',"                   \
	" 'difference': " difference ", 'interval': [" low ", " high "], 'seeds': [3, 3],"      \
	" 'deviations': [1, 1] }"
#define UP CONTRAST("-2", "-4.2", "0.2")
#define DOWN CONTRAST("2", "-0.2", "4.2")
#define SEVERAL(rule, a, b) \
	"{ 'rule': '" rule "', 'of': [" a ", " b "], 'verdict': 'undecided' }"

static struct claim_contrast *contrast_quoted(const char *text)
{
	cJSON *json = quoted_json(text);
	struct claim_contrast *c = contrast_read(json);

	cJSON_Delete(json);
	return c;
}

/* A verdict's file has the same members in the same order after it was read and written. */
static void a_comparison_is_written_as_it_was_read(void **state)
{
	static const char *const texts[] = {
		"{ 'difference': -2, 'interval': [-4.2, 0.2], 'measure': 'test_accuracy',"
		" 'seeds': [3, null], 'of': ['algo=a', '0.9'], 'images': 'binomial',"
		" 'rule': 'no_worse', 'margin': 0.5, 'verdict': 'undecided',"
		" 'deviations': [1, null], 'paired_deviation': 0.5, 'test_error': 0.25,"
		" 'level': 0.0109, 'fails_level': 0.0055, 'runs': [['1', '2', '3'], []] }",
		"{ 'difference': 1.7976931348623157e308, 'interval': null, 'why': '1 diverged',"
		" 'measure': 'train_loss', 'seeds': [3, 3], 'of': ['', 'b'], 'rule': 'beats',"
		" 'verdict': 'undecided' }",
		"{ 'difference': null, 'why': 'neither gets there', 'measure': 'time_s',"
		" 'seeds': [1, 1], 'of': ['a', 'b'], 'rule': 'beats', 'verdict': 'undecided',"
		" 'deviations': [null, null], 'test_error': null, 'runs': [[], []] }",
		"{ 'difference': 1, 'measure': 'train_loss', 'seeds': [1, 1], 'of': ['a', 'b'],"
		" 'why': '1 seed; at least 3 decide', 'rule': 'beats', 'verdict': 'undecided' }",
		"{ 'rule': 'any_of', 'of': [{ 'verdict': 'fails' }, { 'rule': 'no_later',"
		" 'verdict': 'not evaluated', 'why': 'x' }], 'verdict': 'undecided', 'why': 'y' }",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		cJSON *json = quoted_json(texts[i]), *again;
		struct claim_contrast *c = contrast_read(json);
		char *was = json_format(json, false), *text;

		again = contrast_json(c);
		text = json_format(again, false);
		assert_string_equal(text, was);
		free(text);
		free(was);
		contrast_free(c);
		cJSON_Delete(again);
		cJSON_Delete(json);
	}
	contrast_free(contrast_quoted("[{ 'verdict': 'holds' }, [], 3]"));
	assert_null(contrast_read(NULL));
	assert_null(contrast_json(NULL));
}

/* all_of: both must hold; one that fails suffices. any_of is the opposite. */
static void the_power_of_several_is_that_of_their_rule(void **state)
{
	const struct contrast c = { .distance = 2, .a = 1, .b = 1, .seeds = 3 };
	const double p = contrast_power(&c, 12, 0.0109), q = contrast_reversal(&c, 12, 0.0109);
	struct claim_contrast *up = contrast_quoted(UP), *down = contrast_quoted(DOWN);
	struct claim_contrast *both = contrast_quoted(SEVERAL("all_of", UP, UP));
	struct claim_contrast *mixed = contrast_quoted(SEVERAL("all_of", UP, DOWN));
	struct claim_contrast *any = contrast_quoted(SEVERAL("any_of", UP, UP));
	const struct look_levels unequal = { 0.0109, 0.0055 };

	(void)state;
	assert_near(contrasts_power(up, 12, unequal), p + contrast_reversal(&c, 12, 0.0055), 1e-12);
	assert_near(contrasts_power(down, 12, unequal), contrast_power(&c, 12, 0.0055) + q, 1e-12);
	assert_int_equal(contrasts_needed(up, unequal, 1000), contrast_seeds(&c, 0.0109, 1000));
	assert_int_equal(contrasts_needed(down, unequal, 1000), contrast_seeds(&c, 0.0055, 1000));
	assert_near(contrasts_power(up, 12, LEVEL), p + q, 1e-12);
	assert_near(contrasts_power(both, 12, LEVEL), p * p + 1 - (1 - q) * (1 - q), 1e-12);
	assert_near(contrasts_power(mixed, 12, LEVEL), p * q + 1 - (1 - p) * (1 - q), 1e-12);
	assert_near(contrasts_power(any, 12, LEVEL), 1 - (1 - p) * (1 - p) + q * q, 1e-12);
	assert_int_equal(contrasts_needed(both, LEVEL, 1000), contrast_seeds(&c, 0.0109, 1000));
	assert_int_equal(contrasts_family(any).holds, 2);
	assert_int_equal(contrasts_family(any).fails, 1);
	assert_int_equal(contrasts_family(both).holds, 1);
	assert_int_equal(contrasts_family(both).fails, 2);
	assert_int_equal(contrasts_seeds(both), 3);
	contrast_free(up);
	contrast_free(down);
	contrast_free(both);
	contrast_free(mixed);
	contrast_free(any);
}

/* More seeds lessen the deviation of the differences of pairs, not those of the two sides. */
static void of_pairs_the_differences_vary(void **state)
{
	struct claim_contrast *c = contrast_quoted(
		"{ 'rule': 'beats', 'measure': 'train_loss', 'verdict': 'undecided',"
		" 'difference': -2, 'interval': [-4.2, 0.2], 'seeds': [3, 3],"
		" 'deviations': [1, 1], 'paired_deviation': 0.8 }");

	(void)state;
	assert_near(c->spread.a, 0.8 * 0.8, 1e-12);
	assert_near(c->spread.b, 0, 0);
	contrast_free(c);
}

/* all_of fails with its first part that does: of two that are below, the one that is farther. */
static void a_part_that_fails_is_enough(void **state)
{
	const struct contrast far = { .distance = 4, .a = 1, .b = 1, .seeds = 3 };
	const struct contrast near = { .distance = 2, .a = 1, .b = 1, .seeds = 3 };
	struct claim_contrast *both =
		contrast_quoted(SEVERAL("all_of", DOWN, CONTRAST("4", "1.8", "6.2")));
	const int first = contrast_seeds(&far, 0.0109, 1000);

	(void)state;
	assert_true(first < contrast_seeds(&near, 0.0109, 1000));
	assert_int_equal(contrasts_needed(both, LEVEL, 1000), first);
	contrast_free(both);
}

/* Half of an interval over three seeds with deviations of 1 is 2.776445 sqrt(2/3). */
static void steps_of_a_target_take_power(void **state)
{
	const struct contrast c = { .distance = 2 - (3 - 2.266958), .a = 1, .b = 1, .seeds = 3 };
	struct claim_contrast *wide = contrast_quoted(CONTRAST("-2", "-6", "1"));
	struct claim_contrast *wider = contrast_quoted(CONTRAST("-2", "-4.3", "4.6"));
	/* seeds that do not differ leave the times between evaluations alone */
	struct claim_contrast *exact = contrast_quoted(
		"{ 'rule': 'no_later', 'measure': 'time_to:test_loss<=1', 'verdict': 'undecided',"
		"  'difference': 0, 'interval': [-0.3, 0.3], 'seeds': [3, 3],"
		"  'deviations': [0, 0] }");

	(void)state;
	assert_near(contrasts_power(wide, 12, LEVEL),
		    contrast_power(&c, 12, 0.0109) + contrast_reversal(&c, 12, 0.0109), 1e-4);
	assert_null(contrasts_hopeless(wide));
	assert_string_equal(contrasts_hopeless(wider),
			    "the times between evaluations are longer than the difference");
	assert_string_equal(contrasts_hopeless(exact), contrasts_hopeless(wider));
	contrast_free(wide);
	contrast_free(wider);
	contrast_free(exact);
}

static void values_that_do_not_vary_need_no_seeds(void **state)
{
#define EXACT "{ 'rule': 'beats', 'measure': 'time_s', 'verdict': 'holds', 'difference': -1," \
	      " 'interval': [-1, -1], 'seeds': [3, 3], 'deviations': [0, 0] }"
	struct claim_contrast *exact = contrast_quoted(EXACT);
	struct claim_contrast *both = contrast_quoted(SEVERAL("all_of", EXACT, UP));

	(void)state;
	assert_int_equal(contrasts_seeds(exact), 0);
	assert_int_equal(contrasts_seeds(both), 3);
	assert_near(contrasts_power(exact, 12, LEVEL), 1, 0);
	contrast_free(exact);
	contrast_free(both);
}

/* What no number of seeds decides: an infinite mean, a test set of unknown size. */
static void what_no_seeds_decide_is_known(void **state)
{
	static const char size[] = "the size of the test set is not known";
	static const char unknown[] =
		"{ 'rule': 'beats', 'measure': 'test_accuracy', 'verdict': 'undecided',"
		"  'difference': 0.1, 'why': 'the size of the test set is not known',"
		"  'seeds': [%d, 3], 'deviations': [0.1, 0.1], 'test_error': null }";
	static const char infinite[] =
		"{ 'rule': 'beats', 'measure': 'train_loss', 'verdict': 'undecided',"
		"  'difference': 1e308, 'interval': null, 'why': '1 of 3 diverged',"
		"  'seeds': [%d, 3], 'deviations': [null, 1] }";
	static const char wide[] =
		"{ 'rule': 'within', 'measure': 'test_loss', 'verdict': 'undecided',"
		"  'difference': %g, 'interval': [0, 1], 'margin': 0.02, 'seeds': [10, null],"
		"  'deviations': [0.01, null], 'test_error': %g }";
#define ONE "{ 'rule': 'beats', 'measure': 'test_accuracy', 'verdict': 'undecided',"           \
	    "  'why': 'the size of the test set is not known', 'seeds': [3, 3],"               \
	    "  'difference': 0.1, 'deviations': [0.1, 0.1], 'test_error': null }"
	struct claim_contrast *up = contrast_quoted(UP);
	struct claim_contrast *both = contrast_quoted(SEVERAL("all_of", UP, ONE));
	struct claim_contrast *any = contrast_quoted(SEVERAL("any_of", ONE, ONE));

	(void)state;
	for (int i = 0; i < 4; i++) {   /* 1.96 standard errors are 0.0196 or 0.0245 */
		char *text = xasprintf(wide, i % 2 ? 0.06 : 0.01, i < 2 ? 0.01 : 0.0125);
		struct claim_contrast *c = contrast_quoted(text);

		if (i == 2)
			assert_non_null(strstr(contrasts_hopeless(c), "no seed lowers"));
		else
			assert_null(contrasts_hopeless(c));
		free(text);
		contrast_free(c);
	}
	for (int seeds = 1; seeds <= 3; seeds++) {
		char *text = xasprintf(unknown, seeds), *other = xasprintf(infinite, seeds);
		struct claim_contrast *c = contrast_quoted(text), *lost = contrast_quoted(other);

		assert_string_equal(contrasts_hopeless(c), size);
		/* Runs that all diverge decide, from three seeds on. */
		if (seeds < 3)
			assert_null(contrasts_hopeless(lost));
		else
			assert_string_equal(contrasts_hopeless(lost), "1 of 3 diverged");
		assert_near(contrasts_power(c, 12, LEVEL), 0, 0);
		free(text);
		free(other);
		contrast_free(c);
		contrast_free(lost);
	}
	assert_null(contrasts_hopeless(up));
	assert_null(contrasts_hopeless(both));          /* it may fail */
	assert_string_equal(contrasts_hopeless(any), size);
	contrast_free(both);
	contrast_free(any);
	contrast_free(up);
}

static struct looks *looks_with(const char *since, int most, const int64_t *seed, size_t n)
{
	struct looks *looks = looks_new(most);
	cJSON *point = quoted_json("{ 'algo': 'a' }");
	struct looks_group *g = looks_group(looks, point, true);

	free(looks->since);
	looks->since = xstrdup(since);
	g->seed = xcalloc(n, sizeof(*seed));
	memcpy(g->seed, seed, n * sizeof(*seed));
	g->n = n;
	cJSON_Delete(point);
	return looks;
}

/* Seeds of the file stay first, for a look sees the first ones; those of the process follow. */
static void seeds_of_two_processes_are_joined(void **state)
{
	static const int64_t ours[] = { 4, 7 }, theirs[] = { 5, 4, 6 }, both[] = { 5, 4, 6, 7 };
	struct looks *own = looks_with("2026-11-28", 12, ours, 2);
	struct looks *file = looks_with("2026-11-01", 8, theirs, 3);
	cJSON *spec = quoted_json(CLAIM(LESS("a", "b")));
	struct verdicts *all = verdicts_new(json_get(spec, "claims"));

	(void)state;
	looks_add_claims(own, all, &(bool){ true });
	looks_add_claims(file, all, &(bool){ false });
	file->claim[0].closed = xstrdup("why");
	assert_true(looks_merge(own, file));
	assert_int_equal(own->group[0].n, 4);
	assert_memory_equal(own->group[0].seed, both, sizeof(both));
	assert_string_equal(own->since, "2026-11-01");
	assert_int_equal(own->most, 8);
	assert_int_equal(own->nclaims, 1);
	assert_string_equal(own->claim[0].closed, "why");
	assert_false(own->claim[0].looked);
	assert_false(looks_merge(own, file));           /* nothing is new any more */
	verdicts_free(all);
	cJSON_Delete(spec);
	looks_free(own);
	looks_free(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_look_has_its_seeds_and_level),
		cmocka_unit_test(one_of_several_fails_by_a_part_of_the_level),
		cmocka_unit_test(a_claim_once_decided_stays_decided),
		cmocka_unit_test(more_seeds_of_one_side_are_shown),
		cmocka_unit_test(a_look_waits_for_its_seeds),
		cmocka_unit_test(three_seeds_are_needed_at_least),
		cmocka_unit_test(claims_looked_at_before_have_the_levels_of_the_plan),
		cmocka_unit_test(any_of_is_corrected),
		cmocka_unit_test(pairs_are_compared_seed_by_seed),
		cmocka_unit_test(other_runs_open_a_closed_claim),
		cmocka_unit_test(what_claims_json_has_is_read_again),
		cmocka_unit_test(a_comparison_is_written_as_it_was_read),
		cmocka_unit_test(the_power_of_several_is_that_of_their_rule),
		cmocka_unit_test(of_pairs_the_differences_vary),
		cmocka_unit_test(a_part_that_fails_is_enough),
		cmocka_unit_test(steps_of_a_target_take_power),
		cmocka_unit_test(values_that_do_not_vary_need_no_seeds),
		cmocka_unit_test(what_no_seeds_decide_is_known),
		cmocka_unit_test(seeds_of_two_processes_are_joined),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
