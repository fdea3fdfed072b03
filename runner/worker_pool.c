/* Starts child processes for a plan's runs, reads their progress and how they ended. */
#include "runner/worker_pool.h"

#include "core/base/context.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/base/process.h"
#include "core/file/output.h"
#include "core/text/word.h"
#include "runner/progress.h"
#include "runner/results/lock.h"
#include "runner/signals.h"
#include "runner/single_run/simrun.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
	size_t next;            /* first run not looked at */
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

/* The child's side. */

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

static enum run_end run_on_ranks(const struct planned *r, const struct run_context *t,
				  const struct launch *sim)
{
	const struct launch_run run = { .path = t->path, .experiment = t->experiment,
					.scale = t->scale, .threads = t->threads,
					.checkpoint_every = t->checkpoint_every,
					.resume = t->resume, .hosts = *sim };
	int code = launch_run(&r->su, &run);

	if (code == EXIT_SIGINT || code == EXIT_SIGUSR1 || code == EXIT_SIGTERM)
		return RUN_END_INTERRUPTED;
	return code == EXIT_OK ? RUN_END_DONE : RUN_END_FAILED;
}

static bool has_ranks(const struct planned *r, const struct pool_conf *n)
{
	return r->su.in.engine == ENGINE_MPI || (n->sim.ranks > 1 && !r->su.in.timing);
}

/* The runs of a plan that are to do are those that no earlier run is the same as. */
static bool is_todo(const struct plan *p, size_t i)
{
	return p->runs[i].state == RUN_TODO && p->runs[i].same_as == i;
}

static enum run_end child_run(const struct worker_pool *f, const struct planned *r,
			      struct reporter *t)
{
	const struct pool_conf *n = f->conf;
	char *title = plan_title(f->plan, r);
	const struct result_lock lock = has_ranks(r, n) ? (struct result_lock){ .fd = -1 }
							: result_lock(r->path);
	struct run_context context = {
		.experiment = f->plan->spec.name, .scale = f->plan->spec.scale,
		.path = r->path, .threads = n->threads,
		.tick = send_progress, .ctx = t, .interrupted = &signal_caught,
		.checkpoint_every = n->checkpoint_every, .resume = n->resume,
		.synced_later = r->su.in.timing, .unjudged = n->unjudged,
	};
	enum run_end end;

	context_set(title);
	if (signal_caught)
		end = RUN_END_INTERRUPTED;
	else if (has_ranks(r, n))
		end = run_on_ranks(r, &context, &n->sim);       /* rank 0 takes the lock */
	else if (!n->again && result_finished(r->path, r->su.hash))
		end = RUN_END_DONE;     /* another process has made it meanwhile */
	else
		end = simrun(&r->su, r->data, &context);
	result_unlock(&lock);
	context_set(NULL);
	free(title);
	t->done++;
	t->before += t->gradients;
	return end;
}

/* A temporary file of a result that will be made again only takes more of a full disk. */
static int worker_pool_disk_full(const struct planned *r)
{
	char *part = xasprintf("%s.part", r->path);

	unlink(part);
	free(part);
	return STATUS_FULL;
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
		if (is_todo(f->plan, i))
			end = child_run(f, &f->plan->runs[i], &reporter);
	if (end < RUN_END_DONE && output_full())
		exit(worker_pool_disk_full(&f->plan->runs[i - 1]));
	exit(end == RUN_END_INTERRUPTED ? EXIT_SIGINT : run_end_code(end));
}

/* The parent's side. */

/* -1 after error(): no more are started. A parent that is killed takes its children along. */
static int worker_pool_spawn(struct worker_pool *f, struct child *c, size_t run, size_t end)
{
	const struct process_way way = { .run = child_main, .arg = c, .nonblock = true,
					 .end_signal = SIGTERM };

	fflush(NULL);
	*c = (struct child){ .pool = f, .run = run, .end = end };
	if (process_start(&c->process, &way) < 0) {
		f->closing = f->broken = true;
		return error("cannot start a process for a run: %s", strerror(errno));
	}
	f->living++;
	return 0;
}

