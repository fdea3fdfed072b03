#include "nets/onednn_simd.h"

enum { LANES = 16, ROWS = 128 };        /* ROWS are summed in float before double takes over */

typedef float vec __attribute__((vector_size(64)));
typedef int ivec __attribute__((vector_size(64)));
/* As vec, wherever a float may lie. */
typedef float uvec __attribute__((vector_size(64), aligned(4), may_alias));

#define INLINE __attribute__((always_inline))

#if defined(__x86_64__)
#define TARGET __attribute__((target("avx512f")))
#define NAME(f) f##_avx512
#include "nets/onednn_loops.h"

#define TARGET __attribute__((target("avx2")))
#define NAME(f) f##_avx2
#include "nets/onednn_loops.h"
#endif

#define TARGET
#define NAME(f) f##_plain
#include "nets/onednn_loops.h"

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

const struct simd *simd_best(void)
{
	return simd_all()[0];
}
