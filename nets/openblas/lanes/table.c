/* The functions of table.h for registers of four floats, and the list of tables. */
#define LANES 4
#define TARGET
#include "nets/openblas/lanes/loops.h"

const struct lanes_table lanes_plain = TABLE;

const struct lanes_table *const *lanes_all(void)
{
#if defined(__x86_64__)
	static const struct lanes_table *const tables[] = { &lanes_avx512, &lanes_avx2,
							    &lanes_plain, NULL };

	if (__builtin_cpu_supports("avx512f"))
		return tables;
	return tables + (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? 1 : 2);
#else
	static const struct lanes_table *const tables[] = { &lanes_plain, NULL };

	return tables;
#endif
}
