/* Nodes of a replay: made and freed, and what they ask for. */
#include "sim/replay/node.h"

#include "core/base/error.h"
#include "core/codec.h"
#include "core/engine/engine.h"
#include "core/engine/ring_pieces.h"
#include "core/math/vec.h"

#include <stdlib.h>

static struct replay *replay_of(const struct node *nd)
{
	return replay_node(nd)->replay;
}

static int location_of(const struct replay *re, int rank)
{
	return rank == SERVER ? re->nnodes - 1 : rank;
}

/* ---- what nodes ask for ---- */

static void node_engine_grad(struct node *nd)
{
	struct replay *re = replay_of(nd);
	struct replay_node *rn = replay_node(nd);
	const enum grad_stage stage = node_stage_asked(nd);
	const bool begins = stage == STAGE_WHOLE || stage == STAGE_FORWARD;

	if (rn->stopped || !rn->grads_left)
		return;
	if (rn->computing) {
		re->fault = "it asks for a second gradient while one is in flight";
		return;
	}
	rn->computing = true;
	if (begins) {
		rn->stamp = nd->step;
		rn->index++;
	}
	if (nd->stages)
		node_stage_take(nd, rn->index - 1);
	vec_copy(nd->dim, nd->x, rn->snapshot);
	rn->job = node_stage_job(nd, rn->snapshot, rn->index - 1, rn->g);
	pool_submit(re->run->pool, &rn->job);
}

static void node_engine_cancel(struct node *nd)
{
	struct replay_node *rn = replay_node(nd);

	if (!rn->computing)
		return;
	if (!pool_withdraw(replay_of(nd)->run->pool, &rn->job))
		pool_wait(replay_of(nd)->run->pool, &rn->job);
	rn->computing = false;
	nd->ledger.dropped++;
}

static void node_engine_send(struct node *nd, int to, const struct msg *m)
{
	struct replay *re = replay_of(nd);
	struct packet **at;

	if (to != SERVER && (to < 0 || to >= nd->workers))
		BUG("%s: rank %d sends to rank %d of %d", re->run->algo->plugin.name, nd->rank, to,
		    nd->workers);
	at = &re->priv[location_of(re, to)].inbox;
	while (*at)
		at = &(*at)->next;
	*at = packet_copy(&re->spare, nd, m, re->codes);
}

/* Every member's v[from, from + n) <- the sum over members, added from `first` on, round. */
static void add_piece(struct replay *re, int first, size_t from, size_t n)
{
	const int workers = re->run->workers;
	float *sum = re->priv[first].v + from;

	for (int k = 1; k < workers; k++)
		vec_axpy(n, 1.0f, re->priv[(first + k) % workers].v + from, sum);
	for (int k = 1; k < workers; k++)
		vec_copy(n, sum, re->priv[(first + k) % workers].v + from);
}

/* Every member's vector <- what all codes stand for, in the order of ranks. */
static void add_codes(struct replay *re)
{
	const struct replay_node *all = re->priv;

	codec_unpack(re->run, all[0].nv, all[0].codes, all[0].v);
	for (int k = 1; k < re->run->workers; k++)
		codec_add(re->run, all[0].nv, all[k].codes, all[0].v);
	for (int k = 1; k < re->run->workers; k++)
		vec_copy(all[0].nv, all[0].v, all[k].v);
}

static void add_up(struct replay *re)
{
	const struct replay_node *all = re->priv;
	const int workers = re->run->workers;
	const size_t n = all[0].nv;

	for (int k = 1; k < workers; k++)
		if (all[k].nv != n || all[k].coded != all[0].coded) {
			re->fault = "members of a group all-reduce vectors of different lengths";
			return;
		}
	if (all[0].coded)
		add_codes(re);
	else if (!re->ring)
		add_piece(re, 0, 0, n);
	for (int k = 0; k < workers && re->ring && !all[0].coded; k++)
		add_piece(re, k, ring_start(n, workers, k), ring_length(n, workers, k));
	for (int k = 0; k < workers; k++)
		re->priv[k].allreduced = true;
	re->asked = 0;
}

static void node_engine_allreduce(struct node *nd, float *v, size_t n, bool codes)
{
	struct replay *re = replay_of(nd);
	struct replay_node *rn = replay_node(nd);

	if (rn->allreducing) {
		re->fault = "it requests a second all-reduce before the first is done";
		return;
	}
	rn->allreducing = true;
	rn->v = v;
	rn->nv = n;
	rn->coded = codes && codec_packs(re->run);
	if (rn->coded)
		codec_pack(nd, n, v, rn->codes);
	if (++re->asked == re->run->workers)
		add_up(re);
}

