/* Locks temporary files, removes those of killed processes, renames complete ones. */
#define _GNU_SOURCE             /* F_OFD_SETLK */
#include "core/file/temporary.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/paths.h"
#include "core/text/word.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Locks the open file description, not the process: a lock of the process would end when a library
 * closes the same file. 0; -1 with errno: another process has it, or the file system has no locks.
 */
static int temporary_lock(int fd)
{
	struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	return fcntl(fd, F_OFD_SETLK, &whole);
}

static bool is_taken(int fd)
{
	return temporary_lock(fd) && (errno == EACCES || errno == EAGAIN);
}

/* False if another process has renamed the file between opening and locking. */
static bool is_at(int fd, const char *path)
{
	struct stat here, there;

	return fstat(fd, &here) == 0 && lstat(path, &there) == 0 &&
	       here.st_dev == there.st_dev && here.st_ino == there.st_ino;
}

/* ---- what a path leads to ---- */

/* Devices, whose links root may replace, and what processes have open. */
static bool is_special(const char *path)
{
	static const char devices[] = "/dev/", processes[] = "/proc/";

	return (word_starts(path, devices) && !strchr(path + strlen(devices), '/')) ||
	       word_starts(path, processes);
}

/* A link of another account, in a folder that both write, may name a file to be overwritten. */
static bool is_trusted_link(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISLNK(st.st_mode) &&
	       (st.st_uid == geteuid() || st.st_uid == 0);
}

/*
 * The file that a path leads to by the account's links, which may be missing; special paths, and
 * names that only unfinished files have, are not followed. Of links in a circle, one of them. The
 * caller frees.
 */
static char *path_target(const char *path)
{
	enum { MOST_LINKS = 40 };       /* as of Linux */
	const int links = word_ends(path, ".part") ? 0 : MOST_LINKS;
	char *at = xstrdup(path), to[PATH_MAX];

	for (int k = 0; k < links && !is_special(at) && is_trusted_link(at); k++) {
		const ssize_t n = readlink(at, to, sizeof(to));
		char *folder = path_folder(at);

		if (n < 0 || n == sizeof(to)) {
			free(folder);
			break;
		}
		free(at);
		at = *to == '/' ? xasprintf("%.*s", (int)n, to)
				: xasprintf("%s/%.*s", folder, (int)n, to);
		free(folder);
	}
	return at;
}

/*
 * Whether a new file may replace what is at the target of a path: nothing or a file. A device or a
 * pipe would be gone.
 */
static bool is_replaceable(const char *target)
{
	struct stat st;

	if (is_special(target))
		return false;
	return stat(target, &st) ? errno != ELOOP : S_ISREG(st.st_mode) || S_ISDIR(st.st_mode);
}

char *temporary_name(const char *path, const char *ending)
{
	char *target = path_target(path), *name = xasprintf("%s%s", target, ending);

	free(target);
	return name;
}

/* ---- files that killed runs have left ---- */

static bool is_left_over(const char *path)
{
	char *name = xstrdup(path), *dot = strrchr(name, '.');
	const bool of_result = dot && strcmp(dot, ".new") == 0;
	bool is = of_result || (dot && strcmp(dot, ".part") == 0);

	while (is && dot) {     /* skip the ending, and numbers before it */
		*dot = '\0';
		dot = strrchr(name, '.');
		if (dot && (!dot[1] || dot[1 + strspn(dot + 1, "0123456789")]))
			break;
	}
	is = is && (of_result ? word_ends(name, ".h5") || word_ends(name, ".h5.part")
			      : word_ends(name, ".h5.checkpoint"));
	free(name);
	return is;
}

/* Removes a file that no process has locked; keeps it if the file system has no locks. */
static void remove_left_over(const char *path)
{
	const int fd = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && temporary_lock(fd) == 0 &&
	    is_at(fd, path))
		unlink(path);
	if (fd >= 0)
		close(fd);
}

void temporary_clean(const char *folder)
{
	scoped_paths char **paths = dir_list(folder, "");

	for (char **path = paths; path && *path; path++)
		if (is_left_over(*path))
			remove_left_over(*path);
}

