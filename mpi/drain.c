/*
 * drain.c - after the end: nothing is lost, and no node is left waiting.
 *
 * Every process counts the messages sent and received, and the all-reduces asked for and delivered,
 * and all add up their counts in waves. When two waves agree and nothing is missing,
 * nothing is under way (Mattern 1987, the four-counter method). An all-reduce that only some of
 * the group have asked for will not come any more: the others take part with zeros, and
 * no node receives it.
 */
#include "mpi/state.h"

#include "mpi/allreduce/real_allreduce.h"

#include <string.h>

enum { SENT, RECEIVED, ASKED, DELIVERED, COUNTS };

static void count_here(const struct real *r, int64_t n[COUNTS])
{
	n[SENT] = r->sent;
	n[RECEIVED] = r->received;
	n[ASKED] = n[DELIVERED] = 0;
	for (int i = 0; i < r->n; i++) {
		n[ASKED] += r->priv[i].allreduces;
		n[DELIVERED] += r->priv[i].allreduced;
	}
}

static bool is_quiet(const struct real *r, const int64_t n[COUNTS])
{
	const int64_t workers = r->run.workers;

	return n[SENT] == n[RECEIVED] && n[DELIVERED] == n[ASKED] / workers * workers;
}

void settle(struct real *r)
{
	int64_t before[COUNTS] = { -1 };
	bool same;

	do {
		MPI_Request request;

		while (real_round(r))
			;
		if (r->failed)
			return;
		count_here(r, r->wave);
		MPI_Iallreduce(MPI_IN_PLACE, r->wave, COUNTS, MPI_INT64_T, MPI_SUM, r->waves,
			       &request);
		real_await(r, &request);
		same = memcmp(r->wave, before, sizeof(before)) == 0;
		memcpy(before, r->wave, sizeof(before));
	} while (!r->failed && (!same || !is_quiet(r, before)));
}

/* Of all processes' reasons to stop, the earliest. */
static void drain_agree(struct real *r)
{
	struct {
		double time;
		int end;
	} first = { r->stop_time, (int)r->end };

	MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_DOUBLE_INT, MPI_MINLOC, r->waves);
	r->stop_time = first.time;
	r->end = (enum end_reason)first.end;
}

void drain(struct real *r)
{
	real_allreduce_settle(r);
	event_log_flush(r);
	settle(r);
	if (r->failed)
		return;
	drain_agree(r);
	while ((r->dropped || r->out.head) && !r->failed) {
		real_round(r);
		real_idle(r, 100);
	}
}
