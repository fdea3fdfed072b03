/* The losses and the dropout masks that all backends share. */
#include "core/base/mem.h"
#include "nets/backend.h"
#include "tests/support/check.h"

#include <math.h>
#include <stdlib.h>

/* Two classes, logits 0 and log 3: softmax is 1/4, 3/4. */
static void by_hand(void **state)
{
	const float z[4] = { 0.0f, (float)log(3), 0.0f, (float)log(3) };
	const int32_t labels[2] = { 0, 1 };
	float d[4];
	double loss = softmax_loss(2, 2, z, labels, d);

	assert_near(loss, (log(4) + log(4.0 / 3)) / 2, 1e-7);
	assert_near((double)d[0], -0.375, 1e-7);
	assert_near((double)d[1], 0.375, 1e-7);
	assert_near((double)d[2], 0.125, 1e-7);
	assert_near((double)d[3], -0.125, 1e-7);
	assert_true(loss == softmax_loss(2, 2, z, labels, NULL));
}

/* Far apart: no overflow, and the loss is the distance. */
static void large_logits(void **state)
{
	const float z[3] = { 5000.0f, -5000.0f, 0.0f };
	float d[3];

	assert_near(softmax_loss(1, 3, z, (int32_t[]){ 0 }, d), 0, 0);
	assert_near(softmax_loss(1, 3, z, (int32_t[]){ 1 }, d), 10000, 0);
	assert_true(d[0] == 1.0f && d[1] == -1.0f && d[2] == 0.0f);
}

static void nan_is_a_result(void **state)
{
	const float z[2] = { NAN, 0.0f };

	assert_true(isnan(softmax_loss(1, 2, z, (int32_t[]){ 1 }, NULL)));
}

/* Two samples with two outputs: ((1)^2 + (2)^2 + 0 + (1)^2) / 4, slopes 2 (z - t) / 4. */
static void squares_by_hand(void **state)
{
	const struct graph g = { .classes = 2, .loss = LOSS_MSE, .targets = 1 };
	const float z[4] = { 1.0f, -2.0f, 0.5f, 3.0f };
	const int32_t t[4] = { target_bits(0.0f), target_bits(0.0f), target_bits(0.5f),
			       target_bits(4.0f) };
	struct score score = { 0 };
	float d[4];

	assert_near(loss_of(&g, 2, z, t, d), 1.5, 1e-12);
	assert_true(d[0] == 0.5f && d[1] == -1.0f && d[2] == 0.0f && d[3] == -0.5f);
	loss_score(&g, 2, z, t, &score);
	assert_near(score.loss, 3.0, 1e-12);
	assert_int_equal(score.n, 2);
	assert_int_equal(score.correct, -1);
	assert_int_equal(graph_labels(&g), 2);
}

/* s(0) = 1/2, s(log 3) = 3/4: -log 1/2, -log 1/4 for target 0; half of both for a target of 1/2. */
static void binary_by_hand(void **state)
{
	const struct graph g = { .classes = 1, .loss = LOSS_BCE, .targets = 1 };
	const float z[3] = { 0.0f, (float)log(3), (float)log(3) };
	const int32_t t[3] = { target_bits(1.0f), target_bits(0.0f), target_bits(0.5f) };
	float d[3];

	assert_near(loss_of(&g, 1, z, t, d), log(2), 1e-7);
	assert_near((double)d[0], -0.5, 1e-7);
	assert_near(loss_of(&g, 1, z + 1, t + 1, d), log(4), 1e-7);
	assert_near((double)d[0], 0.75, 1e-7);
	assert_near(loss_of(&g, 1, z + 2, t + 2, d), 0.5 * (log(4) + log(4.0 / 3)), 1e-7);
	assert_near((double)d[0], 0.25, 1e-7);
	/* large outputs: no overflow, the loss is the distance */
	assert_near(loss_of(&g, 1, (float[]){ 800.0f }, t + 1, d), 800, 0);
	assert_near(loss_of(&g, 1, (float[]){ -800.0f }, t, d), 800, 0);
	assert_true(isnan(loss_of(&g, 1, (float[]){ NAN }, t, d)));
}

/* A sample with two labels is right when both of its outputs are. */
static void binary_scores(void **state)
{
	const struct graph g = { .classes = 2, .loss = LOSS_BCE, .targets = 1 };
	const float z[6] = { 1.0f, -1.0f, 1.0f, 1.0f, -0.5f, -0.1f };
	const int32_t yes = target_bits(1.0f), no = target_bits(0.0f);
	const int32_t t[6] = { yes, no, yes, no, no, no };
	struct score score = { 0 };

	loss_score(&g, 3, z, t, &score);
	assert_int_equal(score.correct, 2);
	assert_int_equal(score.right[0], 5);
	assert_int_equal(score.n, 3);
}

static void mask_values(void **state)
{
	enum { N = 2, COUNT = 20000 };
	const uint64_t use[N] = { 5, 9 };
	float *m = vec_new(N * COUNT);
	double dropped = 0;

	dropout_mask(N, COUNT, 0.3, 1, 2, use, m);
	for (size_t k = 0; k < N * COUNT; k++) {
		assert_true(m[k] == 0.0f || m[k] == (float)(1 / 0.7));
		dropped += m[k] == 0.0f;
	}
	/* sqrt(0.3 0.7 / 40000) = 0.0023 */
	assert_near(dropped / (N * COUNT), 0.3, 0.01);
	free(m);
}

/* A sample's mask depends on its use, the layer and the seed, not on its position in the batch. */
static void mask_address(void **state)
{
	enum { COUNT = 100 };
	float a[2 * COUNT], b[COUNT], c[COUNT];

	dropout_mask(2, COUNT, 0.5, 1, 2, (uint64_t[]){ 5, 9 }, a);
	dropout_mask(1, COUNT, 0.5, 1, 2, (uint64_t[]){ 9 }, b);
	assert_memory_equal(a + COUNT, b, sizeof(b));
	assert_memory_not_equal(a, b, sizeof(b));
	dropout_mask(1, COUNT, 0.5, 1, 3, (uint64_t[]){ 9 }, c);
	assert_memory_not_equal(b, c, sizeof(b));
	dropout_mask(1, COUNT, 0.5, 2, 2, (uint64_t[]){ 9 }, c);
	assert_memory_not_equal(b, c, sizeof(b));
}

RUN_ALL(by_hand, large_logits, nan_is_a_result, squares_by_hand, binary_by_hand,
	binary_scores, mask_values, mask_address)
