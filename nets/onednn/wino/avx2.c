/* Winograd's convolution on f32 by AVX2, on processors without AVX-512. */
#define LANES 8
#include "nets/onednn/simd/vec.h"
#include "nets/onednn/wino/wino.h"

#if defined(__x86_64__)
#include "nets/onednn/simd/turn.h"

#define TARGET __attribute__((target("avx2,fma")))

#define ELEM float
#define STEP 1
#define LOAD LOAD_F32
#define STORE STORE_F32
#define PAIR STORE_F32
#define ADD_PRODUCT(sum, p, b) \
	(*(sum) = (vec)_mm256_fmadd_ps(_mm256_broadcast_ss(p), (__m256)*(b), (__m256)*(sum)))
#include "nets/onednn/wino/loops.h"

const struct wino_table *wino_avx2(void)
{
	static const struct wino_table table = { 16, weights, weights_back, convolve, gradient };

	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? &table : NULL;
}
#else
const struct wino_table *wino_avx2(void)
{
	return NULL;
}
#endif
