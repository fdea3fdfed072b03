/* All-reduces compared with adding in a loop, on any number of ranks (test_allreduce_ranks.sh). */
#include "core/base/clock.h"
#include "core/base/mem.h"
#include "core/engine/pieces.h"
#include "mpi/allreduce/allreduce.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct shape {                  /* what is added, and how */
	size_t n, most;         /* floats; of a piece at most */
	bool near;
	int late;               /* this rank begins late, and every piece later */
};

static struct allreduce all;
static int faults;

/* Sums of these depend on the order of adding. */
static float value(int rank, size_t i, int round)
{
	const uint32_t h = (uint32_t)(i + 1) * 2654435761u ^ (uint32_t)(rank * 97 + round) * 40503u;

	return (float)(h >> 8 & 0xffff) * (rank % 2 ? 1e-3f : -7.0f) + 0.1f;
}

static float expected(size_t i, int round)
{
	float sum = value(0, i, round);

	for (int rank = 1; rank < all.ranks; rank++)
		sum += value(rank, i, round);
	return sum;
}

/* Piece k of the own vector is computed, and no earlier. */
static void compute(float *own, size_t n, int k, int round)
{
	size_t from;
	const size_t length = bucket_at(n, all.rule.piece, k, &from);

	for (size_t i = from; i < from + length; i++)
		own[i] = value(all.rank, i, round);
}

static void go_on(const struct shape *s, float *own, int round)
{
	int ready = 0;

	do {
		if (all.rank == s->late)
			clock_sleep(200e-6);
		if (ready < all.pieces)
			compute(own, s->n, ready++, round);
	} while (!allreduce_go_on(&all, ready) || ready < all.pieces);
}

static void check(const struct shape *s, int round)
{
	const struct allreduce_rule rule = allreduce_rule(s->n, all.ranks, s->near, s->most);
	float *own = vec_new(s->n), *sum = vec_new(s->n);
	size_t wrong = 0;

	allreduce_open(&all, &rule, own, sum, s->n);
	if (rule.piece > s->most || rule.piece == 0)
		faults++;
	go_on(s, own, round);
	for (size_t i = 0; i < s->n; i++) {
		const float want = expected(i, round);

		wrong += memcmp(&sum[i], &want, sizeof(want)) != 0;
		wrong += own[i] != value(all.rank, i, round);
	}
	if (wrong) {
		fprintf(stderr, "rank %d of %d: %zu of %zu floats differ, pieces of %zu, near %d\n",
			all.rank, all.ranks, wrong, s->n, rule.piece, s->near);
		faults++;
	}
	free(own);
	free(sum);
}

int main(int argc, char **argv)
{
	static const size_t sizes[] = { 0,   1,    2,    7,    255,   256,
					257, 1003, 2048, 2049, 5000, 5001,
					30011, 269722 };
	static const size_t mosts[] = { 1 << 20, 4099, 13 };
	struct arena arena = { 0 };
	int all_faults;

	MPI_Init(&argc, &argv);
	all.comm = MPI_COMM_WORLD;
	all.arena = &arena;
	MPI_Comm_rank(MPI_COMM_WORLD, &all.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &all.ranks);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		for (size_t k = 0; k < sizeof(mosts) / sizeof(mosts[0]); k++)
			for (int near = 0; near < 2; near++)
				if (sizes[i] / mosts[k] < 200)
					check(&(struct shape){ sizes[i], mosts[k], near,
							       (int)i % all.ranks },
					      (int)(i + k));
	check(&(struct shape){ 2200011, 1 << 20, true, -1 }, 1);
	check(&(struct shape){ 2200011, 1 << 20, false, -1 }, 2);
	MPI_Allreduce(&faults, &all_faults, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	arena_release(&arena);
	MPI_Finalize();
	return all_faults != 0;
}
