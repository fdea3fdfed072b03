/* Claims of several scales as one: whose verdict is taken, and which others are named. */
#include "core/base/mem.h"
#include "core/file/json.h"
#include "report/claims/scales.h"
#include "tests/support/check.h"
#include "tests/support/quoted.h"

#include <stdlib.h>
#include <string.h>

static struct scale_verdicts scale_of(const char *scale, const char *claims)
{
	return (struct scale_verdicts){ xstrdup(scale), verdicts_read(quoted_json(claims)) };
}

#define SCALES "{ 'smoke': {}, 'laptop': {}, 'long': {}, 'paper': {} }"
#define CLAIM(SAYS, VERDICT) "{ 'says': '" SAYS "', 'kind': 'ours', 'verdict': '" VERDICT "' }"

/* The kept order is that of names: long stands before smoke. */
static void the_largest_scale_that_evaluates_a_claim_has_its_verdict(void **state)
{
	static const struct {
		const char *scale, *word, *others;
	} cases[] = {
		{ "long", "undecided", "laptop: holds, smoke: fails" },
		{ "laptop", "holds", NULL },
		{ "long", "holds", NULL },
		{ "long", "not evaluated", NULL },
		{ "smoke", "fails", NULL },
	};
	struct scale_verdicts list[] = {
		scale_of("laptop", "[" CLAIM("a", "holds") "," CLAIM("b", "holds") ","
			 CLAIM("c", "holds") "," CLAIM("d", "not evaluated") "]"),
		scale_of("long", "[" CLAIM("a", "undecided") "," CLAIM("b", "not evaluated") ","
			 CLAIM("c", "holds") "," CLAIM("d", "not evaluated") "]"),
		scale_of("smoke", "[" CLAIM("a", "fails") "," CLAIM("e", "fails") "]"),
	};
	cJSON *scales = quoted_json(SCALES);
	size_t n;
	struct merged_claim *claims = claims_merge(list, 3, scales, &n);
	const struct claim_total all = merged_claims_total(claims, n, NULL);
	const struct claim_total numbers = merged_claims_total(claims, n, "number");

	(void)state;
	assert_int_equal(n, 5);
	for (size_t i = 0; i < n; i++) {
		assert_string_equal(claims[i].scale, cases[i].scale);
		assert_string_equal(claims[i].v->word, cases[i].word);
		if (cases[i].others)
			assert_string_equal(claims[i].others, cases[i].others);
		else
			assert_null(claims[i].others);
	}
	assert_int_equal(all.holds, 2);
	assert_int_equal(all.fails, 1);
	assert_int_equal(all.undecided, 1);
	assert_int_equal(all.open, 1);
	assert_int_equal(numbers.holds + numbers.fails + numbers.undecided + numbers.open, 0);
	merged_claims_free(claims, n);
	scale_verdicts_release(list, 3);
	cJSON_Delete(scales);
}

/* Other settings than the spec's are of no scale; claims with the same words stay two. */
static void other_settings_come_last_and_twins_stay(void **state)
{
	struct scale_verdicts list[] = {
		scale_of("laptop", "[" CLAIM("a", "holds") "," CLAIM("a", "fails") "]"),
		scale_of("paper", "[{ 'says': 'a', 'verdict': 'fails', 'your_settings': true },"
			 " { 'says': 'a', 'verdict': 'fails' }, {}]"),
		scale_of("unknown", "[]"),
	};
	cJSON *scales = quoted_json(SCALES);
	size_t n;
	struct merged_claim *claims = claims_merge(list, 3, scales, &n);

	(void)state;
	assert_int_equal(n, 3);
	assert_string_equal(claims[0].v->word, "holds");
	assert_string_equal(claims[0].others, "paper: fails");
	assert_string_equal(claims[1].scale, "paper");
	assert_null(claims[2].v->word);
	merged_claims_free(claims, n);
	claims = claims_merge(list, 0, NULL, &n);
	assert_int_equal(n, 0);
	merged_claims_free(claims, n);
	scale_verdicts_release(list, 3);
	cJSON_Delete(scales);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_largest_scale_that_evaluates_a_claim_has_its_verdict),
		cmocka_unit_test(other_settings_come_last_and_twins_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
