#define _GNU_SOURCE             /* F_OFD_SETLK */
#include "core/part.h"

#include "core/error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * A lock of the descriptor's, not of the process's: that would end when a library closes the
 * same file. A file system without locks has none to wait for.
 */
static bool is_taken(int fd)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	return fcntl(fd, F_OFD_SETLK, &lock) && (errno == EACCES || errno == EAGAIN);
}

/* Another process may have renamed it between opening and locking. */
static bool is_at(int fd, const char *path)
{
	struct stat here, there;

	return fstat(fd, &here) == 0 && stat(path, &there) == 0 && here.st_dev == there.st_dev &&
	       here.st_ino == there.st_ino;
}

/* Open and locked; -1 after error(). */
static int take(const char *part)
{
	int fd = open(part, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);

	if (fd < 0 && errno == ELOOP)
		return error("cannot write '%s': it is a symbolic link; remove it", part);
	if (fd < 0)
		return error("cannot write '%s': %s", part, strerror(errno));
	if (!is_taken(fd))
		return fd;
	close(fd);
	return error("%s: another process is writing it", part);
}

FILE *part_open(const char *part)
{
	int fd = take(part);
	FILE *f;

	while (fd >= 0 && !is_at(fd, part)) {
		close(fd);
		fd = take(part);
	}
	f = fd < 0 ? NULL : fdopen(fd, "r+b");
	if (fd >= 0 && !f)
		die("out of memory");
	return f;
}

int part_sync(int fd)
{
	return fsync(fd) && errno != EINVAL && errno != ENOTSUP ? errno : 0;
}

int part_finish(FILE *f, const char *part, const char *path)
{
	if (fflush(f))
		return -1;
	errno = part_sync(fileno(f));
	return errno ? -1 : rename(part, path);
}
