/*
 * allreduce.c - an all-reduce of floats in two steps that adds in the order of ranks.
 *
 * A piece of the vector has a share for each of n ranks. In the first step every rank sends each
 * share to the rank that owns it, which adds what arrives; in the second, it sends the sum of its
 * share to all others. So a rank sends and receives 2 (n - 1) / n of the piece, the minimum for any
 * all-reduce, and waits twice, where a ring waits 2 (n - 1) times.
 *
 *     sum = (((v_0 + v_1) + v_2) + ...) + v_n-1
 *
 * on every rank, in every run and for pieces of any length, whatever arrives first: bit-identical
 * to the simulator's all-reduce.
 *
 * Message k of a step goes d ranks up, and comes from d ranks down, for d = 1 + k mod (ranks - 1):
 * if all ranks are at the same message, each receives one. They stay together, since a rank begins
 * to send message k only when it has received message k - window. This cannot deadlock. In the
 * first step, the rank that has sent least has been sent everything that it waits for, because the
 * others have sent at least as much; when the first step is over, the same holds for the second.
 */
#include "mpi/allreduce/allreduce.h"

#include "core/engine/pieces.h"
#include "core/math/vec.h"

/*
 * Choice of the number of steps and of the messages, by floats and ranks.
 *
 * All choices add in the order of ranks, so they change when an all-reduce is done, but never its
 * bits. Measured with `./dev bench allreduce` (docs/performance.md):
 *
 *     ranks on      vector          steps   messages                        window
 *     one machine   <= SMALL / n^2  1       the vector, or SHORT floats     NEAR_PIECES
 *     one machine   larger          2       a share, or SHORT floats        NEAR_PIECES
 *     several       <= SMALL_FAR    1       the vector                      FAR_MESSAGES
 *     several       larger          2       EAGER / 2 bytes                 FAR_MESSAGES
 *
 * n is the number of ranks. In one step a rank sends its vector to all others, n / 2 times the
 * bytes of two steps, and waits once where two steps wait twice.
 *
 * In memory MPI copies a longer message from the sender's memory in one system call, after the
 * sender has announced it. Up to SHORTS short messages, which need no announcement, are faster than
 * one long message, and one long message is faster than more short ones. Ranks that share a
 * processor do much in a turn, because the window is wide.
 *
 * Over a network a narrow window of messages that go to the same rank one after the other keeps one
 * or two connections busy at a time: many at once share the rate unevenly, and the ranks wait for
 * the slowest. What is under way also waits in queues: 8 messages wait 100 ms at 20 Mbit/s. Every
 * 10 s TCP's BBR sends only 4 packets a round trip for 0.2 s, and such long round trips then hold
 * up all ranks. With 4 messages a step moves at most 4 EAGER / 2 bytes in the time that a message
 * takes from one rank to another: 1 Gbit/s up to 1 ms.
 */
enum {
	SMALL = 262144, SMALL_FAR = 256,        /* floats */
	SHORT = 1000,           /* floats; in memory Open MPI sends 4096 bytes with its header */
	SHORTS = 5,             /* messages */
	NEAR_PIECES = 8, FAR_MESSAGES = 4
};

/* Number of parts, of at most `most` each, that n is cut into; at least one. */
static size_t parts_of(size_t n, size_t most)
{
	return n > most ? (n - 1) / most + 1 : 1;
}

/* Messages for n floats from one rank to another. */
static int cuts_of(size_t n, bool near)
{
	if (!near)
		return (int)parts_of(n, EAGER / 2 / sizeof(float));
	return n > SHORTS * SHORT ? 1 : (int)parts_of(n, SHORT);
}

struct allreduce_rule allreduce_rule(size_t n, int ranks, bool near, size_t most)
{
	const size_t piece = n ? (n - 1) / parts_of(n, most) + 1 : 1;
	const size_t square = (size_t)ranks * (size_t)ranks;
	const bool whole = n <= (near ? SMALL / square : SMALL_FAR);
	const int cuts = cuts_of(whole ? piece : piece / (size_t)ranks + 1, near);

