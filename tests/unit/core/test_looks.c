/* Planned looks: errors and power over simulated comparisons, and what more seeds decide. */
#include "core/math/look_plan.h"
#include "core/math/rng.h"
#include "core/math/statistics.h"
#include "tests/support/check.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

enum { BY_DEFAULT = 15000 }; /* comparisons; LOOKS_COMPARISONS is another number of them */

static int comparisons(void)
{
	const char *given = getenv("LOOKS_COMPARISONS");

	return given ? atoi(given) : BY_DEFAULT;
}

struct question {
	double ratio;	   /* of the deviations; the first sample's is 1 */
	double difference; /* of the true means */
	double margin;	   /* `within`; 0: which is better */
};

/* An interval leaves out both margins, as it must to decide, from that level on. */
static double least_level(const double *x, const double *y, size_t n, double margin)
{
	const struct spread a = spread_of(x, n), b = spread_of(y, n);
	const double va = a.dev * a.dev / a.n, vb = b.dev * b.dev / b.n, d = b.mean - a.mean;
	const double df = (va + vb) * (va + vb) / (va * va / (a.n - 1) + vb * vb / (b.n - 1));
	const double nearest = fmin(fabs(d - margin), fabs(d + margin));

	return 2 * student_cdf(-nearest / sqrt(va + vb), df);
}

/* The share of comparisons that some look of the plan decides. */
static double decided(const struct look_plan *plan, const struct question *q)
{
	const int n = comparisons();
	int count = 0;

	for (int i = 0; i < n; i++) {
		double x[LOOK_LAST], y[LOOK_LAST];
		bool done = false;
		struct rng r;

		rng_at(&r, 7, RNG_NOISE, (uint32_t)(10 * q->ratio), (uint64_t)i);
		for (int k = 0; k < plan->seeds[plan->n - 1]; k++) {
			x[k] = rng_normal(&r);
			y[k] = q->difference + q->ratio * rng_normal(&r);
		}
		for (int k = 0; k < plan->n && !done; k++)
			done = least_level(x, y, (size_t)plan->seeds[k], q->margin) <
			       plan->level[k];
		count += done;
	}
	return (double)count / n;
}

/* 5 %, and three deviations of what so many comparisons count. */
static double allowed(void)
{
	return 0.05 + 3 * sqrt(0.05 * 0.95 / comparisons());
}

static void a_plan_has_the_looks_up_to_its_last(void **state)
{
	const struct look_plan twelve = look_plan(12), ten = look_plan(10);

	(void)state;
	assert_int_equal(twelve.n, 5);
	assert_int_equal(twelve.seeds[0], 3);
	assert_int_equal(twelve.seeds[4], 12);
	assert_int_equal(ten.n, 4);
	assert_true(twelve.level[4] < ten.level[3]);
	assert_int_equal(look_plan(3).n, 1);
	assert_int_equal(look_plan(1000).seeds[LOOKS - 1], LOOK_LAST);
}

static void without_a_difference_few_are_decided(void **state)
{
	const struct look_plan plan = look_plan(12);
	static const double ratios[] = { 1, 3, 7, 10 };

	(void)state;
	for (int i = 0; i < 4; i++) {
		const double none = decided(&plan, &(struct question){ .ratio = ratios[i] });
		const double edge = decided(&plan, &(struct question){ ratios[i], 20, 20 });

		if (none > allowed() || edge > allowed())
			fail_msg("1:%g: %g without a difference, %g at the margin", ratios[i], none,
				 edge);
	}
}

/* As where an experiment has more seeds than three at first. */
static void looks_from_more_seeds_keep_one_in_twenty(void **state)
{
	static const int first[] = { 5, 10 };
	const struct look_plan plan = look_plan_from(10, 24);

	(void)state;
	assert_int_equal(plan.n, 4);
	assert_int_equal(plan.seeds[0], 10);
	assert_int_equal(plan.seeds[1], 12);
	assert_int_equal(look_plan_from(30, 12).n, 1);
	for (int i = 0; i < 2; i++) {
		const struct look_plan from = look_plan_from(first[i], 12);
		const double none = decided(&from, &(struct question){ .ratio = 1 });
		const double far = decided(&from, &(struct question){ .ratio = 10 });

		if (none > allowed() || far > allowed())
			fail_msg("from %d: %g at 1:1, %g at 1:10", first[i], none, far);
	}
}

/* The degrees of freedom of paired differences are those of one sample, as at 1:1000. */
static void looks_at_pairs_keep_one_in_twenty(void **state)
{
	const struct look_plan plan = look_plan(12);
	const double none = decided(&plan, &(struct question){ .ratio = 1000 });

	(void)state;
	if (none > allowed())
		fail_msg("%g", none);
}

static void repeated_looks_at_one_in_twenty_decide_too_many(void **state)
{
	struct look_plan plan = look_plan(12);

	(void)state;
	for (int k = 0; k < plan.n; k++)
		plan.level[k] = 0.05;
	assert_true(decided(&plan, &(struct question){ .ratio = 1 }) > 0.10);
}

