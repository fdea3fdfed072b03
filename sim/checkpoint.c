/*
 * checkpoint.c - a training run saved in a checkpoint, and resumed.
 *
 * The times of events do not depend on losses: a run's clock, events, messages and random numbers
 * are equal in all runs of its spec. So they are not stored. A checkpoint has the number of events
 * handled, and what was computed: the floats of nodes and of messages in flight (sim_floats(), all
 * in one hold), measures, and the recorder's state. To resume, a run repeats as many events without
 * computing gradients or models (a rewalk), and then reads the floats. Gradients in flight are
 * computed again, at their snapshots.
 *
 * The file may come from a stranger: whatever its bytes are, the run ends, or begins again after a
 * warning. So no pointer, index or size is read from it: those are as the repeated run made them.
 */
#include "sim/world.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/mem.h"
#include "core/file/checked.h"
#include "core/file/paths.h"
#include "core/math/vec.h"
#include "core/text/word.h"
#include "core/watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sim_title {
	char magic[24];
	char run[40], build[440];
};

struct progress {               /* state that a repeated run must reach */
	double now;
	int64_t events, gradients, steps;
	uint64_t pushed, used;  /* events pushed so far; bytes of the hold */
	uint64_t state;         /* a hash of the nodes' states, and of the events to come */
};

static struct sim_title checkpoint_title_of(const struct checkpoint_conf *saves)
{
	struct sim_title t = { .magic = "convoy simulation 5" };

	snprintf(t.run, sizeof(t.run), "%s", saves->id);
	snprintf(t.build, sizeof(t.build), "%s", saves->build);
	return t;
}

#define MIX(h, field) ((h) = fnv((h), &(field), sizeof(field)))

static uint64_t mix_node(uint64_t h, const struct node *nd)
{
	const struct sim_node *sn = sim_node(nd);

	MIX(h, nd->step);
	MIX(h, nd->draws);
	MIX(h, nd->packed);
	MIX(h, nd->ledger);
	MIX(h, sn->clock);
	MIX(h, sn->free_at);
	MIX(h, sn->index);
	MIX(h, sn->ticket);
	MIX(h, sn->computing);
	MIX(h, sn->rare->sum.allreducing);
	MIX(h, sn->stopped);
	return h;
}

static struct progress checkpoint_progress_of(const struct sim *s)
{
	uint64_t h = heap_hash(&s->heap, FNV_START);

	for (int i = 0; i < s->nnodes; i++)
		h = mix_node(h, &s->nodes[i]);
	return (struct progress){ .now = s->now,
				  .events = s->events, .gradients = s->gradients,
				  .steps = blocks_steps(s), .pushed = s->heap.pushed,
				  .used = s->saving.hold.used,
				  .state = h };
}

/* ---- writing ---- */

/* Numbers of a node that depend on gradients, but are not among its floats. */
struct numbers {
	double loss;            /* of the head, for the gradient in flight */
	uint64_t rows;          /* rows in the worker's memory, and their epoch */
	int64_t epoch;
};

static void sim_put_node(struct checked *v, const struct node *nd)
{
	struct numbers n = { 0 };

	if (!nd->stages && !nd->memory)
		return;
	n.loss = nd->stages ? nd->stages->taken.loss : 0.0;
	n.rows = nd->memory ? nd->memory->n : 0;
	n.epoch = nd->memory ? nd->memory->epoch : 0;
	checked_put(v, &n, sizeof(n));
}

static void sim_get_node(struct checked *v, struct node *nd)
{
	struct numbers n;

	if (!nd->stages && !nd->memory)
		return;
	checked_get(v, &n, sizeof(n));
	if (nd->stages)
		nd->stages->taken.loss = n.loss;
	if (!nd->memory)
		return;
	v->failed |= n.rows > nd->run->carry.rows;
	nd->memory->n = v->failed ? 0 : (size_t)n.rows;
	nd->memory->epoch = n.epoch;
}

static int checkpoint_write_all(struct sim *s)
{
	const struct checkpoint_conf *saves = s->conf->saves;
	const struct sim_title title = checkpoint_title_of(saves);
	const struct progress progress = checkpoint_progress_of(s);
	struct checked v;

	if (checked_create(&v, saves->path, NULL) < 0)
		return -1;
	checked_put(&v, &title, sizeof(title));
	checked_put(&v, &progress, sizeof(progress));
	if (s->line)
		checked_put(&v, &s->line->told, sizeof(s->line->told));
	checked_put(&v, s->saving.hold.at, s->saving.hold.used);
	for (int i = 0; i < s->nnodes; i++)
		sim_put_node(&v, &s->nodes[i]);
	if (s->run->watch)
		watch_save(s->run->watch, &v);
	if (saves->save)
		saves->save(saves->ctx, &v);
	return checked_finish(&v, saves->path);
}

