/* Chooses, makes and syncs the folder of results, and checks that it can be written. */
#define _GNU_SOURCE             /* syncfs() */
#include "runner/results/folder.h"

#include "core/base/error.h"
#include "core/file/paths.h"
#include "core/file/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *results_folder(const char *out)
{
	const char *env = getenv("CONVOY_RESULTS");

	if (out && *out)
		return out;
	return env && *env ? env : "results";
}

int folder_writable(const char *dir)
{
	if (access(dir, W_OK | X_OK) < 0)
		return error("cannot write into %s: %s", dir, strerror(errno));
	return 0;
}

int folder_prepare(const char *dir)
{
	if (dir_make(dir) < 0 || folder_writable(dir) < 0)
		return -1;
	temporary_clean(dir);
	return 0;
}

void folder_sync(const char *dir)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || syncfs(fd) < 0)
		warning("cannot see to it that %s reaches the disk: %s", dir, strerror(errno));
	if (fd >= 0)
		close(fd);
}
