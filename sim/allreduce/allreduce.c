/* The simulator's all-reduce: members join a group and get the sum in rank order. */
#include "sim/world.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/codec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIM_BLOCK = 2048 }; /* floats summed at a time, to stay in cache */

void sim_allreduce_regroup(const struct sim *s, struct group *g)
{
	scoped int *location = xcalloc((size_t)g->members + 1, sizeof(*location));

	members_release(&g->of);
	free(g->traffic);
	g->traffic = NULL;
	for (int k = 0; k < g->members; k++)
		location[k] = g->node[k]->rank;
	if (s->link->fabric)
		g->of = members_of(&s->post.net, location, g->members, s->link->shares);
	else
		g->of = (struct members){ .n = g->members };
	if (g->of.across.wan)
		g->of.past = &g->past;
}

void sim_allreduce_open(struct sim *s)
{
	s->allreduces.steps = s->link->stepwise ? s->link->stepwise(s->conf->link.conf) : RING_NONE;
	s->allreduces.groups = 1;
	for (int i = 0; i < s->run->workers; i++)
		if (s->nodes[i].group >= s->allreduces.groups)
			s->allreduces.groups = s->nodes[i].group + 1;
	s->allreduces.group =
		arena_alloc(&s->arena, (size_t)s->allreduces.groups, sizeof(*s->allreduces.group));
	if (!s->run->algo->worker->allreduce)   /* groups without members */
		return;
	for (int i = 0; i < s->run->workers; i++)
		s->allreduces.group[s->nodes[i].group].members++;
	for (int k = 0; k < s->allreduces.groups; k++) {
		struct group *g = &s->allreduces.group[k];

		g->node = arena_alloc(&s->arena, (size_t)g->members, sizeof(*g->node));
		g->members = 0;
	}
	for (int i = 0; i < s->run->workers; i++) {
		struct group *g = &s->allreduces.group[s->nodes[i].group];

		if (s->allreduces.steps != RING_NONE)
			s->rare[i].sum.ring.member = g->members;
		g->node[g->members++] = &s->nodes[i];
	}
	for (int k = 0; k < s->allreduces.groups; k++)
		sim_allreduce_regroup(s, &s->allreduces.group[k]);
}

void sim_allreduce_close(struct sim *s)
{
	for (int k = 0; k < s->allreduces.groups; k++) {
		members_release(&s->allreduces.group[k].of);
		free(s->allreduces.group[k].traffic);
	}
}

/* Every member's v[first, first + n) <- the sum over members, added in rank order. */
static void sim_add_block(const struct group *g, size_t first, size_t n)
{
	float acc[SIM_BLOCK];

	memcpy(acc, sim_node(g->node[0])->rare->sum.v + first, n * sizeof(*acc));
	for (int k = 1; k < g->members; k++) {
		const float *v = sim_node(g->node[k])->rare->sum.v + first;

		for (size_t i = 0; i < n; i++)
			acc[i] += v[i];
	}
	for (int k = 0; k < g->members; k++)
		memcpy(sim_node(g->node[k])->rare->sum.v + first, acc, n * sizeof(*acc));
}

/* Every member's v <- the sum of the decoded gradients, in rank order, as its codes have it. */
static void sim_add_codes(const struct sim *s, const struct group *g)
{
	const size_t n = sim_node(g->node[0])->rare->sum.n;
	float *sum = sim_node(g->node[0])->rare->sum.v;

	codec_unpack(s->run, n, sim_node(g->node[0])->rare->sum.codes, sum);
	for (int k = 1; k < g->members; k++)
		codec_add(s->run, n, sim_node(g->node[k])->rare->sum.codes, sum);
	codec_round_sum(s->run, n, sim_node(g->node[0])->rare->sum.codes, sum);
	for (int k = 1; k < g->members; k++)
		memcpy(sim_node(g->node[k])->rare->sum.v, sum, n * sizeof(*sum));
}

static void sim_allreduce_add_up(const struct sim *s, const struct group *g)
{
	const struct sim_node *first = sim_node(g->node[0]);

	for (int k = 1; k < g->members; k++)
		if (sim_node(g->node[k])->rare->sum.n != first->rare->sum.n ||
		    sim_node(g->node[k])->rare->sum.coded != first->rare->sum.coded)
			BUG("members of a group all-reduce vectors of different lengths or kinds");
	if (!first->rare->sum.v || s->saving.rewalks)
		return;
	if (first->rare->sum.coded) {
		sim_add_codes(s, g);
		return;
	}
	for (size_t i = 0; i < first->rare->sum.n; i += SIM_BLOCK)
		sim_add_block(g, i, first->rare->sum.n - i < SIM_BLOCK
						? first->rare->sum.n - i : SIM_BLOCK);
}

