/* Floats that several threads read and add to at once. */
#include "core/math/vec.h"
#include "tests/support/check.h"

#include <math.h>
#include <pthread.h>

enum { N = 7, THREADS = 4, TIMES = 200000 };

static float shared[N];

static void *add_ones(void *arg)
{
	float before[N], after[N];

	(void)arg;
	for (int k = 0; k < TIMES; k++) {
		shared_read(N, shared, before);
		for (int i = 0; i < N; i++)
			after[i] = before[i] + 1.0f;
		shared_add(N, before, after, shared);
	}
	return NULL;
}

static void no_addition_is_lost(void **state)
{
	pthread_t thread[THREADS];

	for (int t = 0; t < THREADS; t++)
		assert_int_equal(pthread_create(&thread[t], NULL, add_ones, NULL), 0);
	for (int t = 0; t < THREADS; t++)
		pthread_join(thread[t], NULL);
	for (int i = 0; i < N; i++)
		assert_true(shared[i] == (float)(THREADS * TIMES));
}

/* 1e8 + (0.1 - 1e8) is 0 in floats; 8 + (1 - 0.25) is 8.75. */
static void an_untouched_coordinate_gets_the_very_bits(void **state)
{
	const float before[3] = { 1e8f, 0.25f, 1.0f }, after[3] = { 0.1f, 1.0f, NAN };
	float x[3] = { 1e8f, 8.0f, 1.0f };

	shared_add(3, before, after, x);
	assert_true(1e8f + (0.1f - 1e8f) != 0.1f);
	assert_true(x[0] == 0.1f);
	assert_true(x[1] == 8.75f);
	assert_true(isnan(x[2]));
}

RUN_ALL(no_addition_is_lost, an_untouched_coordinate_gets_the_very_bits)
