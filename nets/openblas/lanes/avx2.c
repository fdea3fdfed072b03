/* The functions of table.h for AVX2. */
#include "nets/openblas/lanes/table.h"

#if defined(__x86_64__)
#define LANES 8
#define TARGET __attribute__((target("avx2,fma")))
#include "nets/openblas/lanes/loops.h"

const struct lanes_table lanes_avx2 = TABLE;
#endif
