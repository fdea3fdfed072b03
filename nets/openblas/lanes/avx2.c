/* The functions of table.h for AVX2. */
#include "nets/openblas/lanes/table.h"

#if defined(__x86_64__)
#define LANES 8
#define TARGET __attribute__((target("avx2,fma")))
#ifdef __clang__
#define FUSED TARGET
#else
#define FUSED TARGET __attribute__((optimize("fp-contract=fast")))
#endif
#include "nets/openblas/lanes/loops.h"

const struct lanes_table lanes_avx2 = TABLE;
#endif
