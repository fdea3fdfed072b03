/*
 * plan_run.c - carries out a plan's missing runs: how many at once, announcement, lock, and the
 * worker pool, whose child processes make the runs.
 */
#include "runner/plan_run.h"

#include "core/base/clock.h"
#include "core/base/context.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/base/process.h"
#include "core/file/output.h"
#include "core/text/word.h"
#include "plan/machine/batch_system.h"
#include "plan/settings/values.h"
#include "runner/progress.h"
#include "runner/results/folder.h"
#include "runner/signals.h"
#include "runner/single_run/single.h"
#include "runner/single_run/trained.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

/* A process is not worth one short run: each makes so many, one after another. */
enum { MOST_AT_ONCE = 32 };

enum { STATUS_FULL = 2 };       /* of a child: the disk was full */

struct progress_message {       /* what a child writes: less than PIPE_BUF, so never torn */
	double fraction, gradients;     /* of its runs so far; fraction: 1 for each whole one */
};

struct worker_pool;

struct child {
	struct process process; /* messages come through its pipe */
	struct worker_pool *pool;
	size_t run, end;        /* in the plan: those of [run, end) that are to do */
	struct progress_message progress;
};

struct worker_pool {            /* the children of one worker_pool_run() */
	struct plan *plan;
	const struct pool_conf *conf;
	struct child *child;    /* [conf->jobs] */
	size_t next;            /* first run that may not have been begun */
	bool *begun;            /* [plan->n] */
	uint64_t *training;     /* [plan->n] that a run waits for while another does it; or 0 */
	size_t at_once;         /* runs of one child */
	int living;
	size_t done, todo;
	double gradients;       /* of the runs that ended */
	bool closing;           /* no more are begun */
	bool full;              /* the disk was full */
	bool broken;            /* no process could be started */
	bool told;              /* the children know of the signal */
	struct progress progress;
};

/* ---- the child's side ---- */

struct reporter {
	int fd;
	double done, before;    /* runs that are over, and their gradients */
	double gradients;       /* of this one so far */
};

static void send_progress(void *ctx, double fraction, double gradients)
{
	struct reporter *t = ctx;
	struct progress_message progress = { t->done + fraction, t->before + gradients };

	t->gradients = gradients;
	if (write(t->fd, &progress, sizeof(progress)) < 0 && errno == EPIPE)
		signal_caught = SIGTERM;        /* the parent is gone */
}

/* The runs of a plan that are to do are those that no earlier run is the same as. */
static bool run_is_todo(const struct plan *p, size_t i)
{
	return p->runs[i].state == RUN_TODO && p->runs[i].same_as == i;
}

/* Its gradients are computed by ranks of its own. */
static bool run_has_ranks(const struct planned *r, const struct pool_conf *n)
{
	return r->su.in.engine == ENGINE_MPI || (n->sim.ranks > 1 && !r->su.in.timing);
}

static enum run_end child_run(const struct worker_pool *f, const struct planned *r,
			      struct reporter *t)
{
	const struct pool_conf *n = f->conf;
	const bool ranks = run_has_ranks(r, n);
	const struct result_lock lock = ranks ? (struct result_lock){ .fd = -1 }
					      : result_lock(r->path);   /* else rank 0 takes it */
	const struct run_context context = {
		.experiment = f->plan->spec.name, .scale = f->plan->spec.scale,
		.path = r->path, .threads = n->threads,
		.tick = send_progress, .ctx = t, .interrupted = &signal_caught,
		.checkpoint_every = n->checkpoint_every, .resume = n->resume,
		.synced_later = r->su.in.timing, .unjudged = n->unjudged,
		.retrain = n->retrain || n->again,
	};
	char *title = plan_title(f->plan, r);
	enum run_end end;

