/*
 * turn.h - registers of LANES floats, or of as many pairs of bf16, and the transpose of a square of
 * them; the includer defines LANES: 16 with AVX-512, 8 with AVX2.
 */
#ifndef NETS_ONEDNN_SIMD_TURN_H
#define NETS_ONEDNN_SIMD_TURN_H

#include "nets/backend.h"

#include <immintrin.h>
#include <stddef.h>

enum { SQUARE = LANES };        /* side of the square */

typedef float lanes __attribute__((vector_size(4 * LANES)));

/* The first n of LANES lanes, and reading and writing no others. */
#if LANES == 16
#define TURN static inline __attribute__((always_inline, target("avx512f")))
#define LANES_MASK __mmask16
#define LANES_OP(name) _mm512_##name
#define lanes_read(mask, p) _mm512_maskz_loadu_ps(mask, p)
#define lanes_write(p, mask, v) _mm512_mask_storeu_ps(p, mask, v)

TURN LANES_MASK lanes_first(size_t n)
{
	return (__mmask16)((1u << size_least(n, LANES)) - 1);
}
#else
#define TURN static inline __attribute__((always_inline, target("avx2")))
#define LANES_MASK size_t       /* n: all are moved without a mask, which is faster */
#define LANES_OP(name) _mm256_##name

TURN LANES_MASK lanes_first(size_t n)
{
	return size_least(n, LANES);
}

TURN __m256i lanes_bits(size_t n)
{
	return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n),
				  _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0));
}

TURN lanes lanes_read(LANES_MASK n, const float *p)
{
	return n == LANES ? _mm256_loadu_ps(p) : _mm256_maskload_ps(p, lanes_bits(n));
}

TURN void lanes_write(float *p, LANES_MASK n, lanes v)
{
	if (n == LANES)
		_mm256_storeu_ps(p, v);
	else
		_mm256_maskstore_ps(p, lanes_bits(n), v);
}
#endif

TURN lanes pairs_low(lanes a, lanes b)
{
	return LANES_OP(castpd_ps)(LANES_OP(unpacklo_pd)(LANES_OP(castps_pd)(a),
							 LANES_OP(castps_pd)(b)));
}

TURN lanes pairs_high(lanes a, lanes b)
{
	return LANES_OP(castpd_ps)(LANES_OP(unpackhi_pd)(LANES_OP(castps_pd)(a),
							 LANES_OP(castps_pd)(b)));
}

/* y[columns][SQUARE] <- transpose of x[SQUARE][columns]; ld*: floats from row to row. */
TURN void square_turn(size_t columns, const float *x, size_t ldx, float *y, size_t ldy)
{
	const LANES_MASK mask = lanes_first(columns);
	lanes r[SQUARE], t[SQUARE];

#pragma GCC unroll 16
	for (size_t i = 0; i < SQUARE; i++)
		r[i] = lanes_read(mask, x + i * ldx);
#pragma GCC unroll 8
	for (int i = 0; i < SQUARE; i += 2) {
		t[i] = LANES_OP(unpacklo_ps)(r[i], r[i + 1]);
		t[i + 1] = LANES_OP(unpackhi_ps)(r[i], r[i + 1]);
	}
#pragma GCC unroll 4
	for (int i = 0; i < SQUARE; i += 4) {
		r[i] = pairs_low(t[i], t[i + 2]);
		r[i + 1] = pairs_high(t[i], t[i + 2]);
		r[i + 2] = pairs_low(t[i + 1], t[i + 3]);
		r[i + 3] = pairs_high(t[i + 1], t[i + 3]);
	}
#if LANES == 16
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
#else
#pragma GCC unroll 4
	for (int i = 0; i < 4; i++) {
		t[i] = r[i];
		r[i] = _mm256_permute2f128_ps(t[i], r[i + 4], 0x20);
		r[i + 4] = _mm256_permute2f128_ps(t[i], r[i + 4], 0x31);
	}
#endif
#pragma GCC unroll 16
	for (size_t i = 0; i < SQUARE; i++)
		if (i < columns)
			LANES_OP(storeu_ps)(y + i * ldy, r[i]);
}

#undef TURN

#endif
