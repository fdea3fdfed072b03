/* The loops for registers of four floats, as all processors with vectors have. */
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
