/* Child processes: starting, signalling and waiting for them. */
#define _GNU_SOURCE             /* pipe2(), syscall() */
#include "core/base/process.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CLOSED_MOST = 65536 };   /* descriptors that are closed one by one */

/* ---- whether a process of this program has ended ---- */

enum { STAT_TEXT = 1024 };

/*
 * The line "3 (convoy) S ..." of a process: text <- it, and the end of its name, which may hold
 * spaces. NULL: the process has ended, or the system does not say.
 */
static const char *process_stat(pid_t pid, char text[STAT_TEXT])
{
	char path[64];
	const char *end;
	FILE *in;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	in = fopen(path, "re");
	if (!in || !fgets(text, STAT_TEXT, in))
		text[0] = '\0';
	if (in)
		fclose(in);
	end = strrchr(text, ')');
	return end && end[1] == ' ' && !strchr("ZXx", end[2]) ? end : NULL;
}

uint64_t process_start_ticks(pid_t pid)
{
	char text[STAT_TEXT];
	const char *at = process_stat(pid, text);

	for (int i = 0; at && i < 20; i++)      /* the state, 18 numbers, and the start */
		at = strchr(at + 1, ' ');
	return at ? strtoull(at, NULL, 10) : 0;
}

bool process_gone(const char *host, pid_t pid)
{
	char text[STAT_TEXT];
	struct utsname here;

	if (!host || uname(&here) < 0 || strcmp(host, here.nodename) != 0 ||
	    access("/proc/self/stat", R_OK) != 0)
		return false;
	/* A process of another user may be hidden: then only its number is known. */
	if (kill(pid, 0) < 0 && errno == EPERM && !process_stat(1, text))
		return false;
	return !process_stat(pid, text) || !strstr(text, "convoy");
}

void process_close_from(int first)
{
	const long most = sysconf(_SC_OPEN_MAX);

#ifdef SYS_close_range                 /* Linux 5.9 and later */
	if (syscall(SYS_close_range, (unsigned)first, ~0U, 0U) == 0)
		return;
#endif
	for (int i = first; i < (most > 0 && most < CLOSED_MOST ? (int)most : CLOSED_MOST); i++)
		close(i);
}

int process_pipe(int ends[2])
{
	/* In one call: another thread may start a program meanwhile, which would keep the ends. */
	return pipe2(ends, O_CLOEXEC);
}

int process_write(int fd, const void *bytes, size_t n)
{
	const char *p = bytes;

	while (n) {
		const ssize_t put = write(fd, p, n);

		if (put < 0 && errno != EINTR)
			return -1;
		p += put > 0 ? put : 0;
		n -= put > 0 ? (size_t)put : 0;
	}
	return 0;
}

/* ---- in the child ---- */

static int stream_lead(int stream, int to, int pipe_end)
{
	if (to == PROCESS_KEEP)
		return 0;
	if (to == PROCESS_NULL)
		to = open("/dev/null", O_RDWR | O_CLOEXEC);
	else if (to == PROCESS_PIPE)
		to = pipe_end;
	return to < 0 || dup2(to, stream) < 0 ? -1 : 0;
}

/* Asks for a signal at the parent's end. The parent may have ended before this call. */
static void end_with_parent(const struct process_way *way, pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, way->end_signal);
	if (getppid() == parent)
		return;
	if (way->words)
		_exit(128 + way->end_signal);
	raise(way->end_signal);
}

enum { PASSED = STDERR_FILENO + 1 };    /* the first descriptor that is passed */

/*
 * Moves the descriptors to their numbers, and *failed, which may have one of these, away. Libraries
 * such as MPI open others, which are closed.
 */
static int descriptors_pass(const struct process_way *way, int *failed)
{
	int fd[2];

	if (way->pass[0] <= 0)
		return 0;
	for (int i = 0; i < 2; i++)
		fd[i] = fcntl(way->pass[i], F_DUPFD_CLOEXEC, PASSED + 3);
	*failed = fcntl(*failed, F_DUPFD_CLOEXEC, PASSED + 2);
	for (int i = 0; i < 2; i++)
		if (fd[i] < 0 || dup2(fd[i], PASSED + i) < 0)
			return -1;
	if (*failed < 0 || dup2(*failed, PASSED + 2) < 0 ||
	    fcntl(PASSED + 2, F_SETFD, FD_CLOEXEC) < 0)
		return -1;
	*failed = PASSED + 2;
	process_close_from(PASSED + 3);
	return 0;
}

