/*
 * key.c - the secret key of this user's checkpoints, in a file of its own.
 *
 * A checkpoint of ranks is the memory of nodes, with pointers in it, which cannot be checked one by
 * one. So every file of a checkpoint has a checksum that only this key can produce, and a file with
 * another checksum is not read.
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

/*
 * Path of the key file: $CONVOY_KEY_FILE, else in $XDG_STATE_HOME, else below $HOME. The caller
 * frees. NULL: none of these is set.
 */
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

/* Makes missing folders of the path, readable by this user alone. 0, or -1 with errno. */
static int make_folders(const char *path)
{
	scoped char *part = xstrdup(path);
	int ret = 0;

	for (char *c = part; *c && !ret; c++) {
		if (*c != '/' || c == part)
			continue;
		*c = '\0';
		ret = dir_exists(part) || mkdir(part, 0700) == 0 || errno == EEXIST ? 0 : -1;
		*c = '/';
	}
	return ret;
}

/*
 * Writes a random key to a temporary file, of which `name` is mkstemp()'s template, and links it to
 * the path when it is complete, so that no process reads a part of it. 0, also when another process
 * has made the file meanwhile; -1 with errno.
 */
static int write_random_key(const char *path, char *name)
{
	unsigned char key[CHECKED_KEY];
	const int fd = mkstemp(name);
	int why = 0;

	if (fd < 0)
		return -1;
	errno = 0;              /* stays 0 if fewer bytes are written */
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

/* Makes the key file and its folders. 0, or -1 with errno. */
static int make_key(const char *path)
{
	scoped char *name = xasprintf("%s.XXXXXX", path);
	int ret = make_folders(path);

	if (!ret)
		ret = write_random_key(path, name);
	return ret;
}

/* ---- reading ---- */

/* Why this file cannot be trusted as a key, as the end of a sentence; NULL: it can. */
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
		errno = EIO;    /* unless read() sets it: fewer bytes came */
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

/* The key of this user, made if it is missing; returns as real_key(), on process 0. */
static int find_key(unsigned char *key)
{
	scoped char *path = key_path();
	int ret = path ? read_key(path, key) : 0;

	if (path && ret == 0 && errno == ENOENT && make_key(path) == 0)
		ret = read_key(path, key);
	if (!path)
		warning("no checkpoints are written or resumed: there is no home folder ($HOME) "
			"for their key. Name a file for it by CONVOY_KEY_FILE");
	else if (ret == 0)
		warning("no checkpoints are written or resumed: there is no key for them at '%s': "
			"%s. Name another file by CONVOY_KEY_FILE", path, strerror(errno));
	return ret;
}

int real_key(unsigned char *key)
{
	int ret = real_rank() == 0 ? find_key(key) : 0;

	real_share(&ret, sizeof(ret));
	if (ret > 0)
		real_share(key, CHECKED_KEY);
	return ret;
}
