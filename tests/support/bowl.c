/* A problem that begins at (1, ..., 1), and a pool whose gradients are there at once. */
#include "tests/support/bowl.h"

static void init(const struct problem *p, uint64_t seed, float *x)
{
	(void)seed;
	for (size_t i = 0; i < p->dim; i++)
		x[i] = 1.0f;
}

const struct problem_ops bowl_ops = { .init = init };

void bowl_wait(struct pool *p, struct job *j)
{
	(void)p, (void)j;
}

bool bowl_withdraw(struct pool *p, struct job *j)
{
	(void)p, (void)j;
	return true;
}
