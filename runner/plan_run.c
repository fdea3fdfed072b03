/*
 * plan_run.c - carries out a plan's missing runs: how many at once, announcement, and the worker
 * pool, whose child processes make the runs that no other process that shares the plan makes.
 */
#include "runner/plan_run.h"

#include "core/base/clock.h"
#include "core/base/context.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/base/process.h"
#include "core/file/output.h"
#include "core/file/temporary.h"
#include "core/text/units.h"
#include "core/text/word.h"
#include "nets/external/external.h"
#include "plan/machine/batch_system.h"
#include "plan/settings/values.h"
#include "plan/spec_tune.h"
#include "record/environ.h"
#include "record/result.h"
#include "runner/progress.h"
#include "runner/results/folder.h"
#include "runner/shared_plan.h"
#include "runner/signals.h"
#include "runner/single_run/single.h"
#include "runner/single_run/trained.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A process is not worth one short run: each makes so many, one after another. */
enum { MOST_AT_ONCE = 512 };

/* Exit codes of a child that no program has. */
enum {
	STATUS_FULL = 2,        /* the disk was full */
	STATUS_LEFT = 3,        /* without a fault; other processes make some of its runs */
	STATUS_LOST = 4         /* suspended for so long that another process has taken the run */
};

struct progress_message {       /* what a child writes: less than PIPE_BUF, so never torn */
	size_t run;             /* that it is at */
	double fraction, gradients;     /* of its runs so far; fraction: 1 for each whole one */
};

struct worker_pool;

struct child {
	struct process process; /* messages come through its pipe */
	struct worker_pool *pool;
	size_t run, end;        /* in the plan: those of [run, end) that are to do */
	struct progress_message progress;
};

struct worker_pool {            /* the children of one pool_run() */
	struct plan *plan;
	const struct pool_conf *conf;
	struct shared_plan *shared;    /* processes that make runs of the plan, too */
	struct child *child;    /* [conf->jobs] */
	struct run_range {      /* runs of the plan, the range first whose runs are begun first */
		size_t from, end;
		size_t next;    /* first run that may not have been begun */
	} range[2];
	bool *is_baseline;      /* [plan->n] speedups of other runs are relative to it */
	bool *begun;            /* [plan->n] by a child of this process, which may have ended */
	uint64_t *training;     /* [plan->n] that a run waits for while another does it; or 0 */
	uint64_t *elsewhere;    /* [nelsewhere] trainings that other processes do */
	size_t nelsewhere;
	size_t at_once;         /* runs of one child */
	int living;
	size_t done, todo;
	double gradients;       /* of the runs that ended */
	bool closing;           /* no more are begun */
	bool full;              /* the disk was full */
	int cannot_start;       /* errno: no process could be started; 0: all could */
	bool stopped;           /* the children were asked to save and end */
	bool announced;         /* the user was told so */
	bool waits;             /* and that others make the last runs */
	struct progress progress;
};

/* ---- the child's side ---- */

struct reporter {
	int fd;
	size_t run;             /* that the child is at */
	double done, before;    /* runs that are over, and their gradients */
	double gradients;       /* of this one so far */
	struct lease *lease;    /* of the run before, or NULL */
	size_t baseline;        /* that was looked up last; PLAN_NONE: none was */
	double baseline_s;      /* its time per epoch */
};

static void send_progress(void *ctx, double fraction, double gradients)
{
	struct reporter *t = ctx;
	struct progress_message progress = { t->run, t->done + fraction, t->before + gradients };

	t->gradients = gradients;
	if (write(t->fd, &progress, sizeof(progress)) < 0 && errno == EPIPE)
		signal_caught = SIGTERM;        /* the parent is gone */
}

/* The runs of a plan that are to do are those that no earlier run is the same as. */
static bool run_is_todo(const struct plan *p, size_t i)
{
	return p->runs[i].state == RUN_TODO && p->runs[i].same_as == i;
}

/* It has no net, and is often over in less time than a process takes to begin. */
static bool run_is_short(const struct planned *r)
{
	return r->su.in.timing || r->su.model.analytic.plugin;
}

static bool all_are_short(const struct plan *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (run_is_todo(p, i) && !run_is_short(&p->runs[i]))
			return false;
	return !plan_is_real(p);
}

