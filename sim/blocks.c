/*
 * blocks.c - passes over a model that all workers share, block by block.
 *
 *     a gradient is ready
 *     |         write         |   read    | compute ...
 *     0     1     2     3     0  1  2  3           4 blocks, each where it is touched
 *
 * A pass of T seconds in B blocks reads or writes block k after k T / B, all of it at once. So a
 * snapshot may have some blocks from before another worker's step, and some from after it.
 */
#include "sim/world.h"

#include "core/math/vec.h"

#include <math.h>

struct block_pass {                    /* a worker's passes */
	int read, written;             /* blocks of the snapshot so far; of the latest step */
	bool writing;                  /* false: all of it is written */
	double write_begun, write_end; /* seconds */
};

struct blocks {
	int n;
	double read_s, write_s;   /* seconds of a pass */
	int64_t steps;            /* that workers have begun to write */
	struct block_pass pass[]; /* [workers] */
};

/* Seconds of a pass that reads or writes `floats` floats for each coordinate. */
static double pass_time(const struct sim *s, double given, size_t floats)
{
	const size_t n = floats * s->run->dim;
	double took;

	if (given >= 0.0)
		return given;
	took = s->link->handle ? s->link->handle(s->conf->link.conf, n) : 0.0;
	return took > 0.0 ? took : (double)(n * sizeof(float)) / SIM_MEMORY_RATE;
}

void blocks_open(struct sim *s)
{
	const struct algo *algo = s->run->algo;
	struct sharing how;

	if (!algo->shared)
		return;
	how = algo->shared(s->run->algo_conf);
	s->blocks = arena_alloc(&s->arena, 1,
				sizeof(*s->blocks) +
					(size_t)s->run->workers * sizeof(s->blocks->pass[0]));
	s->blocks->n = how.blocks;
	s->blocks->read_s = pass_time(s, how.read_s, 2); /* reads x, and writes the copy */
	/* reads and writes x, and the values before and after the step */
	s->blocks->write_s = pass_time(s, how.write_s, 4);
}

int64_t blocks_steps(const struct sim *s)
{
	return s->blocks ? s->blocks->steps : 0;
}

bool blocks_all_read(const struct sim *s, const struct node *nd)
{
	return !s->blocks || s->blocks->pass[nd->rank].read == s->blocks->n;
}

double blocks_unwritten(const struct sim *s, const struct node *nd, double end)
{
	return fmax(s->blocks->pass[nd->rank].write_end - end, 0.0);
}

bool blocks_leave(struct sim *s, struct node *nd)
{
	struct block_pass *p = &s->blocks->pass[nd->rank];
	const bool writing = p->writing;

	nd->ledger.compute -= blocks_unwritten(s, nd, s->now);
	p->write_end = fmin(p->write_end, s->now);
	p->writing = false;
	return writing;
}

/* Offset of block k in the model; block n is its end. */
static size_t block_at(const struct sim *s, int k)
{
	const size_t n = (size_t)s->blocks->n;

	return s->run->dim / n * (size_t)k + s->run->dim % n * (size_t)k / n;
}

void blocks_write(struct sim *s, struct node *nd)
{
	struct sim_node *sn = sim_node(nd);
	struct blocks *b = s->blocks;
	struct block_pass *p = &b->pass[nd->rank];

	if (sn->computing || p->writing)
		algo_mistake(s->run, "rank %d steps twice by a gradient, or while one is in flight",
			     nd->rank);
	b->steps++;
	p->writing = true;
	p->written = 0;
	p->write_begun = sn->clock;
	sn->clock += b->write_s;
	p->write_end = sn->clock;
	nd->ledger.compute += b->write_s;
	heap_push(&s->heap, p->write_begun, SIM_WRITE, nd->rank, NULL, sn->life);
}

static void block_write(struct sim *s, struct node *nd)
{
	struct block_pass *p = &s->blocks->pass[nd->rank];
	const size_t from = block_at(s, p->written), n = block_at(s, p->written + 1) - from;

	if (nd->x)
		shared_add(n, nd->seen + from, nd->moved + from, nd->x + from);
	p->writing = ++p->written < s->blocks->n;
	if (p->writing)
		heap_push(&s->heap, p->write_begun + s->blocks->write_s * p->written / s->blocks->n,
			  SIM_WRITE, nd->rank, NULL, sim_node(nd)->life);
}

void blocks_read(struct sim *s, struct node *nd)
{
	struct sim_node *sn = sim_node(nd);

	s->blocks->pass[nd->rank].read = 0;
	sn->compute += s->blocks->read_s;
	heap_push(&s->heap, sn->begun, SIM_READ, nd->rank, NULL, sn->ticket);
}

static void block_read(struct sim *s, struct node *nd)
{
	struct sim_node *sn = sim_node(nd);
	struct block_pass *p = &s->blocks->pass[nd->rank];
	const size_t from = block_at(s, p->read), n = block_at(s, p->read + 1) - from;

	if (p->read == 0)
		sn->stamp = s->blocks->steps;
	if (nd->x)
		shared_read(n, nd->x + from, sn->snapshot + from);
	if (++p->read < s->blocks->n)
		heap_push(&s->heap, sn->begun + s->blocks->read_s * p->read / s->blocks->n,
			  SIM_READ, nd->rank, NULL, sn->ticket);
	else
		sim_compute(s, nd);
}

bool blocks_event(struct sim *s, struct node *nd, const struct sim_event *ev)
{
	const enum sim_kind kind = sim_event_kind(ev);

	if (kind == SIM_WRITE)
		block_write(s, nd);
	else if (kind == SIM_READ && sim_node(nd)->computing && sim_node(nd)->ticket == ev->num)
		block_read(s, nd);
	return kind == SIM_WRITE || kind == SIM_READ;
}
