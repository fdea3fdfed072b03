/* Sends the vectors that a worker needs to be a member of an all-reduce again. */
#include "algos/common/join.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/math/vec.h"

#include <stdlib.h>

void join_add(struct join *j, float *v, size_t n)
{
	if (j->count == JOIN_MOST)
		BUG("a worker that joins an all-reduce needs more than %d vectors", JOIN_MOST);
	j->part[j->count].v = v;
	j->part[j->count++].n = n;
}

struct join join_of(const struct node *nd)
{
	struct join j = { 0 };

	join_add(&j, nd->x, nd->dim);
	join_add(&j, nd->optim, node_optim_floats(nd));
	return j;
}

struct join join_outer(const struct node *nd, const struct outer *o)
{
	struct join j = { 0 };

	join_add(&j, o->x, nd->dim);
	join_add(&j, o->m, nd->dim);
	join_add(&j, nd->optim, node_optim_floats(nd));
	return j;
}

void join_send(struct node *nd, int to, struct join j, int number)
{
	size_t n = 0, from = 0;
	scoped float *all = NULL;

	for (size_t i = 0; i < j.count; i++)
		n += j.part[i].n;
	all = nd->x ? vec_new(n) : NULL;
	for (size_t i = 0; i < j.count; from += j.part[i++].n)
		vec_copy(j.part[i].n, j.part[i].v, all ? all + from : NULL);
	node_send(nd, to, &(struct msg){ .tag = number, .stamp = nd->step, .vec = all, .n = n });
}

void join_take(struct node *nd, struct join j, const struct msg *m)
{
	size_t from = 0;

	if (!m)
		return;
	for (size_t i = 0; i < j.count; from += j.part[i++].n)
		vec_copy(j.part[i].n, m->vec ? m->vec + from : NULL, j.part[i].v);
	nd->step = m->stamp;
}