/* Its gradients are computed by ranks of its own. */
static bool run_has_ranks(const struct planned *r, const struct pool_conf *n)
{
	return r->su.in.engine == ENGINE_MPI || (n->sim.ranks > 1 && !r->su.in.timing);
}

/* Facts on other runs that a file can have at once, without result_mark(); .tuned is owned. */
static struct result_mark mark_of(const struct worker_pool *f, size_t run, struct reporter *t)
{
	struct plan *p = f->plan;
	const size_t baseline = p->runs[run].baseline;
	struct planned *b = baseline == PLAN_NONE ? NULL : &p->runs[p->runs[baseline].same_as];
	struct result known;

	if (b && b->state != RUN_FINISHED)
		b = NULL;
	if (b && t->baseline != baseline) {
		t->baseline = baseline;
		t->baseline_s = (double)NAN;
		if (result_load(&known, b->path, RESULT_SUMMARY) == 0) {
			t->baseline_s = known.number[MEASURE_TIME_PER_EPOCH];
			result_release(&known);
		}
	}
	return (struct result_mark){ .is_baseline = f->is_baseline[run],
				     .baseline = b ? b->su.hash : NULL,
				     .tuned = tuning_text_of(p, &p->runs[run]) };
}

/* Makes a run whose lock this child holds. */
static enum run_end child_make_run(const struct worker_pool *f, size_t run, struct reporter *t)
{
	const struct pool_conf *n = f->conf;
	const struct planned *r = &f->plan->runs[run];
	struct result_mark mark = mark_of(f, run, t);
	const struct run_context context = {
		.experiment = f->plan->spec.name, .scale = f->plan->spec.scale,
		.path = r->path, .threads = n->threads,
		.tick = send_progress, .ctx = t, .interrupted = &signal_caught,
		.checkpoint_every = n->checkpoint_every, .resume = n->resume,
		.synced_later = run_is_short(r), .unjudged = n->unjudged,
		.retrain = n->retrain || n->again, .lease = lease_key(t->lease),
		.mark = &mark, .baseline_s = t->baseline_s,
	};
	char *title = plan_title(f->plan, r);
	enum run_end end;

	context_set(title);
	if (signal_caught) {
		end = RUN_END_INTERRUPTED;
	} else if (!n->again && result_finished(r->path, r->su.hash)) {
		end = RUN_END_DONE;     /* another process has made it meanwhile */
	} else if (run_has_ranks(r, n)) {
		const int code = launch_run(&r->su, &context, &n->sim);

		end = signals_ended(code) ? RUN_END_INTERRUPTED
					  : code == EXIT_OK ? RUN_END_DONE : RUN_END_FAILED;
	} else {
		end = simrun(&r->su, r->data, &context);
	}
	context_set(NULL);
	free_all(title, mark.tuned);
	if (end < RUN_END_DONE && output_full()) {
		/* A temporary file that will be made again only takes more of a full disk. */
		scoped char *part = xasprintf("%s.part", r->path);

		unlink(part);
	}
	return end;
}

/* Makes a run, unless another process does: then *left becomes true. */
static enum run_end child_run(const struct worker_pool *f, size_t run, struct reporter *t,
			      bool *left)
{
	enum run_end end = RUN_END_FAILED;

	t->run = run;
	t->gradients = 0;
	send_progress(t, 0, 0);
	switch (shared_plan_take(f->shared, run, &t->lease)) {
	case LEASE_THEIRS:
		*left = true;
		return RUN_END_DONE;
	case LEASE_NONE:
		temporary_failed(f->plan->runs[run].path, errno);
		break;
	case LEASE_OURS:
		lease_keep(t->lease, STATUS_LOST, NULL);
		end = child_make_run(f, run, t);
		lease_check_kept();
	}
	t->done++;
	t->before += t->gradients;
	return end;
}

