/* Opens and closes the simulator's nodes, links and buffers, and averages their models. */
#include "sim/world.h"

#include "core/codec.h"
#include "core/graph.h"
#include "core/watch.h"

#include <stdlib.h>

enum { STATE_LINE = 64 };       /* bytes of a line of the cache */

/* Vector [n] that no checkpoint needs to hold, since it can be recomputed. */
static float *sim_scratch(struct sim *s, size_t n)
{
	s->floats.all += (double)n;
	return s->run->pool ? arena_alloc(&s->arena, n, sizeof(float)) : NULL;
}

float *sim_floats(struct sim *s, size_t n)
{
	if (!sim_saves(s))
		return sim_scratch(s, n);
	s->floats.all += (double)n;
	return hold_alloc(&s->saving.hold, n, sizeof(float));
}

/* Memory for a packed gradient. */
static void *sim_codes(struct sim *s)
{
	return codec_packs(s->run) ? sim_floats(s, codec_bytes(s->run) / sizeof(float)) : NULL;
}

static void sim_open_node(struct sim *s, int location, const float *x)
{
	const bool shared = s->run->algo->shared != NULL;
	struct node *nd = &s->nodes[location];
	struct sim_node *sn = &s->priv[location];

	*sn = (struct sim_node){ .sim = s, .rare = &s->rare[location] };
	sn->inbox_tail = &sn->inbox;
	*nd = node_new(s->run, location, &sim_engine, sn);
	node_open(nd, shared && location > 0 ? s->nodes[0].x : NULL, x);
	if (nd->rank != SERVER || nd->stages) {
		sn->snapshot = sim_floats(s, nd->dim);
		sn->g = sim_scratch(s, node_grad_floats(nd));
		if (nd->rank != SERVER && codec_packs(s->run))
			sn->rare->sum.codes = sim_codes(s);
	}
	if (shared) {
		nd->seen = sn->snapshot;
		nd->moved = sim_floats(s, nd->dim);
	}
}

/*
 * NICs of n locations from `first` on. Only messages that overtake one another draw numbers: by the
 * location, so that a clause for one of them changes no other's.
 */
static struct nic *nics_new(const struct sim *s, int n, int first)
{
	struct nic *nic = xcalloc_whole((size_t)n, sizeof(*nic));

	for (int i = 0; s->post.order && i < n; i++)
		nic[i] = (struct nic){ .seed = s->run->seed, .location = (uint32_t)(first + i) };
	return nic;
}

/*
 * Opens machines and the network. If nodes have several workers, messages to other nodes use the
 * nodes' NICs, and messages within a node the machines' own.
 */
static void post_open(struct sim *s)
{
	const struct link *l = s->link;
	const void *conf = s->conf->link.conf;
	struct post *p = &s->post;

	p->shards = s->run->algo->server && s->conf->shards > 1 ? s->conf->shards : 1;
	p->shard_share = 1.0 / p->shards;
	p->machines = s->nnodes + p->shards - 1;
	if (l->overtakes && l->overtakes(conf))
		p->order = xcalloc((size_t)p->machines, sizeof(*p->order));
	p->machine = nics_new(s, p->machines, 0);
	p->net.plain = true;
	if (l->fabric) {
		const struct fabric fabric = l->fabric(conf);

		network_open(&p->net, &fabric, &s->conf->own, s->run->workers, p->machines);
	}
	if (l->shares)
		p->flows = flows_new(&p->net, &s->heap);
	else if (!p->net.plain)
		p->nic = nics_new(s, network_nics(&p->net),
				  p->net.fabric.node > 1 ? p->machines : 0);
}

/* The workers' states, side by side, if they are too large for their structs. */
static void states_open(struct sim *s)
{
	const size_t size = s->run->algo->worker->state_size;

	if (size <= sizeof(s->priv->state))
		return;
	s->state_bytes = (size + STATE_LINE - 1) / STATE_LINE * STATE_LINE;
	s->states = xlines((size_t)s->run->workers, s->state_bytes);
}

/* The neighbours of a worker, if they are stored and all workers have equally many. */
static struct heap_near neighbours_near(const struct run *run)
{
	const struct topology *t = run->graph;
	const size_t bytes = t && t->regular ? (size_t)t->degree * sizeof(*t->to) : 0;

