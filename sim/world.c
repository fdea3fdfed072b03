/* Opens and closes the simulator's nodes, links and buffers, and averages their models. */
#include "sim/world.h"

#include "core/codec.h"
#include "core/math/vec.h"
#include "core/watch.h"

#include <stdlib.h>

float *sim_floats(struct sim *s, size_t n)
{
	return sim_saves(s) ? hold_alloc(&s->hold, n, sizeof(float))
			    : arena_alloc(&s->arena, n, sizeof(float));
}

static float *sim_world_vector(struct sim *s, size_t n)
{
	return s->run->pool && n ? sim_floats(s, n) : NULL;
}

/* One that no checkpoint needs: what is in it can be made again. */
static float *sim_world_scratch(struct sim *s, size_t n)
{
	return s->run->pool ? arena_alloc(&s->arena, n, sizeof(float)) : NULL;
}

/* Memory for a packed gradient. */
static void *sim_world_new_codes(struct sim *s)
{
	return codec_packs(s->run) ? sim_world_vector(s, codec_bytes(s->run) / sizeof(float)) :
				     NULL;
}

static void sim_world_open_node(struct sim *s, int location, const float *x)
{
	const bool shared = s->run->algo->shared != NULL;
	struct node *nd = &s->nodes[location];
	struct sim_node *sn = &s->priv[location];

	*sn = (struct sim_node){ .sim = s };
	sn->inbox_tail = &sn->inbox;
	*nd = node_new(s->run, location, &sim_engine, sn);
	node_open(nd, shared && location > 0 ? s->nodes[0].x : NULL, x);
	if (nd->rank != SERVER || nd->stages) {
		sn->snapshot = sim_world_vector(s, nd->dim);
		sn->g = sim_world_scratch(s, node_grad_floats(nd));
		sn->codes = nd->rank != SERVER ? sim_world_new_codes(s) : NULL;
	}
	if (shared) {
		nd->seen = sn->snapshot;
		nd->moved = sim_world_vector(s, nd->dim);
	}
}

static void open_machines(struct sim *s)
{
	s->shards = s->run->algo->server && s->conf->shards > 1 ? s->conf->shards : 1;
	s->shard_share = 1.0 / s->shards;
	s->nmachines = s->nnodes + s->shards - 1;
	s->machine = xcalloc((size_t)s->nmachines, sizeof(*s->machine));
	for (int i = 0; i < s->nmachines; i++)
		s->machine[i].nic = (struct nic){ .seed = s->run->seed, .location = (uint32_t)i };
}

/* Messages to other nodes pass these, and messages within a node the machines' own NICs. */
static void open_nics(struct sim *s)
{
	const int n = network_nics(&s->net);

	s->nic = xcalloc((size_t)n, sizeof(*s->nic));
	for (int i = 0; i < n; i++)
		s->nic[i] = (struct nic){ .seed = s->run->seed,
					   .location = (uint32_t)(s->nmachines + i) };
}

static void open_link(struct sim *s)
{
	const struct link *l = s->link;
	const void *conf = s->conf->link.conf;

	s->overtakes = l->overtakes && l->overtakes(conf);
	s->steps_of = l->stepwise ? l->stepwise(conf) : RING_NONE;
	s->net.plain = true;
	if (l->fabric) {
		const struct fabric fabric = l->fabric(conf);

		network_open(&s->net, &fabric, &s->conf->own, s->run->workers, s->nmachines);
	}
	if (l->shares)
		s->flows = flows_new(&s->net, &s->heap);
	else if (!s->net.plain)
		open_nics(s);
}

