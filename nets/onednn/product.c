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

/* Least product of k and the largest power of two that divides ld* with which oneDNN is slower. */
enum { ALIASES = 224 * 1024, LEAST_COLUMNS = 256, LEAST_ROWS = 32 };

/* True if k rows that are `apart` floats apart share the few sets of the cache. */
static bool rows_alias(size_t k, size_t apart)
{
	const size_t power = apart & (~apart + 1);

	return apart != power && k >= ALIASES / power;
}

bool product_is_ours(const struct ob_product *p)
{
	if (p->tb || p->m < LEAST_ROWS || p->n < LEAST_COLUMNS)
		return false;
	if (has_avx512())
		return rows_alias(p->k, p->ldb);
	return has_avx2() && (rows_alias(p->k, p->ldb) || (p->ta && rows_alias(p->k, p->lda)));
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
