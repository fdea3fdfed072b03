/* An all-reduce of floats in two steps that adds in the order of ranks. */
#ifndef MPI_ALLREDUCE_ALLREDUCE_H
#define MPI_ALLREDUCE_ALLREDUCE_H

#include "core/base/mem.h"
#include "mpi/library.h"

#include <stdbool.h>

/*
 * Bytes of a message that MPI sends over TCP without asking first. A longer one waits for an
 * answer, which queues after all that goes the same way: Open MPI's limit is 65,536 with its
 * own header. So vectors are sent in messages of that size.
 */
enum { EAGER = 61440 };

/*
 * Polls of an all-reduce in memory before a rank yields its processor. Yielding takes longer than
 * a short message; more polls would keep ranks that share the processor from sending.
 */
enum { ALLREDUCE_POLLS = 20 };

/* How a vector is added: see allreduce_rule.c. */
struct allreduce_rule {
	size_t piece;           /* floats that are added together: all of the vector, or less */
	int cuts;               /* messages that take a share of a piece to another rank */
	bool whole;             /* every rank adds all of a piece: one step */
	int window;             /* messages of a step that a rank is ahead of what it received */
};

/*
 * The rule for n floats over so many ranks, which `near` says are all on one machine; no piece
 * is larger than `most` floats (at least 1). The same on all ranks where the arguments are.
 */
struct allreduce_rule allreduce_rule(size_t n, int ranks, bool near, size_t most);

/* The messages of one step of all pieces, in the one order that all ranks keep. */
struct allreduce_step {
	int messages;           /* that a rank sends, and that it receives */
	int posted, received;   /* receives begun; done, without a gap */
	int sent;               /* begun */
	MPI_Request *in, *out;  /* [messages] */
	int capacity;           /* requests that in and out hold */
};

struct allreduce {
	/* Set by the caller, which zeroes the rest. */
	MPI_Comm comm;          /* nothing else sends in it with tags 0 and 1 */
	int rank, ranks;
	struct arena *arena;    /* of the memory that it needs */
	/* Its own. */
	struct allreduce_rule rule;
	const float *own;
	float *sum;
	size_t n;
	int pieces, added;      /* added: pieces of which our share is the sum */
	struct allreduce_step step[2];
	float *parts;           /* [parts_capacity] what other ranks have of our shares */
	size_t parts_capacity;
};

/*
 * A new sum of own[n] of all ranks into sum[n], apart from own; the last one is done. Both stay
 * the caller's and must live until this one is.
 */
void allreduce_open(struct allreduce *a, const struct allreduce_rule *rule, const float *own,
		    float *sum, size_t n);

/*
 * Goes on without waiting; the first `ready` pieces of own (core/engine/bucket.h) are final, as may
 * be more with every call. True once the all-reduce is done and own is read. All ranks must go on
 * with all pieces until it is.
 */
bool allreduce_go_on(struct allreduce *a, int ready);

#endif