size_t sim_allreduce_bytes(const struct sim *s, const struct sim_allreduce *sum)
{
	return sum->coded ? codec_part_bytes(s->run, sum->n) : sum->n * sizeof(float);
}

/* Whether the codec's codes are gathered in this all-reduce, not added. */
static bool sum_gathers(const struct sim *s, const struct sim_allreduce *sum)
{
	return sum->coded && !codec_adds(s->run);
}

/*
 * Codes that cannot be added: every member gets those of all. In a ring, this all-gather is the
 * second half of an all-reduce of n times the bytes.
 */
double sim_allreduce_time(const struct sim *s, const struct group *g, bool gathers, size_t bytes)
{
	if (g->members < 2)
		return 0.0;
	return link_collective_s(s->link, s->conf->link.conf, &g->of, gathers, bytes);
}

double sim_allreduce_share_time(const struct sim *s, const struct group *g, size_t bytes)
{
	if (g->members < 2)
		return 0.0;
	return s->link->collective ? sim_allreduce_time(s, g, true, bytes / (size_t)g->members)
				   : 0.5 * sim_allreduce_time(s, g, false, bytes);
}

void sim_allreduce_begins(const struct group *g, double time)
{
	if (g->of.past)
		wan_past_begin(g->of.past, g->of.across.wan, time);
}

void sim_allreduce_made(const struct group *g)
{
	if (g->of.past)
		wan_past_add(g->of.past);
}

/* Time at which every member has the result of an all-reduce that all have asked for. */
static double sim_allreduce_end_of(const struct sim *s, const struct group *g)
{
	const struct sim_node *first = sim_node(g->node[0]);
	const size_t bytes = sim_allreduce_bytes(s, &first->rare->sum);
	double end;

	if (g->of.past)
		g->of.past->carried = 0.0;
	if (sim_buckets_of(s, first) > 1)
		return sim_buckets_end(s, g);
	sim_allreduce_begins(g, g->last);
	end = g->last + (s->conf->zero ? sim_allreduce_share_time(s, g, bytes)
				       : sim_allreduce_time(s, g, sum_gathers(s, &first->rare->sum),
							    bytes));
	sim_allreduce_made(g);
	return s->conf->zero ? end + zero_after(s, g, end) : end;
}

/* Bytes of the i-th of several buckets, or of a whole vector. */
static size_t bucket_bytes(const struct sim *s, const struct sim_node *sn, int buckets, int i)
{
	if (buckets == 1)
		return sim_allreduce_bytes(s, &sn->rare->sum);
	return (sn->rare->sum.coded ? codec_float_bytes(s->run) : sizeof(float)) *
	       s->allreduces.bucket[i].n;
}

/* Traffic of the k-th member in an all-reduce, or a gather, of `bytes`. */
static struct traffic traffic_of(const struct sim *s, const struct group *g, int k, bool gathers,
				 double bytes)
{
	const int64_t steps = g->members - 1, rounds = gathers ? 1 : 2;
	const double piece = gathers ? bytes : bytes / g->members;

	if (s->link->collective && steps) {
		const struct collective c = s->link->collective(s->conf->link.conf, &g->of);

		return gathers ? collective_gather_traffic(&c, k, bytes)
			       : collective_traffic(&c, k, bytes);
	}
	return (struct traffic){ (double)(rounds * steps) * piece, rounds * steps };
}

/* Adds to each member's traffic so many all-reduces, or gathers. */
static void traffic_add(const struct sim *s, struct group *g, int64_t times, bool gathers,
			double bytes)
{
	for (int k = 0; k < g->members && times; k++) {
		const struct traffic t = traffic_of(s, g, k, gathers, bytes);

		g->traffic[k].bytes += (double)times * t.bytes;
		g->traffic[k].messages += times * t.messages;
	}
}

