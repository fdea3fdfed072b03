/*
 * ring.c - the ring all-reduce of the papers (Patarasuk, Yuan 2009), piece by piece.
 *
 * The vector is cut into as many pieces as there are workers. At step t worker i sends piece
 * i - t to its right and gets piece i - t - 1 from its left, which it adds to its own in the
 * first n - 1 steps, and takes as it is in the last n - 1 (all modulo n). So
 *
 *     piece c of the sum = (((v_c + v_c+1) + v_c+2) + ...) + v_c-1
 *
 * on every worker and in every run, bit by bit, whenever whatever arrives.
 */
#include "mpi/allreduce/real_allreduce.h"

#include "core/engine/ring_pieces.h"
#include "core/math/vec.h"

/* The piece that a worker sends at this step, and gets at the one before. */
static int piece_at(int n, int worker, int step)
{
	return (worker - step % n + n) % n;
}

static void allreduce_ring_post(struct real *r, struct real_node *sn)
{
	const int n = r->run.workers, i = r->rank, t = sn->ring.step;
	const int out = piece_at(n, i, t), in = piece_at(n, i, t + 1);
	float *at = t < n - 1 ? sn->side : sn->v + ring_start(sn->n, n, in);

	MPI_Irecv(at, (int)ring_length(sn->n, n, in), MPI_FLOAT, (i + n - 1) % n, 0, r->workers,
		  &sn->ring.request[1]);
	MPI_Isend(sn->v + ring_start(sn->n, n, out), (int)ring_length(sn->n, n, out), MPI_FLOAT,
		  (i + 1) % n, 0, r->workers, &sn->ring.request[0]);
}

void ring_begin(struct real *r, struct real_node *sn)
{
	sn->ring.step = 0;
	if (r->run.workers > 1)
		allreduce_ring_post(r, sn);
}

/* What the step brought, into the vector. */
static void allreduce_ring_take(struct real *r, struct real_node *sn)
{
	const int n = r->run.workers, in = piece_at(n, r->rank, sn->ring.step + 1);

	if (sn->ring.step < n - 1)
		vec_axpy(ring_length(sn->n, n, in), 1.0f, sn->side,
			 sn->v + ring_start(sn->n, n, in));
}

bool ring_done(struct real *r, struct real_node *sn)
{
	const int steps = 2 * (r->run.workers - 1);
	int done;

	while (sn->ring.step < steps) {
		MPI_Testall(2, sn->ring.request, &done, MPI_STATUSES_IGNORE);
		if (!done)
			return false;
		allreduce_ring_take(r, sn);
		if (++sn->ring.step < steps)
			allreduce_ring_post(r, sn);
	}
	return true;
}
