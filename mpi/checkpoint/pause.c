/*
 * pause.c - what all processes stop for, with nothing under way.
 *
 * A message to all says why. Then gradients that are ready are held back, and the waves of drain.c
 * deliver everything else.
 */
#include "mpi/checkpoint/pause.h"

#include "mpi/heartbeat.h"

void pause_at_budget(struct real *r, enum pause why, int64_t gradients, double time)
{
	if (r->conf->keep > 0 && !r->ending)
		post_all(r, &(struct header){ .kind = MESSAGE_PAUSE, .tag = why,
					      .stamp = gradients });
	else
		real_stop(r, why == PAUSE_SECONDS ? END_SECONDS : r->budget_end, time);
}

/* A longer run delivers the gradient: the pause is on its way. */
void pause_over_budget(struct real *r, double now)
{
	if (r->conf->keep > 0 && !r->ending)
		r->pause = r->budget;
	else
		real_stop(r, r->budget_end, now);
}

void pause_to_interrupt(struct real *r)
{
	if (!r->conf->checkpoint)
		real_stop(r, END_INTERRUPTED, real_now(r));
	else
		post_all(r, &(struct header){ .kind = MESSAGE_PAUSE, .tag = PAUSE_INTERRUPT,
					      .stamp = r->known });
}

void pause_receive(struct real *r, const struct header *h)
{
	const enum pause why = (enum pause)h->tag;

	r->pause = h->stamp > r->pause ? h->stamp : r->pause;
	r->putting_aside |= why == PAUSE_CHECKPOINT || why == PAUSE_INTERRUPT;
	r->interrupting |= why == PAUSE_INTERRUPT;
	r->doubting |= why == PAUSE_DOUBT;
	if (why == PAUSE_BUDGET)
		r->ending_why = r->budget_end;
	else if (why == PAUSE_SECONDS && !r->ending)
		r->ending_why = END_SECONDS;
	r->ending |= why == PAUSE_BUDGET || why == PAUSE_SECONDS;
}

static bool is_small(const struct real *r)
{
	int64_t bytes = (int64_t)r->hold.used;

	MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_INT64_T, MPI_SUM, r->waves);
	return bytes <= r->conf->keep;
}

/*
 * The budget is spent: writes a checkpoint for a longer run to go on from, if models take little
 * enough. The run's time does not count the writing.
 */
static void keep_checkpoint(struct real *r)
{
	const double now = real_now(r);

	if (!is_small(r))
		return;
	r->kept = checkpoint_write(r);
	r->began += real_now(r) - now;
}

void pause_all(struct real *r)
{
	event_log_flush(r);
	settle(r);
	if (r->failed)
		return;
	event_log_show_all(r);
	if (r->ending)
		keep_checkpoint(r);
	else if (r->putting_aside)
		checkpoint_write(r);
	if (r->doubting && !r->ending)
		stall_judge(r);
	r->pause = -1;
	r->putting_aside = r->doubting = false;
	if (r->ending)
		real_stop_here(r, r->ending_why,
			       r->ending_why == END_SECONDS ? r->run.seconds : real_now(r));
	else if (r->interrupting && !r->rank)
		real_stop(r, END_INTERRUPTED, real_now(r));
}
