/* Addressed randomness: Philox itself, independence of purposes, permutations, moments. */
#include "core/math/rng.h"
#include "tests/support/check.h"

#include <math.h>
#include <string.h>

/* Known answer of Philox4x32-10 for key 0, counter 0, published with Random123 (kat_vectors). */
static void philox_known_answer(void **state)
{
	struct rng r = { .key = { 0, 0 } };
	const uint32_t expected[4] = { 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 };

	for (int i = 3; i >= 0; i--)
		assert_int_equal(rng_u32(&r), expected[i]);
}

static uint64_t first(uint64_t seed, enum rng_purpose purpose, uint32_t rank, uint64_t index)
{
	struct rng r;

	rng_at(&r, seed, purpose, rank, index);
	return rng_u64(&r);
}

static void every_part_of_the_address_counts(void **state)
{
	const uint64_t a = first(1, RNG_DELAY, 2, 3);

	assert_true(a == first(1, RNG_DELAY, 2, 3));
	assert_true(a != first(2, RNG_DELAY, 2, 3));
	assert_true(a != first(1ull << 40 | 1, RNG_DELAY, 2, 3));
	assert_true(a != first(1, RNG_SHUFFLE, 2, 3));
	assert_true(a != first(1, RNG_DELAY, 3, 3));
	assert_true(a != first(1, RNG_DELAY, 2, 4));
	assert_true(a != first(1, RNG_DELAY, 2, 1ull << 40 | 3));
}

static void moments(void **state)
{
	enum { N = 200000 };
	double u = 0, n1 = 0, n2 = 0, below = 0;
	struct rng r;

	rng_at(&r, 1, RNG_ALGO, 0, 0);
	for (int i = 0; i < N; i++) {
		double z = rng_normal(&r);

		u += rng_uniform(&r);
		n1 += z;
		n2 += z * z;
		below += (double)rng_below(&r, 7);
	}
	assert_near(u / N, 0.5, 0.005);
	assert_near(n1 / N, 0.0, 0.01);
	assert_near(n2 / N, 1.0, 0.02);
	assert_near(below / N, 3.0, 0.02);
}

static void permutes(void **state)
{
	static const uint64_t sizes[] = { 1, 2, 3, 5, 16, 17, 1000 };
	char seen[1000];

	for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
		uint64_t moved = 0;

		memset(seen, 0, sizeof seen);
		for (uint64_t i = 0; i < sizes[k]; i++) {
			uint64_t p = rng_permute(9, RNG_SHUFFLE, 4, sizes[k], i);

			assert_true(p < sizes[k]);
			assert_false(seen[p]);
			assert_int_equal(rng_permute_back(9, RNG_SHUFFLE, 4, sizes[k], p), i);
			seen[p] = 1;
			moved += p != rng_permute(9, RNG_SHUFFLE, 5, sizes[k], i);
		}
		assert_true(sizes[k] < 16 || moved > sizes[k] / 2);
	}
}

/* The chi-square of counts that are all expected to be `each`. */
static double chi_square(const int *count, size_t n, double each)
{
	double chi = 0.0;

	for (size_t i = 0; i < n; i++)
		chi += (count[i] - each) * (count[i] - each) / each;
	return chi;
}

/* The 1e-6 point of chi-square, by Wilson and Hilferty. */
static double chi_square_limit(double degrees)
{
	const double a = 2.0 / (9.0 * degrees);

	return degrees * pow(1.0 - a + 4.753 * sqrt(a), 3.0);
}

/* Any two of n have neighbouring positions, as a pair, equally often. */
static void pairs_are_equally_likely(void **state)
{
	enum { MOST = 64, EACH = 400 };
	static int count[MOST * MOST];

	for (int n = 2; n <= MOST; n++) {
		const int rounds = EACH * (n - 1 + n % 2);
		int pairs = 0;

		memset(count, 0, sizeof(count));
		for (int r = 0; r < rounds; r++)
			for (int i = 0; i + 1 < n; i += 2) {
				const int a = (int)rng_permute_back(7, RNG_GRAPH, (uint64_t)r,
								    (uint64_t)n, (uint64_t)i);
				const int b = (int)rng_permute_back(7, RNG_GRAPH, (uint64_t)r,
								    (uint64_t)n, (uint64_t)i + 1);
				const int lo = a < b ? a : b, hi = a < b ? b : a;

				count[hi * (hi - 1) / 2 + lo]++;
			}
		pairs = n * (n - 1) / 2;
		assert_true(chi_square(count, (size_t)pairs, EACH) < chi_square_limit(pairs));
	}
}

