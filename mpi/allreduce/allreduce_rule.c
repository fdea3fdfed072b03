/*
 * allreduce_rule.c - which way of adding is taken for so many floats on so many ranks.
 *
 * All ways add in the order of ranks, so the choice changes when an all-reduce is done, and never
 * its bits. Measured with `./dev bench allreduce` (docs/performance.md):
 *
 *     ranks on      vector          steps   messages                        window
 *     one machine   <= SMALL / n^2  1       the vector, or SHORT floats     NEAR pieces
 *     one machine   larger          2       a share, or SHORT floats        NEAR pieces
 *     several       <= SMALL_FAR    1       the vector                      FAR messages
 *     several       larger          2       EAGER / 2 bytes                 FAR messages
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
#include "mpi/allreduce/allreduce.h"

enum {
	SMALL = 262144, SMALL_FAR = 256,        /* floats */
	SHORT = 1000,   /* floats; Open MPI's limit in memory is 4096 bytes with its own header */
	SHORTS = 5,                             /* messages */
	NEAR = 8, FAR = 4                       /* pieces; messages */
};

/* How many parts of at most `most` make n; at least one. */
static size_t parts_of(size_t n, size_t most)
{
	return n > most ? (n - 1) / most + 1 : 1;
}

/* Messages that take so many floats to another rank. */
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
		.window = near ? NEAR * (ranks - 1) * cuts : FAR,
	};
}