/* exit() and not return: buffers are written, libraries put their files in order. */
static int child_main(void *arg, int fd)
{
	const struct child *c = arg;
	const struct worker_pool *f = c->pool;
	struct reporter reporter = { .fd = fd, .baseline = PLAN_NONE };
	enum run_end end = RUN_END_DONE;
	bool left = false;

	for (int k = 0; k < f->conf->jobs; k++)
		if (f->child[k].process.pid && &f->child[k] != c)
			close(f->child[k].process.fd);
	signal(SIGPIPE, SIG_IGN);
	/* code of the user's may loop for ever, and never save */
	signals_end_with_parent(3 * SIGNALS_PATIENCE_S);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	for (size_t i = c->run; i < c->end && end == RUN_END_DONE; i++)
		if (run_is_todo(f->plan, i))
			end = child_run(f, i, &reporter, &left);
	lease_release(reporter.lease);
	if (end < RUN_END_DONE && output_full())
		exit(STATUS_FULL);
	if (end == RUN_END_DONE && left)
		exit(STATUS_LEFT);
	exit(end == RUN_END_INTERRUPTED ? EXIT_SIGINT : run_end_code(end));
}

/* ---- the parent's side ---- */

/* Beginning of an error of the whole plan after its experiment's name, if it is of one. */
static const char *name_end(const struct plan *p)
{
	return *p->spec.name ? ": " : "";
}

/* error(): the disk is full. EXIT_DIE. */
static int full_error(const struct plan *p)
{
	error("%s%snothing more can be written into %s; runs that were not made: %zu. Free some "
	      "space, or raise the limit 'ulimit -f'; the same command resumes", p->spec.name,
	      name_end(p), p->folder, plan_left(p) + plan_count(p, RUN_FAILED));
	return EXIT_DIE;
}

/* error(): no process can be started for a run, with its errno. EXIT_DIE. */
static int cannot_start_error(const struct plan *p, int why)
{
	error("%s%scannot start a process for a run: %s; runs that were not made: %zu. Raise the "
	      "limits of processes and memory ('ulimit -a'), or use fewer --jobs; the same command "
	      "resumes", p->spec.name, name_end(p), strerror(why),
	      plan_left(p) + plan_count(p, RUN_FAILED));
	return EXIT_DIE;
}

/* After an error() no more are started. A parent that is killed takes its children along. */
static void child_start(struct worker_pool *f, struct child *c, size_t run, size_t end)
{
	const struct process_way way = { .run = child_main, .arg = c, .nonblock = true,
					 .end_signal = SIGTERM };

	fflush(NULL);
	*c = (struct child){ .pool = f, .run = run, .end = end, .progress = { .run = run } };
	if (process_start(&c->process, &way) == 0) {
		f->living++;
		return;
	}
	f->closing = true;
	f->cannot_start = errno;
}

/* The first run to do of [i, end), or end. */
static size_t next_todo(const struct plan *p, size_t i, size_t end)
{
	while (i < end && !run_is_todo(p, i))
		i++;
	return i;
}

/*
 * Runs whose order is fixed by their rule learn, as a rule, the same as another one of the same
 * training: the first is trained, and the others wait for it (single_run/trained.h).
 */
static void find_trainings(struct worker_pool *f)
{
	f->training = xcalloc(f->plan->n + 1, sizeof(*f->training));
	f->elsewhere = xcalloc(f->plan->n + 1, sizeof(*f->elsewhere));
	for (size_t i = 0; i < f->plan->n && !f->conf->retrain && !f->conf->again; i++) {
		const struct planned *r = &f->plan->runs[i];

		if (run_is_todo(f->plan, i) && !run_has_ranks(r, f->conf))
			f->training[i] = training_fixed(&r->su);
	}
}

/* A child, or another process, does the training that the run is likely to need. */
static bool training_in_progress(const struct worker_pool *f, size_t run)
{
	const uint64_t training = f->training[run];

	for (int i = 0; i < f->conf->jobs && training; i++)
		for (size_t k = f->child[i].run; k < f->child[i].end; k++)
			if (f->child[i].process.pid && f->training[k] == training)
				return true;
	for (size_t i = 0; i < f->nelsewhere && training; i++)
		if (f->elsewhere[i] == training)
			return true;
	return false;
}

/* The first run that a child can begin now, and the end of its range; PLAN_NONE: there is none. */
static size_t next_free(struct worker_pool *f, size_t *end)
{
	const struct plan *p = f->plan;

	for (struct run_range *r = f->range; r < f->range + 2; r++) {
		while (r->next < r->end && (f->begun[r->next] || !run_is_todo(p, r->next)))
			r->next++;
		*end = r->end;
		for (size_t i = next_todo(p, r->next, r->end); i < r->end;
		     i = next_todo(p, i + 1, r->end))
			if (!f->begun[i] &&
			    shared_plan_state_of(f->shared, i) != SHARED_ELSEWHERE &&
			    !training_in_progress(f, i))
				return i;
	}
	return PLAN_NONE;
}

