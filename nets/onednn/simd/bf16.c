/* The loops on bf16. */
#include "nets/onednn/simd/simd.h"
#include "nets/onednn/simd/vec.h"

#define ELEM uint16_t
#define GET bf16_get
#define PUT bf16_put
#define LOAD(p, v) \
	(*(v) = (vec)(__builtin_convertvector(*(const uhvec *)(p), wvec) << 16))

/* bf16_put() for vectors. */
static inline INLINE void store_bits(uint16_t *p, const wvec *v)
{
	const wvec bits = *v, top = bits >> 16;
	const wvec nan = (wvec)((bits & 0x7fffffff) > 0x7f800000);
	const wvec small = (wvec)((bits & 0x7f800000) == 0);
	const wvec near = (bits + 0x7fff + (top & 1)) >> 16;
	const wvec sum = (near & ~nan & ~small) | ((top | 0x40) & nan) | (top & 0x8000 & small);

	*(uhvec *)p = __builtin_convertvector(sum, hvec);
}

#if defined(__x86_64__)
static inline AVX512_BF16 INLINE void store_avx512(uint16_t *p, const vec *v)
{
	const __m256bh h = _mm512_cvtneps_pbh((__m512)*v);

	memcpy(p, &h, sizeof(h));
}

#define TARGET AVX512_BF16
#define NAME(f) f##_avx512
#define ROOT root_avx512
#define STORE store_avx512
#include "nets/onednn/simd/loops.h"
#undef STORE

#define STORE(p, v) store_bits(p, (const wvec *)(v))

#define TARGET AVX2
#define NAME(f) f##_avx2
#define ROOT root_avx2
#include "nets/onednn/simd/loops.h"
#else
#define STORE(p, v) store_bits(p, (const wvec *)(v))
#endif

#define TARGET
#define NAME(f) f##_plain
#define ROOT root_plain
#include "nets/onednn/simd/loops.h"

const struct simd *const *simd_all_bf16(void)
{
	static const struct simd *const tables[] = {
#if defined(__x86_64__)
		&table_avx512, &table_avx2,
#endif
		&table_plain, NULL
	};
	int skip = 0;

#if defined(__x86_64__)
	if (!__builtin_cpu_supports("avx512bf16"))
		skip = __builtin_cpu_supports("avx2") ? 1 : 2;
#endif
	return tables + skip;
}
