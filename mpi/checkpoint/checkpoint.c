/*
 * checkpoint.c - a run saved in a checkpoint, and resumed.
 *
 * When a checkpoint is due, all processes hold back finished gradients, and messages and
 * all-reduces in flight are delivered. Then the state of the run is in its nodes alone, and every
 * process writes its own: their memory (hold.c), the snapshot of a gradient being computed, and an
 * all-reduce that other members have not asked for yet. Then gradients are delivered again, and the
 * run continues as if there had been no pause. Process p writes PATH.G.p, where the generation G is
 * its number of gradients. PATH is written last, and names the generation that is complete.
 */
#include "mpi/checkpoint/checkpoint.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/checked.h"
#include "core/file/paths.h"
#include "core/text/word.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

char *checkpoint_file(const struct real *r, const char *path, int64_t generation)
{
	return xasprintf("%s.%lld.%d", path, (long long)generation, r->rank);
}

struct title checkpoint_title(const struct real *r, int64_t generation, int rank)
{
	struct title t = { .magic = "convoy checkpoint 8", .generation = generation,
			   .writer = r->saved_by, .rank = rank, .size = r->size };

	snprintf(t.id, sizeof(t.id), "%s", r->conf->checkpoint.id);
	return t;
}

/* ---- schedule ---- */

void checkpoint_if_due(struct real *r, int64_t gradients)
{
	if (r->conf->checkpoint.path &&
	    real_ends_span(&r->run, gradients, r->conf->checkpoint.every))
		post_all(r, &(struct header){ .kind = MESSAGE_PAUSE, .tag = PAUSE_CHECKPOINT,
					      .stamp = gradients });
}

/* ---- writing ---- */

static int32_t count_messages(const struct messages *q)
{
	int32_t n = 0;

	for (const struct message *l = q->head; l; l = l->next)
		n++;
	return n;
}

static int32_t count_timers(const struct real_node *sn)
{
	int32_t n = 0;

	for (const struct timer *t = sn->timers; t; t = t->next)
		n++;
	return n;
}

static uint64_t checkpoint_offset_of(const struct real *r, const float *v)
{
	return (uint64_t)((const char *)v - r->hold.at);
}

static void real_put_node(const struct real *r, struct checked *s, const struct node *nd)
{
	const struct real_node *sn = real_node(nd);
	const double now = real_now(r);
	const bool adds = sn->task && nd->adds;
	const struct saved saved = {
		.ledger = nd->ledger, .step = nd->step, .draws = nd->draws,
		.before = nd->before, .gathered = nd->gathered, .unsent = nd->unsent,
		.packed = nd->packed, .coded = sn->allreducing && sn->coded,
		.stamp_of_snapshot = sn->stamp, .index = sn->index, .allreduces = sn->allreduces,
		.allreduced = sn->allreduced, .computing = sn->task != NULL, .adds = adds,
		.into = adds ? checkpoint_offset_of(r, nd->into) : 0, .stopped = sn->stopped,
		.allreducing = sn->allreducing, .timers = count_timers(sn),
		.messages = count_messages(&sn->inbox),
		.idle = isfinite(sn->idle_from) ? now - sn->idle_from : HUGE_VAL,
		.v = sn->allreducing ? checkpoint_offset_of(r, sn->v) : 0, .n = sn->n,
	};

	checked_put(s, &saved, sizeof(saved));
	if (sn->task)
		checked_put(s, sn->task->x, nd->dim * sizeof(float));
	if (sn->allreducing)
		checked_put(s, real_allreduce_own(r, sn), real_allreduce_bytes(r, sn));
	for (const struct timer *t = sn->timers; t; t = t->next)
		checked_put(s, &(struct saved_timer){ t->time - now, t->token },
			    sizeof(struct saved_timer));
	/* Messages that came while the node did not receive. */
	for (const struct message *l = sn->inbox.head; l; l = l->next)
		checked_put(s, l->at, sizeof(struct header) + message_header(l)->bytes);
}

/* Gradients counted, without those that came after the budget. */
static int64_t checkpoint_counted(const struct real *r)
{
	const int64_t n = *r->counter.at;

	return r->budget && n > r->budget ? r->budget : n;
}

static int write_own(struct real *r, int64_t generation)
{
	const struct title title = checkpoint_title(r, generation, r->rank);
	const struct common common = {
		.elapsed = real_now(r), .known = r->known,
		.counter = r->rank ? 0 : checkpoint_counted(r),
		.stopped_workers = r->stopped_workers, .at = (uintptr_t)r->hold.at,
		.used = r->hold.used,
	};
	scoped char *path = checkpoint_file(r, r->conf->checkpoint.path, generation);
	struct checked s;
	int ret = checked_create(&s, path, r->conf->checkpoint.key);

	if (!ret) {
		checked_put(&s, &title, sizeof(title));
		checked_put(&s, &common, sizeof(common));
		checked_put(&s, r->hold.at, r->hold.used);
		for (int i = 0; i < r->n; i++)
			real_put_node(r, &s, &r->nodes[i]);
		if (!r->rank)
			marks_put(r, &s);
		if (!r->rank && r->conf->checkpoint.save)
			r->conf->checkpoint.save(r->conf->checkpoint.ctx, &s);
		ret = checked_finish(&s, path);
	}
	return ret;
}

