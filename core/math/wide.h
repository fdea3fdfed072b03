/*
 * wide.h - WIDE: compiles a function several times, for wider vector registers.
 *
 * The loader picks the widest clone that the processor supports. Contraction to fused multiply-add
 * is off for the whole program, so element-wise loops are bit-identical in every clone. In
 * WIDE_FUSED functions the clone for AVX-512 has it, and rounds less: their bits depend on the
 * processor, as those of the BLAS do.
 */
#ifndef CORE_MATH_WIDE_H
#define CORE_MATH_WIDE_H

#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__) && \
	!defined(__SANITIZE_ADDRESS__)
#define WIDE __attribute__((target_clones("avx512f", "avx2", "default")))
#define WIDE_FUSED WIDE __attribute__((optimize("fp-contract=fast")))
#else
#define WIDE
#define WIDE_FUSED
#endif

#endif
