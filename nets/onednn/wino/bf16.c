/* Winograd's convolution on bf16. */
#define LANES 16
#include "nets/onednn/simd/vec.h"
#include "nets/onednn/wino/wino.h"

#if defined(__x86_64__)
#include "nets/onednn/simd/turn.h"

#define TARGET AVX512_BF16
#define ELEM uint16_t
#define STEP 2
#define LOAD LOAD_BF16

/* p[i][2] <- v[0][i], v[1][i] */
static inline TARGET INLINE void pair_up(uint16_t *p, const vec *v)
{
	const __m256bh low = _mm512_cvtneps_pbh((__m512)v[0]);
	const __m256bh high = _mm512_cvtneps_pbh((__m512)v[1]);
	const __m512i a = _mm512_cvtepu16_epi32((__m256i)low);
	const __m512i b = _mm512_cvtepu16_epi32((__m256i)high);

	_mm512_storeu_si512(p, _mm512_or_si512(a, _mm512_slli_epi32(b, 16)));
}

static inline TARGET INLINE void add_product(vec *sum, const uint16_t *p, const vec *b)
{
	int32_t both;

	memcpy(&both, p, sizeof(both));
	*sum = (vec)_mm512_dpbf16_ps((__m512)*sum, (__m512bh)_mm512_set1_epi32(both),
				     (__m512bh)*b);
}

#define STORE store_bf16
#define PAIR pair_up
#define ADD_PRODUCT add_product
#include "nets/onednn/wino/loops.h"

const struct wino_table *wino_bf16(void)
{
	static const struct wino_table table = { 32, weights, weights_back, convolve, gradient };

	return __builtin_cpu_supports("avx512bf16") ? &table : NULL;
}
#else
const struct wino_table *wino_bf16(void)
{
	return NULL;
}
#endif
