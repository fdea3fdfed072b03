/*
 * wide.h - WIDE: compiles a function several times, for wider vector registers.
 *
 * The loader picks the widest clone that the processor supports. Contraction to fused multiply-add
 * is off, so loops are bit-identical in every clone. For vectors of the compiler, which must be as
 * wide as registers, see nets/openblas/lanes/lanes.h.
 */
#ifndef CORE_MATH_WIDE_H
#define CORE_MATH_WIDE_H

#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__) && \
	!defined(__SANITIZE_ADDRESS__)
#define WIDE __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define WIDE
#endif

#endif
