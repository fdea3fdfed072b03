/*
 * vec.h - vectors of 16 floats for loops.h, with operations that compilers' own vectors lack.
 */
#ifndef NETS_ONEDNN_SIMD_VEC_H
#define NETS_ONEDNN_SIMD_VEC_H

#include <math.h>
#include <stdint.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { LANES = 16, BLOCK = 4 };
enum { ROWS = 64 };             /* summed in float before double */
enum { GROUP = 2048 };          /* elements of rows that are processed together */

typedef float vec __attribute__((vector_size(64)));
typedef int ivec __attribute__((vector_size(64)));
typedef uint32_t wvec __attribute__((vector_size(64)));
typedef uint16_t hvec __attribute__((vector_size(32)));
/* vec and hvec at any address. */
typedef float uvec __attribute__((vector_size(64), aligned(4), may_alias));
typedef uint16_t uhvec __attribute__((vector_size(32), aligned(2), may_alias));

#define INLINE __attribute__((always_inline))

#if defined(__x86_64__)
#define AVX512 __attribute__((target("avx512f")))
#define AVX512_BF16 __attribute__((target("avx512f,avx512bw,avx512vl,avx512bf16")))
#define AVX2 __attribute__((target("avx2")))

static inline AVX512 INLINE void root_avx512(const vec *v, vec *r)
{
	*r = (vec)_mm512_sqrt_ps((__m512)*v);
}

static inline AVX2 INLINE void root_avx2(const vec *v, vec *r)
{
	const float *from = (const float *)v;

	_mm256_storeu_ps((float *)r, _mm256_sqrt_ps(_mm256_loadu_ps(from)));
	_mm256_storeu_ps((float *)r + 8, _mm256_sqrt_ps(_mm256_loadu_ps(from + 8)));
}
#endif

static inline void root_plain(const vec *v, vec *r)
{
	for (int i = 0; i < LANES; i++)
		(*r)[i] = sqrtf((*v)[i]);
}

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

#endif
