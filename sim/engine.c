/*
 * engine.c - requests of nodes, in virtual time.
 *
 * A handler runs at one instant of virtual time, `now`. Its requests take effect at the node's
 * clock, which is `now` plus the cost of what it did so far.
 */
#include "sim/world.h"

#include "core/base/apart.h"
#include "core/base/clock.h"
#include "core/math/vec.h"

#include <math.h>

static struct sim *sim_of(const struct node *nd)
{
	return sim_node(nd)->sim;
}

/* Cost of a server's work if its shards do it in parallel. */
static double cost_shared(const struct sim *s, const struct node *nd, double cost)
{
	return nd->rank == SERVER ? cost * s->post.shard_share : cost;
}

/* Books the cost as computing of the node, unless it is part of a gradient. */
static void cost_book(struct node *nd, double cost)
{
	sim_node(nd)->clock += cost;
	if (!sim_node(nd)->computing)
		nd->ledger.compute += cost;
}

APART void sim_charge_handling(struct sim *s, struct node *nd)
{
	const size_t floats = vec_passed() - s->passed;

	s->passed += floats;
	if (!s->stopping)
		cost_book(nd, cost_shared(s, nd, s->link->handle(s->conf->link.conf, floats)));
}

void sim_compute(struct sim *s, struct node *nd)
{
	struct sim_node *sn = sim_node(nd);

	heap_push(&s->heap, sn->begun + sn->compute + sim_host_copy(s, nd), SIM_GRAD,
		  sim_index(s, nd->rank), NULL, sn->ticket);
	if (s->allreduces.nbuckets)
		sim_buckets_begin(s, nd);
	if (sim_computes(s))
		sim_submit(s, nd);
}

void sim_submit(struct sim *s, struct node *nd)
{
	struct sim_node *sn = sim_node(nd);

	sn->rare->job = node_job(nd, sn->snapshot, sn->index - 1, sn->g);
	sn->rare->job.patient = true;
	pool_submit(s->run->pool, &sn->rare->job);
}

/*
 * Seconds of the node's gradient, or of a stage: base x share of the batch x slowness x draw. The
 * head's stage on a server has no draw.
 */
static double compute_time(struct sim *s, const struct node *nd, int64_t index)
{
	const double base = s->conf->batch_s * node_stage_weight(nd);
	const double begun = sim_node(nd)->begun;

	if (nd->rank == SERVER)
		return base;
	return base * pace_factor(&s->conf->pace, s->run->seed, nd->rank, index,
				  s->line ? timeline_at(s->line, begun) : begun);
}

static void sim_node_grad(struct node *nd)
{
	struct sim *s = sim_of(nd);
	struct sim_node *sn = sim_node(nd);

	sn->asked++;
	if (s->stopping)
		node_refuse(nd, sn->clock, s->gradients);
	if (s->stopping || sn->stopped)
		return;
	if (sn->computing)
		algo_mistake(s->run, "rank %d asks for a second gradient while one is in flight",
			     nd->rank);
	sim_charge(s, nd);
	if (node_reads(nd))
		sn->first = nd->goes_on ? (double)NAN : sn->clock;
	sn->computing = true;
	sn->held_up = 0.0;
	sn->stalled = s->storage && node_reads(nd) ? storage_wait(s, nd) : 0.0;
	sn->begun = sn->clock + sn->stalled;
	sn->compute = compute_time(s, nd, node_take(nd, &sn->index, &sn->stamp));
	sn->ticket++;
	if (s->blocks) {
		blocks_read(s, nd);
		return;
	}
	if (sn->snapshot)
		vec_copy(nd->dim, nd->x, sn->snapshot);
	sim_uncharged(s);
	sim_compute(s, nd);
}

void sim_await_job(struct sim *s, struct node *nd)
{
	struct sim_node *sn = sim_node(nd);
	const double began = clock_s();

	pool_wait(s->run->pool, &sn->rare->job);
	s->pool_s += clock_s() - began;
}

/*
 * In a last round that is not whole, which gradients are dropped depends on times, and changes no
 * model where they would be added: a run in the same order may show the losses of others of them.
 * Not where these are a large share of what the run computes.
 */
static bool drop_is_computed(const struct sim *s, const struct node *nd)
{
	enum { SHARE = 16 };

	return s->histories.kept && s->stopping && nd->adds && s->end == s->budget_end &&
	       s->gradients >= SHARE * (int64_t)s->run->workers;
}

void sim_drop(struct sim *s, struct node *nd, double time)
{
	struct sim_node *sn = sim_node(nd);
	const double spent = fmin(time - sn->begun, sn->compute);
	double loss = (double)NAN;

	if (!sn->computing)
		return;
	if (sim_computes(s) && blocks_all_read(s, nd)) {
		if (drop_is_computed(s, nd)) {
			sim_await(s, nd);
			loss = sn->rare->job.loss;
		} else if (!pool_withdraw(s->run->pool, &sn->rare->job)) {
			sim_await(s, nd);
		}
	}
	nd->ledger.dropped += nd->rank != SERVER;
	sn->computing = false;
	sn->ticket++;
	run_emit(s->run, &(struct event){ .kind = EV_DROP, .time = time, .epoch = sim_epoch(s),
					  .gradients = s->gradients, .node = nd,
					  .begun = sn->begun, .asked = sn->first,
					  .seconds = fmax(spent, 0.0), .loss = loss });
}

