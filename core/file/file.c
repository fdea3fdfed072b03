/* Reads whole files up to a size limit; lists and makes folders. */
#include "core/file/paths.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/text/word.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Largest file that is read into memory. */
static const size_t LARGEST = (size_t)1 << 30;

int file_open_fd(const char *path)
{
	const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		return fd;
	close(fd);
	errno = S_ISDIR(st.st_mode) ? EISDIR : ENXIO;   /* errno as open() sets it for a socket */
	return -1;
}

FILE *file_open(const char *path)
{
	const int fd = file_open_fd(path);

	return fd < 0 ? NULL : must_have(fdopen(fd, "rb"), "an open file");
}

bool file_is_unread(void)
{
	return errno != ENOENT && errno != ENOTDIR && errno != ENXIO && errno != EISDIR;
}

const char *file_why(void)
{
	return errno == ENXIO ? "not a regular file" : strerror(errno);
}

int file_open_input(const char *path)
{
	if (strncmp(path, "/dev/", 5) == 0)
		return open(path, O_RDONLY | O_CLOEXEC);
	return file_open_fd(path);
}

/* Content of f, at most `most` bytes, followed by a NUL; NULL with errno set. */
static char *file_slurp(FILE *f, size_t most, size_t *size)
{
	size_t capacity = 4096, n = 0;
	char *text = xcalloc(capacity, 1);

	while (n <= most) {
		n += fread(text + n, 1, capacity - n - 1, f);
		if (n < capacity - 1)
			break;
		capacity = capacity < most / 2 ? 2 * capacity : most + 2;
		text = xrealloc(text, capacity, 1);
	}
	if (n > most)
		errno = EFBIG;
	if (ferror(f) || n > most) {
		free(text);
		return NULL;
	}
	text[n] = '\0';
	*size = n;
	return text;
}

/* True when a regular file is larger than allowed, before reading it. */
static bool is_too_large(FILE *f, size_t most)
{
	struct stat st;

	if (fstat(fileno(f), &st) || !S_ISREG(st.st_mode) || (uint64_t)st.st_size <= most)
		return false;
	errno = EFBIG;
	return true;
}

char *file_read(const char *path, size_t *size)
{
	return file_read_most(path, LARGEST, size);
}

char *path_cut_advice(const char *path)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	char *folder = xasprintf("%.*s", (int)(base - path), path), *advice = NULL;
	const size_t n = strlen(base);
	DIR *d = access(path, F_OK) == 0 ? NULL : opendir(*folder ? folder : ".");

	for (struct dirent *e = d ? readdir(d) : NULL; e && !advice; e = readdir(d))
		if (n && word_starts(e->d_name, base) && e->d_name[n] && strchr(",:", e->d_name[n]))
			advice = xasprintf("; ',' and ':' end a name here: rename '%s', or make a "
					   "link to it", e->d_name);
	if (d)
		closedir(d);
	free(folder);
	return advice ? advice : xstrdup("");
}

/* error() with errno. */
static void file_unreadable(const char *path)
{
	const char *why = file_why();
	scoped char *advice = path_cut_advice(path);

	error("cannot read '%s': %s%s", path, why, advice);
}

char *file_read_most(const char *path, size_t most, size_t *size)
{
	const int fd = file_open_input(path);
	FILE *f = fd < 0 ? NULL : must_have(fdopen(fd, "rb"), "an open file");
	char *text = NULL;
	size_t n = 0;

	if (f)
		errno = 0;
	if (f && !is_too_large(f, most))
		text = file_slurp(f, most, &n);
	if (!text && f && errno == EFBIG)
		error("cannot read '%s': larger than %zu MiB", path, most >> 20);
	else if (!text)
		file_unreadable(path);
	else if (size)
		*size = n;
	if (f)
		fclose(f);
	return text;
}

bool file_is_regular(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode);
}

bool dir_exists(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

static int file_is_shown(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

char **dir_list(const char *dir, const char *end)
{
	struct dirent **entry;
	const int n = scandir(dir, &entry, file_is_shown, alphasort);
	char **paths = n < 0 ? NULL : xcalloc((size_t)n + 1, sizeof(*paths));
	size_t listed = 0;

	for (int i = 0; i < n; i++) {
		if (word_ends(entry[i]->d_name, end))
			paths[listed++] = xasprintf("%s/%s", dir, entry[i]->d_name);
		free(entry[i]);
	}
	if (n >= 0)
		free(entry);
	return paths;
}

/* Makes one folder of the path; 0 if it exists in the end, else error(). */
static int make_one(const char *path, const char *advice)
{
	if (dir_exists(path) || !mkdir(path, 0777) || (errno == EEXIST && dir_exists(path)))
		return 0;
	return error("cannot make the folder '%s': %s%s", path,
		     errno == EEXIST ? "a file is already there" : strerror(errno), advice);
}

int dir_make(const char *path)
{
	return dir_make_or(path, "");
}

int dir_make_or(const char *path, const char *advice)
{
	scoped char *part = xstrdup(path);
	int rc = 0;

	for (char *c = part; !rc && *c; c++) {
		if (*c != '/' || c == part)
			continue;
		*c = '\0';
		rc = make_one(part, advice);
		*c = '/';
	}
	if (!rc)
		rc = make_one(part, advice);
	return rc;
}
