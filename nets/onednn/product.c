/* product.c - which f32 products are ours, and those by AVX-512. */
#define LANES 16
#define BLOCK_TARGET "avx512f"
#include "nets/onednn/product.h"

#if defined(__x86_64__)
#include "nets/onednn/product_loops.h"

static bool has_avx512(void)
{
	return __builtin_cpu_supports("avx512f");
}

static bool has_avx2(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

void product_compute(const struct ob_product *p, float *work)
{
	(has_avx512() ? product_loops : product_avx2)(p, work);
}

enum { LEAST_ROWS = 32 };

/* The largest power of two that divides n. */
static size_t power_in(size_t n)
{
	return n & (~n + 1);
}

/* Whether oneDNN is slower with AVX2 in sums over k rows that are `apart` floats apart. */
static bool rows_alias(size_t k, size_t apart)
{
	return power_in(apart) >= 512 && k * power_in(apart) >= 64 * 1024;
}

bool product_is_ours(const struct ob_product *p)
{
	if (p->tb || p->m < LEAST_ROWS)
		return false;
	if (has_avx512())
		return p->ldb != power_in(p->ldb) && p->k * power_in(p->ldb) >= 224 * 1024
			&& p->n >= 256;
	return has_avx2() && p->n >= 128
		&& (rows_alias(p->k, p->ldb) || (p->ta && rows_alias(p->k, p->lda)));
}
#else
bool product_is_ours(const struct ob_product *p)
{
	(void)p;
	return false;
}

void product_compute(const struct ob_product *p, float *work)
{
	(void)p;
	(void)work;
}
#endif
