/* delay_constant.c - every gradient of a worker takes the same time. */
#include "sim/models.h"

static double constant_draw(const void *conf, struct rng *r)
{
	(void)conf, (void)r;
	return 1.0;
}

extern const struct delay delay_constant;
const struct delay delay_constant = {
	{ "constant", "every gradient takes the same time", NULL, NULL, 0 },
	constant_draw
};
