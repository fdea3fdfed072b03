#include "cmd/children.h"

#include "cmd/context.h"
#include "cmd/progress.h"
#include "cmd/signals.h"
#include "cmd/simrun.h"
#include "core/error.h"
#include "core/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct news {                   /* what a child writes: less than PIPE_BUF, so never torn */
	double fraction, gradients;
};

struct child {
	pid_t pid;              /* 0: none */
	int fd;                 /* news come here */
	size_t run;             /* index in the plan */
	struct news news;
};

struct brood {                  /* the children of one children_run() */
	struct plan *plan;
	const struct nursery *nursery;
	struct child *child;    /* [nursery->jobs] */
	size_t next;            /* first run not looked at */
	int living;
	size_t done, todo;
	double gradients;       /* of the runs that ended */
	bool closing;           /* no more are begun */
	bool told;              /* the children know of the signal */
	pid_t self;
	struct progress progress;
};

/* The child's side. */

static void send_news(void *ctx, double fraction, double gradients)
{
	const int *fd = ctx;
	struct news news = { fraction, gradients };

	if (write(*fd, &news, sizeof(news)) < 0 && errno == EPIPE)
		signal_caught = SIGTERM;        /* the parent is gone */
}

static enum trip_end run_on_ranks(const struct planned *r, const struct trip *t,
				  const struct launch *sim)
{
	const struct launch_run run = { .path = t->path, .experiment = t->experiment,
					.scale = t->scale, .threads = t->threads,
					.checkpoint_every = t->checkpoint_every,
					.resume = t->resume, .sim = *sim };
	int code = launch_run(&r->su, &run);

	if (code == EXIT_SIGINT || code == EXIT_SIGTERM)
		return TRIP_INTERRUPTED;
	return code == EXIT_OK ? TRIP_DONE : TRIP_FAILED;
}

/* A parent that is killed takes its children along: they end as if asked to. */
static void end_with(pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		signal_caught = SIGTERM;
}

static bool has_ranks(const struct planned *r, const struct nursery *n)
{
	return r->su.in.engine == ENGINE_MPI || (n->sim.ranks > 1 && !r->su.in.timing);
}

static _Noreturn void child_main(const struct brood *f, const struct planned *r, int fd)
{
	const struct nursery *n = f->nursery;
	char *title = plan_title(f->plan, r);
	struct trip trip = {
		.experiment = f->plan->spec.name, .scale = f->plan->spec.scale,
		.path = r->path, .threads = n->threads, .argc = n->argc, .argv = n->argv,
		.tick = send_news, .ctx = &fd, .interrupted = &signal_caught,
		.checkpoint_every = n->checkpoint_every, .resume = n->resume,
	};
	enum trip_end end;

	for (int i = 0; i < n->jobs; i++)
		if (f->child[i].fd > 0)
			close(f->child[i].fd);
	signal(SIGPIPE, SIG_IGN);
	end_with(f->self);
	context_set(title);
	end = has_ranks(r, n) ? run_on_ranks(r, &trip, &n->sim)
			      : simrun(&r->su, r->data, &trip);
	context_set(NULL);
	free(title);
	exit(end == TRIP_DONE ? EXIT_OK : end == TRIP_FAILED ? EXIT_BAD : EXIT_SIGINT);
}

/* The parent's side. */

static void open_pipe(int fd[2])
{
	if (pipe(fd) < 0)
		die("cannot make a pipe: %s", strerror(errno));
	for (int i = 0; i < 2; i++) {
		fcntl(fd[i], F_SETFL, O_NONBLOCK);
		fcntl(fd[i], F_SETFD, FD_CLOEXEC);
	}
}

static void spawn(struct brood *f, struct child *c, size_t run)
{
	int fd[2];

	open_pipe(fd);
	fflush(NULL);
	*c = (struct child){ .fd = fd[0], .run = run };
	c->pid = fork();
	if (c->pid < 0)
		die("cannot start a process: %s", strerror(errno));
	if (c->pid == 0) {
		child_main(f, &f->plan->runs[run], fd[1]);
	}
	close(fd[1]);
	f->living++;
}

/* The next run to do, or n when there is none. */
static size_t next_run(struct brood *f)
{
	const struct plan *p = f->plan;

	while (f->next < p->n &&
	       (p->runs[f->next].state != RUN_TODO || p->runs[f->next].twin != f->next))
		f->next++;
	return f->next < p->n ? f->next++ : p->n;
}

