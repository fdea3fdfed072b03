/*
 * process_guard.c - a process that outlives this one, and ends what its children have started.
 *
 * The kernel kills a child when this process dies, but not the child's own children. They are in
 * the child's process group, which the guard kills: it reads the groups from a pipe, whose other
 * end closes with this process, however it ends.
 */
#include "core/base/process.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum {
	GROUPS = 4096,          /* at one time; more are not guarded */
	FIRST = STDERR_FILENO + 1
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct process guard;    /* under the lock, as are the next two */
static pid_t owner;             /* process that started the guard; 0: there is none */
static int guarded;             /* groups */

/* Adds a group, or removes it if it is negative. */
static void groups_take(pid_t groups[GROUPS], pid_t group)
{
	const pid_t wanted = group < 0 ? -group : 0, set = group < 0 ? 0 : group;

	for (int i = 0; i < GROUPS; i++)
		if (groups[i] == wanted) {
			groups[i] = set;
			return;
		}
}

static int guard_main(void *arg, int fd)
{
	static const int ignored[] = { SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGPIPE };
	static pid_t groups[GROUPS];
	pid_t group;
	ssize_t n;

	(void)arg;
	/* Locks and pipes of this process must end with it. */
	if (dup2(fd, FIRST) < 0)
		return -1;
	fd = FIRST;
	process_close_from(FIRST + 1);
	prctl(PR_SET_NAME, "convoy-guard");
	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
	do {
		n = read(fd, &group, sizeof(group));
		if (n == (ssize_t)sizeof(group))
			groups_take(groups, group);
	} while (n > 0 || (n < 0 && errno == EINTR));
	for (int i = 0; i < GROUPS; i++)
		if (groups[i] > 0)
			kill(-groups[i], SIGKILL);
	return 0;
}

/* Starts the guard, unless there is one. Without it, less is ended. Under the lock. */
static void guard_start(void)
{
	const struct process_way way = { .run = guard_main, .listens = true, .group = true,
					 .in = PROCESS_NULL, .out = PROCESS_NULL,
					 .err = PROCESS_NULL };

	if (owner == getpid())
		return;
	if (owner && guard.fd >= 0)
		close(guard.fd);                /* of the process that this one was forked from */
	owner = getpid();
	guarded = 0;
	if (process_start(&guard, &way) < 0)
		guard.fd = -1;
}

/* Tells the guard, if it is alive: without it, a write would end this process by SIGPIPE. */
static void guard_tell(pid_t group)
{
	sigset_t pipe, old;

	if (guard.fd < 0)
		return;
	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &pipe, &old);
	if (process_write(guard.fd, &group, sizeof(group)) < 0) {
		close(guard.fd);
		guard.fd = -1;
		if (!sigismember(&old, SIGPIPE))
			sigtimedwait(&pipe, NULL, &(struct timespec){ 0 });
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

void process_guard(pid_t group)
{
	pthread_mutex_lock(&lock);
	guard_start();
	guarded++;
	guard_tell(group);
	pthread_mutex_unlock(&lock);
}

void process_unguard(pid_t group)
{
	pthread_mutex_lock(&lock);
	if (owner == getpid()) {
		guard_tell(-group);
		if (--guarded == 0) {
			/* Processes forked from this one may hold the pipe open. */
			process_signal(&guard, SIGKILL);
			process_wait(&guard);
			owner = 0;
		}
	}
	pthread_mutex_unlock(&lock);
}