/* [members] what each sends and receives in their all-reduce; the group's. */
static const struct traffic *sim_allreduce_traffic(const struct sim *s, struct group *g)
{
	const struct sim_node *first = sim_node(g->node[0]);
	const size_t bytes = sim_allreduce_bytes(s, &first->rare->sum);
	const int buckets = sim_buckets_of(s, first);
	const bool gathers = sum_gathers(s, &first->rare->sum);
	/* All-gathers of the model, and those of them that are made bucket by bucket. */
	const int zero = s->conf->zero, models = zero == 3 ? 2 : zero ? 1 : 0;
	const int apart = zero == 3 && s->allreduces.nbuckets ? models : 0;
	const double of = zero ? g->members : 1;

	if (g->traffic && g->traffic_bytes == bytes && g->traffic_buckets == buckets &&
	    g->traffic_gathers == gathers)
		return g->traffic;
	free(g->traffic);
	g->traffic = xcalloc((size_t)g->members, sizeof(*g->traffic));
	g->traffic_bytes = bytes;
	g->traffic_buckets = buckets;
	g->traffic_gathers = gathers;
	for (int i = 0, same; i < buckets; i += same) {
		const size_t size = bucket_bytes(s, first, buckets, i);

		for (same = 1; i + same < buckets; same++)
			if (bucket_bytes(s, first, buckets, i + same) != size)
				break;
		traffic_add(s, g, (int64_t)same * (1 + apart), gathers || zero, (double)size / of);
	}
	traffic_add(s, g, models - apart, true, (double)bytes / of);
	return g->traffic;
}

static void sim_allreduce_deliver(struct sim *s, struct group *g)
{
	const struct traffic *traffic = sim_allreduce_traffic(s, g);
	const double end = s->allreduces.steps ? 0.0 : sim_allreduce_end_of(s, g);

	sim_allreduce_add_up(s, g);
	if (s->histories.kept)
		history_allreduce(g);
	for (int k = 0; k < g->members; k++) {
		struct sim_node *sn = sim_node(g->node[k]);
		const __int128 wire = (__int128)(traffic[k].bytes + 1e-4);

		g->node[k]->ledger.bytes_sent += wire;
		g->node[k]->ledger.bytes_received += wire;
		g->node[k]->ledger.messages += traffic[k].messages;
		sn->rare->sum.all_asked = g->last;
		sn->rare->sum.added = g->members;
		sn->rare->sum.offers = false;
		if (s->allreduces.steps)
			continue;
		sn->rare->sum.ahead = 0.0;
		heap_push(&s->heap, end, SIM_ALLREDUCE, g->node[k]->rank, NULL, sn->life);
	}
	g->asked = 0;
	g->whole = false;
}

/*
 * All-reduces whose time is that of a ring's messages.
 *
 * Each of n members sends its successor 2 (n - 1) pieces of the vector (Patarasuk, Yuan 2009), the
 * first when it asks. Step k of a member sends its piece k and receives its predecessor's. Pieces
 * cross the link as messages do, also during handlers and gradients.
 *
 *     RING_PAIRS  step k + 1 begins when both messages of step k have arrived: a member waits for
 *                 its own send too, as MPI_Sendrecv and NCCL do
 *     RING_EAGER  step k + 1 begins when the predecessor's piece k has arrived; own pieces queue
 *
 * A member's all-reduce is done when its last step is over. A gradient in buckets (buckets.c) is
 * added by one ring after the other, as its buckets become final.
 */

const char *const ring_steps_names[] = { "false", "pairs", "eager", NULL };

/* Number of pieces that a member sends for a bucket; of codes that are gathered, whole codes. */
static int link_ring_pieces(const struct sim *s, const struct sim_node *sn, int members)
{
	return (sum_gathers(s, &sn->rare->sum) ? 1 : 2) * (members - 1);
}

/* Bytes of the k-th piece that a member sends: pieces are as equal as possible. */
static size_t piece_bytes(const struct sim *s, const struct sim_node *sn, int members, int64_t k)
{
	const int all = link_ring_pieces(s, sn, members);
	const int at = ((sn->rare->sum.ring.member - (int)(k % all)) % members + members) % members;
	const size_t n = sn->rare->sum.ahead > 0.0 ? s->allreduces.bucket[k / all].n
						   : sn->rare->sum.n;

	if (sum_gathers(s, &sn->rare->sum))
		return sim_allreduce_bytes(s, &sn->rare->sum);
	return (sn->rare->sum.coded ? codec_float_bytes(s->run) : sizeof(float)) *
	       sim_piece(n, (size_t)members, (size_t)at);
}