	return (struct allreduce_rule){
		.piece = piece,
		.cuts = cuts,
		.whole = whole,
		.window = near ? NEAR_PIECES * (ranks - 1) * cuts : FAR_MESSAGES,
	};
}

enum step { PARTS, TOTALS };

struct allreduce_share { /* a range of the vector, in floats */
	size_t from, n;
};

struct part_message {           /* indices of a message within a step */
	int piece, distance, cut;
};

static int allreduce_others(const struct allreduce *a)
{
	return a->ranks - 1;
}

/* Messages that a rank sends for one piece in each step. */
static int per_piece(const struct allreduce *a)
{
	return allreduce_others(a) * a->rule.cuts;
}

static struct part_message part_message_at(const struct allreduce *a, int k)
{
	return (struct part_message){ .piece = k / per_piece(a),
				      .distance = 1 + k / a->rule.cuts % allreduce_others(a),
				      .cut = k % a->rule.cuts };
}

/* Pieces whose parts may be in flight at once. */
static int allreduce_depth(const struct allreduce *a)
{
	const int deep = 2 + a->rule.window / per_piece(a);

	return deep < a->pieces ? deep : a->pieces;
}

/* The share of a piece that `rank` adds up: all of it, or its own range. */
static struct allreduce_share allreduce_share_of(const struct allreduce *a, int piece, int rank)
{
	struct allreduce_share s;

	s.n = bucket_at(a->n, a->rule.piece, piece, &s.from);
	if (a->rule.whole)
		return s;
	return (struct allreduce_share){ s.from + ring_start(s.n, a->ranks, rank),
					 ring_length(s.n, a->ranks, rank) };
}

/* Upper bound of the floats of a share. */
static size_t share_capacity(const struct allreduce *a)
{
	return a->rule.whole ? a->rule.piece : a->rule.piece / (size_t)a->ranks + 1;
}

/* The range of a share that is in message number `cut`. */
static struct allreduce_share cut_of(const struct allreduce *a, struct allreduce_share s, int cut)
{
	return (struct allreduce_share){ s.from + ring_start(s.n, a->rule.cuts, cut),
					 ring_length(s.n, a->rule.cuts, cut) };
}

/* Buffer in a->parts for another rank's values of our share of a piece. */
static float *part_at(const struct allreduce *a, int piece, int other)
{
	const size_t slot = (size_t)(piece % allreduce_depth(a)) * (size_t)allreduce_others(a);

	return a->parts + (slot + (size_t)(other - (other > a->rank))) * share_capacity(a);
}

/* ---- memory ---- */

static void open_step(struct allreduce *a, struct allreduce_step *s, int messages)
{
	s->messages = messages;
	s->posted = s->received = s->sent = 0;
	if (messages <= s->capacity)
		return;
	s->in = arena_alloc(a->arena, (size_t)messages, sizeof(*s->in));
	s->out = arena_alloc(a->arena, (size_t)messages, sizeof(*s->out));
	s->capacity = messages;
}

void allreduce_open(struct allreduce *a, const struct allreduce_rule *rule, const float *own,
		    float *sum, size_t n)
{
	size_t capacity;

	a->rule = *rule;
	a->own = own;
	a->sum = sum;
	a->n = n;
	a->added = 0;
	a->pieces = bucket_count(n, rule->piece);
	if (a->ranks == 1)
		return;
	open_step(a, &a->step[PARTS], a->pieces * per_piece(a));
	open_step(a, &a->step[TOTALS], rule->whole ? 0 : a->pieces * per_piece(a));
	capacity = (size_t)allreduce_depth(a) * (size_t)allreduce_others(a) * share_capacity(a);
	if (capacity <= a->parts_capacity)
		return;
	a->parts = arena_alloc(a->arena, capacity, sizeof(float));
	a->parts_capacity = capacity;
}

/* ---- messages ---- */

static void allreduce_receive(struct allreduce *a, enum step name)
{
	struct allreduce_step *s = &a->step[name];
	const int k = s->posted++;
	const struct part_message m = part_message_at(a, k);
	const int from = (a->rank + a->ranks - m.distance) % a->ranks;
	const struct allreduce_share share =
		allreduce_share_of(a, m.piece, name == PARTS ? a->rank : from);
	const struct allreduce_share cut = cut_of(a, share, m.cut);
	float *at = name == PARTS ? part_at(a, m.piece, from) : a->sum + share.from;

	MPI_Irecv(at + (cut.from - share.from), (int)cut.n, MPI_FLOAT, from, (int)name, a->comm,
		  &s->in[k]);
}

