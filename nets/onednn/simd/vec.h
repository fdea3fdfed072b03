/*
 * vec.h - vectors for loops.h as wide as a register, of LANES floats, which the includer defines:
 * a compiler splits wider ones element by element.
 */
#ifndef NETS_ONEDNN_SIMD_VEC_H
#define NETS_ONEDNN_SIMD_VEC_H

#include <math.h>
#include <stdint.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { BLOCK = 4 };
enum { ROWS = 64 };             /* summed in float before double */
enum { GROUP = 2048 };          /* elements of rows that are processed together */
enum { WIDEST = 16 };           /* lanes; rows' last channels, fewer than these, are summed alone */

typedef float vec __attribute__((vector_size(4 * LANES)));
typedef int ivec __attribute__((vector_size(4 * LANES)));
typedef uint32_t wvec __attribute__((vector_size(4 * LANES)));
typedef uint16_t hvec __attribute__((vector_size(2 * LANES)));
/* vec and hvec at any address. */
typedef float uvec __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef uint16_t uhvec __attribute__((vector_size(2 * LANES), aligned(2), may_alias));

#define INLINE __attribute__((always_inline))
#define AVX512 __attribute__((target("avx512f")))
#define AVX512_BF16 __attribute__((target("avx512f,avx512bw,avx512vl,avx512bf16")))
#define AVX2 __attribute__((target("avx2")))

/* *v <- the floats at p, and back. */
#define LOAD_F32(p, v) (*(v) = *(const uvec *)(p))
#define STORE_F32(p, v) (*(uvec *)(p) = *(v))

/* The loops of one storage type, f32 or bf16. */
#define TABLE(type, size) \
	{ size, measure_##type, normalise_##type, gather_##type, spread_##type, join_##type, \
	  mask_##type, times_##type, copy_##type, mean_##type, unmean_##type, sums_##type, \
	  lrn_##type, lrn_back_##type, narrow_##type, widen_##type }

/* ---- bf16: the upper half of a float, to nearest even; subnormal numbers are 0 ---- */

static inline float bf16_get(const uint16_t *p)
{
	const uint32_t bits = (uint32_t)*p << 16;
	float f;

	memcpy(&f, &bits, sizeof(f));
	return f;
}

static inline void bf16_put(uint16_t *p, float f)
{
	uint32_t bits;

	memcpy(&bits, &f, sizeof(bits));
	if ((bits & 0x7fffffff) > 0x7f800000)
		*p = (uint16_t)(bits >> 16 | 0x40);
	else if (!(bits & 0x7f800000))
		*p = (uint16_t)(bits >> 16 & 0x8000);
	else
		*p = (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

#define LOAD_BF16(p, v) \
	(*(v) = (vec)(__builtin_convertvector(*(const uhvec *)(p), wvec) << 16))

/* bf16_put() for vectors. */
#define STORE_BF16(p, v) store_bits(p, (const wvec *)(v))
static inline INLINE void store_bits(uint16_t *p, const wvec *v)
{
	const wvec bits = *v, top = bits >> 16;
	const wvec nan = (wvec)((bits & 0x7fffffff) > 0x7f800000);
	const wvec small = (wvec)((bits & 0x7f800000) == 0);
	const wvec near = (bits + 0x7fff + (top & 1)) >> 16;
	const wvec sum = (near & ~nan & ~small) | ((top | 0x40) & nan) | (top & 0x8000 & small);

	*(uhvec *)p = __builtin_convertvector(sum, hvec);
}

#if defined(__x86_64__) && LANES == 16
/* The same by an instruction. */
static inline AVX512_BF16 INLINE void store_bf16(uint16_t *p, const vec *v)
{
	const __m256bh h = _mm512_cvtneps_pbh((__m512)*v);

	memcpy(p, &h, sizeof(h));
}
#endif

#endif