static void fill_cradles(struct brood *f)
{
	for (int i = 0; i < f->nursery->jobs && !f->closing; i++) {
		size_t run;

		if (f->child[i].pid)
			continue;
		run = next_run(f);
		if (run == f->plan->n)
			return;
		spawn(f, &f->child[i], run);
	}
}

static void read_news(struct child *c)
{
	struct news news;

	while (read(c->fd, &news, sizeof(news)) == sizeof(news))
		c->news = news;
}

static enum run_state state_of(int status, const struct planned *r)
{
	if (WIFSIGNALED(status)) {
		error("%s: killed by signal %d (%s)", *r->label ? r->label : r->su.hash,
		      WTERMSIG(status), strsignal(WTERMSIG(status)));
		return RUN_FAILED;
	}
	if (WEXITSTATUS(status) == EXIT_SIGINT)
		return RUN_CUT;
	if (WEXITSTATUS(status) == EXIT_OK && result_finished(r->path, r->su.hash))
		return RUN_FINISHED;
	if (WEXITSTATUS(status) == EXIT_OK)
		error("%s: no whole result was written to %s", r->label, r->path);
	return RUN_FAILED;
}

static void kill_all(const struct brood *f, int sig)
{
	for (int i = 0; i < f->nursery->jobs; i++)
		if (f->child[i].pid)
			kill(f->child[i].pid, sig);
}

static void bury(struct brood *f, struct child *c, int status)
{
	struct planned *r = &f->plan->runs[c->run];

	read_news(c);
	close(c->fd);
	progress_end(&f->progress);
	r->state = state_of(status, r);
	f->gradients += c->news.gradients;
	f->done++;
	f->living--;
	*c = (struct child){ 0 };
	if (r->state == RUN_FAILED && f->nursery->fail_fast) {
		f->closing = true;
		kill_all(f, SIGTERM);
	}
}

static void reap(struct brood *f)
{
	for (int i = 0; i < f->nursery->jobs; i++) {
		struct child *c = &f->child[i];
		int status;

		if (c->pid && waitpid(c->pid, &status, WNOHANG) == c->pid)
			bury(f, c, status);
	}
}

/* Until some child writes or ends (its pipe hangs up), a signal comes, or a moment is over. */
static void await(struct brood *f, struct pollfd *fds)
{
	nfds_t n = 0;
	int ready;

	for (int i = 0; i < f->nursery->jobs; i++)
		if (f->child[i].pid)
			fds[n++] = (struct pollfd){ .fd = f->child[i].fd, .events = POLLIN };
	ready = poll(fds, n, 200);
	for (int i = 0; i < f->nursery->jobs && ready > 0; i++)
		if (f->child[i].pid)
			read_news(&f->child[i]);
}

static void show(struct brood *f)
{
	double work = (double)f->done, gradients = f->gradients;

	for (int i = 0; i < f->nursery->jobs; i++) {
		if (!f->child[i].pid)
			continue;
		work += f->child[i].news.fraction;
		gradients += f->child[i].news.gradients;
	}
	progress_show(&f->progress, f->done, work / (double)f->todo, gradients);
}

static void heed_signals(struct brood *f)
{
	if (!signal_caught)
		return;
	f->closing = true;
	if (!f->told) {
		f->told = true;
		progress_end(&f->progress);
		note("finishing the files of %d runs; once more kills them", f->living);
		kill_all(f, SIGTERM);
	}
	if (signal_count > 1)
		kill_all(f, SIGKILL);
}

void children_run(struct plan *p, const struct nursery *n)
{
	struct brood f = { .plan = p, .nursery = n, .todo = plan_count(p, RUN_TODO),
			   .self = getpid() };
	struct pollfd *fds = xcalloc((size_t)n->jobs, sizeof(*fds));

	f.child = xcalloc((size_t)n->jobs, sizeof(*f.child));
	signals_endure();
	progress_start(&f.progress, f.todo, n->quiet);
	f.progress.place = n->place;
	f.progress.behind_s = n->behind_s;
	for (;;) {
		heed_signals(&f);
		fill_cradles(&f);
		if (f.living == 0)
			break;
		await(&f, fds);
		reap(&f);
		show(&f);
	}
	progress_end(&f.progress);
	for (size_t i = 0; i < p->n; i++)
		p->runs[i].state = p->runs[p->runs[i].twin].state;
	free(f.child);
	free(fds);
}
