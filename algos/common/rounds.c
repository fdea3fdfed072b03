/* Rounds of local steps. */
#include "algos/common/rounds.h"

#include "core/math/vec.h"

void round_begin(struct node *nd, struct round *r, int64_t steps)
{
	r->left = steps;
	node_grad(nd);
}

bool round_step(struct node *nd, struct round *r, float *optim, const struct grad *g)
{
	if (optim)
		node_step_with(nd, optim, g->vec, 1.0f);
	else
		node_step(nd, g->vec, 1.0f);
	if (--r->left == 0)
		return true;
	node_grad_local(nd);
	return false;
}

void round_delta(const struct node *nd, const float *common, float *d)
{
	vec_copy(nd->dim, common, d);
	vec_axpy(nd->dim, -1.0f, nd->x, d);
}
