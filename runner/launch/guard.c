/* A process that outlives rank 0, and marks a result that was cut short. */
#include "runner/launch/guard.h"

#include "core/base/process.h"
#include "runner/launch/launch.h"
#include "runner/launch/world.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static int guard_fd = -1;       /* the end of a pipe to the guard, which closes with rank 0 */

/* Signals are for the ranks: the guard ends with rank 0. */
static void ignore_signals(void)
{
	static const int all[] = { SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGPIPE };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		signal(all[i], SIG_IGN);
}

/* Reads the path of the result, until rank 0 is no more. */
static int guard_main(void *arg, int fd)
{
	char path[4096] = "";
	size_t length = 0;

	(void)arg;
	setsid();               /* launchers kill the group of a rank */
	prctl(PR_SET_NAME, "convoy-guard");
	ignore_signals();
	for (;;) {
		const ssize_t n = read(fd, path + length, sizeof(path) - 1 - length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		length += (size_t)n;
		path[length] = '\0';
	}
	if (*path)
		launch_keep_partial(path, true);
	return 0;
}

void guard_start(void)
{
	const struct process_way way = { .run = guard_main, .listens = true };
	struct process guard;

	if (!world_is_ours() && world_rank() <= 0 && process_start(&guard, &way) == 0)
		guard_fd = guard.fd;
}

void guard_result(const char *path)
{
	if (guard_fd < 0)
		return;
	if (write(guard_fd, path, strlen(path) + 1) < 0)
		guard_fd = -1;
}
