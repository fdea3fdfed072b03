/* Assigns memory to the outputs and gradients of layers. */
#include "nets/openblas/openblas.h"

#include <limits.h>
#include <stdlib.h>

/* A piece of memory that is used for one gradient after another. */
struct slot {
	size_t size;            /* floats for each sample */
	bool whole;             /* for the batch; else in the lane, for a partition */
	bool busy;
};

struct plan {
	struct ob *c;
	const struct graph *g;
	int *readers;           /* [n] layers that read each */
	int *owner;             /* [n] the first layer of those that share a buffer */
	bool *read;             /* [n] by owner: a backward reads the sign of a shared output */
	int *begin, *end;       /* [n] by owner: stages of backward that use dy */
	bool *whole;            /* [n] by owner: dy outlives its stage, or is one matrix */
	int *slot;              /* [n] by owner: slot of dy, -1: none yet */
	struct slot *slots;     /* [n] space; nslots used */
	int nslots;
};

/* True if no other layer reads layer i's input, and no backward needs more of it than signs. */
static bool is_last_reader(const struct plan *p, int i)
{
	const int in = p->g->layers[i].in[0];

	return in > 0 && p->readers[in] == 1 && !ob_op_of(p->c, in)->reads_output;
}

/* True if a layer may overwrite its input: its kind allows it, and no sign is lost. */
static bool may_share(const struct plan *p, int i)
{
	const struct ob_op *op = ob_op_of(p->c, i);

	return is_last_reader(p, i) && op->inplace
	       && (op->keeps_sign || !p->read[p->owner[p->g->layers[i].in[0]]]);
}

/* ---- lifetimes of gradients ---- */

static void plan_touch(struct plan *p, int layer, int stage, bool panels)
{
	const int o = p->owner[layer];

	p->begin[o] = stage < p->begin[o] ? stage : p->begin[o];
	p->end[o] = stage > p->end[o] ? stage : p->end[o];
	p->whole[o] |= panels || p->begin[o] != p->end[o];
}

/* Finds the stages in which dy is used; the loss writes the last one before the first stage. */
static void find_lives(struct plan *p)
{
	const struct ob_stages *s = &p->c->backward;

	for (int i = 0; i < p->g->n; i++)
		p->begin[i] = INT_MAX, p->end[i] = -1;
	plan_touch(p, p->g->n - 1, -1, false);
	for (int k = 0; k < s->n; k++)
		for (int j = s->v[k].first; j < s->v[k].first + s->v[k].n; j++) {
			const struct layer *l = &p->g->layers[s->steps[j].layer];
			const bool writes = s->steps[j].run
				== ob_op_of(p->c, s->steps[j].layer)->backward;

			plan_touch(p, s->steps[j].layer, k, s->v[k].panels > 0);
			for (int q = 0; writes && q < 2; q++)
				if (l->in[q] > 0)
					plan_touch(p, l->in[q], k, s->v[k].panels > 0);
		}
}

/*
 * The best free slot. A slot for the batch keeps its size for each sample: partitions may be at
 * different layers, and must not overwrite each other's samples.
 */
static int free_slot(const struct plan *p, size_t size, bool whole)
{
	int best = -1;

	for (int s = 0; s < p->nslots; s++) {
		const struct slot *slot = &p->slots[s];

		if (slot->busy || slot->whole != whole || (whole && slot->size != size))
			continue;
		if (best < 0 || (slot->size >= size && (p->slots[best].size < size
							|| slot->size < p->slots[best].size))
		    || (slot->size < size && slot->size > p->slots[best].size))
			best = s;
	}
	return best;
}

static void take_slot(struct plan *p, int layer)
{
	const int o = p->owner[layer];
	const bool none = ob_op_of(p->c, o)->makes_loss;
	const size_t size = none ? 1 : shape_count(p->g->layers[o].os);
	int s;

	if (o == 0 || p->slot[o] >= 0)
		return;
	s = free_slot(p, size, p->whole[o]);
	if (s < 0)
		s = p->nslots++;
	p->slots[s] =
		(struct slot){ size_most(p->slots[s].size, size), p->whole[o], true };
	p->slot[o] = s;
}

/* Walks backward: an input's gradient begins at its last reader and ends at its own layer. */
static void assign_slots(struct plan *p)
{
	for (int i = 0; i < p->g->n; i++)
		p->slot[i] = -1;
	take_slot(p, p->g->n - 1);
	for (int i = p->g->n - 1; i > 0; i--) {
		for (int k = 0; k < 2; k++)
			if (p->g->layers[i].in[k] > 0)
				take_slot(p, p->g->layers[i].in[k]);
		if (p->owner[i] == i)
			p->slots[p->slot[i]].busy = false;
	}
}

/* ---- memory ---- */

/* Samples, or rows, of the largest partition of any batch. */
static size_t largest_part(const struct ob *c)
{
	size_t largest = 1;

	for (size_t n = 1; n <= c->max_batch; n++) {
		size_t parts = (size_t)ob_partitions(c, n);

		largest = size_most(largest, (n * c->rows + parts - 1) / parts);
	}
	return largest;
}

static void give_gradients(const struct plan *p, struct ob *c)
{
	scoped struct ob_placement *at = xcalloc((size_t)p->nslots + 1, sizeof(*at));
	const size_t part = largest_part(c);

	for (int s = 0; s < p->nslots; s++)
		if (p->slots[s].whole)
			at[s].whole = arena_alloc(&c->arena, c->max_batch * p->slots[s].size,
						  sizeof(float));
		else {
			at[s].offset = c->space.dy;
			c->space.dy += (part * p->slots[s].size / c->rows + 15) / 16 * 16;
		}
	for (int i = 1; i < p->g->n; i++)
		c->dy[i] = at[p->slot[p->owner[i]]];
}

