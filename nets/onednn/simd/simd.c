/* The loops on f32. */
#include "nets/onednn/simd/simd.h"
#include "nets/onednn/simd/vec.h"

#define ELEM float
#define GET(p) (*(p))
#define PUT(p, f) (*(p) = (f))
#define LOAD(p, v) (*(v) = *(const uvec *)(p))
#define STORE(p, v) (*(uvec *)(p) = *(v))

#if defined(__x86_64__)
#define TARGET AVX512
#define NAME(f) f##_avx512
#define ROOT root_avx512
#include "nets/onednn/simd/loops.h"

#define TARGET AVX2
#define NAME(f) f##_avx2
#define ROOT root_avx2
#include "nets/onednn/simd/loops.h"
#endif

#define TARGET
#define NAME(f) f##_plain
#define ROOT root_plain
#include "nets/onednn/simd/loops.h"

const struct simd *const *simd_all(void)
{
	static const struct simd *const tables[] = {
#if defined(__x86_64__)
		&table_avx512, &table_avx2,
#endif
		&table_plain, NULL
	};
	int skip = 0;

#if defined(__x86_64__)
	if (!__builtin_cpu_supports("avx512f"))
		skip = __builtin_cpu_supports("avx2") ? 1 : 2;
#endif
	return tables + skip;
}