/* Saves a checkpoint. A failure is reported, but the run continues. */
static bool checkpoint_save(struct sim *s)
{
	const bool written = checkpoint_write_all(s) == 0;

	if (!written)
		warning("no checkpoint after %lld gradient%s; the run continues",
			(long long)s->gradients, word_plural((double)s->gradients));
	s->saving.next = clock_s() + s->conf->saves->every;
	return written;
}

void sim_save(struct sim *s, bool interrupted)
{
	const double every = s->conf->saves->every;

	if (!s->saving.rewalks && (interrupted || (every > 0.0 && clock_s() >= s->saving.next)))
		checkpoint_save(s);
}

/* True when the next event ends the run by its budget, of gradients or of virtual seconds. */
static bool budget_ends(const struct sim *s)
{
	const struct sim_event *next = heap_next(&s->heap);
	const struct node *nd;
	const struct sim_node *sn;

	if (!next || s->stopping)
		return false;
	if (s->run->seconds > 0.0 && next->time > s->run->seconds)
		return true;
	if (!s->budget || s->gradients + 1 < s->budget || sim_event_kind(next) != SIM_GRAD)
		return false;
	nd = sim_at(s, sim_event_node(next));
	sn = sim_node(nd);
	return node_stage_is_last(nd) && sn->computing && sn->ticket == next->num &&
	       sn->held_up <= 0.0;
}

void sim_keep(struct sim *s)
{
	if (!s->saving.rewalks && budget_ends(s)) {
		s->saving.kept = checkpoint_save(s);
		s->saving.keeps = false;
	}
}

/* ---- reading ---- */

/* Another build may compute other results, or have another layout: its checkpoint is not read. */
static int check_build(const struct sim_title *t, const struct sim_title *want, const char *path)
{
	scoped char *old = NULL;

	if (memcmp(t->build, want->build, sizeof(t->build)) == 0)
		return 0;
	old = xasprintf("%s.old", path);
	if (rename(path, old) == 0)
		error("'%s' is of another build, and is kept as '%s': %.*s; this one is %s", path,
		      old, (int)sizeof(t->build), t->build, want->build);
	else
		error("'%s' is of another build: %.*s; this one is %s", path,
		      (int)sizeof(t->build), t->build, want->build);
	return -1;
}

static int sim_check_title(const struct sim *s, const struct sim_title *t)
{
	const struct checkpoint_conf *saves = s->conf->saves;
	const struct sim_title want = checkpoint_title_of(saves);
	const char *path = saves->from;

	if (memcmp(t->magic, want.magic, sizeof(want.magic)))
		return error("'%s' is no checkpoint of this version", path);
	if (saves->former && strncmp(t->run, saves->former, sizeof(t->run)) == 0)
		return error("'%s' is of a run with %s", path, saves->former_meant);
	if (memcmp(t->run, want.run, sizeof(want.run)))
		return error("'%s' is of another run", path);
	return check_build(t, &want, path);
}

static void run_as(struct sim *s, const struct run *run)
{
	s->run = run;
	for (int i = 0; i < s->nnodes; i++)
		s->nodes[i].run = run;
}

static void no_step(const void *conf, const struct stepping *s, size_t n, const float *g, float *x,
		    float *state)
{
	(void)conf, (void)s, (void)n, (void)g, (void)x, (void)state;
}

/*
 * Repeats the run up to `events` events, without hooks and with as little work on vectors as
 * possible.
 */
static void checkpoint_rewalk(struct sim *s, int64_t events)
{
	const struct run *run = s->run;
	struct optim optim = *run->optim;
	struct run quiet = *run;

	optim.step = no_step;
	quiet.optim = &optim;
	quiet.hooks = NULL;
	quiet.watch = NULL;
	quiet.interrupted = NULL;
	run_as(s, &quiet);
	s->saving.rewalks = true;
	vec_only_count(true);
	sim_start(s);
	sim_pump(s, events);
	vec_only_count(false);
	s->saving.rewalks = false;
	run_as(s, run);
}

