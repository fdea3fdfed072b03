/* The loops for AVX-512. */
#define LANES 16
#include "nets/onednn/simd/simd.h"
#include "nets/onednn/simd/vec.h"

#if defined(__x86_64__)
static inline AVX512 INLINE void root(const vec *v, vec *r)
{
	*r = (vec)_mm512_sqrt_ps((__m512)*v);
}

#define ROOT root
#define STORE_HALF store_bf16

#define HALF 0
#define TARGET AVX512
#include "nets/onednn/simd/loops.h"
#undef TARGET

#define HALF 1
#define TARGET AVX512_BF16
#include "nets/onednn/simd/loops.h"

const struct simd simd_avx512[] = { TABLE(f32, 4), TABLE(bf16, 2) };
#endif
