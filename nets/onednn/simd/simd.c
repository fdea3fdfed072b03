/* The choice of the loops. */
#include "nets/onednn/simd/simd.h"

#if defined(__x86_64__)
static const struct simd *const f32[] = { &simd_avx512[0], &simd_avx2[0], &simd_plain[0], NULL };
static const struct simd *const bf16[] = { &simd_avx512[1], &simd_avx2[1], &simd_plain[1], NULL };

/* Tables that a processor without AVX-512 cannot run. */
static int without_avx512(void)
{
	return __builtin_cpu_supports("avx2") ? 1 : 2;
}

const struct simd *const *simd_all(void)
{
	return f32 + (__builtin_cpu_supports("avx512f") ? 0 : without_avx512());
}

const struct simd *const *simd_all_bf16(void)
{
	return bf16 + (__builtin_cpu_supports("avx512bf16") ? 0 : without_avx512());
}
#else
static const struct simd *const f32[] = { &simd_plain[0], NULL };
static const struct simd *const bf16[] = { &simd_plain[1], NULL };

const struct simd *const *simd_all(void)
{
	return f32;
}

const struct simd *const *simd_all_bf16(void)
{
	return bf16;
}
#endif
