/* The loops for registers of four floats, as all processors with vectors have, and the choice. */
#define LANES 4
#include "nets/onednn/simd/simd.h"
#include "nets/onednn/simd/vec.h"

static inline void root(const vec *v, vec *r)
{
	for (int i = 0; i < LANES; i++)
		(*r)[i] = sqrtf((*v)[i]);
}

#define ROOT root
#define STORE_HALF STORE_BF16
#define TARGET

#define HALF 0
#include "nets/onednn/simd/loops.h"

#define HALF 1
#include "nets/onednn/simd/loops.h"

const struct simd simd_plain[] = { TABLE(f32, 4), TABLE(bf16, 2) };

#if defined(__x86_64__)
#define SUPPORTS(name) __builtin_cpu_supports(name)
#define TABLES(type) { &simd_avx512[type], &simd_avx2[type], &simd_plain[type], NULL }
#else
#define SUPPORTS(name) true
#define TABLES(type) { &simd_plain[type], NULL }
#endif

static const struct simd *const f32[] = TABLES(0), *const bf16[] = TABLES(1);

/* Those of the tables that the processor can run; avx512: all. */
static const struct simd *const *usable(const struct simd *const *tables, bool avx512)
{
	return tables + (avx512 ? 0 : SUPPORTS("avx2") ? 1 : 2);
}

const struct simd *const *simd_all(void)
{
	return usable(f32, SUPPORTS("avx512f"));
}

const struct simd *const *simd_all_bf16(void)
{
	return usable(bf16, SUPPORTS("avx512bf16"));
}
