/* Makes timing-only runs in child processes, which send their figures through a pipe. */
#include "runner/figures_run.h"

#include "core/base/context.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/base/process.h"
#include "nets/external/external.h"
#include "runner/progress.h"
#include "runner/signals.h"
#include "runner/single_run/simrun.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct figures_message {        /* of a child: less than PIPE_BUF, so never torn */
	size_t run;
	enum figures_state { FIGURES_BEGIN, FIGURES_DONE, FIGURES_FAILED } state;
	struct record_figures figures;
	char why[512];          /* of a run that failed */
};

struct figures_child {
	struct process process;
	const struct figures_pool *pool;
	size_t first;           /* among the runs to do: this one, and every jobs-th after it */
	size_t run;             /* that it is at; PLAN_NONE: none */
};

struct figures_pool {
	struct plan *plan;
	struct record_figures *figure;
	char **why;             /* of runs that fail; NULL: the first one ends all */
	size_t *todo;           /* [ntodo] runs */
	size_t ntodo, done;
	struct figures_child *child;    /* [jobs] */
	size_t jobs, living;
	double gradients;       /* of finished runs */
	struct progress progress;
};

/* ---- the child's side ---- */

static char first_error[sizeof(((struct figures_message *)0)->why)];
static error_routine shown;     /* the routine for messages that end the process */

/* Keeps the first error instead of printing it, and nothing else. */
static void error_keep(enum severity sev, const char *fmt, va_list ap)
{
	if (sev == SEV_ERROR && !*first_error)
		vsnprintf(first_error, sizeof(first_error), fmt, ap);
	if (sev >= SEV_DIE)
		shown(sev, fmt, ap);
}

static enum run_end child_run(const struct figures_pool *f, int fd, size_t run)
{
	const struct planned *r = &f->plan->runs[run];
	struct figures_message message = { .run = run };
	const struct run_context context = {
		.experiment = f->plan->spec.name, .scale = f->plan->spec.scale,
		.path = r->path, .threads = 1, .figures = &message.figures,
		.interrupted = &signal_caught,
	};
	enum run_end end;

	if (process_write(fd, &message, sizeof(message)) < 0)
		return RUN_END_INTERRUPTED;
	*first_error = '\0';
	if (!f->why)            /* it has a routine of its own for messages */
		context_set(r->label);
	end = signal_caught ? RUN_END_INTERRUPTED : simrun(&r->su, r->data, &context);
	if (!f->why)
		context_set(NULL);
	if (end == RUN_END_INTERRUPTED || (end != RUN_END_DONE && !f->why))
		return end;
	message.state = end == RUN_END_DONE ? FIGURES_DONE : FIGURES_FAILED;
	memcpy(message.why, first_error, sizeof(message.why));
	if (process_write(fd, &message, sizeof(message)) < 0)
		return RUN_END_INTERRUPTED;
	return RUN_END_DONE;
}

static int child_main(void *arg, int fd)
{
	const struct figures_child *c = arg;
	const struct figures_pool *f = c->pool;
	enum run_end end = RUN_END_DONE;

	for (size_t i = 0; i < c->first; i++)
		if (f->child[i].process.pid)
			close(f->child[i].process.fd);
	signals_end_with_parent(SIGNALS_PATIENCE_S);
	if (f->why)
		shown = error_set_routine(error_keep);
	for (size_t i = c->first; i < f->ntodo && end == RUN_END_DONE; i += f->jobs)
		end = child_run(f, fd, f->todo[i]);
	return run_end_code(end);
}

/* ---- the parent's side ---- */

static int children_start(struct figures_pool *f)
{
	for (size_t i = 0; i < f->jobs; i++) {
		struct figures_child *c = &f->child[i];
		const struct process_way way = { .run = child_main, .arg = c, .nonblock = true,
						 .end_signal = SIGTERM };

		fflush(NULL);
		*c = (struct figures_child){ .pool = f, .first = i, .run = PLAN_NONE };
		if (process_start(&c->process, &way) < 0)
			return error("cannot start a process for a run: %s. Raise the limits of "
				     "processes and memory ('ulimit -a'), or use fewer --jobs",
				     strerror(errno));
		f->living++;
	}
	return 0;
}