static int checkpoint_read_all(struct sim *s, struct checked *v)
{
	const struct checkpoint_conf *saves = s->conf->saves;
	struct sim_title title;
	struct progress progress, here;

	checked_get(v, &title, sizeof(title));
	checked_get(v, &progress, sizeof(progress));
	if (v->failed || sim_check_title(s, &title) < 0)
		return -1;
	checkpoint_rewalk(s, progress.events);
	here = checkpoint_progress_of(s);
	/* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): no padding, bit-identical times */
	if (s->stopping || memcmp(&here, &progress, sizeof(progress)))
		return error("'%s': the same settings do not lead to where it was made, as where "
			     "the order of events depends on the values of gradients",
			     saves->from);
	if (s->line)
		checked_get(v, &s->line->told, sizeof(s->line->told));
	checked_get(v, s->saving.hold.at, s->saving.hold.used);
	for (int i = 0; i < s->nnodes; i++)
		sim_get_node(v, &s->nodes[i]);
	if (s->run->watch)
		watch_load(s->run->watch, v);
	if (saves->load && !v->failed)
		saves->load(saves->ctx, v);
	if (s->run->watch && v->failed)
		watch_reset(s->run->watch);
	for (int i = 0; i < s->nnodes && !v->failed; i++)
		if (s->priv[i].computing && blocks_all_read(s, &s->nodes[i]))
			sim_submit(s, &s->nodes[i]);
	return 0;
}

static char *why_not;           /* messages of errors; owned */

static void keep_errors(enum severity sev, const char *fmt, va_list ap)
{
	if (sev == SEV_ERROR)
		xappend_own(&why_not, "; ", xvasprintf(fmt, ap));
	else
		error_pass_on(sev, fmt, ap);
}

static int open_and_read(struct sim *s)
{
	const char *path = s->conf->saves->from;
	struct checked v;
	int ret;

	if (checked_open(&v, path, NULL) < 0)
		return -1;
	ret = checkpoint_read_all(s, &v);
	return checked_close(&v, path) < 0 ? -1 : ret;
}

/*
 * Resumes from the checkpoint. False, after a warning, if that fails: then s cannot be used any
 * more.
 */
static bool checkpoint_resume(struct sim *s)
{
	const char *path = s->conf->saves->from;
	int ret;

	error_set_thread_routine(keep_errors);
	ret = open_and_read(s);
	error_set_thread_routine(NULL);
	if (ret < 0)
		warning("%s: the run begins again", why_not);
	else
		note("resuming from '%s', after %lld gradient%s", path, (long long)s->gradients,
		     word_plural((double)s->gradients));
	free(why_not);
	why_not = NULL;
	return ret == 0;
}

void sim_begin(struct sim *s, const struct sim_conf *conf, const struct run *run,
	       struct timeline *line)
{
	const bool saves = conf->saves && run->pool;

	sim_open(s, conf, run, line);
	if (!saves || !conf->saves->from) {
		sim_start(s);
	} else if (!checkpoint_resume(s)) {
		sim_close(s);
		if (line)
			line->told = 0;
		sim_open(s, conf, run, line);
		sim_start(s);
	}
	s->saving.next = clock_s() + (saves ? conf->saves->every : 0.0);
	s->saving.keeps = saves && s->saving.hold.used <= (uint64_t)conf->saves->keep;
}

/* Reads the beginning of a file. False if the file is shorter. */
static bool checkpoint_read_start(const char *path, struct sim_title *title,
				  struct progress *progress)
{
	FILE *file = file_open(path);
	const bool whole = file && fread(title, sizeof(*title), 1, file) == 1 &&
			   fread(progress, sizeof(*progress), 1, file) == 1;

	if (file)
		fclose(file);
	return whole;
}

int64_t sim_saved(const char *path, const struct checkpoint_conf *saves, const struct run *run)
{
	const struct sim_title want = checkpoint_title_of(saves);
	enum end_reason end;
	const int64_t budget = run_budget(run, &end);
	struct sim_title title;
	struct progress progress;

	if (!checkpoint_read_start(path, &title, &progress) ||
	    memcmp(title.magic, want.magic, sizeof(want.magic)) ||
	    memcmp(title.run, want.run, sizeof(want.run)) ||
	    (budget && progress.gradients >= budget) ||
	    (run->seconds > 0.0 && progress.now > run->seconds))
		return -1;
	if (memcmp(title.build, want.build, sizeof(want.build)) == 0)
		return progress.gradients;
	warning("'%s' is of another build, and not used: %.*s; this one is %s", path,
		(int)sizeof(title.build), title.build, want.build);
	return -1;
}

bool sim_saved_by(const char *path, const char *id)
{
	const struct sim_title want =
		checkpoint_title_of(&(struct checkpoint_conf){ .id = id, .build = "" });
	struct sim_title title;
	struct progress progress;

	return checkpoint_read_start(path, &title, &progress) &&
	       !memcmp(title.magic, want.magic, sizeof(want.magic)) &&
	       !memcmp(title.run, want.run, sizeof(want.run));
}