static void node_engine_after(struct node *nd, double seconds, int token)
{
	struct replay_timer *t = xcalloc(1, sizeof(*t)), **at = &replay_node(nd)->timers;

	(void)seconds;
	t->token = token;
	while (*at)
		at = &(*at)->next;
	*at = t;
}

static void node_engine_stop(struct node *nd)
{
	replay_node(nd)->stopped = true;
}

static double node_engine_now(const struct node *nd)
{
	return replay_node(nd)->clock;
}

static int64_t node_engine_gradients(const struct node *nd)
{
	const struct replay_node *rn = replay_node(nd);

	return rn->event[rn->done]->gradients;
}

static double node_engine_epoch(const struct node *nd)
{
	return run_epochs(nd->run, node_engine_gradients(nd));
}

static void *node_engine_alloc(struct node *nd, size_t n, size_t size)
{
	return arena_alloc(&replay_of(nd)->arena, n, size);
}

static float *node_engine_floats(struct node *nd, size_t n)
{
	return arena_alloc(&replay_of(nd)->arena, n, sizeof(float));
}

static void node_engine_stepped(struct node *nd)
{
	struct replay_node *rn = replay_node(nd);

	rn->clock += rn->event[rn->done]->step_s;
}

static const struct engine replay_engine = {
	"replay",	   node_engine_grad,	  node_engine_cancel, node_engine_send,
	node_engine_allreduce,   node_engine_after,	  node_engine_stop,   node_engine_now,
	node_engine_epoch, node_engine_gradients, node_engine_alloc,  node_engine_floats,
	node_engine_stepped,
};

/* ---- life ---- */

/* Memory for a packed gradient. */
static void *node_new_codes(struct replay *re)
{
	return codec_packs(re->run) ? arena_alloc(&re->arena, 1, codec_bytes(re->run)) : NULL;
}

static void node_open_node(struct replay *re, int location, const float *x)
{
	struct node *nd = &re->nodes[location];
	struct replay_node *rn = &re->priv[location];

	rn->replay = re;
	*nd = node_new(re->run, location, &replay_engine, rn);
	node_open(nd, NULL, x);
	if (nd->rank != SERVER || nd->stages) {
		rn->snapshot = arena_alloc(&re->arena, nd->dim, sizeof(float));
		rn->g = arena_alloc(&re->arena, node_grad_floats(nd), sizeof(float));
		rn->codes = nd->rank != SERVER ? node_new_codes(re) : NULL;
	}
}

/* Every node's events, as indices in the one array. */
static void deal_events(struct replay *re, const struct replay_event *event, size_t n)
{
	for (size_t i = 0; i < n; i++)
		re->priv[location_of(re, event[i].rank)].n++;
	for (int p = 0; p < re->nnodes; p++) {
		struct replay_node *rn = &re->priv[p];

		rn->event = xcalloc(rn->n + 1, sizeof(struct replay_event *));
		rn->n = 0;
	}
	for (size_t i = 0; i < n; i++) {
		struct replay_node *rn = &re->priv[location_of(re, event[i].rank)];

		rn->event[rn->n++] = &event[i];
		rn->grads_left += event[i].handler == HANDLER_GRAD ||
				  event[i].handler == HANDLER_STAGE;
	}
}

void replay_open(struct replay *re, const struct run *run, const struct replay_event *event,
		 size_t n)
{
	float *x = vec_new(run->dim);

	*re = (struct replay){ .run = run, .nnodes = run->workers + (run->algo->server != NULL) };
	re->nodes = xcalloc((size_t)re->nnodes, sizeof(*re->nodes));
	re->priv = xcalloc((size_t)re->nnodes, sizeof(*re->priv));
	run_start(run, x);
	re->codes = node_new_codes(re);
	for (int i = 0; i < re->nnodes; i++)
		node_open_node(re, i, x);
	deal_events(re, event, n);
	free(x);
}

void replay_close(struct replay *re)
{
	for (int i = 0; i < re->nnodes; i++) {
		struct replay_node *rn = &re->priv[i];

		if (rn->computing)
			pool_wait(re->run->pool, &rn->job);
		for (struct replay_timer *t; (t = rn->timers);) {
			rn->timers = t->next;
			free(t);
		}
		packet_free_all(rn->inbox);
		free(rn->event);
	}
	packet_free_all(re->spare);
	arena_release(&re->arena);
	free(re->nodes);
	free(re->priv);
}