static void sim_node_cancel(struct node *nd)
{
	const struct sim_node *sn = sim_node(nd);

	if (sn->computing)
		ledger_unfinished(nd, sn->clock);
	sim_drop(sim_of(nd), nd, sn->clock);
}

RARE static void sends_nowhere(const struct node *nd, int to)
{
	algo_mistake(nd->run, "rank %d sends to rank %d of %d", nd->rank, to, nd->workers);
}

/*
 * Sends a message when handlers cost time: charges the handler, but not for the engine's own copy.
 */
APART static void send_charged(struct sim *s, struct node *nd, int to, const struct msg *m)
{
	sim_charge(s, nd);
	packet_send(s, nd, to, m);
	sim_uncharged(s);
}

static void sim_node_send(struct node *nd, int to, const struct msg *m)
{
	struct sim *s = sim_of(nd);

	if (to != SERVER && (to < 0 || to >= nd->workers))
		sends_nowhere(nd, to);
	else if (s->link->handle)
		send_charged(s, nd, to, m);
	else
		packet_send(s, nd, to, m);
}

static void sim_node_allreduce(struct node *nd, float *v, size_t n, bool codes)
{
	struct sim *s = sim_of(nd);

	node_must_react(nd, nd->role->allreduce, "an all-reduce");
	sim_charge(s, nd);
	sim_allreduce_ask(s, nd, v, n, codes);
	sim_uncharged(s);
}

static void sim_node_after(struct node *nd, double seconds, int token)
{
	struct sim *s = sim_of(nd);
	const struct sim_node *sn = sim_node(nd);
	const int64_t num = (int64_t)sn->life << 32 | (uint32_t)token;

	s->timers = true;
	heap_push(&s->heap, sn->clock + fmax(seconds, 0.0), SIM_TIMER, sim_index(s, nd->rank),
		  NULL, num);
}

static void sim_node_stop(struct node *nd)
{
	sim_node(nd)->stopped = true;
}

static double sim_node_now(const struct node *nd)
{
	return sim_node(nd)->clock;
}

/* Gradients known to a node; workers that fail make fewer rounds than others. */
static int64_t sim_node_gradients(const struct node *nd)
{
	const struct sim *s = sim_of(nd);

	return s->faults ? s->gradients : node_counted(nd, s->gradients);
}

static double sim_node_epoch(const struct node *nd)
{
	struct sim *s = sim_of(nd);
	const int64_t gradients = sim_node_gradients(nd);

	return gradients == s->gradients ? sim_epoch(s) : run_epochs(nd->run, gradients);
}

/* node_open() asks for the state of the algorithm first, when there is none yet. */
static void *sim_node_alloc(struct node *nd, size_t n, size_t size)
{
	struct sim *s = sim_of(nd);

	if (!nd->state && n * size <= sizeof(sim_node(nd)->state))
		return sim_node(nd)->state;
	if (!nd->state && nd->rank != SERVER)
		return s->states + (size_t)nd->rank * s->state_bytes;
	return arena_alloc(&s->arena, n, size);
}

static float *sim_node_floats(struct node *nd, size_t n)
{
	struct sim *s = sim_of(nd);

	s->floats.server += nd->rank == SERVER ? (double)n : 0.0;
	return sim_floats(s, n);
}

/* Seconds of the server's update, drawn at (seed, server, step). */
APART static double update_drawn(const struct sim *s, const struct node *nd)
{
	struct rng r;

	rng_at(&r, s->run->seed, RNG_DELAY, (uint32_t)SERVER, (uint64_t)nd->step);
	return -log(rng_uniform(&r)) * s->conf->update_s;
}

/*
 * Charges for a step: a server's update takes time, and so does a pass over a shared model. A
 * worker's own step is part of its seconds for a minibatch.
 */
static void sim_node_stepped(struct node *nd)
{
	struct sim *s = sim_of(nd);

	if (s->blocks)
		blocks_write(s, nd);
	if (nd->rank != SERVER || s->stopping)
		return;
	cost_book(nd,
		  cost_shared(s, nd,
			      s->conf->random_update ? update_drawn(s, nd) : s->conf->update_s));
}

static void sim_node_reads(const struct node *nd, uint64_t bits)
{
	struct sim_node *sn = sim_node(nd);

	sn->history = history_mix(sn->history, bits);
	if (sn->sim->histories.fixed)
		sn->changed = history_mix(sn->changed, bits);
}

const struct engine sim_engine = {
	.name = "sim",
	.grad = sim_node_grad, .cancel = sim_node_cancel, .send = sim_node_send,
	.allreduce = sim_node_allreduce, .after = sim_node_after, .stop = sim_node_stop,
	.now = sim_node_now, .epoch = sim_node_epoch, .gradients = sim_node_gradients,
	.alloc = sim_node_alloc, .floats = sim_node_floats, .stepped = sim_node_stepped,
	.reads = sim_node_reads,
};
