/*
 * allreduce_rule.c - which way of adding is taken for so many floats on so many ranks.
 *
 * All ways add in the order of ranks, so the choice changes when an all-reduce is done, and never
 * its bits. Measured with `./dev bench allreduce` (docs/performance.md):
 *
 *     ranks on      vector          steps   pieces              messages          window
 *     one machine   <= SMALL / n^2  1       one                 the vector        NEAR
 *     one machine   larger          2       n x EAGER bytes     a share           NEAR
 *     several       <= SMALL_FAR    1       one                 the vector        FAR
 *     several       larger          2       as large as may be  EAGER / 2 bytes   FAR
 *
 * n is the number of ranks. In one step a rank sends its vector to all others, n / 2 times the
 * bytes of two steps, and waits once where two steps wait twice. In memory a wide window lets ranks
 * that take turns on a processor do much in a turn, and small pieces stay in its cache. Over a
 * network a narrow window of messages that go to the same rank one after the other keeps one or two
 * connections busy at a time: many at once share the rate unevenly, and the ranks wait for the
 * slowest.
 */
#include "mpi/allreduce/allreduce.h"

enum {
	SMALL = 262144, SMALL_FAR = 256,        /* floats */
	NEAR = 64, FAR = 8                      /* messages */
};

/* How many parts of at most `most` make n; at least one. */
static size_t parts_of(size_t n, size_t most)
{
	return n > most ? (n - 1) / most + 1 : 1;
}

struct allreduce_rule allreduce_rule(size_t n, int ranks, bool near, size_t most)
{
	const size_t eager = EAGER / sizeof(float), spread = eager * (size_t)ranks;
	const size_t pieces = parts_of(n, near && spread < most ? spread : most);
	const size_t piece = n ? (n - 1) / pieces + 1 : 1;
	const size_t square = (size_t)ranks * (size_t)ranks;
	const bool whole = n <= (near ? SMALL / square : SMALL_FAR);

	return (struct allreduce_rule){
		.piece = piece,
		.cuts = whole ? 1 : (int)parts_of(piece / (size_t)ranks + 1,
						  near ? eager + 1 : eager / 2),
		.whole = whole,
		.window = near ? NEAR : FAR,
	};
}