static void a_difference_of_two_deviations_is_decided(void **state)
{
	const struct look_plan plan = look_plan(12);
	static const double ratios[] = { 1, 3, 7, 10 };

	(void)state;
	for (int i = 0; i < 4; i++) {
		const double deviation = sqrt((1 + ratios[i] * ratios[i]) / 2);
		const double share =
			decided(&plan, &(struct question){ .ratio = ratios[i],
							   .difference = 2 * deviation });

		if (share < 0.90)
			fail_msg("1:%g: %g decided", ratios[i], share);
	}
}

/* Verdicts at 0.05 that are kept, and looks planned only where there are none, are wrong more
 * often: a plan judges its first look again. */
static void a_verdict_before_the_plan_is_no_part_of_it(void **state)
{
	struct look_plan kept = look_plan(12);

	(void)state;
	kept.level[0] = 0.05;
	assert_true(decided(&kept, &(struct question){ .ratio = 7 }) > 0.06);
}

/* As welch_interval() has it. */
static void an_interval_of_the_least_level_touches_the_margin(void **state)
{
	static const double x[] = { 1, 2, 4 }, y[] = { 3, 7, 8 };
	const struct spread a = spread_of(x, 3), b = spread_of(y, 3);

	(void)state;
	assert_float_equal(welch_interval(&a, &b, least_level(x, y, 3, 0)).low, 0, 1e-9);
	assert_float_equal(welch_interval(&a, &b, least_level(x, y, 3, 2)).low, 2, 1e-9);
}

static void power_is_the_chance_that_the_rest_decides(void **state)
{
	const struct contrast c = { .distance = 1, .a = 1, .b = 1, .seeds = 3 };
	const struct contrast exact = { .distance = 1, .a = 0, .b = 0, .seeds = 3 };
	struct contrast far = c;
	const double t = student_quantile(1 - 0.0109 / 2, 22), half = t * sqrt(2.0 / 12);
	const double open = sqrt(2.0 / 3 - 2.0 / 12);
	const double by_hand = 0.5 * erfc((half - 1) / open / sqrt(2.0));
	const double other = 0.5 * erfc((half + 1) / open / sqrt(2.0));

	(void)state;
	assert_float_equal(contrast_power(&c, 12, 0.0109), by_hand, 1e-12);
	assert_float_equal(contrast_reversal(&c, 12, 0.0109), other, 1e-12);
	assert_float_equal(contrast_power(&exact, 12, 0.0109), 1, 0);
	assert_float_equal(contrast_reversal(&exact, 12, 0.0109), 0, 0);
	far.distance = 0.05;
	assert_true(contrast_power(&far, 12, 0.0109) > 0.05); /* three seeds do not know that */
	far.seeds = 6;
	assert_true(contrast_power(&far, 12, 0.0109) < 0.01);
}

static void an_error_that_stays_takes_power(void **state)
{
	const struct contrast c = { .distance = 1, .a = 1, .b = 1, .seeds = 3 };
	struct contrast tested = c;

	(void)state;
	tested.fixed = 0.2;
	assert_true(contrast_power(&tested, 12, 0.0109) < contrast_power(&c, 12, 0.0109));
	assert_true(contrast_seeds(&tested, 0.0109, 1000) > contrast_seeds(&c, 0.0109, 1000));
	tested.fixed = 0.5; /* its interval alone is as wide as the distance */
	assert_int_equal(contrast_seeds(&tested, 0.0109, 1000), 1000);
	assert_float_equal(normal_quantile(0.975), 1.959963984540054, 1e-12);
}

static void the_seeds_that_decide_are_counted(void **state)
{
	const struct contrast c = { .distance = 1, .a = 1, .b = 1, .seeds = 3 };
	const int n = contrast_seeds(&c, 0.0109, 1000);

	(void)state;
	assert_true(student_quantile(1 - 0.0109 / 2, 2 * n - 2) * sqrt(2.0 / n) < 1);
	assert_true(student_quantile(1 - 0.0109 / 2, 2 * n - 4) * sqrt(2.0 / (n - 1)) >= 1);
	assert_int_equal(contrast_seeds(&(struct contrast){ .a = 1, .b = 1, .seeds = 3 }, 0.0109,
					1000),
			 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_plan_has_the_looks_up_to_its_last),
		cmocka_unit_test(without_a_difference_few_are_decided),
		cmocka_unit_test(looks_from_more_seeds_keep_one_in_twenty),
		cmocka_unit_test(looks_at_pairs_keep_one_in_twenty),
		cmocka_unit_test(repeated_looks_at_one_in_twenty_decide_too_many),
		cmocka_unit_test(a_difference_of_two_deviations_is_decided),
		cmocka_unit_test(a_verdict_before_the_plan_is_no_part_of_it),
		cmocka_unit_test(an_interval_of_the_least_level_touches_the_margin),
		cmocka_unit_test(power_is_the_chance_that_the_rest_decides),
		cmocka_unit_test(an_error_that_stays_takes_power),
		cmocka_unit_test(the_seeds_that_decide_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
