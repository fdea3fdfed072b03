/* Sums of gradients on a server, in slots, and a step with their mean when there are enough. */
#include "algos/common/server/gather.h"

#include "core/base/error.h"
#include "core/math/vec.h"
#include "core/run.h"

void pile_open(struct node *nd, struct pile *p, int slots)
{
	pile_open_part(nd, p, slots, nd->dim);
}

void pile_open_part(struct node *nd, struct pile *p, int slots, size_t dim)
{
	*p = (struct pile){ .dim = dim, .slots = slots };
	p->sum = node_alloc(nd, (size_t)slots, sizeof(*p->sum));
	p->count = node_alloc(nd, (size_t)slots, sizeof(*p->count));
	for (int i = 0; i < slots; i++)
		p->sum[i] = node_floats(nd, dim);
}

void pile_start(struct node *nd)
{
	pile_open(nd, nd->state, 1);
}

void pile_start_round(struct node *nd)
{
	pile_open(nd, nd->state, nd->workers);
}

static void gather_add(struct node *nd, struct pile *p, int slot, float w, const float *g)
{
	node_gather(nd, g);
	p->n++;
	if (p->count[slot]++) {
		vec_axpy(p->dim, w, g, p->sum[slot]);
		return;
	}
	vec_copy(p->dim, g, p->sum[slot]);
	if (w != 1.0f)
		vec_scale(p->dim, w, p->sum[slot]);
}

/* Returns the sum of all used slots, which is stored in the first of them; empties all slots. */
static float *gather_take(struct pile *p)
{
	float *sum = NULL;
	bool first = true;

	for (int i = 0; i < p->slots; i++) {
		if (!p->count[i])
			continue;
		p->count[i] = 0;
		if (first)
			sum = p->sum[i];
		else
			vec_axpy(p->dim, 1.0f, p->sum[i], sum);
		first = false;
	}
	p->n = 0;
	return sum;
}

bool pile_add(struct node *nd, struct pile *p, int slot, float w, const float *g, int64_t k,
	      float **sum)
{
	gather_add(nd, p, slot, w, g);
	if (p->n < k)
		return false;
	*sum = gather_take(p);
	return true;
}

bool pile_gather(struct node *nd, struct pile *p, int slot, float w, const float *g, int64_t k)
{
	float *sum;

	if (!pile_add(nd, p, slot, w, g, k, &sum))
		return false;
	node_step_gathered(nd, sum, 1.0f / (float)k);
	return true;
}

bool pile_has(const struct pile *p, int slot)
{
	return p->count[slot] > 0;
}

int gather_check(const struct run *run, const char *option, int64_t value)
{
	if (value <= run->workers)
		return 0;
	return error("%s: %s = %lld of %d workers: at most %s=%d", run->algo->plugin.name, option,
		     (long long)value, run->workers, option, run->workers);
}
