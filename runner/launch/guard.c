/*
 * guard.c - a process that outlives rank 0, and marks a result that was cut short.
 *
 * Where convoy has started the launcher, the process that did so (the starter) marks the result,
 * names the cause and may start the ranks again. There the guard is needed if the starter is killed
 * and the launcher kills the ranks before one of them can mark the file. What else may write the
 * file at that time:
 *
 * - The starter: while it lives, the guard leaves the file alone. Unless the run has ended well,
 *   the guard waits one second for its end, because a signal to all processes may reach the
 *   starter last. If the starter has marked the file in that second, the guard finds no running
 *   result and changes nothing.
 * - Ranks that were started again: --restarts starts none once the starter has ended. After a
 *   user's --resume, rank 0 saves its process id in the file when the run begins, and the guard
 *   marks only a file with the id of its own rank 0, which has ended.
 * - Checkpoints are other files, which the guard neither reads nor writes. A resumed run reads its
 *   checkpoint and not the file that the guard marks.
 * - A rank that is left may mark the file (mpi/heartbeat.c). Both make the same change, in a file
 *   that they rename. Only if both write at the same moment and one is killed then, the file may
 *   be cut short; its seal shows that.
 */
#include "runner/launch/launch.h"

#include "core/base/clock.h"
#include "core/base/mem.h"
#include "core/base/process.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { LOOKS = 10, LOOKS_RANK = 50 };   /* for the end of the launcher's starter, of rank 0 ... */
static const double look_s = 0.1;       /* ... and between two of them */
static int guard_fd = -1;       /* the end of a pipe to the guard, which closes with rank 0 */

/* Reads the path of the result, until rank 0 is no more. */
static void read_path(int fd, char *path, size_t size)
{
	size_t length = 0;

	for (;;) {
		const ssize_t n = read(fd, path + length, size - 1 - length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		length += (size_t)n;
		path[length] = '\0';
	}
}

/* True when no process is left that would mark the result, now or in a moment. */
static bool is_ours_to_mark(void)
{
	for (int k = 0; world_is_ours() && !world_starter_gone(); k++) {
		if (k == LOOKS)
			return false;
		clock_sleep(look_s);
	}
	return true;
}

/* The pipe closes a moment before rank 0 has ended; until then its lock on the result counts. */
static void await_rank(pid_t rank)
{
	for (int k = 0; k < LOOKS_RANK && process_start_ticks(rank); k++)
		clock_sleep(look_s);
}

static int guard_main(void *arg, int fd)
{
	/* Signals are for the ranks: the guard ends with rank 0. */
	static const int ignored[] = { SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGPIPE };
	const pid_t *rank = arg;
	char path[4096] = "", *part;
	bool unfinished;

	setsid();               /* launchers kill the group of a rank */
	prctl(PR_SET_NAME, "convoy-guard");
	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
	read_path(fd, path, sizeof(path));
	/* A run that ended well has left no file but its result. */
	part = xasprintf("%s.part", path);
	unfinished = *path && access(part, F_OK) == 0;
	free(part);
	if (unfinished && is_ours_to_mark()) {
		await_rank(*rank);
		launch_keep_partial(path, *rank, true);
	}
	return 0;
}

/* Leaves the streams of rank 0 to convoy's own launcher, where that reads them. */
void guard_start(void)
{
	const int streams = world_is_ours() ? PROCESS_NULL : PROCESS_KEEP;
	pid_t rank = getpid();
	const struct process_way way = { .run = guard_main, .arg = &rank, .listens = true,
					 .in = streams, .out = streams, .err = streams };
	struct process guard;

	if (world_rank() <= 0 && process_start(&guard, &way) == 0)
		guard_fd = guard.fd;
}

void guard_result(const char *path)
{
	if (guard_fd < 0)
		return;
	if (write(guard_fd, path, strlen(path) + 1) < 0)
		guard_fd = -1;
}
