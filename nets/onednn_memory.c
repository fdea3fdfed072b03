/*
 * Where activations and gradients lie. Every activation is kept for backward; a
 * gradient that dies in the level where it was made is one chunk large, the others
 * hold the batch, and their buffers are used again once they are read.
 *
 * Backward runs from the last level to the first, so "from" is the higher one.
 */
#define _DEFAULT_SOURCE         /* madvise() */
#include "nets/onednn.h"

#include <sys/mman.h>

enum { LINE = 16, LARGE_PAGE = 2 << 20 };       /* floats; bytes */

#include <stdlib.h>

struct life {
	int from, to;           /* levels of the first write and of the last read; from -1: never */
	int writes;             /* readers of the value that add to its gradient */
	int sharer;             /* the value whose buffer this gradient is, or -1 */
};

struct buffer {
	size_t floats;
	int busy;               /* until that level is done */
};

struct layout {
	struct life *life;      /* [graph->n] */
	struct buffer *buffers; /* [2 * graph->n] */
	int *grad, *extra;      /* [graph->n] buffers of a value; -1: none */
	int n;
};

/* Input j's gradient is written by the operator in that step. */
static bool writes(const struct onednn *c, const struct step *s, int j)
{
	int in = s->op->in[j];

	if (in < 0 || !c->values[in].wanted)
		return false;
	if (!op_is_norm(s->op))
		return true;
	return s->run == unit_spread ? j == 0 : j == 1;
}

/* The level in which a step of backward runs. */
static int step_level(const struct onednn *c, const struct step *s)
{
	return s->run == unit_spread ? c->values[s->op->in[0]].level : s->op->level;
}

/*
 * A unit's second input v has the very gradient of its output. They share a buffer if
 * nobody changes it before the unit's second pass has read it: no other reader of v
 * adds to it, and v's own maker, which may mask it in place, comes in a later level.
 */
static bool can_share(const struct onednn *c, const struct op *op)
{
	int v = op->in[1], spread = c->values[op->in[0]].level;

	if (c->values[v].level >= spread)
		return false;
	for (int i = 0; i < c->nops; i++)
		for (int j = 0; j < 2; j++) {
			const struct op *o = &c->ops[i];
			int level = op_is_norm(o) && j == 0 ? c->values[v].level : o->level;

			if (o->in[j] == v && !(o == op && j == 1) && level >= spread)
				return false;
		}
	return true;
}

static void note_write(struct onednn *c, struct layout *m, const struct step *s, int j)
{
	struct op *op = s->op;
	struct life *f = &m->life[op->in[j]];
	int level = step_level(c, s);

	op->add[j] = f->writes++ > 0;
	if (op->add[j])
		return;
	f->from = level;
	if (op_is_norm(op) && j == 1 && can_share(c, op)) {
		op->shares = true;
		f->sharer = op->out;
	}
}

static void note_writes(struct onednn *c, struct layout *m)
{
	for (int i = 0; i < c->backward_end[0]; i++)
		for (int j = 0; j < 2; j++)
			if (writes(c, &c->backward[i], j))
				note_write(c, m, &c->backward[i], j);
}

/* Reads: by the maker's backward, and by its second pass if it is a normalisation. */
static void note_reads(struct onednn *c, struct layout *m)
{
	for (int v = 0; v < c->graph->n; v++) {
		struct value *val = &c->values[v];
		struct life *f = &m->life[v];

		if (f->from < 0)
			continue;
		f->to = val->level;
		if (op_is_norm(val->maker) && c->values[val->maker->in[0]].wanted)
			f->to = c->values[val->maker->in[0]].level;
		val->whole = f->from != f->to;
	}
	/* A sharer's buffer lives as long as the longest; values come before their readers. */
	for (int v = 0; v < c->graph->n; v++)
		if (m->life[v].sharer >= 0 && m->life[v].to < m->life[m->life[v].sharer].to)
			m->life[m->life[v].sharer].to = m->life[v].to;
	for (int v = 0; v < c->graph->n; v++)
		if (m->life[v].sharer >= 0)
			c->values[v].whole = c->values[m->life[v].sharer].whole = true;
}

/* A buffer free at level `from`, kept until `to`; the one that fits best. */
static int get_buffer(struct layout *m, int from, int to, size_t floats)
{
	int best = -1;

	for (int i = 0; i < m->n; i++) {
		size_t room = m->buffers[i].floats;

		if (m->buffers[i].busy <= from)
			continue;
		if (best < 0 || (m->buffers[best].floats < floats ? room > m->buffers[best].floats
				 : room >= floats && room < m->buffers[best].floats))
			best = i;
	}
	if (best < 0)
		best = m->n++;
	if (m->buffers[best].floats < floats)
		m->buffers[best].floats = floats;
	m->buffers[best].busy = to;
	return best;
}

static size_t chunk_of(const struct onednn *c, int level)
{
	return c->chunk[level] < c->max_batch ? c->chunk[level] : c->max_batch;
}