void sim_open(struct sim *s, const struct sim_conf *conf, const struct run *run,
	      struct timeline *line)
{
	*s = (struct sim){
		.conf = conf, .run = run,
		.link = (const struct link *)conf->link.plugin,
		.nnodes = run->workers + (run->algo->server != NULL),
		.host_copy = run->workers > 1 ? conf->host_copy_s : 0.0,
		.next_mark = run->mark_every, .pace_at = PACE_FIRST,
		.handled = run_wants(run, EV_HANDLED), .sends = run_wants(run, EV_SEND),
		.line = line,
		.faulty = conf->nfaults > 0 && !line,
	};
	s->budget = run_budget(run, &s->budget_end);
	s->nodes = xlines((size_t)s->nnodes, sizeof(*s->nodes));
	s->priv = xlines((size_t)s->nnodes, sizeof(*s->priv));
	if (sim_saves(s))
		hold_open(&s->hold, 0);
	s->model = sim_world_scratch(s, run->dim);
	s->codes = sim_world_new_codes(s);
	if (s->model)
		run_start(run, s->model);
	for (int i = 0; i < s->nnodes; i++)
		sim_world_open_node(s, i, s->model);
	open_machines(s);
	open_link(s);
	sim_allreduce_open(s);
	sim_buckets_open(s);
	blocks_open(s);
	storage_open(s);
	s->detours = s->faulty || s->blocks || s->nbuckets;
}

bool sim_forget(struct sim *s, struct sim_node *sn, struct packet **p)
{
	struct waiting *w = sn->inbox;

	if (!w)
		return false;
	*p = w->ev.ptr;
	sn->inbox = w->next;
	if (!sn->inbox)
		sn->inbox_tail = &sn->inbox;
	w->next = s->spare_waiting;
	s->spare_waiting = w;
	return true;
}

/* Takes back what was never delivered: nothing, unless the run failed. */
static void discard_events(struct sim *s)
{
	struct sim_event ev;
	struct packet *p;

	while (heap_pop(&s->heap, &ev))
		packet_discard(&s->spare, ev.ptr);
	for (int i = 0; i < s->nnodes; i++) {
		while (sim_forget(s, &s->priv[i], &p))
			packet_discard(&s->spare, p);
		while ((p = s->priv[i].unread)) {
			s->priv[i].unread = p->next;
			packet_discard(&s->spare, p);
		}
	}
}

void sim_close(struct sim *s)
{
	struct waiting *w;

	discard_events(s);
	flows_free(s->flows, &s->spare);
	sim_allreduce_close(s);
	storage_close(s);
	network_release(&s->net);
	free(s->nic);
	for (int i = 0; i < s->nmachines; i++)
		order_release(&s->machine[i].order);
	while ((w = s->spare_waiting)) {
		s->spare_waiting = w->next;
		free(w);
	}
	packet_free_all(s->spare);
	heap_release(&s->heap);
	free(s->machine);
	arena_release(&s->arena);
	if (sim_saves(s))
		hold_close(&s->hold);
	free(s->nodes);
	free(s->priv);
}

/* The models of the n workers that are there, or else of all: a list that the caller frees. */
static const float **sim_world_models(const struct sim *s, int *n)
{
	const float **xs = xcalloc((size_t)s->run->workers, sizeof(*xs));

	*n = 0;
	for (int i = 0; i < s->run->workers; i++)
		if (!sim_is_away(&s->priv[i]))
			xs[(*n)++] = s->nodes[i].x;
	for (int i = 0; *n == 0 && i < s->run->workers; i++)
		xs[i] = s->nodes[i].x;
	*n = *n ? *n : s->run->workers;
	return xs;
}

const float *sim_model(struct sim *s)
{
	const float **xs;
	int n;

	if (!s->model)
		return NULL;
	if (s->run->algo->server)
		return s->nodes[s->nnodes - 1].x;
	xs = sim_world_models(s, &n);
	vec_mean(s->run->dim, n, xs, s->model);
	free(xs);
	return s->model;
}

double sim_spread(const struct sim *s)
{
	int n;
	const float **xs = sim_world_models(s, &n);
	const double spread = models_spread(s->run->dim, n, xs);

	free(xs);
	return spread;
}
