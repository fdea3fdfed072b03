/* Winograd's convolution on f32 by AVX2, on processors without AVX-512. */
#define LANES 8
#include "nets/onednn/simd/vec.h"
#include "nets/onednn/wino/wino.h"

#if defined(__x86_64__)
#define TARGET __attribute__((target("avx2,fma")))

enum { SQUARE = 8 };            /* side of square_turn()'s block */

/* y[SQUARE][SQUARE] <- transpose of x[SQUARE][SQUARE]; ld*: floats from row to row. */
static inline TARGET INLINE void square_turn(size_t columns, const float *x, size_t ldx, float *y,
					     size_t ldy)
{
	__m256 r[SQUARE], t[SQUARE];

	for (size_t i = 0; i < SQUARE; i++)
		r[i] = _mm256_loadu_ps(x + i * ldx);
	for (int i = 0; i < SQUARE; i += 2) {
		t[i] = _mm256_unpacklo_ps(r[i], r[i + 1]);
		t[i + 1] = _mm256_unpackhi_ps(r[i], r[i + 1]);
	}
	for (int i = 0; i < SQUARE; i += 4) {
		r[i] = _mm256_shuffle_ps(t[i], t[i + 2], 0x44);
		r[i + 1] = _mm256_shuffle_ps(t[i], t[i + 2], 0xee);
		r[i + 2] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0x44);
		r[i + 3] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0xee);
	}
	for (size_t i = 0; i < columns / 2; i++) {
		_mm256_storeu_ps(y + i * ldy, _mm256_permute2f128_ps(r[i], r[i + 4], 0x20));
		_mm256_storeu_ps(y + (i + 4) * ldy, _mm256_permute2f128_ps(r[i], r[i + 4], 0x31));
	}
}

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