	if (bytes < 8 || t->circulant)
		return (struct heap_near){ 0 };
	return (struct heap_near){ (const char *)t->to, (size_t)run->workers, bytes,
				   bytes / 8 * 8 };
}

/*
 * Names what the events of a node use: the beginnings of its structs, its algorithm's state, its
 * neighbours, and what a hook has of it.
 */
static void sim_prefetched(struct sim *s)
{
	const size_t nodes = (size_t)s->nnodes, workers = (size_t)s->run->workers;
	const struct hook *h = s->run->hooks;

	while (h && !h->each)
		h = h->next;
	s->heap.near[0] = (struct heap_near){ (const char *)s->nodes, nodes, sizeof(*s->nodes),
					      offsetof(struct node, into) };
	s->heap.near[1] = (struct heap_near){ (const char *)s->priv, nodes, sizeof(*s->priv),
					      sizeof(*s->priv) };
	if (h)
		s->heap.near[2] = (struct heap_near){ h->each, workers, h->each_bytes,
						      h->each_bytes };
	if (s->states)
		s->heap.near[3] = (struct heap_near){ s->states, workers, s->state_bytes,
						      s->state_bytes };
	s->heap.near[4] = neighbours_near(s->run);
}

void sim_open(struct sim *s, const struct sim_conf *conf, const struct run *run,
	      struct timeline *line)
{
	*s = (struct sim){
		.conf = conf, .run = run, .link = (const struct link *)conf->link.plugin,
		.nnodes = run->workers + (run->algo->server != NULL),
		.host_copy = run->workers > 1 ? conf->host_copy_s : 0.0,
		.next_mark = run->mark_every, .pace_at = PACE_FIRST,
		.handled = run_wants(run, EV_HANDLED), .sends = run_wants(run, EV_SEND),
		.line = line, .saving.saves = conf->saves && run->pool,
		.post.packets.arena = &s->arena, .post.most_asks = INT64_MAX,
	};
	s->budget = run_budget(run, &s->budget_end);
	s->nodes = xlines_unset((size_t)s->nnodes, sizeof(*s->nodes));  /* sim_open_node() sets */
	s->priv = xlines_unset((size_t)s->nnodes, sizeof(*s->priv));
	states_open(s);
	sim_prefetched(s);
	s->rare = xcalloc((size_t)s->nnodes, sizeof(*s->rare));
	if (sim_saves(s))
		hold_open(&s->saving.hold, 0);
	s->model = sim_scratch(s, run->dim);
	s->post.codes = sim_codes(s);
	if (s->model)
		run_start(run, s->model);
	for (int i = 0; i < s->nnodes; i++)
		sim_open_node(s, i, s->model);
	post_open(s);
	sim_allreduce_open(s);
	sim_buckets_open(s);
	blocks_open(s);
	storage_open(s);
	faults_open(s);
	histories_open(s);
	s->detours = s->faults || s->blocks || s->allreduces.nbuckets;
	s->prepares = run->pool || line;
	s->post.direct = s->post.shards == 1 && s->post.net.plain && !s->post.flows &&
			 !s->post.order && !s->faults && !s->histories.kept && !s->sends;
	s->extras = run->pool || s->histories.kept || s->link->handle || s->faults || s->handled;
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

void sim_close(struct sim *s)
{
	struct post *post = &s->post;

	flows_free(post->flows);
	sim_allreduce_close(s);
	storage_close(s);
	network_release(&post->net);
	free(post->nic);
	for (int i = 0; post->order && i < post->machines; i++)
		order_release(&post->order[i]);
	heap_release(&s->heap);
	free(post->machine);
	free(post->order);
	arena_release(&s->arena);
	if (sim_saves(s))
		hold_close(&s->saving.hold);
	free(s->nodes);
	free(s->priv);
	free(s->rare);
	free(s->states);
}

/* Models of the workers that are present, or of all if none is: a list that the caller frees. */
static const float **models_there(const struct sim *s, int *n)
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
	scoped const float **xs = NULL;
	int n;

	if (!s->model)
		return NULL;
	if (s->run->algo->server)
		return s->nodes[s->nnodes - 1].x;
	xs = models_there(s, &n);
	vec_mean(s->run->dim, n, xs, s->model);
	return s->model;
}

double sim_spread(const struct sim *s)
{
	int n;
	scoped const float **xs = models_there(s, &n);

	return models_spread(s->run->dim, n, xs);
}
