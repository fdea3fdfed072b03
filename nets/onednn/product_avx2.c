/* product_avx2.c - products of f32 matrices on one thread by AVX2. */
#define LANES 8
#define BLOCK_TARGET "avx2,fma"
#include "nets/onednn/product.h"

#if defined(__x86_64__)
#include "nets/onednn/product_loops.h"

void product_avx2(const struct ob_product *p, float *work)
{
	product_loops(p, work);
}
#endif