void temporary_remove(const char *path)
{
	scoped char *target = path_target(path), *folder = path_folder(target);
	scoped_paths char **files = dir_list(folder, "");
	const char *name = path_base(target);
	const size_t n = strlen(name);

	for (char **file = files; file && *file; file++)
		if (strncmp(path_base(*file), name, n) == 0 && path_base(*file)[n] == '.' &&
		    is_left_over(*file))
			unlink(*file);
}

/* ---- writing ---- */

static atomic_bool was_full;
static void (*before_rename)(void);

void temporary_before_rename(void (*call)(void))
{
	before_rename = call;
}

int temporary_rename(const char *part, const char *path)
{
	char *target = path_target(path);
	int why = EEXIST;

	if (before_rename)
		before_rename();
	if (is_replaceable(target))
		why = rename(part, target) ? errno : 0;
	free(target);
	errno = why;
	return why ? -1 : 0;
}

int temporary_failed(const char *path, int why)
{
	char *target = path_target(path);
	const bool is_file = is_replaceable(target);

	free(target);
	if (why == ENOSPC || why == EDQUOT || why == EFBIG)
		was_full = true;
	if (!is_file)
		return error("cannot write '%s': it is not a regular file", path);
	return error("cannot write '%s': %s", path, why ? strerror(why) : "HDF5 failed");
}

bool temporary_was_full(void)
{
	return was_full;
}

/* Opens and locks the file; -1 after error(). */
static int temporary_take(const char *part)
{
	int fd = open(part, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
	struct stat st;

	if (fd < 0 && errno == ELOOP)
		return error("cannot write '%s': it is a symbolic link; remove it", part);
	if (fd < 0)
		return temporary_failed(part, errno);
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		close(fd);
		return error("cannot write '%s': it is not a regular file; remove it", part);
	}
	if (!is_taken(fd))
		return fd;
	close(fd);
	return error("%s: another process is writing it", part);
}

FILE *temporary_open(const char *part)
{
	int fd = temporary_take(part);
	FILE *f;

	while (fd >= 0 && !is_at(fd, part)) {
		close(fd);
		fd = temporary_take(part);
	}
	f = fd < 0 ? NULL : fdopen(fd, "r+b");
	return fd < 0 ? NULL : must_have(f, "an open file");
}

enum {
	NAMES = 64,             /* processes that write one file at the same time */
	TRIES = 4               /* attempts, if other processes remove the new file as left over */
};

/*
 * Descriptor of a new, locked file; -1 with errno. EEXIST: another process, or another kind of
 * file.
 */
static int temporary_new(const char *path)
{
	for (int i = 1;; i++) {
		struct stat st;
		int fd;

		if (lstat(path, &st) == 0 && S_ISLNK(st.st_mode))
			unlink(path);   /* no temporary file of ours; a link is not followed */
		remove_left_over(path);
		fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
		if (fd < 0 || (!is_taken(fd) && is_at(fd, path)))
			return fd;
		close(fd);
		if (i == TRIES) {
			errno = EEXIST;
			return -1;
		}
	}
}

int temporary_create(const char *path, const char *ending, char **name)
{
	char *target = path_target(path);
	const int names = is_replaceable(target) ? NAMES : 0;
	int fd = -1, why = EEXIST;

	*name = NULL;
	for (int k = 0; k < names && fd < 0; k++) {
		free(*name);
		*name = k ? xasprintf("%s.%d%s", target, k, ending)
			  : xasprintf("%s%s", target, ending);
		fd = temporary_new(*name);
		why = errno;
		if (fd < 0 && why != EEXIST)
			break;
	}
	if (fd < 0) {
		free(*name);
		*name = NULL;
	}
	free(target);
	errno = why;
	return fd;
}

int temporary_sync(int fd)
{
	return fsync(fd) && errno != EINVAL && errno != ENOTSUP ? errno : 0;
}

int temporary_finish(FILE *f, const char *part, const char *path)
{
	if (fflush(f))
		return -1;
	errno = temporary_sync(fileno(f));
	return errno ? -1 : temporary_rename(part, path);
}
