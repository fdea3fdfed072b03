/*
 * allreduce.c - seconds of an all-reduce alone: `allreduce FLOATS ROUNDS EACH NEAR [WINDOW SMALL]`.
 *
 * MPI_Allreduce, MPI_Iallreduce and convoy's (mpi/allreduce/allreduce.h) in turns, EACH in a row,
 * ROUNDS times; NEAR, 0 or 1, says whether all ranks are on one machine. Prints the median seconds
 * of one of each kind, until the slowest rank has it, and then the longest of the ROUNDS of each
 * kind. WINDOW and SMALL replace the rule's own.
 */
#include "mpi/allreduce/allreduce.h"
#include "core/base/clock.h"
#include "core/base/mem.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

enum kind { BLOCKING, NONBLOCKING, CONVOY, KINDS };

enum { SPINS = 50 };
static const double nap = 50e-6;

struct bench {
	int n, rounds, each;
	bool near;
	struct arena arena;
	struct allreduce all;
	struct allreduce_rule rule;
	float *own, *allreduced;
	double *took[KINDS];    /* [rounds] */
};

/* As mpi/loop.c does: over a network, ranks that poll would hold up the kernel's work. */
static void rest(const struct bench *b, int idle)
{
	if (b->near && idle < ALLREDUCE_POLLS)
		return;
	if (b->near || idle < SPINS)
		sched_yield();
	else
		clock_sleep(nap);
}

static void wait_for(const struct bench *b, MPI_Request *request)
{
	int done = 0;

	for (int idle = 0; !done; idle++) {
		MPI_Test(request, &done, MPI_STATUS_IGNORE);
		if (!done)
			rest(b, idle);
	}
}

static void add(struct bench *b, enum kind kind)
{
	MPI_Request request;

	switch (kind) {
	case BLOCKING:
		MPI_Allreduce(b->own, b->allreduced, b->n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
		return;
	case NONBLOCKING:
		MPI_Iallreduce(b->own, b->allreduced, b->n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD,
			       &request);
		wait_for(b, &request);
		return;
	default:
		allreduce_open(&b->all, &b->rule, b->own, b->allreduced, (size_t)b->n);
		for (int idle = 0; !allreduce_go_on(&b->all, b->all.pieces); idle++)
			rest(b, idle);
	}
}

/* So that who is done leaves the processor to what it has sent. */
static void meet(const struct bench *b)
{
	MPI_Request request;

	MPI_Ibarrier(MPI_COMM_WORLD, &request);
	wait_for(b, &request);
}

static double time_of(struct bench *b, enum kind kind)
{
	double took;

	meet(b);
	took = -MPI_Wtime();
	for (int i = 0; i < b->each; i++)
		add(b, kind);
	took += MPI_Wtime();
	meet(b);
	MPI_Allreduce(MPI_IN_PLACE, &took, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	return took / b->each;
}

/* Each kind finds in the caches what the kind before it left there, so the order changes. */
static void time_round(struct bench *b, int round)
{
	for (int k = 0; k < KINDS; k++) {
		const int kind = round % 2 ? KINDS - 1 - k : k;

		b->took[kind][round] = time_of(b, (enum kind)kind);
	}
}

static int compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Medians, then maxima. */
static void print_times(const struct bench *b)
{
	for (int k = 0; k < KINDS; k++) {
		qsort(b->took[k], (size_t)b->rounds, sizeof(double), compare);
		printf("%.9f ", b->took[k][b->rounds / 2]);
	}
	for (int k = 0; k < KINDS; k++)
		printf("%.9f%c", b->took[k][b->rounds - 1], k + 1 < KINDS ? ' ' : '\n');
}

static void open_bench(struct bench *b, int argc, char **argv)
{
	b->n = atoi(argv[1]);
	b->rounds = atoi(argv[2]);
	b->each = atoi(argv[3]);
	b->all.comm = MPI_COMM_WORLD;
	b->all.arena = &b->arena;
	MPI_Comm_rank(MPI_COMM_WORLD, &b->all.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &b->all.ranks);
	b->near = atoi(argv[4]);
	b->rule = allreduce_rule((size_t)b->n, b->all.ranks, b->near, 1 << 20);
	if (argc > 5)
		b->rule.window = atoi(argv[5]);
	if (argc > 6)
		b->rule.whole = b->n <= atoi(argv[6]);
	b->own = vec_new((size_t)b->n);
	b->allreduced = vec_new((size_t)b->n);
	for (int k = 0; k < KINDS; k++)
		b->took[k] = xcalloc((size_t)b->rounds, sizeof(double));
}

int main(int argc, char **argv)
{
	struct bench b = { 0 };

	if (argc < 5) {
		fprintf(stderr, "usage: allreduce FLOATS ROUNDS EACH NEAR [WINDOW SMALL]\n");
		return 2;
	}
	MPI_Init(&argc, &argv);
	open_bench(&b, argc, argv);
	for (int k = 0; k < KINDS; k++)
		time_of(&b, (enum kind)k);
	for (int i = 0; i < b.rounds; i++)
		time_round(&b, i);
	if (b.all.rank == 0)
		print_times(&b);
	for (int k = 0; k < KINDS; k++)
		free(b.took[k]);
	free(b.own);
	free(b.allreduced);
	arena_release(&b.arena);
	MPI_Finalize();
	return 0;
}