/* All n! orders are equally likely. */
static void orders_are_equally_likely(void **state)
{
	enum { MOST = 5, ORDERS = 120, EACH = 200 };
	static const int factorial[] = { 1, 1, 2, 6, 24, 120 };

	for (int n = 2; n <= MOST; n++) {
		int count[ORDERS] = { 0 };

		for (int r = 0; r < EACH * factorial[n]; r++) {
			int code = 0;

			for (int i = 0; i < n; i++) {
				const int p = (int)rng_permute(3, RNG_SHUFFLE, (uint64_t)r,
							       (uint64_t)n, (uint64_t)i);
				int smaller = p;

				for (int k = 0; k < i; k++)
					smaller -= (int)rng_permute(3, RNG_SHUFFLE, (uint64_t)r,
								    (uint64_t)n, (uint64_t)k) < p;
				code += smaller * factorial[n - 1 - i];
			}
			count[code]++;
		}
		assert_true(chi_square(count, (size_t)factorial[n], EACH) <
			    chi_square_limit(factorial[n] - 1));
	}
}

/* Shuffles of two rounds and seeds in turns are those that are made alone. */
static void kept_shuffles_are_the_same(void **state)
{
	for (uint64_t k = 0; k < 40; k++) {
		uint16_t order[RNG_EXACT];
		const size_t n = k % 3 ? 17 : RNG_EXACT;

		rng_shuffle(k % 2, RNG_SHUFFLE, k / 5, n, order);
		for (size_t i = 0; i < n; i += 5)
			assert_int_equal(rng_permute(k % 2, RNG_SHUFFLE, k / 5, n, i), order[i]);
	}
}

/* Every position gets every sample equally often: 20 cells, chi-square below the 1e-6 point. */
static void permutations_are_fair(void **state)
{
	enum { N = 20, ROUNDS = 4000 };
	int count[N] = { 0 };
	double chi = 0.0;

	for (uint64_t e = 0; e < ROUNDS; e++)
		count[rng_permute(1, RNG_SHUFFLE, e, N, 3)]++;
	for (int i = 0; i < N; i++) {
		double d = count[i] - (double)ROUNDS / N;

		chi += d * d / ((double)ROUNDS / N);
	}
	assert_true(chi < 65.0);
}

/* Many words at once, from any word on, are those that single draws yield; and so are the next. */
static void words_are_those_of_single_draws(void **state)
{
	enum { MOST = 200 };
	uint32_t words[MOST];

	for (size_t skip = 0; skip < 6; skip++)
		for (size_t n = 0; n <= MOST; n += n < 70 ? 1 : 13) {
			struct rng many, one;

			rng_at(&many, 1ull << 40 | 7, RNG_DROPOUT, 3, 1ull << 36 | 5);
			rng_skip(&many, skip);
			one = many;
			rng_words(&many, n, words);
			for (size_t i = 0; i < n; i++)
				assert_int_equal(words[i], rng_u32(&one));
			assert_int_equal(rng_u32(&many), rng_u32(&one));
		}
}

/* Addresses of neighbouring indices, also where a word of the counter overflows. */
static void addresses_together_are_those_of_single_ones(void **state)
{
	const uint64_t from[] = { 0, 5, UINT32_MAX - 3, 1ull << 48 | 9 };

	for (size_t k = 0; k < 4; k++)
		for (size_t n = 1; n <= RNG_EACH; n++) {
			struct rng each[RNG_EACH], one;

			rng_at_each(each, n, 1ull << 40 | 7, RNG_DELAY, 3, from[k]);
			for (size_t i = 0; i < n; i++) {
				rng_at(&one, 1ull << 40 | 7, RNG_DELAY, 3, from[k] + i);
				for (int word = 0; word < 9; word++)
					assert_int_equal(rng_u32(&each[i]), rng_u32(&one));
				assert_true(rng_normal(&each[i]) == rng_normal(&one));
			}
		}
}

RUN_ALL(philox_known_answer, every_part_of_the_address_counts, moments, permutes,
	permutations_are_fair, pairs_are_equally_likely,
	orders_are_equally_likely, kept_shuffles_are_the_same, words_are_those_of_single_draws,
	addresses_together_are_those_of_single_ones)
