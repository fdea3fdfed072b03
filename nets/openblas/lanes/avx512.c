/* The functions of table.h for AVX-512. */
#include "nets/openblas/lanes/table.h"

#if defined(__x86_64__)
#define LANES 16
#define TARGET __attribute__((target("avx512f")))
#ifdef __clang__
#define FUSED TARGET
#else
#define FUSED TARGET __attribute__((optimize("fp-contract=fast")))
#endif
#include "nets/openblas/lanes/loops.h"

const struct lanes_table lanes_avx512 = TABLE;
#endif