/* Steps that the member has completed. */
static int64_t steps_over(const struct sim *s, const struct ring *r)
{
	return s->allreduces.steps == RING_PAIRS && r->arrived < r->received ? r->arrived :
									       r->received;
}

/* Sends, at `time`, the pieces that the member may send; ends its all-reduce after the last. */
static void link_ring_go_on(struct sim *s, struct node *nd, double time)
{
	struct sim_node *sn = sim_node(nd);
	struct ring *r = &sn->rare->sum.ring;
	const struct group *g = &s->allreduces.group[nd->group];
	const int next = g->node[(r->member + 1) % g->members]->rank;
	const int64_t all = (int64_t)link_ring_pieces(s, sn, g->members) * r->buckets;

	for (; r->sent < all && r->sent <= steps_over(s, r); r->sent++)
		packet_piece(s, nd, next, time, piece_bytes(s, sn, g->members, r->sent));
	if (!r->busy || steps_over(s, r) < all)
		return;
	r->received -= all;
	r->arrived -= all;
	r->sent = r->buckets = 0;
	r->busy = false;
	sn->rare->sum.ahead = 0.0;
	heap_push(&s->heap, time, SIM_ALLREDUCE, nd->rank, NULL, sn->life);
}

void ring_bucket(struct sim *s, struct node *nd)
{
	sim_node(nd)->rare->sum.ring.buckets++;
	link_ring_go_on(s, nd, s->now);
}

static void ring_ask(struct sim *s, struct node *nd)
{
	struct sim_node *sn = sim_node(nd);

	sn->rare->sum.ring.busy = true;
	sn->rare->sum.ring.buckets = sim_buckets_of(s, sn);
	link_ring_go_on(s, nd, sn->rare->sum.asked);
}

/* A message of the member's step is complete: sends what it may now. */
static void step_on(struct sim *s, struct node *nd)
{
	const struct sim_allreduce *sum = &sim_node(nd)->rare->sum;

	link_ring_go_on(s, nd, sum->ring.busy && sum->asked > s->now ? sum->asked : s->now);
}

void ring_received(struct sim *s, struct node *nd, struct packet *p)
{
	const struct group *g = &s->allreduces.group[nd->group];
	struct ring *r = &sim_node(nd)->rare->sum.ring;
	struct node *sender = g->node[(r->member + g->members - 1) % g->members];

	packet_put(&s->post.packets, p);
	r->received++;
	sim_node(sender)->rare->sum.ring.arrived++;
	step_on(s, nd);
	if (s->allreduces.steps == RING_PAIRS)
		step_on(s, sender);
}

/* ---- requests ---- */

/* True when all members have asked, and none is away. */
static bool sim_allreduce_is_complete(const struct sim *s, const struct group *g)
{
	return g->asked == g->members && !(s->faults && fault_breaks(g));
}

static void sim_allreduce_begin(struct sim *s, struct group *g)
{
	for (int k = 0; g->whole && k < g->members; k++)
		sim_node(g->node[k])->rare->sum.ahead = 0.0;
	sim_allreduce_deliver(s, g);
}

void sim_allreduce_retry(struct sim *s, struct group *g)
{
	if (!g->asked || !sim_allreduce_is_complete(s, g))
		return;
	g->last = fmax(g->last, s->now);
	sim_allreduce_begin(s, g);
}

void sim_allreduce_ask(struct sim *s, struct node *nd, float *v, size_t n, bool codes)
{
	struct sim_node *sn = sim_node(nd);
	struct group *g = &s->allreduces.group[nd->group];

	if (sn->rare->sum.allreducing)
		BUG("%s: rank %d requests a second all-reduce before the first is done",
		    s->run->algo->plugin.name, nd->rank);
	sim_asked(s);
	sn->rare->sum.allreducing = true;
	sn->rare->sum.v = v;
	sn->rare->sum.n = n;
	sn->rare->sum.asked = sn->clock;
	sn->rare->sum.coded = codes && codec_packs(s->run);
	if (sn->rare->sum.coded)
		codec_pack(nd, n, v, sn->rare->sum.codes);
	if (s->histories.kept)
		sn->rare->sum.history = history_act(sn, HISTORY_ALLREDUCES);
	sn->rare->sum.offers = true;
	g->last = g->asked && g->last > sn->clock ? g->last : sn->clock;
	g->asked++;
	if (sim_allreduce_is_complete(s, g))
		sim_allreduce_begin(s, g);
	if (s->allreduces.steps)
		ring_ask(s, nd);
}