static bool budget_is_spent(const struct worker_pool *f)
{
	return f->conf->until_s > 0 && clock_s() >= f->conf->until_s;
}

/* Each free slot gets a child with the next runs. */
static void fill_slots(struct worker_pool *f)
{
	if (budget_is_spent(f))
		return;
	for (int i = 0; i < f->conf->jobs && !f->closing; i++) {
		size_t first, end, n;

		if (f->child[i].process.pid)
			continue;
		first = end = next_free(f, &n);
		if (first == PLAN_NONE)
			return;
		for (size_t k = 0; k < f->at_once && end < n && !f->begun[end] &&
				   !training_in_progress(f, end);
		     f->begun[end++] = true)
			k += run_is_todo(f->plan, end);
		child_start(f, &f->child[i], first, end);
	}
}

static void read_progress(struct child *c)
{
	struct progress_message progress;

	while (read(c->process.fd, &progress, sizeof(progress)) == sizeof(progress))
		c->progress = progress;
}

/* State of a run by the status of the child that made it; error() if it failed. */
static enum run_state run_state_after(int status, const struct planned *r)
{
	char how[96];

	if (process_signal_of(status) && signal_count > 1)      /* killed by pass_on_signals() */
		return RUN_CUT;
	if (process_signal_of(status)) {
		process_ending(status, how);
		error("%s: %s", *r->label ? r->label : r->su.hash, how);
		return RUN_FAILED;
	}
	if (signals_ended(process_exit_code(status)))
		return RUN_CUT;
	if (process_exit_code(status) == STATUS_LOST)
		return RUN_TODO;
	if (process_succeeded(status) && result_is_written(r->path))
		return RUN_FINISHED;
	if (process_succeeded(status))
		error("%s: no whole result was written to %s",
		      *r->label ? r->label : r->su.hash, r->path);
	return RUN_FAILED;
}

static void signal_children(const struct worker_pool *f, int sig)
{
	for (int i = 0; i < f->conf->jobs; i++)
		process_signal(&f->child[i].process, sig);
}

/* Begins no more runs, and has the children save and end. */
static void stop_children(struct worker_pool *f)
{
	f->closing = true;
	if (!f->stopped)
		signal_children(f, SIGTERM);
	f->stopped = true;
}

/* The run is over, in this process or another one. */
static void settle_run(struct worker_pool *f, struct planned *r, enum run_state state)
{
	const struct pool_conf *conf = f->conf;

	r->state = state;
	f->done++;
	if (f->full || (state == RUN_FAILED && conf->fail_fast) ||
	    (!f->closing && conf->check && state == RUN_FINISHED &&
	     conf->check(conf->check_of, r) < 0))
		f->closing = true;
}

/*
 * Sets what became of the runs of a child that ended so. Those that it did not reach, and those
 * that another process makes, are to do as before.
 */
static void settle_child(struct worker_pool *f, const struct child *c, int status)
{
	const struct plan *p = f->plan;
	const int code = process_exit_code(status);

	for (size_t i = next_todo(p, c->run, c->end); i < c->end; i = next_todo(p, i + 1, c->end)) {
		struct planned *r = &f->plan->runs[i];
		const bool last = i == c->progress.run && status && code != STATUS_LEFT;
		enum run_state state = RUN_TODO;

		if (!f->conf->again && status && result_finished(r->path, r->su.hash))
			state = RUN_FINISHED;
		else if (last || !status)
			state = run_state_after(status, r);
		f->full |= last && code == STATUS_FULL;
		if (last && process_signal_of(status))
			shared_plan_clear_dead(f->shared, i);
		if (state != RUN_TODO) {
			settle_run(f, r, state);
			continue;
		}
		f->begun[i] = false;
		for (struct run_range *range = f->range; range < f->range + 2; range++)
			if (i >= range->from && i < range->next)
				range->next = i;
		if (last || code == STATUS_LEFT)
			shared_plan_set_elsewhere(f->shared, i);
	}
}

