/*
 * sum.c - group sums beside the event loop: MPI's all-reduce, or our own ring.
 *
 * With every sum goes what the group knows of the count of gradients, so that all
 * members step at the same epoch, and the time at which the last of them asked.
 */
#include "mpi/state.h"

#include "core/error.h"
#include "core/vec.h"

#include <limits.h>
#include <string.h>

/* Not in place: Open MPI 4.1 then goes round in a ring, and else over a tree, at twice the time. */
static void begin_whole(struct real *r, struct real_node *sn)
{
	vec_copy(sn->n, sn->v, sn->side);
	MPI_Iallreduce(sn->side, sn->v, (int)sn->n, MPI_FLOAT, MPI_SUM, r->workers,
		       &sn->request[0]);
}

static void begin(struct real *r, struct real_node *sn)
{
	if (sn->side_room < sn->n) {
		sn->side = arena_alloc(&r->arena, sn->n, sizeof(float));
		sn->side_room = sn->n;
	}
	sn->request[0] = MPI_REQUEST_NULL;
	if (r->conf->sum == SUM_RING)
		ring_begin(r, sn);
	else
		begin_whole(r, sn);
	MPI_Iallreduce(MPI_IN_PLACE, sn->most, 2, MPI_DOUBLE, MPI_MAX, r->workers,
		       &sn->request[1]);
}

/* Twice the share of the others, as every optimal all-reduce. */
static void book(struct ledger *l, int members, size_t n)
{
	const int64_t wire = (int64_t)(2.0 * (members - 1) / members * (double)n * sizeof(float));

	l->bytes_sent += wire;
	l->bytes_received += wire;
	l->messages += 2 * (members - 1);
}

/* MPI works in place, and a checkpoint may fall into it. */
static void keep(struct real *r, struct real_node *sn)
{
	if (sn->n > sn->kept_room) {
		sn->kept = arena_alloc(&r->arena, sn->n, sizeof(float));
		sn->kept_room = sn->n;
	}
	memcpy(sn->kept, sn->v, sn->n * sizeof(float));
}

void real_sum(struct real *r, struct node *nd, float *v, size_t n)
{
	struct real_node *sn = real_node(nd);

	if (sn->summing)
		BUG("%s: rank %d asks for a second sum before the first is there",
		    r->run.algo->plugin.name, nd->rank);
	if (n > INT_MAX)
		die("a sum of %zu floats: MPI takes %d at most", n, INT_MAX);
	sn->summing = true;
	sn->sums++;
	sn->v = v;
	sn->n = n;
	sn->most[0] = (double)r->known;
	sn->most[1] = real_now(r);
	if (r->conf->checkpoint)
		keep(r, sn);
	book(&nd->ledger, nd->workers, n);
	begin(r, sn);
}

bool real_sum_done(struct real *r, struct node *nd)
{
	struct real_node *sn = real_node(nd);
	int done = 0;

	if (!sn->summing)
		return false;
	if (r->conf->sum == SUM_RING && !ring_done(r, sn))
		return false;
	MPI_Testall(2, sn->request, &done, MPI_STATUSES_IGNORE);
	if (done && sn->most[0] > (double)r->known)
		r->known = (int64_t)sn->most[0];
	return done;
}

/* A vector of zeros for a sum that others have asked for; what comes of it is nobody's. */
static void take_part(struct real *r, struct real_node *sn, size_t n)
{
	sn->v = arena_alloc(&r->arena, n, sizeof(float));
	sn->n = n;
	sn->summing = true;
	begin(r, sn);
}

void real_sum_settle(struct real *r)
{
	struct real_node *sn = r->nodes[0].rank == SERVER ? NULL : &r->priv[0];
	int64_t most[2] = { sn ? sn->sums : 0, sn && sn->summing ? (int64_t)sn->n : 0 };
	MPI_Request request;

	MPI_Iallreduce(MPI_IN_PLACE, most, 2, MPI_INT64_T, MPI_MAX, r->waves, &request);
	real_await(r, &request);
	if (!sn || most[1] == 0)
		return;
	if (sn->sums < most[0])
		take_part(r, sn, (size_t)most[1]);
	for (int idle = 0; !real_sum_done(r, &r->nodes[0]); idle++)
		real_idle(r, idle);
	sn->summing = false;
}
