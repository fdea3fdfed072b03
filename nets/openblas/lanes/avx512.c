/* The functions of table.h for AVX-512. */
#include "nets/openblas/lanes/table.h"

#if defined(__x86_64__)
#define LANES 16
#define TARGET __attribute__((target("avx512f")))
#include "nets/openblas/lanes/loops.h"

const struct lanes_table lanes_avx512 = TABLE;
#endif