/* Settles the children that have ended. */
static void reap_children(struct worker_pool *f)
{
	for (int i = 0; i < f->conf->jobs; i++) {
		struct child *c = &f->child[i], dead;
		int status;

		if (!c->process.pid || !process_ended(&c->process, &status))
			continue;
		read_progress(c);
		process_wait(&c->process);
		progress_end(&f->progress);
		f->gradients += c->progress.gradients;
		f->living--;
		dead = *c;
		*c = (struct child){ 0 };
		settle_child(f, &dead, status);
		if (f->closing)
			stop_children(f);
	}
}

/* Until some child writes or ends (its pipe hangs up), a signal comes, or a moment is over. */
static void await_children(struct worker_pool *f, struct pollfd *fds)
{
	nfds_t n = 0;
	int ready;

	for (int i = 0; i < f->conf->jobs; i++)
		if (f->child[i].process.pid)
			fds[n++] = (struct pollfd){ .fd = f->child[i].process.fd,
						    .events = POLLIN };
	ready = poll(fds, n, 200);
	for (int i = 0; i < f->conf->jobs && ready > 0; i++)
		if (f->child[i].process.pid)
			read_progress(&f->child[i]);
}

static void show_progress(struct worker_pool *f)
{
	double work = (double)f->done, gradients = f->gradients;

	for (int i = 0; i < f->conf->jobs; i++) {
		if (!f->child[i].process.pid)
			continue;
		work += f->child[i].progress.fraction;
		gradients += f->child[i].progress.gradients;
	}
	f->progress.processes = shared_plan_processes(f->shared);
	progress_show(&f->progress, f->done, work / (double)f->todo, gradients);
}

static void pass_on_signals(struct worker_pool *f)
{
	if (!signal_caught)
		return;
	if (!f->announced) {
		f->announced = true;
		progress_end(&f->progress);
		note("stopping: saving %d run%s; press Ctrl-C again to kill %s", f->living,
		     word_plural(f->living), f->living == 1 ? "it" : "them");
	}
	stop_children(f);
	if (signal_count > 1)
		signal_children(f, SIGKILL);
}

/* Runs that other processes have finished are over; those that they make are elsewhere. */
static void look_at_others(struct worker_pool *f)
{
	const struct plan *p = f->plan;

	if (!shared_plan_look(f->shared) || f->conf->again)
		return;
	f->nelsewhere = 0;
	for (size_t i = next_todo(p, 0, p->n); i < p->n; i = next_todo(p, i + 1, p->n)) {
		const enum shared_state state = shared_plan_state_of(f->shared, i);

		if (f->begun[i])
			continue;
		if (state == SHARED_ELSEWHERE && f->training[i])
			f->elsewhere[f->nelsewhere++] = f->training[i];
		if (state == SHARED_HAS_FILE &&
		    result_finished(p->runs[i].path, p->runs[i].su.hash))
			settle_run(f, &f->plan->runs[i], RUN_FINISHED);
	}
}

/* The runs that are left are those that other processes make. */
static bool only_others_work(struct worker_pool *f)
{
	size_t left = 0;

	if (f->living > 0 || f->closing || budget_is_spent(f))
		return false;
	for (size_t i = 0; i < f->plan->n; i++)
		left += run_is_todo(f->plan, i);
	if (left && !f->waits && !f->conf->quiet) {
		progress_end(&f->progress);
		note("waiting for %zu run%s that other processes make", left,
		     word_plural((double)left));
	}
	f->waits = left > 0;
	return f->waits;
}

/* Has notes about precisions said once, before children begin, each of which would say them. */
static void note_precisions(const struct plan *p)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct setup *su = &p->runs[i].su;

		if (run_is_todo(p, i) && setup_needs_data(su))
			su->backend->precision(su->in.precision);
	}
}

/*
 * Does the runs to do, in order, and sets their states. A failed run is reported and the rest goes
 * on. After Ctrl-C the children finish their files and no more are begun; after a second one they
 * are killed. EXIT_OK; EXIT_DIE, after error(), where a result had a full disk, or no process
 * could be started, which ends all.
 */
