/* Locks a result while it is made: another process that would make it waits. */
#define _GNU_SOURCE             /* F_OFD_SETLK */
#include "runner/results/lock.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/mem.h"
#include "core/file/paths.h"
#include "runner/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

enum { QUIET_LOOKS = 20 };      /* before it says for what it waits */
static const double look_s = 0.02;      /* between two looks */

/* The file that holds the locks of a folder's results, and no bytes. -1: it cannot be written. */
static int lock_open(const char *path)
{
	char *file = xasprintf("%.*s.lock", (int)(path_base(path) - path), path);
	const int fd = open(file, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);

	free(file);
	return fd;
}

/* Each name has a byte of its own, which need not be there. A lock of the descriptor's. */
static int lock_take(int fd, const char *path)
{
	const char *name = path_base(path);
	const uint64_t hash = fnv_text(FNV_START, name);
	struct flock byte = { .l_type = F_WRLCK, .l_whence = SEEK_SET,
			      .l_start = (off_t)(hash >> 2), .l_len = 1 };

	return fcntl(fd, F_OFD_SETLK, &byte);
}

bool result_lock_try(const char *path, struct result_lock *lock)
{
	int why;

	*lock = (struct result_lock){ .fd = lock_open(path) };
	if (lock->fd < 0 || lock_take(lock->fd, path) == 0)
		return true;
	why = errno;
	close(lock->fd);
	lock->fd = -1;
	return why != EACCES && why != EAGAIN;
}

struct result_lock result_lock(const char *path)
{
	struct result_lock lock;
	int looks = 0;

	while (!result_lock_try(path, &lock) && !signal_caught) {
		if (++looks == QUIET_LOOKS)
			note("another convoy is making %s; waiting for its end", path);
		clock_sleep(look_s);
	}
	lock.waited = looks > 0;
	return lock;
}

void result_unlock(const struct result_lock *lock)
{
	if (lock->fd >= 0)
		close(lock->fd);
}
