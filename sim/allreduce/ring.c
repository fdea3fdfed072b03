/*
 * ring.c - all-reduces whose time is that of a ring's messages.
 *
 * Each of n members sends its successor 2 (n - 1) pieces of the vector (Patarasuk, Yuan 2009), the
 * first when it asks. Step k of a member sends its piece k and receives its predecessor's. Pieces
 * cross the link as messages do, and during handlers and gradients.
 *
 *     RING_PAIRS  step k + 1 begins when both messages of step k have arrived: a member waits for
 *                 its own send too, as MPI_Sendrecv and NCCL do
 *     RING_EAGER  step k + 1 begins when the predecessor's piece k has arrived; own pieces queue
 *
 * A member's all-reduce is done when its last step is over. A gradient in buckets (buckets.c) is
 * one such ring after the other, as its buckets are ready.
 */
#include "sim/world.h"

const char *const ring_steps_names[] = { "false", "pairs", "eager", NULL };

/* Of a bucket. Codes are gathered, not added: one round, of whole codes. */
static int link_ring_pieces(const struct sim_node *sn, int members)
{
	return (sn->coded ? 1 : 2) * (members - 1);
}

/* Bytes of the piece that a member sends as its k-th: pieces are as even as can be. */
static size_t piece_bytes(const struct sim *s, const struct sim_node *sn, int members, int64_t k)
{
	const int all = link_ring_pieces(sn, members);
	const int at = ((sn->ring.member - (int)(k % all)) % members + members) % members;
	const size_t n = sn->ahead > 0.0 ? s->bucket[k / all].n : sn->n;

	if (sn->coded)
		return sim_allreduce_bytes(s, sn);
	return sizeof(float) * sim_piece(n, (size_t)members, (size_t)at);
}

/* Steps that are over for the member. */
static int64_t steps_over(const struct sim *s, const struct ring *r)
{
	return s->steps_of == RING_PAIRS && r->arrived < r->received ? r->arrived : r->received;
}

/* Sends at that time what the member may by now; when its last step is over, it is done. */
static void link_ring_go_on(struct sim *s, struct node *nd, double time)
{
	struct sim_node *sn = sim_node(nd);
	struct ring *r = &sn->ring;
	const struct group *g = &s->group[nd->group];
	const int next = g->node[(r->member + 1) % g->members]->rank;
	const int64_t all = (int64_t)link_ring_pieces(sn, g->members) * r->buckets;

	for (; r->sent < all && r->sent <= steps_over(s, r); r->sent++)
		packet_piece(s, nd, next, time, piece_bytes(s, sn, g->members, r->sent));
	if (!r->busy || steps_over(s, r) < all)
		return;
	r->received -= all;
	r->arrived -= all;
	r->sent = r->buckets = 0;
	r->busy = false;
	sn->ahead = 0.0;
	heap_push(&s->heap, time, SIM_ALLREDUCE, nd->rank, NULL, sn->life);
}

void ring_bucket(struct sim *s, struct node *nd)
{
	sim_node(nd)->ring.buckets++;
	link_ring_go_on(s, nd, s->now);
}

void ring_ask(struct sim *s, struct node *nd)
{
	struct sim_node *sn = sim_node(nd);

	sn->ring.busy = true;
	sn->ring.buckets = sim_buckets_of(s, sn);
	link_ring_go_on(s, nd, sn->asked);
}

/* A message of the member's step is over now. */
static void step_on(struct sim *s, struct node *nd)
{
	const struct sim_node *sn = sim_node(nd);

	link_ring_go_on(s, nd, sn->ring.busy && sn->asked > s->now ? sn->asked : s->now);
}

void ring_received(struct sim *s, struct node *nd, struct packet *p)
{
	const struct group *g = &s->group[nd->group];
	struct ring *r = &sim_node(nd)->ring;
	struct node *sender = g->node[(r->member + g->members - 1) % g->members];

	packet_put(&s->spare, p);
	r->received++;
	sim_node(sender)->ring.arrived++;
	step_on(s, nd);
	if (s->steps_of == RING_PAIRS)
		step_on(s, sender);
}