static int child_prepare(const struct process_way *way, pid_t parent, int fd)
{
	if (way->end_signal)
		end_with_parent(way, parent);
	if (way->group)
		setpgid(0, 0);
	if (way->dir && chdir(way->dir) < 0)
		return -1;
	return stream_lead(STDIN_FILENO, way->in, -1) |
	       stream_lead(STDOUT_FILENO, way->out, fd) | stream_lead(STDERR_FILENO, way->err, fd);
}

/* Runs the function, or becomes the program. If that fails, sends errno to the parent. */
static _Noreturn void child_main(const struct process_way *way, pid_t parent, int fd, int failed)
{
	int code = child_prepare(way, parent, fd), why;
	sigset_t none;

	sigemptyset(&none);     /* a thread of thread_start() may have forked */
	pthread_sigmask(SIG_SETMASK, &none, NULL);
	if (code == 0 && !way->words) {
		close(failed);
		code = way->run(way->arg, fd);
		_exit(code < 0 ? EXIT_DIE : code);
	}
	if (code == 0 && way->run)
		code = way->run(way->arg, fd);
	if (code == 0)
		code = descriptors_pass(way, &failed);
	if (code == 0) {
		signal(SIGPIPE, SIG_DFL);
		signal(SIGXFSZ, SIG_DFL);       /* mpiexec waits for ever after an EFBIG */
		execvp(way->words[0], way->words);
	}
	why = errno;
	process_write(failed, &why, sizeof(why));
	_exit(EXIT_DIE);
}

/* ---- in the parent ---- */

static void ends_close(int ends[2])
{
	for (int i = 0; i < 2; i++)
		if (ends[i] >= 0)
			close(ends[i]);
}

/* errno of a child that could not start its program; 0: it has started, and the pipe was closed. */
static int read_failure(int fd)
{
	int why = 0;
	ssize_t got;

	do
		got = read(fd, &why, sizeof(why));
	while (got < 0 && errno == EINTR);
	return got == (ssize_t)sizeof(why) ? why : 0;
}

static bool way_has_pipe(const struct process_way *way)
{
	return !way->words || way->out == PROCESS_PIPE || way->err == PROCESS_PIPE;
}

/* Forks; never returns in the child. ends: of the pipe; failed: of the pipe for errno. */
static int process_fork(struct process *p, const struct process_way *way, int ends[2],
			int failed[2])
{
	const int ours = way->listens ? 1 : 0;
	const pid_t parent = getpid();

	p->pid = fork();
	if (p->pid < 0)
		return -1;
	if (p->pid == 0) {
		if (ends[ours] >= 0)
			close(ends[ours]);
		close(failed[0]);
		child_main(way, parent, ends[!ours], failed[1]);
	}
	p->fd = ends[ours];
	ends[ours] = -1;
	return 0;
}

int process_start(struct process *p, const struct process_way *way)
{
	int ends[2] = { -1, -1 }, failed[2] = { -1, -1 }, why = 0;

	*p = (struct process){ .fd = -1, .group = way->group };
	if ((way_has_pipe(way) && process_pipe(ends) < 0) ||
	    process_pipe(failed) < 0 || process_fork(p, way, ends, failed) < 0) {
		why = errno;
		p->pid = 0;
	}
	ends_close(ends);
	if (failed[1] >= 0)
		close(failed[1]);
	if (failed[0] >= 0) {
		why = why ? why : read_failure(failed[0]);
		close(failed[0]);
	}
	if (p->fd >= 0 && way->nonblock)
		fcntl(p->fd, F_SETFL, O_NONBLOCK);
	if (why && p->pid)
		process_wait(p);
	errno = why;
	return why ? -1 : 0;
}

bool process_ended(struct process *p, int *status)
{
	pid_t got;

	do
		got = p->pid ? waitpid(p->pid, status, WNOHANG) : -1;
	while (got < 0 && errno == EINTR);
	if (got == 0)
		return false;
	if (got < 0)
		*status = -1;
	p->pid = 0;
	return true;
}