	context_set(title);
	if (signal_caught) {
		end = RUN_END_INTERRUPTED;
	} else if (ranks) {
		const int code = launch_run(&r->su, &context, &n->sim);

		end = code == EXIT_SIGINT || code == EXIT_SIGUSR1 || code == EXIT_SIGTERM
			      ? RUN_END_INTERRUPTED
			      : code == EXIT_OK ? RUN_END_DONE : RUN_END_FAILED;
	} else if (!n->again && result_finished(r->path, r->su.hash)) {
		end = RUN_END_DONE;     /* another process has made it meanwhile */
	} else {
		end = simrun(&r->su, r->data, &context);
	}
	result_unlock(&lock);
	context_set(NULL);
	free(title);
	t->done++;
	t->before += t->gradients;
	return end;
}

/* exit() and not return: buffers are written, libraries put their files in order. */
static int child_main(void *arg, int fd)
{
	const struct child *c = arg;
	const struct worker_pool *f = c->pool;
	struct reporter reporter = { .fd = fd };
	enum run_end end = RUN_END_DONE;
	size_t i = c->run;

	for (int k = 0; k < f->conf->jobs; k++)
		if (f->child[k].process.pid && &f->child[k] != c)
			close(f->child[k].process.fd);
	signal(SIGPIPE, SIG_IGN);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	for (; i < c->end && end == RUN_END_DONE; i++)
		if (run_is_todo(f->plan, i))
			end = child_run(f, &f->plan->runs[i], &reporter);
	if (end < RUN_END_DONE && output_full()) {
		/* A temporary file that will be made again only takes more of a full disk. */
		char *part = xasprintf("%s.part", f->plan->runs[i - 1].path);

		unlink(part);
		free(part);
		exit(STATUS_FULL);
	}
	exit(end == RUN_END_INTERRUPTED ? EXIT_SIGINT : run_end_code(end));
}

/* ---- the parent's side ---- */

