/*
 * turn.h - the transpose of a square block of floats, or of pairs of bf16, in registers of LANES
 * floats, which the includer defines: 16 with AVX-512, 8 with AVX2.
 */
#ifndef NETS_ONEDNN_SIMD_TURN_H
#define NETS_ONEDNN_SIMD_TURN_H

#include <immintrin.h>
#include <stddef.h>

enum { SQUARE = LANES };        /* side of the block */

/* square_turn(): y[columns][SQUARE] <- transpose of x[SQUARE][columns]; ld*: floats of a row. */
#if LANES == 16
#define TURN static inline __attribute__((always_inline, target("avx512f")))

TURN __m512 pairs_low(__m512 a, __m512 b)
{
	return _mm512_castpd_ps(_mm512_unpacklo_pd(_mm512_castps_pd(a), _mm512_castps_pd(b)));
}

TURN __m512 pairs_high(__m512 a, __m512 b)
{
	return _mm512_castpd_ps(_mm512_unpackhi_pd(_mm512_castps_pd(a), _mm512_castps_pd(b)));
}

TURN void square_turn(size_t columns, const float *x, size_t ldx, float *y, size_t ldy)
{
	const __mmask16 mask = (__mmask16)((1u << columns) - 1);
	__m512 r[SQUARE], t[SQUARE];

#pragma GCC unroll 16
	for (size_t i = 0; i < SQUARE; i++)
		r[i] = _mm512_maskz_loadu_ps(mask, x + i * ldx);
#pragma GCC unroll 8
	for (int i = 0; i < SQUARE; i += 2) {
		t[i] = _mm512_unpacklo_ps(r[i], r[i + 1]);
		t[i + 1] = _mm512_unpackhi_ps(r[i], r[i + 1]);
	}
#pragma GCC unroll 4
	for (int i = 0; i < SQUARE; i += 4) {
		r[i] = pairs_low(t[i], t[i + 2]);
		r[i + 1] = pairs_high(t[i], t[i + 2]);
		r[i + 2] = pairs_low(t[i + 1], t[i + 3]);
		r[i + 3] = pairs_high(t[i + 1], t[i + 3]);
	}
#pragma GCC unroll 4
	for (int i = 0; i < 4; i++) {
		t[i] = _mm512_shuffle_f32x4(r[i], r[i + 4], 0x88);
		t[i + 4] = _mm512_shuffle_f32x4(r[i], r[i + 4], 0xdd);
		t[i + 8] = _mm512_shuffle_f32x4(r[i + 8], r[i + 12], 0x88);
		t[i + 12] = _mm512_shuffle_f32x4(r[i + 8], r[i + 12], 0xdd);
	}
#pragma GCC unroll 8
	for (int i = 0; i < 8; i++) {
		r[i] = _mm512_shuffle_f32x4(t[i], t[i + 8], 0x88);
		r[i + 8] = _mm512_shuffle_f32x4(t[i], t[i + 8], 0xdd);
	}
#pragma GCC unroll 16
	for (size_t i = 0; i < SQUARE; i++)
		if (i < columns)
			_mm512_storeu_ps(y + i * ldy, r[i]);
}
#else
#define TURN static inline __attribute__((always_inline, target("avx2")))

/* The lanes of `columns` floats, for maskload and maskstore. */
TURN __m256i square_lanes(size_t columns)
{
	return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)columns),
				  _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0));
}

TURN void square_turn(size_t columns, const float *x, size_t ldx, float *y, size_t ldy)
{
	const __m256i some = square_lanes(columns);
	__m256 r[SQUARE], t[SQUARE];

#pragma GCC unroll 8
	for (size_t i = 0; i < SQUARE; i++)
		r[i] = columns == SQUARE ? _mm256_loadu_ps(x + i * ldx)
					 : _mm256_maskload_ps(x + i * ldx, some);
#pragma GCC unroll 4
	for (int i = 0; i < SQUARE; i += 2) {
		t[i] = _mm256_unpacklo_ps(r[i], r[i + 1]);
		t[i + 1] = _mm256_unpackhi_ps(r[i], r[i + 1]);
	}
#pragma GCC unroll 2
	for (int i = 0; i < SQUARE; i += 4) {
		r[i] = _mm256_shuffle_ps(t[i], t[i + 2], 0x44);
		r[i + 1] = _mm256_shuffle_ps(t[i], t[i + 2], 0xee);
		r[i + 2] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0x44);
		r[i + 3] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0xee);
	}
#pragma GCC unroll 4
	for (int i = 0; i < 4; i++) {
		t[i] = _mm256_permute2f128_ps(r[i], r[i + 4], 0x20);
		t[i + 4] = _mm256_permute2f128_ps(r[i], r[i + 4], 0x31);
	}
#pragma GCC unroll 8
	for (size_t i = 0; i < SQUARE; i++)
		if (i < columns)
			_mm256_storeu_ps(y + i * ldy, t[i]);
}
#endif

#undef TURN

#endif