int process_wait(struct process *p)
{
	int status = -1;
	pid_t got;

	do
		got = p->pid ? waitpid(p->pid, &status, 0) : 0;
	while (got < 0 && errno == EINTR);
	if (p->fd >= 0)
		close(p->fd);
	p->fd = -1;
	p->pid = 0;
	return got > 0 ? status : -1;
}

void process_signal(const struct process *p, int sig)
{
	if (p->pid)
		kill(p->pid, sig);
}

bool process_succeeded(int status)
{
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int process_exit_code(int status)
{
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int process_signal_of(int status)
{
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

void process_ending(int status, char text[96])
{
	if (WIFSIGNALED(status))
		snprintf(text, 96, "killed by signal %d (%s)", WTERMSIG(status),
			 strsignal(WTERMSIG(status)));
	else if (WIFEXITED(status))
		snprintf(text, 96, "ended with exit code %d", WEXITSTATUS(status));
	else
		snprintf(text, 96, "ended in an unknown way");
}

void process_adopt_orphans(void)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1);
}

bool process_reap_orphans(void)
{
	pid_t ended;

	do
		ended = waitpid(-1, NULL, WNOHANG);
	while (ended > 0 || (ended < 0 && errno == EINTR));
	return ended == 0;
}

/* ---- reads a child's output, with limits of time and bytes ---- */

static const double tick_s = 0.2;       /* between two calls of tick() */
static const double doze_s = 0.005;     /* longest sleep between two checks for a child's end */

struct collection {
	struct process *p;
	const struct process_limits *limits;
	double end, next_tick;          /* on the clock of clock_s() */
	struct process_answer a;
};

/* False when a limit is reached: a.end says which. */
static bool process_may_go_on(struct collection *c)
{
	const double now = clock_s();

	if (now >= c->end)
		c->a.end = PROCESS_LATE;
	else if (c->limits->tick && now >= c->next_tick) {
		c->next_tick = now + tick_s;
		if (c->limits->tick(c->limits->arg))
			c->a.end = PROCESS_STOPPED;
	}
	return c->a.end == PROCESS_ENDED;
}

static void process_collect_keep(struct collection *c, const char *block, size_t n)
{
	if (c->limits->bytes && n > c->limits->bytes - c->a.n) {
		c->a.end = PROCESS_LONG;
		return;
	}
	c->a.text = xrealloc(c->a.text, c->a.n + n + 1, 1);
	memcpy(c->a.text + c->a.n, block, n);
	c->a.n += n;
	c->a.text[c->a.n] = '\0';
}

/* Reads once, or waits a little; false when the pipe has ended. */
static bool read_block(struct collection *c)
{
	struct pollfd p = { .fd = c->p->fd, .events = POLLIN };
	const double left = fmin(c->end - clock_s(), tick_s);
	char block[4096];
	ssize_t k;

	if (poll(&p, 1, left > 0 ? (int)ceil(1e3 * left) : 0) <= 0)
		return true;
	k = read(c->p->fd, block, sizeof(block));
	if (k > 0)
		process_collect_keep(c, block, (size_t)k);
	return k > 0 || (k < 0 && (errno == EINTR || errno == EAGAIN));
}

/* Waits for the end of a child that has closed its pipe. */
static bool await_end(struct collection *c)
{
	for (double doze = 1e-4; !process_ended(c->p, &c->a.status); doze *= 2) {
		if (!process_may_go_on(c))
			return false;
		clock_sleep(fmin(doze, doze_s));
	}
	return true;
}

struct process_answer process_collect(struct process *p, const struct process_limits *limits)
{
	const double now = clock_s();
	struct collection c = { .p = p, .limits = limits, .next_tick = now + tick_s,
				.end = limits->seconds > 0 ? now + limits->seconds : HUGE_VAL,
				.a = { .text = xstrdup("") } };
	bool open = p->fd >= 0;

	while (process_may_go_on(&c) && open)
		open = read_block(&c);
	if (c.a.end != PROCESS_ENDED || !await_end(&c)) {
		kill(p->group ? -p->pid : p->pid, SIGKILL);
		c.a.status = process_wait(p);
		return c.a;
	}
	process_wait(p);
	return c.a;
}

char *process_program(void)
{
	char path[PATH_MAX];
	const ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	return n > 0 ? xasprintf("%.*s", (int)n, path) : NULL;
}

void process_again(char **argv)
{
	scoped char *path = process_program();

	if (path)
		execv(path, argv);      /* by its own path, since ps shows the name */
}