/* The first run to do of [i, end), or end. */
static size_t next_todo(const struct plan *p, size_t i, size_t end)
{
	while (i < end && !is_todo(p, i))
		i++;
	return i;
}

/* f->next goes after the next runs of one child, of which the first is returned; or n. */
static size_t next_runs(struct worker_pool *f)
{
	const size_t first = next_todo(f->plan, f->next, f->plan->n);

	f->next = first;
	for (size_t k = 0; k < f->at_once && f->next < f->plan->n; f->next++)
		k += is_todo(f->plan, f->next);
	return first;
}

static void fill_slots(struct worker_pool *f)
{
	for (int i = 0; i < f->conf->jobs && !f->closing; i++) {
		size_t run;

		if (f->child[i].process.pid)
			continue;
		run = next_runs(f);
		if (run == f->plan->n)
			return;
		worker_pool_spawn(f, &f->child[i], run, f->next);
	}
}

static void read_news(struct child *c)
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

static bool worker_pool_accepts(const struct worker_pool *f, const struct planned *r)
{
	return f->closing || !f->conf->check || r->state != RUN_FINISHED ||
	       f->conf->check(f->conf->check_of, r) == 0;
}

/*
 * What became of the runs of a child that ended so. One that ended early did so in the first run
 * without a result; after that the first of those that it left is returned, or its end.
 */
static size_t worker_pool_settle(struct worker_pool *f, const struct child *c, int status)
{
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
		if (f->full || (r->state == RUN_FAILED && f->conf->fail_fast) ||
		    !worker_pool_accepts(f, r))
			f->closing = true;
		i = next;
	}
	return i;
}

static void release_slot(struct worker_pool *f, struct child *c, int status)
{
	const struct child dead = *c;
	size_t left;

	read_news(c);
	process_wait(&c->process);
	progress_end(&f->progress);
	f->gradients += c->progress.gradients;
	f->living--;
	*c = (struct child){ 0 };
	left = worker_pool_settle(f, &dead, status);
	if (f->closing && !f->told)
		kill_all(f, SIGTERM);
	if (left < dead.end && !f->closing)
		worker_pool_spawn(f, c, left, dead.end);
}

static void worker_pool_reap(struct worker_pool *f)
{
	for (int i = 0; i < f->conf->jobs; i++) {
		struct child *c = &f->child[i];
		int status;

		if (c->process.pid && process_ended(&c->process, &status))
			release_slot(f, c, status);
	}
}

/* Until some child writes or ends (its pipe hangs up), a signal comes, or a moment is over. */
static void worker_pool_await(struct worker_pool *f, struct pollfd *fds)
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
			read_news(&f->child[i]);
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
 * Training runs are long, and real ranks are begun by a process of their own. Where old results
 * stand, a file does not say which of its runs a child has made: it has one.
 */
static size_t runs_at_once(const struct plan *p, const struct pool_conf *n)
{
	const size_t share = plan_count(p, RUN_TODO) / (4 * (size_t)n->jobs);

	if (!plan_is_timing(p) || plan_is_real(p) || n->again || share < 1)
		return 1;
	return share < MOST_AT_ONCE ? share : MOST_AT_ONCE;
}

int worker_pool_run(struct plan *p, const struct pool_conf *n)
{
	struct worker_pool f = { .plan = p, .conf = n, .todo = plan_count(p, RUN_TODO) };
	struct pollfd *fds = xcalloc((size_t)n->jobs, sizeof(*fds));

	f.child = xcalloc((size_t)n->jobs, sizeof(*f.child));
	f.at_once = runs_at_once(p, n);
	signals_endure();
	progress_start(&f.progress, f.todo, n->quiet);
	f.progress.position = n->position;
	f.progress.after_s = n->after_s;
	for (;;) {
		heed_signals(&f);
		fill_slots(&f);
		if (f.living == 0)
			break;
		worker_pool_await(&f, fds);
		worker_pool_reap(&f);
		worker_pool_show(&f);
	}
	progress_end(&f.progress);
	for (size_t i = 0; i < p->n; i++)
		p->runs[i].state = p->runs[p->runs[i].same_as].state;
	free(f.child);
	free(fds);
	return f.full || f.broken ? EXIT_DIE : EXIT_OK;
}
