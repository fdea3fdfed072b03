/* An all-reduce of floats in two steps that adds in the order of ranks. */
#ifndef MPI_ALLREDUCE_ALLREDUCE_H
#define MPI_ALLREDUCE_ALLREDUCE_H

#include "core/base/mem.h"
#include "mpi/library.h"

#include <stdbool.h>

/*
 * Largest message, in bytes, that MPI sends over TCP eagerly, without asking the receiver first. A
 * longer one waits for an answer, which queues after other data: Open MPI's limit is 65,536 with
 * its own header. So vectors are sent in messages of that size.
 */
enum { EAGER = 61440 };

/*
 * Polls of an all-reduce in shared memory before a rank yields its processor. Yielding takes longer
 * than a short message, but with more polls, ranks on the same processor could not send.
 */
enum { ALLREDUCE_POLLS = 20 };

/* Rule by which a vector is added: see allreduce.c. */
struct allreduce_rule {
	size_t piece;           /* floats of a piece, which is added as a unit */
	int cuts;               /* messages for a share of a piece from one rank to another */
	bool whole;             /* one step: every rank adds all of a piece */
	int window;             /* messages that a rank sends ahead of those that it has received */
};

/*
 * The rule for an all-reduce of n floats; near: all ranks are on one machine. A piece has at most
 * `most` floats (at least 1). Equal arguments give the same rule on all ranks.
 */
struct allreduce_rule allreduce_rule(size_t n, int ranks, bool near, size_t most);

/* Messages of one step for all pieces, in an order that is the same on all ranks. */
struct allreduce_step {
	int messages;           /* that a rank sends, which is as many as it receives */
	int posted, received;   /* receives begun; receives done, without a gap */
	int sent;               /* sends begun */
	MPI_Request *in, *out;  /* [messages] */
	int capacity;           /* requests that in and out hold */
};

struct allreduce {
	/* Set by the caller, with zeros in the rest: */
	MPI_Comm comm;          /* no other messages in it have the tags 0 and 1 */
	int rank, ranks;
	struct arena *arena;    /* owns the memory */
	/* Private: */
	struct allreduce_rule rule;
	const float *own;
	float *sum;
	size_t n;
	int pieces, added;      /* added: pieces whose sum of our share is complete */
	struct allreduce_step step[2];
	float *parts;           /* [parts_capacity] other ranks' values of our shares */
	size_t parts_capacity;
};

/*
 * Begins to add own[n] of all ranks into sum[n], another vector; the last all-reduce must be done.
 * The caller owns both vectors, which must live until this all-reduce is done.
 */
void allreduce_open(struct allreduce *a, const struct allreduce_rule *rule, const float *own,
		    float *sum, size_t n);

/*
 * Continues without waiting. The first `ready` pieces of own (core/engine/pieces.h) are final;
 * `ready` may grow with each call. True once the all-reduce is done and own is not needed any more.
 * All ranks must call it, for all pieces, until it is true.
 */
bool allreduce_go_on(struct allreduce *a, int ready);

#endif