/* After an error() no more are started. A parent that is killed takes its children along. */
static void child_start(struct worker_pool *f, struct child *c, size_t run, size_t end)
{
	const struct process_way way = { .run = child_main, .arg = c, .nonblock = true,
					 .end_signal = SIGTERM };

	fflush(NULL);
	*c = (struct child){ .pool = f, .run = run, .end = end };
	if (process_start(&c->process, &way) == 0) {
		f->living++;
		return;
	}
	f->closing = f->broken = true;
	error("cannot start a process for a run: %s", strerror(errno));
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
static void choose_waiting(struct worker_pool *f)
{
	f->begun = xcalloc(f->plan->n + 1, sizeof(*f->begun));
	f->training = xcalloc(f->plan->n + 1, sizeof(*f->training));
	for (size_t i = 0; i < f->plan->n && !f->conf->retrain && !f->conf->again; i++) {
		const struct planned *r = &f->plan->runs[i];

		if (run_is_todo(f->plan, i) && !run_has_ranks(r, f->conf))
			f->training[i] = training_fixed(&r->su);
	}
}

/* A child does the training that the run is likely to need, and has not ended. */
static bool run_is_held(const struct worker_pool *f, size_t run)
{
	for (int i = 0; i < f->conf->jobs && f->training[run]; i++)
		if (f->child[i].process.pid &&
		    f->training[f->child[i].run] == f->training[run])
			return true;
	return false;
}

/* Each free slot gets a child with the next runs. */
static void fill_slots(struct worker_pool *f)
{
	const size_t n = f->plan->n;

	if (f->conf->until_s > 0 && clock_s() >= f->conf->until_s)
		return;
	for (int i = 0; i < f->conf->jobs && !f->closing; i++) {
		size_t first = next_todo(f->plan, f->next, n), end;

		if (f->child[i].process.pid)
			continue;
		while (first < n && (f->begun[first] || run_is_held(f, first)))
			first = next_todo(f->plan, first + 1, n);
		if (first == n)
			return;
		end = first;
		for (size_t k = 0; k < f->at_once && end < n; f->begun[end++] = true)
			k += run_is_todo(f->plan, end);
		while (f->next < n && (f->begun[f->next] || !run_is_todo(f->plan, f->next)))
			f->next++;
		child_start(f, &f->child[i], first, end);
	}
}

static void read_progress(struct child *c)
{
	struct progress_message progress;

	while (read(c->process.fd, &progress, sizeof(progress)) == sizeof(progress))
		c->progress = progress;
}

static enum run_state state_of(int status, const struct planned *r)
{
	char how[96];

	if (process_signal_of(status) && signal_count > 1)      /* killed by heed_signals() */
		return RUN_CUT;
	if (process_signal_of(status)) {
		process_ending(status, how);
		error("%s: %s", *r->label ? r->label : r->su.hash, how);
		return RUN_FAILED;
	}
	if (process_exit_code(status) == EXIT_SIGINT)
		return RUN_CUT;
	if (process_succeeded(status) && result_is_whole(r->path))
		return RUN_FINISHED;
	if (process_succeeded(status))
		error("%s: no whole result was written to %s", r->label, r->path);
	return RUN_FAILED;
}

static void kill_all(const struct worker_pool *f, int sig)
{
	for (int i = 0; i < f->conf->jobs; i++)
		process_signal(&f->child[i].process, sig);
}

/*
 * Sets what became of the runs of a child that ended so. One that ended early did so in the first
 * run without a result; after that the first of those that it left is returned, or its end.
 */
static size_t child_settle(struct worker_pool *f, const struct child *c, int status)
{
	const struct pool_conf *conf = f->conf;
	size_t i = c->run, next;
	bool over = false;

	while (i < c->end && !over) {
		struct planned *r = &f->plan->runs[i];

		next = next_todo(f->plan, i + 1, c->end);
		over = status && (next == c->end || !result_finished(r->path, r->su.hash));
		r->state = state_of(over ? status : 0, r);
		f->done++;
		if (over && process_exit_code(status) == STATUS_FULL)
			f->full = true;
		if (f->full || (r->state == RUN_FAILED && conf->fail_fast) ||
		    (!f->closing && conf->check && r->state == RUN_FINISHED &&
		     conf->check(conf->check_of, r) < 0))
			f->closing = true;
		i = next;
	}
	return i;
}

/* Settles the children that have ended. One that ended early is followed by one for the rest. */
static void children_reap(struct worker_pool *f)
{
	for (int i = 0; i < f->conf->jobs; i++) {
		struct child *c = &f->child[i], dead;
		size_t left;
		int status;

		if (!c->process.pid || !process_ended(&c->process, &status))
			continue;
		dead = *c;
		read_progress(c);
		process_wait(&c->process);
		progress_end(&f->progress);
		f->gradients += c->progress.gradients;
		f->living--;
		*c = (struct child){ 0 };
		left = child_settle(f, &dead, status);
		if (f->closing && !f->told)
			kill_all(f, SIGTERM);
		if (left < dead.end && !f->closing)
			child_start(f, c, left, dead.end);
	}
}

/* Until some child writes or ends (its pipe hangs up), a signal comes, or a moment is over. */
static void children_await(struct worker_pool *f, struct pollfd *fds)
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

static void worker_pool_show(struct worker_pool *f)
{
	double work = (double)f->done, gradients = f->gradients;

	for (int i = 0; i < f->conf->jobs; i++) {
		if (!f->child[i].process.pid)
			continue;
		work += f->child[i].progress.fraction;
		gradients += f->child[i].progress.gradients;
	}
	progress_show(&f->progress, f->done, work / (double)f->todo, gradients);
}

static void heed_signals(struct worker_pool *f)
{
	if (!signal_caught)
		return;
	f->closing = true;
	if (!f->told) {
		f->told = true;
		progress_end(&f->progress);
		note("stopping: saving %d run%s; press Ctrl-C again to kill them", f->living,
		     word_plural(f->living));
		kill_all(f, SIGTERM);
	}
	if (signal_count > 1)
		kill_all(f, SIGKILL);
}

/*
 * Does the runs to do, in order, and sets their states. A failed run is reported and the rest goes
 * on. After Ctrl-C the children finish their files and no more are begun; after a second one they
 * are killed. EXIT_OK; EXIT_DIE where a result had a full disk, which ends all.
 */
static int worker_pool_run(struct plan *p, const struct pool_conf *n)
{
	struct worker_pool f = { .plan = p, .conf = n, .todo = plan_count(p, RUN_TODO),
				 .at_once = 1,
				 .child = xcalloc((size_t)n->jobs, sizeof(*f.child)) };
	struct pollfd *fds = xcalloc((size_t)n->jobs, sizeof(*fds));
	const size_t share = f.todo / (4 * (size_t)n->jobs);

	/*
	 * Training runs are long, and real ranks are begun by a process of their own. Where old
	 * results stand, a file does not say which of its runs a child has made: it has one.
	 */
	if (plan_is_timing(p) && !plan_is_real(p) && !n->again && share > 1)
		f.at_once = share < MOST_AT_ONCE ? share : MOST_AT_ONCE;
	choose_waiting(&f);
	signals_endure();
	progress_start(&f.progress, f.todo, n->quiet);
	f.progress.position = n->position;
	f.progress.after_s = n->after_s;
	for (;;) {
		heed_signals(&f);
		fill_slots(&f);
		if (f.living == 0)
			break;
		children_await(&f, fds);
		children_reap(&f);
		worker_pool_show(&f);
	}
	progress_end(&f.progress);
	for (size_t i = 0; i < p->n; i++)
		p->runs[i].state = p->runs[p->runs[i].same_as].state;
	free(f.child);
	free(f.begun);
	free(f.training);
	free(fds);
	return f.full || f.broken ? EXIT_DIE : EXIT_OK;
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
	note_own(plan_assumed(p));
	notes_own(plan_remarks(p));
	note_own(n->estimate ? estimate_text(n->estimate) : NULL);
}

/*
 * The folder is this program's, and its children's until the last has ended; of one that was
 * killed, children may still be at work. True when it had to wait. A file system without locks
 * is gone without.
 */
static bool plan_lock(struct plan *p, int *fd)
{
	*fd = open(p->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (*fd < 0 || flock(*fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
		return false;
	note("another convoy is at work in %s; waiting for its end", p->folder);
	while (flock(*fd, LOCK_EX) < 0 && errno == EINTR && !signal_caught)
		;
	return true;
}

static int run_locked(struct plan *p, struct pool_conf *n)
{
	int code = EXIT_OK;

	if (jobs_choose(p, n) < 0)
		return EXIT_BAD;
	if (*p->spec.name && given_write(p->dir, &p->set) < 0)
		return output_code(EXIT_BAD);
	if (!n->quiet && !n->unannounced)
		plan_announce(p, n);
	if (plan_open_data(p) < 0 && (n->fail_fast || !plan_count(p, RUN_TODO)))
		return EXIT_BAD;
	if (plan_count(p, RUN_TODO)) {
		code = worker_pool_run(p, n);
		folder_sync(p->folder);
	}
	return code;
}

int plan_run(struct plan *p, struct pool_conf *n)
{
	int fd = -1, code = EXIT_BAD;

	if (folder_prepare(p->folder) == 0) {
		if (*p->spec.name && plan_lock(p, &fd) && !n->again)
			plan_settle(p, false);
		code = signal_caught ? EXIT_OK : run_locked(p, n);
		if (fd >= 0)
			close(fd);
	}
	if (code == EXIT_DIE)
		error("%s: nothing more can be written into %s; runs that were not made: %zu. Free "
		      "some space, or raise the limit 'ulimit -f'; the same command resumes",
		      p->spec.name, p->folder, plan_left(p) + plan_count(p, RUN_FAILED));
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
	note("%zu of the runs are %s, %zu are left; the same command %s",
	     plan_count(p, RUN_FINISHED), n->again ? "repeated" : "finished", plan_left(p),
	     n->again ? "repeats all of them; without --again, only those without a result"
		      : "resumes");
	return signals_exit_code();
}

size_t plan_left(const struct plan *p)
{
	return plan_count(p, RUN_TODO) + plan_count(p, RUN_CUT);
}

size_t plan_failed(const struct plan *p)
{
	const size_t n = plan_count(p, RUN_FAILED) + plan_left(p);

	if (n)
		error("%s%s%zu %s%srun%s without a result", p->spec.name,
		      *p->spec.name ? ": " : "", n, p->stage ? p->stage : "",
		      p->stage ? " " : "", word_plural((double)n));
	return n;
}