static void give_values(const struct plan *p, struct ob *c)
{
	for (int i = 1; i < p->g->n; i++) {
		const struct layer *l = &p->g->layers[i];
		const struct ob_op *op = ob_op_of(c, i);
		size_t kept = op->save ? op->save(l, c->max_batch) : 0;

		if (op->makes_loss)
			continue;
		if (p->owner[i] != i)
			c->y[i] = c->y[p->owner[i]];
		else
			c->y[i] = arena_alloc(&c->arena, c->max_batch * shape_count(l->os),
					      sizeof(float));
		if (op->keeps_in_input && is_last_reader(p, i) && !p->read[p->owner[l->in[0]]])
			c->save[i] = c->y[l->in[0]];
		else if (kept)
			c->save[i] = arena_alloc(&c->arena, kept, sizeof(float));
	}
}

/* Finds the layer that sets a gradient, which is the first one in backward; others add. */
static void find_first_terms(struct ob *c)
{
	scoped bool *begun = xcalloc((size_t)c->g->n, sizeof(*begun));

	for (int i = c->g->n - 1; i > 0; i--)
		for (int k = 0; k < 2; k++) {
			const int in = c->g->layers[i].in[k];

			if (in < 0 || (k && c->g->layers[i].kind == LAYER_RELATIVE))
				continue;       /* rows of the memory have no gradient */
			c->adds[i][k] = begun[in];
			begun[in] = true;
		}
}

static void give_scratch(struct ob *c)
{
	const size_t parts = (size_t)ob_partitions(c, c->max_batch), part = largest_part(c);
	size_t channels = 1;

	for (int i = 1; i < c->g->n; i++) {
		const struct layer *l = &c->g->layers[i];
		const struct ob_op *op = ob_op_of(c, i);

		if (op->cols)
			c->space.cols = size_most(c->space.cols, op->cols(c, l));
		if (op->row_cols)
			c->space.cols = size_most(c->space.cols, part * op->row_cols(l));
		if (c->ways[i]) {
			const struct ob_space r = ob_ways_space(l, c->ways[i]);

			c->space.cols = size_most(c->space.cols, r.cols);
			c->space.lifted = size_most(c->space.lifted, r.lifted);
			c->space.dw = size_most(c->space.dw, r.dw);
		}
		channels = size_most(channels, (size_t)l->os.c);
	}
	c->space.sums = 2 * channels;
	c->losses = arena_alloc(&c->arena, parts, sizeof(double));
	c->sums = arena_alloc(&c->arena, parts * 2 * channels, sizeof(double));
	c->lanes = arena_alloc(&c->arena, (size_t)team_lanes(c->team), sizeof(*c->lanes));
}

void ob_plan(struct ob *c)
{
	const size_t n = (size_t)c->g->n;
	scoped_by(arena_release) struct arena scratch = { 0 };
	struct plan p = { .c = c, .g = c->g };

	p.readers = arena_alloc(&scratch, n, sizeof(int));
	p.owner = arena_alloc(&scratch, n, sizeof(int));
	p.read = arena_alloc(&scratch, n, sizeof(bool));
	p.begin = arena_alloc(&scratch, n, sizeof(int));
	p.end = arena_alloc(&scratch, n, sizeof(int));
	p.whole = arena_alloc(&scratch, n, sizeof(bool));
	p.slot = arena_alloc(&scratch, n, sizeof(int));
	p.slots = arena_alloc(&scratch, n, sizeof(*p.slots));
	c->y = arena_alloc(&c->arena, n, sizeof(*c->y));
	c->dy = arena_alloc(&c->arena, n, sizeof(*c->dy));
	c->save = arena_alloc(&c->arena, n, sizeof(*c->save));
	c->adds = arena_alloc(&c->arena, n, sizeof(*c->adds));
	c->turns = arena_alloc(&c->arena, n, sizeof(*c->turns));
	for (int i = 1; i < c->g->n; i++)
		for (int k = 0; k < 2; k++)
			if (c->g->layers[i].in[k] >= 0)
				p.readers[c->g->layers[i].in[k]]++;
	for (int i = 1; i < c->g->n; i++) {
		p.owner[i] = may_share(&p, i) ? p.owner[c->g->layers[i].in[0]] : i;
		p.read[p.owner[i]] |= ob_op_of(c, i)->reads_sign;
	}
	find_lives(&p);
	assign_slots(&p);
	give_values(&p, c);
	give_gradients(&p, c);
	find_first_terms(c);
	give_scratch(c);
}

/* ---- buffers of a partition ---- */

struct ob_lane *ob_lane(struct ob *c, const struct ob_part *p)
{
	struct ob_lane *l = &c->lanes[p->lane];

	if (!l->sums) {
		l->cols = vec_new(c->space.cols + 1);
		l->lifted = vec_new(c->space.lifted + 1);
		l->dw = vec_new(c->space.dw + 1);
		l->dy = vec_new(c->space.dy + 1);
		l->sums = xcalloc(c->space.sums, sizeof(*l->sums));
	}
	return l;
}

float *ob_y(const struct ob *c, int i, const struct ob_part *p)
{
	return c->y[i] + p->first * ob_width(c, i);
}

float *ob_dy(struct ob *c, int i, const struct ob_part *p)
{
	const struct ob_placement *at = &c->dy[i];

	if (at->whole)
		return at->whole + p->first * ob_width(c, i);
	return ob_lane(c, p)->dy + at->offset;
}

float *ob_dx(struct ob *c, int i, int k, const struct ob_part *p, bool *add)
{
	const int in = c->g->layers[i].in[k];

	*add = c->adds[i][k];
	return in > 0 ? ob_dy(c, in, p) : NULL;
}
