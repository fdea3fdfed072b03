/* The variance that test images give to a difference of accuracies, and the interval with it. */
#include "core/base/mem.h"
#include "core/math/pairs.h"
#include "core/math/rng.h"
#include "core/math/statistics.h"
#include "tests/support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 12 };             /* models of a group */

/*
 * Models a 11111100 11111010 11111110, models b 11110000 11101000 11111000 on 8 images, the first
 * image first. Means over models differ by d = 0 0 0 1/3 1/3 2/3 2/3 0, whose variance is 11/126;
 * the residuals' mean square is 5/56 in either group, and 4/21 of the differences model by model.
 */
static void test_by_hand(void **state)
{
	static uint64_t bits[2][3] = { { 0x3f, 0x5f, 0x7f }, { 0x0f, 0x17, 0x1f } };
	struct correct c[2][3];
	const struct correct *model[2][3];
	struct answers a = { model[0], 3 }, b = { model[1], 3 };

	for (int g = 0; g < 2; g++)
		for (int s = 0; s < 3; s++) {
			c[g][s] = (struct correct){ .n = 8, .word = &bits[g][s] };
			model[g][s] = &c[g][s];
		}
	assert_int_equal(correct_count(model[0][0]), 6);
	assert_near(pairs_variance(&a, &b, false), (11.0 / 126 - 2 * 5.0 / 56 / 3) / 8, 1e-15);
	assert_near(pairs_variance(&a, &b, true), (11.0 / 126 - 4.0 / 21 / 3) / 8, 1e-15);
	/* One model each: d = 0 0 0 0 1 1 0 0, of variance 3/14. */
	a.k = b.k = 1;
	assert_near(pairs_variance(&a, &b, false), 3.0 / 14 / 8, 1e-15);
	/* A group and itself: the residuals exceed what is left of the images. */
	assert_near(pairs_variance(&a, &a, false), 0, 0);
}

static void test_text(void **state)
{
	static const char *const wrong[] = {
		"", "8", "8 12", "8 12 ", "8 12 f", "8 12 fff", "8 12 fg", "0 12 ", "-8 12 ff",
		"8 xy ff", "7 12 ff", "8 12 ff ", "999999999 12 ff", "8 12 FF"
	};
	struct correct c = correct_new(70, 0x1234), back;
	char *text;

	c.word[0] = 0x80000000000000a5;
	c.word[1] = 0x21;
	text = correct_text(&c);
	assert_string_equal(text, "70 0000000000001234 a50000000000008021");
	assert_int_equal(correct_of_text(&back, text), 0);
	assert_true(correct_same_samples(&back, &c));
	assert_memory_equal(back.word, c.word, 16);
	assert_int_equal(correct_count(&back), 7);
	correct_release(&back);
	correct_release(&c);
	free(text);
	assert_null(correct_text(&c));
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		if (correct_of_text(&c, wrong[i]) == 0)
			fail_msg("'%s' is read", wrong[i]);
	assert_int_equal(c.n, 0);
}

static void test_welch_add(void **state)
{
	const struct welch own = { .error = 2, .df = 4 }, sum = welch_add(own, 12, 6);

	assert_near(sum.error, 4, 1e-15);
	assert_near(sum.df, 256 / (16.0 / 4 + 144.0 / 6), 1e-12);
	assert_near(welch_add(own, 0, 6).df, 4, 0);
	assert_near(welch_add((struct welch){ 0 }, 9, 6).error, 3, 0);
	assert_near(welch_add((struct welch){ 0 }, 9, 6).df, 6, 1e-12);
}

/* ---- intervals of nets that are equally good ---- */

enum { IMAGES = 128, REPEATS = 1000 };

struct world {                  /* how nets and images differ */
	bool images;            /* some images are hard for all nets */
	double groups;          /* logits by which images differ between the groups */
	double seeds;           /* deviation of the seeds' logits */
	int k;
};

static double uniform(struct rng *r)
{
	uint32_t word;

	rng_words(r, 1, &word);
	return (word + 0.5) / 0x1p32;
}

static double normal(struct rng *r)
{
	const double u = uniform(r), v = uniform(r);

	return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

/* Logits of the images, for both groups. */
static void draw_images(const struct world *w, struct rng *r, double logit[2][IMAGES])
{
	for (int i = 0; i < IMAGES; i++) {
		const double u = uniform(r), each = uniform(r) < 0.5 ? -w->groups : w->groups;
		const double base = !w->images ? 1.5 : u < 0.1 ? -2 : u < 0.3 ? 0.3 : 3.5;

		logit[0][i] = base + each;
		logit[1][i] = base - each;
	}
}

/* Whether the 95 % interval of the difference of two groups has 0 in it. */
static bool interval_covers(const struct world *w, struct rng *r, struct correct (*c)[MOST])
{
	double logit[2][IMAGES], accuracy[2][MOST];
	const struct correct *model[2][MOST];
	struct spread s[2];
	struct welch v;

	draw_images(w, r, logit);
	for (int g = 0; g < 2; g++) {
		for (int m = 0; m < w->k; m++) {
			const double seed = w->seeds > 0 ? w->seeds * normal(r) : 0;

			model[g][m] = &c[g][m];
			memset(c[g][m].word, 0, correct_words(IMAGES) * sizeof(uint64_t));
			for (int i = 0; i < IMAGES; i++)
				if (uniform(r) < 1 / (1 + exp(-logit[g][i] - seed)))
					c[g][m].word[i / 64] |= UINT64_C(1) << (i % 64);
			accuracy[g][m] = (double)correct_count(&c[g][m]) / IMAGES;
		}
		s[g] = spread_of(accuracy[g], (size_t)w->k);
	}
	v = s[0].dev > 0 || s[1].dev > 0 ? welch_of(&s[0], &s[1]) : (struct welch){ 0 };
	v = welch_add(v, pairs_variance(&(struct answers){ model[0], w->k },
					&(struct answers){ model[1], w->k }, false), IMAGES - 1);
	return fabs(s[0].mean - s[1].mean) <= student_975(v.df) * v.error + 1e-12;
}

/*
 * The share is 95 % within 1 % and 1.5 standard errors of the share, 1 %. With three seeds
 * Welch's interval itself covers 96 to 97 % if deviations are equal: its degrees of freedom are
 * estimated from two deviations of two degrees each.
 */
static void test_coverage(void **state)
{
	static const struct world worlds[] = {
		{ false, 0, 0, 3 }, { true, 0, 0.2, 3 }, { true, 1, 0.2, 4 },
		{ false, 1, 0, 4 }, { true, 0, 0.2, 6 }, { true, 1, 0, 12 }
	};
	struct correct c[2][MOST];
	struct rng r;

	for (int i = 0; i < 2 * MOST; i++)
		c[i / MOST][i % MOST] = correct_new(IMAGES, 1);
	for (size_t i = 0; i < sizeof(worlds) / sizeof(worlds[0]); i++) {
		const double most = worlds[i].k == 3 ? 0.98 : 0.97;
		int covers = 0;

		rng_at(&r, 20261128, RNG_DATA, (uint32_t)i, 0);
		for (int k = 0; k < REPEATS; k++)
			covers += interval_covers(&worlds[i], &r, c);
		if (covers < 0.93 * REPEATS || covers > most * REPEATS)
			fail_msg("world %zu: %.1f %% of the intervals", i,
				 100.0 * covers / REPEATS);
	}
	for (int i = 0; i < 2 * MOST; i++)
		correct_release(&c[i / MOST][i % MOST]);
}

RUN_ALL(test_by_hand, test_text, test_welch_add, test_coverage)