static void place_grads(struct onednn *c, struct layout *m)
{
	for (int k = c->levels - 1; k >= 0; k--)
		for (int v = c->graph->n - 1; v > 0; v--) {
			const struct value *val = &c->values[v];
			struct life *f = &m->life[v];

			if (f->from != k || f->sharer >= 0)
				continue;
			m->grad[v] = get_buffer(m, k, f->to, val->count
						* (val->whole ? c->max_batch : chunk_of(c, k)));
		}
}

/* The step of backward that is the last to write v's gradient, and which input that is. */
static const struct step *last_write(const struct onednn *c, int v, int *which)
{
	for (int i = c->backward_end[0] - 1; i >= 0; i--)
		for (int j = 1; j >= 0; j--)
			if (c->backward[i].op->in[j] == v && writes(c, &c->backward[i], j)) {
				*which = j;
				return &c->backward[i];
			}
	return NULL;
}

/*
 * A convolution cannot add to what is there. If it is the last to write, and the
 * reader is a unit, its share waits in a buffer of its own, and the unit adds.
 */
static void place_extras(struct onednn *c, struct layout *m)
{
	for (int v = 1; v < c->graph->n; v++) {
		struct value *val = &c->values[v];
		const struct step *s;
		int j = 0;

		if (m->life[v].writes < 2 || val->maker->type != &op_unit)
			continue;
		s = last_write(c, v, &j);
		if (!s || s->op->type != &op_conv || !s->op->add[j] || s->op->level != val->level)
			continue;
		s->op->apart = true;
		m->extra[v] = get_buffer(m, val->level, val->level,
					 val->count * chunk_of(c, val->level));
	}
}

static void layout_init(struct layout *m, int n)
{
	*m = (struct layout){ xcalloc((size_t)n, sizeof(*m->life)),
			      xcalloc(2 * (size_t)n, sizeof(*m->buffers)),
			      xcalloc((size_t)n, sizeof(int)), xcalloc((size_t)n, sizeof(int)), 0 };
	for (int v = 0; v < n; v++) {
		m->life[v].from = m->life[v].sharer = -1;
		m->grad[v] = m->extra[v] = -1;
	}
}

static void layout_release(struct layout *m)
{
	free(m->life);
	free(m->buffers);
	free(m->grad);
	free(m->extra);
}

/* The value that owns the buffer v's gradient lies in. */
static int owner(const struct layout *m, int v)
{
	while (m->life[v].sharer >= 0)
		v = m->life[v].sharer;
	return v;
}

/* Floats of the largest input of any operator's chunk. */
static size_t largest_chunk(const struct onednn *c)
{
	size_t most = 0;

	for (int i = 0; i < c->nops; i++) {
		size_t n = c->values[c->ops[i].in[0]].count * chunk_of(c, c->ops[i].level);

		most = n > most ? n : most;
	}
	return most;
}

/* Hands out floats of the one block; only counts them while there is none. */
static float *take(struct onednn *c, size_t floats, size_t *used)
{
	float *p = c->block ? c->block + *used : NULL;

	*used += (floats + LINE - 1) / LINE * LINE;
	return p;
}

/* Gives every value and buffer its place; returns the floats that takes. */
static size_t hand_out(struct onednn *c, const struct layout *m, float **buffers)
{
	size_t used = 0;

	for (int i = 0; i < m->n; i++)
		buffers[i] = take(c, m->buffers[i].floats, &used);
	for (int v = 0; v < c->graph->n; v++) {
		struct value *val = &c->values[v];
		int b = m->grad[owner(m, v)], e = m->extra[v];

		val->grad = b >= 0 ? buffers[b] : NULL;
		val->extra = e >= 0 ? buffers[e] : NULL;
		if (val->maker)
			val->act = take(c, val->count * c->max_batch, &used);
	}
	c->temp = take(c, largest_chunk(c), &used);
	return used;
}

/*
 * All in one block on large pages where the system has them: walking page tables
 * costs a convolution a tenth of its speed.
 */
static void allocate(struct onednn *c, const struct layout *m)
{
	float **buffers = xcalloc((size_t)m->n, sizeof(*buffers));
	size_t bytes = hand_out(c, m, buffers) * sizeof(float);

	c->block = aligned_alloc(LARGE_PAGE, (bytes / LARGE_PAGE + 1) * LARGE_PAGE);
	if (!c->block)
		die("out of memory: %zu bytes for activations", bytes);
#ifdef MADV_HUGEPAGE
	madvise(c->block, bytes, MADV_HUGEPAGE);
#endif
	hand_out(c, m, buffers);
	free(buffers);
}

void onednn_memory(struct onednn *c)
{
	struct layout m;

	layout_init(&m, c->graph->n);
	if (c->values[c->result].maker)
		m.life[c->result] = (struct life){ c->levels - 1, 0, 1, -1 };
	note_writes(c, &m);
	note_reads(c, &m);
	c->values[c->result].whole = true;
	place_grads(c, &m);
	place_extras(c, &m);
	allocate(c, &m);
	layout_release(&m);
}
