/* Tables of gradients on a server: a mean for each worker, and their sum. */
#include "algos/common/server/table.h"

#include "algos/common/server/serve.h"
#include "core/math/vec.h"

void table_open(struct node *nd, struct table *t)
{
	*t = (struct table){ .mean = serve_vectors(nd), .sum = node_vec(nd) };
	t->count = node_alloc(nd, (size_t)nd->workers, sizeof(*t->count));
}

/* Takes the row off the sum; an empty row, which may hold an old vector, is not in it. */
static void row_withdraw(const struct node *nd, struct table *t, int worker)
{
	if (t->count[worker])
		vec_axpy(nd->dim, -1.0f, t->mean[worker], t->sum);
	else
		t->filled++;
}

void table_add(const struct node *nd, struct table *t, int worker, const float *g)
{
	float *mean = t->mean[worker];

	row_withdraw(nd, t, worker);
	if (t->count[worker]++) {
		const float w = 1.0f / (float)t->count[worker];

		vec_axpby(nd->dim, w, g, 1.0f - w, mean);
	} else {
		vec_copy(nd->dim, g, mean);
	}
	vec_axpy(nd->dim, 1.0f, mean, t->sum);
}

void table_replace(const struct node *nd, struct table *t, int worker, const float *g)
{
	const bool adds_up = ++t->replaced % nd->workers == 0;

	row_withdraw(nd, t, worker);
	t->count[worker] = 1;
	vec_copy(nd->dim, g, t->mean[worker]);
	if (adds_up)
		table_add_up(nd, t);
	else
		vec_axpy(nd->dim, 1.0f, g, t->sum);
}

void table_add_up(const struct node *nd, struct table *t)
{
	bool first = true;

	for (int i = 0; i < nd->workers; i++) {
		if (!t->count[i])
			continue;
		if (first)
			vec_copy(nd->dim, t->mean[i], t->sum);
		else
			vec_axpy(nd->dim, 1.0f, t->mean[i], t->sum);
		first = false;
	}
}

void table_clear(const struct node *nd, struct table *t)
{
	for (int i = 0; i < nd->workers; i++)
		t->count[i] = 0;
	t->filled = 0;
	vec_scale(nd->dim, 0.0f, t->sum);
}
