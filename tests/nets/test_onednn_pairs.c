/* Our kernel for products in bf16: its numbers, what it rounds, and packed factors. */
#include "core/base/mem.h"
#include "nets/onednn/product.h"
#include "tests/support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A product with factors of its own, all with gaps between their rows, and what c was before. */
struct rig {
	struct ob_product p;
	float *a, *b, *c, *before, *work;
};

/* Whole numbers up to 8, whose sums are exact in any order, or (fine) numbers of 24 bits. */
static float *numbers(size_t n, bool fine, uint64_t seed)
{
	float *v = vec_new(n);

	for (size_t i = 0; i < n; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		v[i] = fine ? (float)(seed >> 40) / 8388608.0f - 1.0f
			    : (float)(seed >> 60) - 8.0f;
	}
	return v;
}

static void rig_open(struct rig *r, bool fine, bool ta, bool tb, size_t m, size_t n, size_t k,
		     float beta)
{
	const size_t lda = (ta ? m : k) + 3, ldb = (tb ? k : n) + 5, ldc = n + 7;

	*r = (struct rig){ .a = numbers((ta ? k : m) * lda, fine, 1),
			   .b = numbers((tb ? n : k) * ldb, fine, 2),
			   .c = numbers(m * ldc, fine, 3), .before = numbers(m * ldc, fine, 3),
			   .work = xlines(PRODUCT_BF16_BYTES, 1) };
	r->p = (struct ob_product){ .ta = ta, .tb = tb, .m = m, .n = n, .k = k, .a = r->a,
				    .lda = lda, .b = r->b, .ldb = ldb, .beta = beta, .c = r->c,
				    .ldc = ldc };
}

static void rig_close(struct rig *r)
{
	free(r->a);
	free(r->b);
	free(r->c);
	free(r->before);
	free(r->work);
}

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

		rig_open(&r, fine, ta, tb, m, n, k, beta);
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
	enum { M = 40, N = 90, K = 300 };
	struct rig whole, parts, packed;

	if (!product_bf16())
		skip();
	rig_open(&whole, true, true, false, M, N, K, 0.0f);
	rig_open(&parts, true, true, false, M, N, K, 0.0f);
	rig_open(&packed, true, true, false, M, N, K, 0.0f);
	rig_compute(&whole, false);
	rig_compute(&packed, true);
	for (size_t i = 0; i < M; i += 13)
		for (size_t j = 0; j < N; j += 29)
			for (size_t k = 0; k < K; k += 170) {
				struct ob_product p = parts.p;

				p.m = i + 13 < M ? 13 : M - i;
				p.n = j + 29 < N ? 29 : N - j;
				p.k = k + 170 < K ? 170 : K - k;
				p.a += k * p.lda + i;
				p.b += k * p.ldb + j;
				p.c += i * p.ldc + j;
				p.beta = k ? 1.0f : 0.0f;
				product_bf16_compute(&p, parts.work);
			}
	assert_memory_equal(whole.c, parts.c, M * whole.p.ldc * sizeof(float));
	assert_memory_equal(whole.c, packed.c, M * whole.p.ldc * sizeof(float));
	rig_close(&whole);
	rig_close(&parts);
	rig_close(&packed);
}

RUN_ALL(exact, rounds, divided)
