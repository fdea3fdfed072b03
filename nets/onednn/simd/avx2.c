/* The loops for AVX2. */
#define LANES 8
#include "nets/onednn/simd/simd.h"
#include "nets/onednn/simd/vec.h"

#if defined(__x86_64__)
static inline AVX2 INLINE void root(const vec *v, vec *r)
{
	*r = (vec)_mm256_sqrt_ps((__m256)*v);
}

#define ROOT root
#define STORE_HALF STORE_BF16
#define TARGET AVX2

#define HALF 0
#include "nets/onednn/simd/loops.h"

#define HALF 1
#include "nets/onednn/simd/loops.h"

const struct simd simd_avx2[] = { TABLE(f32, 4), TABLE(bf16, 2) };
#endif
