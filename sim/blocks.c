/*
 * blocks.c - passes over a model that all workers share, block by block.
 *
 *     a gradient is ready
 *     |         write         |   read    | compute ...
 *     0     1     2     3     0  1  2  3           4 blocks, each where it is touched
 *
 * A pass of T seconds in B blocks touches block k after k T / B, all of it at once. So what is
 * read may hold some blocks from before another worker's step, and some from after it.
 */
#include "sim/world.h"

#include "core/base/error.h"
#include "core/math/vec.h"

static const double memory_rate = 10e9; /* bytes a second, where the link does not tell */

/* Seconds of a pass that touches so many floats a coordinate. */
static double pass_time(const struct sim *s, double given, size_t floats)
{
	const size_t n = floats * s->run->dim;
	double took;

	if (given >= 0.0)
		return given;
	took = s->link->handle ? s->link->handle(s->conf->link.conf, n) : 0.0;
	return took > 0.0 ? took : (double)(n * sizeof(float)) / memory_rate;
}

void blocks_open(struct sim *s)
{
	const struct algo *algo = s->run->algo;
	struct sharing how;

	if (!algo->shared)
		return;
	how = algo->shared(s->run->algo_conf);
	s->blocks = how.blocks;
	s->read_s = pass_time(s, how.read_s, 2);        /* x, and where it goes */
	s->write_s = pass_time(s, how.write_s, 4);      /* x and back, before and after the rule */
}

bool blocks_all_read(const struct sim *s, const struct sim_node *sn)
{
	return sn->read == s->blocks;
}

/* Where block k begins; that of number `blocks` is the model's end. */
static size_t block_at(const struct sim *s, int k)
{
	return s->run->dim / (size_t)s->blocks * (size_t)k +
	       s->run->dim % (size_t)s->blocks * (size_t)k / (size_t)s->blocks;
}

/* ---- a step ---- */

void blocks_write(struct sim *s, struct node *nd)
{
	struct sim_node *sn = sim_node(nd);

	if (sn->computing || sn->writing)
		BUG("%s: rank %d steps twice by a gradient, or while one is in flight",
		    s->run->algo->plugin.name, nd->rank);
	s->steps++;
	sn->writing = true;
	sn->written = 0;
	sn->write_begun = sn->clock;
	sn->clock += s->write_s;
	sn->write_end = sn->clock;
	nd->ledger.compute += s->write_s;
	heap_push(&s->heap, sn->write_begun, SIM_WRITE, nd->rank, NULL, sn->life);
}

static void write_block(struct sim *s, struct node *nd)
{
	struct sim_node *sn = sim_node(nd);
	const size_t from = block_at(s, sn->written), n = block_at(s, sn->written + 1) - from;

	if (nd->x)
		shared_add(n, nd->seen + from, nd->moved + from, nd->x + from);
	sn->writing = ++sn->written < s->blocks;
	if (sn->writing)
		heap_push(&s->heap, sn->write_begun + s->write_s * sn->written / s->blocks,
			  SIM_WRITE, nd->rank, NULL, sn->life);
}

/* ---- a snapshot ---- */

void blocks_read(struct sim *s, struct node *nd)
{
	struct sim_node *sn = sim_node(nd);

	sn->read = 0;
	sn->compute += s->read_s;
	heap_push(&s->heap, sn->begun, SIM_READ, nd->rank, NULL, sn->ticket);
}

static void read_block(struct sim *s, struct node *nd)
{
	struct sim_node *sn = sim_node(nd);
	const size_t from = block_at(s, sn->read), n = block_at(s, sn->read + 1) - from;

	if (sn->read == 0)
		sn->stamp = s->steps;
	if (nd->x)
		shared_read(n, nd->x + from, sn->snapshot + from);
	if (++sn->read < s->blocks)
		heap_push(&s->heap, sn->begun + s->read_s * sn->read / s->blocks, SIM_READ,
			  nd->rank, NULL, sn->ticket);
	else
		sim_compute(s, nd);
}

bool blocks_event(struct sim *s, struct node *nd, const struct sim_event *ev)
{
	const enum sim_kind kind = sim_event_kind(ev);

	if (kind == SIM_WRITE)
		write_block(s, nd);
	else if (kind == SIM_READ && sim_node(nd)->computing && sim_node(nd)->ticket == ev->num)
		read_block(s, nd);
	return kind == SIM_WRITE || kind == SIM_READ;
}