static void child_read(struct figures_pool *f, struct figures_child *c)
{
	struct figures_message m;

	while (read(c->process.fd, &m, sizeof(m)) == sizeof(m)) {
		c->run = m.state == FIGURES_BEGIN ? m.run : PLAN_NONE;
		if (m.state == FIGURES_BEGIN)
			continue;
		f->done++;
		f->plan->runs[m.run].state = m.state == FIGURES_DONE ? RUN_FINISHED : RUN_FAILED;
		if (m.state == FIGURES_FAILED) {
			f->why[m.run] = xstrdup(m.why);
			continue;
		}
		f->figure[m.run] = m.figures;
		f->gradients += m.figures.gradients;
	}
}

static void children_stop(struct figures_pool *f, int sig)
{
	for (size_t i = 0; i < f->jobs; i++)
		if (f->child[i].process.pid)
			process_signal(&f->child[i].process, sig);
}

/* Reads from the children, and settles those that have ended; the first that failed ends all. */
static void children_look(struct figures_pool *f)
{
	for (size_t i = 0; i < f->jobs; i++) {
		struct figures_child *c = &f->child[i];
		struct planned *r;
		char how[96];
		int status;

		if (!c->process.pid)
			continue;
		child_read(f, c);
		if (!process_ended(&c->process, &status))
			continue;
		child_read(f, c);
		process_wait(&c->process);
		f->living--;
		if (process_succeeded(status) || signal_caught || c->run == PLAN_NONE)
			continue;
		r = &f->plan->runs[c->run];
		r->state = RUN_FAILED;
		progress_end(&f->progress);
		if (process_signal_of(status)) {
			process_ending(status, how);
			error("%s: %s", r->label, how);
		}
		children_stop(f, SIGTERM);
	}
}

static void children_await(const struct figures_pool *f, struct pollfd *fds)
{
	nfds_t n = 0;

	for (size_t i = 0; i < f->jobs; i++)
		if (f->child[i].process.pid)
			fds[n++] = (struct pollfd){ .fd = f->child[i].process.fd,
						    .events = POLLIN };
	poll(fds, n, 200);
}

/* Makes the runs to do, which are some. */
static int pool_run(struct figures_pool *f, const struct pool_conf *n)
{
	scoped struct pollfd *fds = xcalloc(f->jobs, sizeof(*fds));
	int ret;

	signals_endure();
	progress_start(&f->progress, f->ntodo, n->quiet);
	ret = children_start(f);
	if (ret < 0)
		children_stop(f, SIGTERM);
	while (f->living) {
		if (signal_caught)
			children_stop(f, signal_count > 1 ? SIGKILL : SIGTERM);
		children_await(f, fds);
		children_look(f);
		progress_show(&f->progress, f->done, (double)f->done / (double)f->ntodo,
			      f->gradients);
	}
	progress_end(&f->progress);
	return ret;
}

int figures_run(struct plan *p, struct pool_conf *n, struct record_figures *figure, char **why)
{
	struct figures_pool f = { .plan = p, .figure = figure, .why = why };
	int ret = 0;

	external_end();         /* the runs are processes, which start programs of their own */
	if (jobs_choose(p, n) < 0 || plan_open_data(p) < 0)
		return EXIT_BAD;
	f.todo = xcalloc(p->n + 1, sizeof(*f.todo));
	for (size_t i = 0; i < p->n; i++)
		if (p->runs[i].state == RUN_TODO && p->runs[i].same_as == i)
			f.todo[f.ntodo++] = i;
	f.jobs = (size_t)n->jobs < f.ntodo ? (size_t)n->jobs : f.ntodo;
	f.child = xcalloc(f.jobs + 1, sizeof(*f.child));
	if (f.ntodo)
		ret = pool_run(&f, n);
	for (size_t i = 0; i < p->n; i++) {
		const size_t first = p->runs[i].same_as;

		p->runs[i].state = p->runs[first].state;
		if (first != i)
			figure[i] = figure[first];
		if (why && first != i && why[first])
			why[i] = xstrdup(why[first]);
	}
	free_all(f.child, f.todo);
	if (ret < 0)
		return EXIT_DIE;
	return signal_caught ? signals_exit_code() : EXIT_OK;
}