static int pool_run(struct plan *p, const struct pool_conf *n, struct shared_plan *shared)
{
	struct worker_pool f = { .plan = p, .conf = n, .shared = shared, .at_once = 1,
				 .todo = plan_count(p, RUN_TODO),
				 .begun = xcalloc(p->n + 1, sizeof(*f.begun)),
				 .is_baseline = xcalloc(p->n + 1, sizeof(*f.is_baseline)),
				 .child = xcalloc((size_t)n->jobs, sizeof(*f.child)) };
	struct pollfd *fds = xcalloc((size_t)n->jobs, sizeof(*fds));
	const size_t own = plan_own_runs(p);
	const size_t share = f.todo / (4 * (size_t)n->jobs);

	/*
	 * Nets take long to train, and real ranks are begun by a process of their own. Where old
	 * results stand, a file does not say which of its runs a child has made: it has one.
	 */
	if (all_are_short(p) && !n->again && share > 1)
		f.at_once = share < MOST_AT_ONCE ? share : MOST_AT_ONCE;
	find_trainings(&f);
	environ_prepare();
	note_precisions(p);
	signals_endure();
	progress_start(&f.progress, f.todo, n->quiet);
	f.progress.position = n->position;
	f.progress.after_s = n->after_s;
	f.progress.before = plan_count(p, RUN_FINISHED);
	for (size_t i = own; i < p->n; i++)
		f.is_baseline[p->runs[i].same_as] = true;
	/* Where baselines are there, the files of short runs have their speedups at once. */
	f.range[!all_are_short(p)] = (struct run_range){ .from = own, .next = own, .end = p->n };
	f.range[all_are_short(p)] = (struct run_range){ .end = own };
	for (;;) {
		pass_on_signals(&f);
		look_at_others(&f);
		fill_slots(&f);
		if (f.living == 0 && !only_others_work(&f))
			break;
		await_children(&f, fds);
		reap_children(&f);
		show_progress(&f);
	}
	progress_end(&f.progress);
	for (size_t i = 0; i < p->n; i++)
		p->runs[i].state = p->runs[p->runs[i].same_as].state;
	free_all(f.child, f.begun, f.is_baseline, f.training, f.elsewhere, fds);
	if (f.full)
		return full_error(p);
	if (f.cannot_start)
		return cannot_start_error(p, f.cannot_start);
	return EXIT_OK;
}

/* ---- the plan ---- */

int jobs_choose(const struct plan *p, struct pool_conf *n)
{
	const int cores = single_threads(0), of_rank = batch_threads(0, 1);
	size_t todo = plan_count(p, RUN_TODO);
	const bool asked = n->threads > 0;
	const int ranks = n->sim.ranks > 1 ? n->sim.ranks : 1;

	if (cores < 0 || of_rank < 0)
		return -1;
	if (spec_is_real(&p->spec) && !plan_is_timing(p)) { /* what training takes is asked for */
		n->jobs = 1;
		n->retrain = true;
	}
	if (!n->jobs)
		n->jobs = plan_is_timing(p) ? cores : 1;
	if ((size_t)n->jobs > todo && todo > 0)
		n->jobs = (int)todo;
	if (!asked)     /* of each rank, or of all that computes */
		n->threads = plan_is_real(p) ? of_rank : cores / n->jobs / ranks;
	if (n->threads < 1)
		n->threads = 1;
	return 0;
}

/* On a terminal the notes below the table of `sim` follow a quick plan at once. */
static bool notes_follow(const struct plan *p)
{
	return !*p->spec.name && plan_is_timing(p) && isatty(STDOUT_FILENO) &&
	       isatty(STDERR_FILENO);
}