static void allreduce_send(struct allreduce *a, enum step name)
{
	struct allreduce_step *s = &a->step[name];
	const int k = s->sent++;
	const struct part_message m = part_message_at(a, k);
	const int to = (a->rank + m.distance) % a->ranks;
	const struct allreduce_share share =
		allreduce_share_of(a, m.piece, name == PARTS ? to : a->rank);
	const struct allreduce_share cut = cut_of(a, share, m.cut);

	MPI_Isend((name == PARTS ? a->own : a->sum) + cut.from, (int)cut.n, MPI_FLOAT, to,
		  (int)name, a->comm, &s->out[k]);
}

/* A rank's values for our share of a piece: our own, or those received. */
static const float *part_of(const struct allreduce *a, int piece, struct allreduce_share s,
			    int rank)
{
	return rank == a->rank ? a->own + s.from : part_at(a, piece, rank);
}

/* Adds all ranks' values for our share of the next piece. */
static void allreduce_add_piece(struct allreduce *a)
{
	const struct allreduce_share s = allreduce_share_of(a, a->added, a->rank);
	float *sum = a->sum + s.from;

	vec_add(s.n, part_of(a, a->added, s, 0), part_of(a, a->added, s, 1), sum);
	for (int rank = 2; rank < a->ranks; rank++)
		vec_axpy(s.n, 1.0f, part_of(a, a->added, s, rank), sum);
	a->added++;
}

/* ---- progress ---- */

static bool may_receive(const struct allreduce *a, enum step name)
{
	const struct allreduce_step *s = &a->step[name];

	if (s->posted == s->messages || s->posted >= s->received + 2 * a->rule.window)
		return false;
	return name == TOTALS || s->posted < (a->added + allreduce_depth(a)) * per_piece(a);
}

/* True when the first message that is waited for has arrived. */
static bool allreduce_take(struct allreduce *a, enum step name)
{
	struct allreduce_step *s = &a->step[name];
	int done;

	if (s->received == s->posted)
		return false;
	MPI_Test(&s->in[s->received], &done, MPI_STATUS_IGNORE);
	s->received += done;
	return done;
}

/*
 * Continues with messages of the first `pieces` pieces; true when something happened. Sends first:
 * a receive whose message is already announced may copy it at once, and would delay the
 * announcement of our own message.
 */
static bool go_on(struct allreduce *a, enum step name, int pieces)
{
	struct allreduce_step *s = &a->step[name];
	bool some = false;

	while (s->sent < pieces * per_piece(a) && s->sent < s->messages &&
	       s->sent < s->received + a->rule.window) {
		allreduce_send(a, name);
		some = true;
	}
	while (may_receive(a, name))
		allreduce_receive(a, name);
	while (allreduce_take(a, name))
		some = true;
	return some;
}

static bool is_done(const struct allreduce_step *s)
{
	int done = s->messages == 0;

	if (!done && s->received == s->messages && s->sent == s->messages)
		MPI_Testall(s->messages, s->out, &done, MPI_STATUSES_IGNORE);
	return done;
}

/*
 * Adds pieces, of the first `pieces`, for which all values have arrived; true when there were some.
 */
static bool add_pieces(struct allreduce *a, int pieces)
{
	const int before = a->added;

	while (a->added < pieces && a->step[PARTS].received >= (a->added + 1) * per_piece(a))
		allreduce_add_piece(a);
	return a->added > before;
}

bool allreduce_go_on(struct allreduce *a, int ready)
{
	if (a->ranks == 1) {
		if (ready == a->pieces)
			vec_copy(a->n, a->own, a->sum);
		return ready == a->pieces;
	}
	while (go_on(a, TOTALS, a->added) || go_on(a, PARTS, ready) || add_pieces(a, ready))
		;
	return is_done(&a->step[PARTS]) && is_done(&a->step[TOTALS]);
}
