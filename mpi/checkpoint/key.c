/*
 * key.c - the secret key of this account's checkpoints, in a file of its own.
 *
 * A checkpoint of ranks is the memory of nodes, with pointers in it, which cannot be checked one by
 * one. So every file of it has a checksum that only this key can produce, and files with another
 * are not read.
 */
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/checked.h"
#include "core/file/paths.h"
#include "core/file/temporary.h"
#include "mpi/real.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

/* Path of the key file; the caller frees. NULL: no home folder is known. */
static char *key_path(void)
{
	const char *named = getenv("CONVOY_KEY_FILE"), *state = getenv("XDG_STATE_HOME");
	const char *home = getenv("HOME");

	if (named && *named)
		return xstrdup(named);
	if (state && *state == '/')
		return xasprintf("%s/convoy/checkpoint.key", state);
	return home && *home == '/' ? xasprintf("%s/.local/state/convoy/checkpoint.key", home)
				    : NULL;
}

/* ---- writing ---- */

/* Makes missing folders of the path, readable by this account alone; -1 with errno. */
static int make_folders(const char *path)
{
	char *part = xstrdup(path);
	int ret = 0;

	for (char *c = part; *c && !ret; c++) {
		if (*c != '/' || c == part)
			continue;
		*c = '\0';
		ret = dir_exists(part) || mkdir(part, 0700) == 0 || errno == EEXIST ? 0 : -1;
		*c = '/';
	}
	free(part);
	return ret;
}

/*
 * Writes random bytes to a temporary file, and links it to the path when it is complete: -1 with
 * errno.
 */
static int make_linked(const char *path, char *name)
{
	unsigned char key[CHECKED_KEY];
	const int fd = mkstemp(name);
	int why = 0;

	if (fd < 0)
		return -1;
	if (getrandom(key, sizeof(key), 0) != sizeof(key) ||
	    write(fd, key, sizeof(key)) != sizeof(key))
		why = errno ? errno : EIO;
	if (!why)
		why = temporary_sync(fd);
	if (!why && link(name, path) && errno != EEXIST)        /* EEXIST: one exists now */
		why = errno;
	unlink(name);
	close(fd);
	errno = why;
	return why ? -1 : 0;
}

static int make_key(const char *path)
{
	char *name = xasprintf("%s.XXXXXX", path);
	int ret = make_folders(path);

	errno = ret ? errno : 0;
	if (!ret)
		ret = make_linked(path, name);
	free(name);
	return ret;
}

/* ---- reading ---- */

/* Reason why this file cannot be trusted as a key, with advice; NULL: it can. */
static const char *find_fault(const struct stat *st)
{
	if (!S_ISREG(st->st_mode))
		return "is not a regular file";
	if (st->st_uid != geteuid())
		return "belongs to another account";
	if (st->st_mode & (S_IRWXG | S_IRWXO))
		return "is open to other accounts (chmod 600 it if no other has read it)";
	return st->st_size == CHECKED_KEY ? NULL : "does not hold 16 bytes";
}

/* Reads the key. 1; 0 with errno: it cannot be opened or read; -1 after error(). */
static int read_key(const char *path, unsigned char *key)
{
	const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	const char *fault = fd < 0 && errno == ELOOP ? "is a symbolic link" : NULL;
	struct stat st;
	bool whole = false;
	int why;

	if (fd >= 0 && fstat(fd, &st) == 0) {
		fault = find_fault(&st);
		errno = EIO;
		whole = !fault && read(fd, key, CHECKED_KEY) == CHECKED_KEY;
	}
	why = errno;
	if (fd >= 0)
		close(fd);
	errno = why;
	if (fault)
		return error("the key of checkpoints, '%s', %s. Remove it, and a new one is made, "
			     "with which older checkpoints are not resumed; or name another by "
			     "CONVOY_KEY_FILE", path, fault);
	return whole;
}

/* The key of this account, made if it is missing; returns as real_key(). */
static int real_find_key(unsigned char *key)
{
	char *path = key_path();
	int ret = path ? read_key(path, key) : 0;

	if (path && ret == 0 && errno == ENOENT && make_key(path) == 0)
		ret = read_key(path, key);
	if (!path)
		warning("no checkpoints are written or resumed: there is no home folder ($HOME) "
			"for their key. Name a file for it by CONVOY_KEY_FILE");
	else if (ret == 0)
		warning("no checkpoints are written or resumed: there is no key for them at '%s': "
			"%s. Name another file by CONVOY_KEY_FILE", path, strerror(errno));
	free(path);
	return ret;
}

int real_key(unsigned char *key)
{
	int ret = real_rank() == 0 ? real_find_key(key) : 0;

	real_share(&ret, sizeof(ret));
	if (ret > 0)
		real_share(key, CHECKED_KEY);
	return ret;
}