static void plan_announce(const struct plan *p, const struct pool_conf *n)
{
	const bool ranks = n->sim.ranks > 1 && !plan_is_real(p);
	size_t todo = plan_count(p, RUN_TODO), done = plan_count(p, RUN_FINISHED);
	char *name = *p->spec.name ? xasprintf("%s, scale %s: ", p->spec.name, p->spec.scale)
				   : xstrdup("");

	if (p->changes.settings)
		note("settings differ from the spec: %s", p->changes.settings);
	note("%s%zu %s%srun%s, %zu of them finished before", name, todo + done,
	     p->stage ? p->stage : "", p->stage ? " " : "", word_plural((double)(todo + done)),
	     done);
	if (todo && plan_is_timing(p))
		note("running %zu, timing only, %d at once, into %s", todo, n->jobs,
		     p->stage ? p->folder : p->dir);
	else if (todo)
		note("running %zu, %d at once with %d thread%s, into %s", todo, n->jobs,
		     n->threads, word_plural(n->threads), p->stage ? p->folder : p->dir);
	if (todo && ranks && plan_is_timing(p))
		note("sim_ranks: ranks compute gradients, and timing-only runs have none");
	else if (todo && ranks)
		note("%d ranks compute the gradients of a simulated run", n->sim.ranks);
	free(name);
	note_own(units_understood());
	if (!notes_follow(p)) {
		note_own(plan_assumed(p));
		notes_own(plan_remarks(p, NULL));
	}
	note_own(n->estimate ? estimate_text(n->estimate) : NULL);
}

static int plan_make_runs(struct plan *p, struct pool_conf *n, struct shared_plan *shared)
{
	int code = EXIT_OK, opened;

	if (jobs_choose(p, n) < 0)
		return EXIT_BAD;
	if (*p->spec.name && given_write(p->dir, &p->set) < 0)
		return output_full() ? full_error(p) : EXIT_BAD;
	if (!n->quiet && !n->unannounced)
		plan_announce(p, n);
	shared_plan_rest(shared);
	opened = plan_open_data(p);
	shared_plan_wake(shared);
	if (opened < 0 && (n->fail_fast || !plan_count(p, RUN_TODO)))
		return EXIT_BAD;
	if (plan_count(p, RUN_TODO)) {
		code = pool_run(p, n, shared);
		folder_sync(p->folder);
	}
	return code;
}

/* plan_make_runs() as one of the processes that share the plan. */
static int plan_share_runs(struct plan *p, struct pool_conf *n)
{
	struct shared_plan *shared = shared_plan_join(p, n->again);
	int code = EXIT_OK;

	if (!shared)
		return signal_caught ? EXIT_OK : output_full() ? full_error(p) : EXIT_BAD;
	shared_plan_look(shared);
	if (shared_plan_is_alone(shared))
		temporary_clean(p->folder);
	if (shared_plan_waited(shared) && !n->again)
		plan_settle(p, false);
	if (!signal_caught)
		code = plan_make_runs(p, n, shared);
	shared_plan_leave(shared);
	return code;
}

/* Says what a signal has left, which may be only what comes after the runs. */
static void plan_say_left(const struct plan *p, bool again)
{
	const size_t left = plan_left(p);

	if (!left)
		note("all runs are %s; the same command %s", again ? "repeated" : "finished",
		     again ? "repeats them; without --again, it does the rest" : "does the rest");
	else
		note("%zu of the runs are %s, %zu %s left; the same command %s",
		     plan_count(p, RUN_FINISHED), again ? "repeated" : "finished", left,
		     left == 1 ? "is" : "are",
		     again ? "repeats all of them; without --again, only those without a result"
			   : "resumes");
}

int plan_run(struct plan *p, struct pool_conf *n)
{
	int code = EXIT_BAD;

	external_end();         /* the runs are processes, which start programs of their own */
	if (folder_make(p->folder) == 0)
		code = plan_share_runs(p, n);
	if (code == EXIT_DIE)
		return EXIT_DIE;
	/* None of the runs to do could begin, which is no matter of being interrupted. */
	for (size_t i = 0; i < p->n && code != EXIT_OK; i++)
		if (p->runs[i].state == RUN_TODO)
			p->runs[i].state = RUN_FAILED;
	if (code != EXIT_OK)
		return EXIT_BAD;
	if (!signal_caught)
		return EXIT_OK;
	plan_say_left(p, n->again);
	return signals_exit_code();
}

size_t plan_left(const struct plan *p)
{
	return plan_count(p, RUN_TODO) + plan_count(p, RUN_CUT);
}

size_t plan_failed(const struct plan *p)
{
	const size_t n = plan_count(p, RUN_FAILED) + plan_left(p);

	/* the error of a single failed run has said why */
	if (n > 1 || plan_left(p) || (n && *p->spec.name))
		error("%s%s%zu %s%srun%s without a result", p->spec.name,
		      name_end(p), n, p->stage ? p->stage : "",
		      p->stage ? " " : "", word_plural((double)n));
	return n;
}
