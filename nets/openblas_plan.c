/*
 * openblas_plan.c - which layer's values lie where.
 */
#include "nets/layers.h"
#include "nets/openblas.h"

#include <stdlib.h>

/* A stretch of memory that holds one gradient after another. */
struct slot {
	size_t size;            /* floats a sample */
	bool busy;
};

struct plan {
	const struct graph *g;
	int *readers;           /* [n] layers that read each */
	int *owner;             /* [n] the first layer of those that share a buffer */
	bool *read;             /* [n] by owner: some backward reads the sign of a shared output */
	int *slot;              /* [n] by owner: slot of dy, -1: none yet */
	struct slot *slots;     /* [n] room; nslots used */
	int nslots;
};

static void count_readers(struct plan *p)
{
	for (int i = 1; i < p->g->n; i++)
		for (int k = 0; k < 2; k++)
			if (p->g->layers[i].in[k] >= 0)
				p->readers[p->g->layers[i].in[k]]++;
}

/*
 * A layer lies over its input when it may, when no other layer reads that, and
 * when no backward still needs the signs that it would overwrite.
 */
static bool may_share(const struct plan *p, const struct layer *l)
{
	const struct ob_op *op = ob_ops[l->kind];

	return l->in[0] > 0 && op->inplace && p->readers[l->in[0]] == 1
	       && (op->keeps_sign || !p->read[p->owner[l->in[0]]]);
}

static void share_buffers(struct plan *p)
{
	p->slot[0] = -1;
	for (int i = 1; i < p->g->n; i++) {
		const struct layer *l = &p->g->layers[i];

		p->slot[i] = -1;
		p->owner[i] = may_share(p, l) ? p->owner[l->in[0]] : i;
		p->read[p->owner[i]] |= ob_ops[l->kind]->reads_sign;
	}
}

static int free_slot(const struct plan *p, size_t size)
{
	int best = -1;

	for (int s = 0; s < p->nslots; s++) {
		size_t have = p->slots[s].size;

		if (p->slots[s].busy)
			continue;
		if (best < 0 || (have >= size && (p->slots[best].size < size
						  || have < p->slots[best].size))
		    || (have < size && have > p->slots[best].size))
			best = s;
	}
	return best;
}

static void take_slot(struct plan *p, int layer)
{
	int o = p->owner[layer], s;
	size_t size = shape_count(p->g->layers[o].os);

	if (o == 0 || p->slot[o] >= 0)
		return;
	s = free_slot(p, size);
	if (s < 0)
		s = p->nslots++;
	if (p->slots[s].size < size)
		p->slots[s].size = size;
	p->slots[s].busy = true;
	p->slot[o] = s;
}

/* Walks backward: an input's gradient begins at its last reader and ends at its own layer. */
static void assign_slots(struct plan *p)
{
	take_slot(p, p->g->n - 1);
	for (int i = p->g->n - 1; i > 0; i--) {
		for (int k = 0; k < 2; k++)
			if (p->g->layers[i].in[k] > 0)
				take_slot(p, p->g->layers[i].in[k]);
		if (p->owner[i] == i)
			p->slots[p->slot[i]].busy = false;
	}
}

static void give_gradients(const struct plan *p, struct ob *c, size_t max)
{
	float **memory = xcalloc((size_t)p->nslots + 1, sizeof(*memory));

	for (int s = 0; s < p->nslots; s++)
		memory[s] = arena_alloc(&c->arena, max * p->slots[s].size, sizeof(float));
	for (int i = 1; i < p->g->n; i++)
		c->dy[i] = memory[p->slot[p->owner[i]]];
	free(memory);
}

static void give_values(const struct plan *p, struct ob *c, size_t max)
{
	for (int i = 0; i < p->g->n; i++) {
		const struct layer *l = &p->g->layers[i];
		const struct ob_op *op = ob_ops[l->kind];
		size_t kept = op && op->save ? op->save(l, max) : 0;

		if (p->owner[i] != i)
			c->y[i] = c->y[p->owner[i]];
		else if (i)             /* layer 0 is the images of each call */
			c->y[i] = arena_alloc(&c->arena, max * shape_count(l->os), sizeof(float));
		if (kept)
			c->save[i] = arena_alloc(&c->arena, kept, sizeof(float));
	}
}

static void give_scratch(struct ob *c)
{
	size_t cols = 0, channels = 1;

	for (int i = 1; i < c->g->n; i++) {
		const struct layer *l = &c->g->layers[i];
		size_t need = ob_ops[l->kind]->cols ? ob_ops[l->kind]->cols(l) : 0;

		cols = need > cols ? need : cols;
		channels = (size_t)l->os.c > channels ? (size_t)l->os.c : channels;
	}
	c->cols = arena_alloc(&c->arena, cols + 1, sizeof(float));
	c->dcols = arena_alloc(&c->arena, cols + 1, sizeof(float));
	c->sums = arena_alloc(&c->arena, 2 * channels, sizeof(double));
}

void ob_plan(struct ob *c, size_t max_batch)
{
	size_t n = (size_t)c->g->n;
	struct plan p = { .g = c->g };

	p.readers = xcalloc(n, sizeof(int));
	p.owner = xcalloc(n, sizeof(int));
	p.read = xcalloc(n, sizeof(bool));
	p.slot = xcalloc(n, sizeof(int));
	p.slots = xcalloc(n, sizeof(*p.slots));
	c->y = arena_alloc(&c->arena, n, sizeof(*c->y));
	c->dy = arena_alloc(&c->arena, n, sizeof(*c->dy));
	c->save = arena_alloc(&c->arena, n, sizeof(*c->save));
	c->filled = arena_alloc(&c->arena, n, sizeof(*c->filled));
	count_readers(&p);
	share_buffers(&p);
	assign_slots(&p);
	give_values(&p, c, max_batch);
	give_gradients(&p, c, max_batch);
	give_scratch(c);
	free(p.readers);
	free(p.owner);
	free(p.read);
	free(p.slot);
	free(p.slots);
}

float *ob_dx(struct ob *c, int i, int k, bool *add)
{
	int in = c->g->layers[i].in[k];

	*add = c->filled[in];
	c->filled[in] = true;
	return c->dy[in];
}
