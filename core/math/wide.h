/*
 * wide.h - WIDE: compiles a function several times, for wider vector registers.
 *
 * The loader picks the widest clone that the processor supports. Contraction to fused multiply-add
 * is off for the whole program, so element-wise loops are bit-identical in every clone. In
 * WIDE_FUSED functions the clones for AVX-512 and for AVX2 have it, and round less: their bits
 * depend on the processor, as those of the BLAS do.
 */
#ifndef CORE_MATH_WIDE_H
#define CORE_MATH_WIDE_H

#include <stdbool.h>

#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__) && \
	!defined(__SANITIZE_ADDRESS__)
#define WIDE __attribute__((target_clones("avx512f", "avx2", "default")))
#define WIDE_FUSED __attribute__((target_clones("avx512f", "arch=x86-64-v3", "default"), \
				  optimize("fp-contract=fast")))

/* Whether the clones that run have registers of 16 floats. */
static inline bool wide_registers(void)
{
	return __builtin_cpu_supports("avx512f");
}
#else
#define WIDE
#define WIDE_FUSED

static inline bool wide_registers(void)
{
	return false;
}
#endif

#endif
