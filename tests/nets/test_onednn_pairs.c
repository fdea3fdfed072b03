/* Our kernel for products in bf16: its numbers, what it rounds, and packed factors. */
#include "core/base/mem.h"
#include "nets/onednn/product.h"
#include "tests/support/check.h"
#include "tests/support/rig.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Computes it as it is, or with b packed, between other columns and rows. */
static void rig_compute(struct rig *r, bool packs)
{
	const struct ob_packed *by = product_bf16();
	const size_t pairs = (r->p.k + 1) / 2 + 3;
	struct ob_product p = r->p;
	float *b;

	if (!packs) {
		product_bf16_compute(&p, r->work);
		return;
	}
	b = xlines(by->floats(p.n, pairs), sizeof(*b));
	by->make(p.tb, p.n, p.k, p.b, p.ldb, pairs, b);
	p.b = b;
	p.ldb = pairs;
	by->multiply(&p, r->work);
	free(b);
}

/* x in bf16, to nearest even. */
static double rounded(float x)
{
	uint32_t bits;
	float f;

	memcpy(&bits, &x, sizeof(bits));
	bits = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000;
	memcpy(&f, &bits, sizeof(f));
	return (double)f;
}

/* The sum of an entry, and *size <- that of its terms' sizes. */
static double entry(const struct rig *r, size_t i, size_t j, double *size)
{
	const struct ob_product *p = &r->p;
	double sum = p->beta != 0.0f ? (double)r->before[i * p->ldc + j] : 0.0;

	*size = fabs(sum);
	for (size_t k = 0; k < p->k; k++) {
		const double term = rounded(p->ta ? p->a[k * p->lda + i] : p->a[i * p->lda + k])
				    * rounded(p->tb ? p->b[j * p->ldb + k] : p->b[k * p->ldb + j]);

		sum += term;
		*size += fabs(term);
	}
	return sum;
}

/* Each sum is exact with whole numbers; else off by a rounding of each addition at most. */
static void check(bool fine, bool ta, bool tb, size_t m, size_t n, size_t k, float beta)
{
	for (int packs = 0; packs < 2; packs++) {
		const double off = fine ? (double)k * 0x1p-24 : 0.0;
		struct rig r;

		rig_open(&r, (struct rig_shape){ ta, tb, m, n, k, beta }, fine, PRODUCT_BF16_BYTES);
		rig_compute(&r, packs);
		for (size_t i = 0; i < m; i++)
			for (size_t j = 0; j < r.p.ldc; j++) {
				const size_t at = i * r.p.ldc + j;
				double size = 0.0;
				const double want = j < n ? entry(&r, i, j, &size)
							  : (double)r.before[at];

				if (!(fabs((double)r.c[at] - want) <= off * size))
					fail_msg("%zu x %zu x %zu at %zu, %zu: %g, not %g", m, n, k,
						 i, j, (double)r.c[at], want);
			}
		rig_close(&r);
	}
}

/* Every number of rows of a block, widths around panels and blocks, odd and even depths. */
static void exact(void **state)
{
	static const size_t widths[] = { 1, 15, 16, 17, 31, 32, 33, 70, 257, 300 };
	static const size_t depths[] = { 1, 2, 15, 31, 32, 33, 64, 511, 767, 768, 769, 1601 };

	if (!product_bf16())
		skip();
	for (size_t m = 1; m <= 30; m++)
		check(false, m % 2, m / 2 % 2, m, 45, 20, (float)(m / 4 % 2));
	for (size_t k = 0; k < 4 * sizeof(widths) / sizeof(*widths); k++)
		check(false, k % 2, k / 2 % 2, 5, widths[k / 4], 41, (float)(k / 4 % 2));
	for (size_t k = 0; k < 4 * sizeof(depths) / sizeof(*depths); k++)
		check(false, k % 2, k / 2 % 2, 17, 33, depths[k / 4], (float)(k / 4 % 2));
	for (size_t k = 0; k < 4; k++)
		check(false, k % 2, k / 2 % 2, 531, 33, 18, (float)(k % 2));
}

/* Factors are rounded to nearest even, sums are not. */
static void rounds(void **state)
{
	if (!product_bf16())
		skip();
	for (size_t k = 0; k < 4; k++) {
		check(true, k % 2, k / 2 % 2, 19, 40, 1, 0.0f);
		check(true, k % 2, k / 2 % 2, 19, 40, 800, 1.0f);
	}
}

/* Neither dividing rows and columns, nor the sum between pairs, nor packing changes a bit. */
static void divided(void **state)
{
	const struct rig_shape shape = { true, false, 40, 90, 300, 0.0f };
	struct rig whole, parts, packed;

	if (!product_bf16())
		skip();
	rig_open(&whole, shape, true, PRODUCT_BF16_BYTES);
	rig_open(&parts, shape, true, PRODUCT_BF16_BYTES);
	rig_open(&packed, shape, true, PRODUCT_BF16_BYTES);
	rig_compute(&whole, false);
	rig_compute(&packed, true);
	rig_divide(&parts, product_bf16_compute);
	assert_memory_equal(whole.c, parts.c, whole.p.m * whole.p.ldc * sizeof(float));
	assert_memory_equal(whole.c, packed.c, whole.p.m * whole.p.ldc * sizeof(float));
	rig_close(&whole);
	rig_close(&parts);
	rig_close(&packed);
}

RUN_ALL(exact, rounds, divided)
