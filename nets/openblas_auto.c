#include "nets/openblas.h"
void ob_choose(const struct layer *l, size_t n, enum lowering type[3])
{
	(void)l, (void)n;
	type[0] = type[1] = type[2] = LOWERING_1;
}