/* Process 0: writes PATH, which names this generation as the one to resume from. */
static int write_index(struct real *r, int64_t generation)
{
	const struct title title = checkpoint_title(r, generation, -1);
	const double elapsed = real_now(r);
	struct checked s;

	if (checked_create(&s, r->conf->checkpoint.path, r->conf->checkpoint.key) < 0)
		return -1;
	checked_put(&s, &title, sizeof(title));
	checked_put(&s, &elapsed, sizeof(elapsed));
	return checked_finish(&s, r->conf->checkpoint.path);
}

static void drop_own(struct real *r, int64_t generation)
{
	scoped char *path = checkpoint_file(r, r->conf->checkpoint.path, generation);

	if (generation >= 0)
		unlink(path);
}

/* A random number that differs between two runs which write to one folder. */
static uint64_t random_writer(const struct real *r)
{
	uint64_t writer = 0;

	if (!r->rank && getrandom(&writer, sizeof(writer), 0) != sizeof(writer))
		writer = (uint64_t)getpid() << 32 ^ (uint64_t)(1e6 * clock_s());
	real_share(&writer, sizeof(writer));
	return writer;
}

/* True if the file is one of this process, PATH.G.p, of any generation G. */
static bool is_own(const struct real *r, const char *file)
{
	const size_t n = strlen(r->conf->checkpoint.path);
	char own[32];

	if (strncmp(file, r->conf->checkpoint.path, n) != 0 || file[n] != '.')
		return false;
	file += n + 1;
	snprintf(own, sizeof(own), ".%d", r->rank);
	return isdigit((unsigned char)*file) && !strcmp(file + strspn(file, "0123456789"), own);
}

/*
 * Removes files of all generations but one (-1: of all), also of a run that was killed before its
 * generation was complete.
 */
static void drop_others(const struct real *r, int64_t generation)
{
	char *dir = xstrdup(r->conf->checkpoint.path), *slash = strrchr(dir, '/'), **files = NULL;
	scoped char *stays = checkpoint_file(r, r->conf->checkpoint.path, generation);

	if (slash) {
		*slash = '\0';
		files = dir_list(dir, "");
	}
	for (char **file = files; files && *file; file++)
		if (is_own(r, *file) && strcmp(*file, stays) != 0)
			unlink(*file);
	path_list_free(files);
	free(dir);
}

static char why_not[ERROR_TEXT]; /* the last error while a checkpoint is written */

static void keep_error(enum severity sev, const char *fmt, va_list ap)
{
	if (sev == SEV_ERROR)
		vsnprintf(why_not, sizeof(why_not), fmt, ap);
	else
		error_pass_on(sev, fmt, ap);
}

/* One of the processes that failed says so. */
static void checkpoint_fail(const struct real *r, int64_t generation, bool failed)
{
	const int lowest = r->size - real_agree(failed ? r->size - r->rank : 0);

	if (lowest != r->rank)
		return;
	if (r->ending)
		warning("no checkpoint is kept, from which a longer run could resume: %s",
			why_not);
	else
		warning("no checkpoint after %lld gradient%s%s: %s", (long long)generation,
			word_plural((double)generation),
			r->interrupting ? "" : ", and the run continues", why_not);
}

/*
 * Writes this process's file. The old generation stays until the new one is complete. If a
 * generation is written again after a resume, it has the same writer: if the run is then killed,
 * its files come from both runs, but have the same state.
 */
static bool checkpoint_write(struct real *r)
{
	const int64_t generation = r->pause;
	const uint64_t before = r->saved_by;
	bool failed, own;

	r->writer = r->writer ? r->writer : random_writer(r);
	if (generation != r->generation)
		r->saved_by = r->writer;
	error_set_thread_routine(keep_error);
	own = write_own(r, generation) < 0;
	failed = real_agree(own) != 0;
	if (!failed && !r->rank)
		failed = own = write_index(r, generation) < 0;
	error_set_thread_routine(NULL);
	real_share(&failed, sizeof(failed));
	if (failed)
		checkpoint_fail(r, generation, own);
	if (failed)
		r->saved_by = before;
	if (failed && generation == r->generation)
		return false;
	drop_own(r, failed ? generation : r->generation == generation ? -1 : r->generation);
	if (!failed)
		r->generation = generation;
	if (!failed && !r->swept)
		drop_others(r, generation);
	r->swept |= !failed;
	return !failed;
}

void checkpoint_drop(struct real *r)
{
	if (!r->conf->checkpoint.path)
		return;
	drop_own(r, r->generation);
	drop_others(r, -1);
	if (!r->rank)
		unlink(r->conf->checkpoint.path);
}

/*
 * Pauses of all processes, with nothing in flight.
 *
 * A message to all processes gives the reason. Then finished gradients are held back, and settle()
 * in loop.c delivers everything else.
 */

void pause_at_budget(struct real *r, enum pause why, int64_t gradients, double time)
{
	if (r->conf->checkpoint.keep > 0 && !r->ending)
		post_all(r, &(struct header){ .kind = MESSAGE_PAUSE, .tag = why,
					      .stamp = gradients });
	else
		real_stop(r, why == PAUSE_SECONDS ? END_SECONDS : r->budget_end, time);
}

/* A run with a larger budget delivers the gradient: a pause is already requested. */
void pause_over_budget(struct real *r, double now)
{
	if (r->conf->checkpoint.keep > 0 && !r->ending)
		r->pause = r->budget;
	else
		real_stop(r, r->budget_end, now);
}

void pause_to_interrupt(struct real *r)
{
	if (!r->conf->checkpoint.path)
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
	return bytes <= r->conf->checkpoint.keep;
}

/*
 * The budget is spent: writes a checkpoint from which a longer run can resume, if models are small
 * enough. The run's time does not include the writing.
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
