/* Our kernel for products that oneDNN computes slowly: its numbers, its order, and its use. */
#include "core/base/mem.h"
#include "nets/nets.h"
#include "nets/onednn/product.h"
#include "tests/support/check.h"
#include "tests/support/helpers.h"
#include "tests/support/rig.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* True on a processor on which the kernel runs. */
static bool can_run(void)
{
	return product_is_ours(&(struct ob_product){ .m = 256, .n = 3072, .k = 768, .ldb = 3072 });
}

/* The kernel's sum: in the order of k, each product added without rounding it. */
static float entry(const struct ob_product *p, const float *c, size_t i, size_t j)
{
	float sum = p->beta != 0.0f ? c[i * p->ldc + j] : 0.0f;

	for (size_t k = 0; k < p->k; k++)
		sum = fmaf(p->ta ? p->a[k * p->lda + i] : p->a[i * p->lda + k],
			   p->b[k * p->ldb + j], sum);
	return sum;
}

static void check(bool ta, size_t m, size_t n, size_t k, float beta)
{
	struct rig r;

	rig_open(&r, (struct rig_shape){ ta, false, m, n, k, beta }, true, PRODUCT_BYTES);
	product_compute(&r.p, r.work);
	for (size_t i = 0; i < m; i++)
		for (size_t j = 0; j < r.p.ldc; j++) {
			const size_t at = i * r.p.ldc + j;
			const float want = j < n ? entry(&r.p, r.before, i, j) : r.before[at];

			if (r.c[at] != want)
				fail_msg("%zu x %zu x %zu at %zu, %zu: %g, not %g", m, n, k, i, j,
					 (double)r.c[at], (double)want);
		}
	rig_close(&r);
}

/* Every number of rows of a block, widths around vectors and panels, depths around blocks. */
static void numbers_and_order(void **state)
{
	static const size_t widths[] = { 1, 15, 16, 17, 31, 32, 33, 70, 513 };
	static const size_t depths[] = { 1, 16, 37, 256, 257, 530 };

	if (!can_run())
		skip();
	for (size_t m = 1; m <= 30; m++)
		check(m % 2, m, 45, 20, (float)(m / 2 % 2));
	for (size_t k = 0; k < sizeof(widths) / sizeof(*widths); k++)
		check(k % 2, 5, widths[k], 40, (float)(k / 2 % 2));
	for (size_t k = 0; k < sizeof(depths) / sizeof(*depths); k++)
		check(k % 2, 17, 33, depths[k], (float)(k / 2 % 2));
	check(false, 265, 33, 18, 0.0f);
	check(true, 265, 33, 18, 1.0f);
}

/* Neither dividing rows, columns nor the sum changes a bit. */
static void divided(void **state)
{
	const struct rig_shape shape = { true, false, 40, 90, 300, 0.0f };
	struct rig whole, parts;

	if (!can_run())
		skip();
	rig_open(&whole, shape, true, PRODUCT_BYTES);
	rig_open(&parts, shape, true, PRODUCT_BYTES);
	product_compute(&whole.p, whole.work);
	rig_divide(&parts, product_compute);
	assert_memory_equal(whole.c, parts.c, whole.p.m * whole.p.ldc * sizeof(float));
	rig_close(&whole);
	rig_close(&parts);
}

/* True on a processor with AVX2 but no AVX-512. */
static bool is_narrow(void)
{
#if defined(__x86_64__)
	return can_run() && !__builtin_cpu_supports("avx512f");
#else
	return false;
#endif
}

static void chosen_by_shape(void **state)
{
	const struct ob_product shape = { .m = 256, .n = 3072, .k = 768, .lda = 768, .ldb = 3072 };
	struct ob_product p = shape;

	p.k = 128;
	assert_int_equal(product_is_ours(&p), is_narrow());
	p.k = 63;
	assert_false(product_is_ours(&p));
	p = shape;
	p.ldb = 4096;
	assert_int_equal(product_is_ours(&p), is_narrow());
	p.ldb = 3073;
	assert_false(product_is_ours(&p));
	p = shape;
	p.tb = true;
	assert_false(product_is_ours(&p));
	p = (struct ob_product){ .m = 256, .n = 768, .k = 768, .lda = 3072, .ldb = 768 };
	assert_false(product_is_ours(&p));
	p.ta = true;
	assert_int_equal(product_is_ours(&p), is_narrow());
}

/* A net whose backward products have such a shape: near openblas, bit-identical with help. */
static void in_a_net(void **state)
{
	struct graph *g = graph_parse(
		"{\"layers\": [{\"layer\": \"embed\", \"out\": 16}, {\"layer\": \"linear\","
		"\"out\": 3072}, \"relu\", {\"layer\": \"linear\", \"out\": 256},"
		"{\"layer\": \"linear\", \"out\": \"$classes\"}]}", "wide",
		(struct shape){ 64, 1, 1 }, 9);
	const struct backend *const on[] = { &backend_onednn, &backend_onednn, &backend_openblas };
	float *grads[3], *x, *tokens;
	int32_t labels[256];
	struct helpers h;
	double off = 0.0, norm = 0.0;

	assert_non_null(g);
	x = vec_new(g->dim);
	tokens = vec_new(256);
	graph_init(g, 1, x);
	graph_draw_batch(g, 1, 4, tokens, labels);
	helpers_start(&h, true);
	for (int k = 0; k < 3; k++) {
		void *ctx = on[k]->open(g, NULL, 4, k == 1 ? &h.team : NULL);

		grads[k] = vec_new(g->dim);
		on[k]->grad(ctx, x, 4, tokens, labels, 1, NULL, grads[k], NULL);
		on[k]->close(ctx);
	}
	assert_memory_equal(grads[0], grads[1], g->dim * sizeof(float));
	for (size_t i = 0; i < g->dim; i++) {
		const double d = (double)grads[0][i] - (double)grads[2][i];

		off += d * d;
		norm += (double)grads[2][i] * (double)grads[2][i];
	}
	assert_true(norm > 0.0 && off <= 1e-10 * norm);
	for (int k = 0; k < 3; k++)
		free(grads[k]);
	free(x);
	free(tokens);
	helpers_stop(&h);
	graph_free(g);
}

RUN_ALL(numbers_and_order, divided, chosen_by_shape, in_a_net)
