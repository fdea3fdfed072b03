/*
 * cache.c - choices that were measured, in a file of lines
 *
 *     SUM FORWARD BACKWARD KEY
 *
 * with types 1 to 3, and the FNV-1a sum of what follows it. Lines that do not fit
 * theirs are left out with a note.
 */
#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/file/paths.h"
#include "nets/openblas/openblas.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINE = 1024 };           /* bytes of one, at most */

char *ob_cache_path(void)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

	if (cache && *cache == '/')
		return xasprintf("%s/convoy/lowering", cache);
	return home && *home == '/' ? xasprintf("%s/.cache/convoy/lowering", home) : NULL;
}

/* The key of a whole line without its newline, or NULL. */
static const char *openblas_cache_parse(const char *line, struct ob_choice *c)
{
	int at = 0, key = 0, forward, backward;
	uint64_t sum;

	if (sscanf(line, "%16" SCNx64 " %n%d %d %n", &sum, &at, &forward, &backward, &key) != 3
	    || !key || fnv_text(FNV_START, line + at) != sum || forward < 1 || forward > 3
	    || backward < 1 || backward > 3)
		return NULL;
	*c = (struct ob_choice){ (enum lowering)(forward - 1), (enum lowering)(backward - 1) };
	return line + key;
}

/* Calls use for every good line; false when the file cannot be read. */
static bool each_line(const char *path, bool (*use)(const char *line, const char *key,
						    struct ob_choice c, void *arg), void *arg)
{
	FILE *f = file_open(path);
	char line[LINE];
	int bad = 0;

	if (!f)
		return false;
	while (fgets(line, sizeof(line), f)) {
		struct ob_choice c;
		const char *key;

		line[strcspn(line, "\n")] = '\0';
		key = openblas_cache_parse(line, &c);
		bad += !key;
		if (key && use(line, key, c, arg))
			break;
	}
	fclose(f);
	if (bad)
		note("'%s' is damaged; lines that are left out: %d", path, bad);
	return true;
}

struct search {
	const char *key;
	struct ob_choice *choice;
	bool found;
};

static bool openblas_cache_compare(const char *line, const char *key, struct ob_choice c, void *arg)
{
	struct search *s = arg;

	(void)line;
	s->found = !strcmp(key, s->key);
	if (s->found)
		*s->choice = c;
	return s->found;
}

bool ob_cache_find(const char *path, const char *key, struct ob_choice *choice)
{
	struct search s = { key, choice, false };

	each_line(path, openblas_cache_compare, &s);
	return s.found;
}

struct copy {
	const char *but;                /* the key that is left out */
	FILE *to;
};

static bool copy_line(const char *line, const char *key, struct ob_choice c, void *arg)
{
	struct copy *copy = arg;

	(void)c;
	if (strcmp(key, copy->but))
		fprintf(copy->to, "%s\n", line);
	return false;
}

/* Makes the file's folder and the one that it lies in. */
static void make_folders(const char *path)
{
	char *folder = xstrdup(path);

	*strrchr(folder, '/') = '\0';
	*strrchr(folder, '/') = '\0';
	mkdir(folder, 0700);
	folder[strlen(folder)] = '/';
	mkdir(folder, 0700);
	free(folder);
}

/* The file's good lines, and the new one. */
static bool openblas_cache_write_all(FILE *f, const char *path, const char *key, struct ob_choice c)
{
	char line[LINE];
	struct copy copy = { key, f };
	int n = snprintf(line, sizeof(line), "%d %d %s", (int)c.forward + 1, (int)c.backward + 1,
			 key);

	each_line(path, copy_line, &copy);
	if (n > 0 && (size_t)n < sizeof(line) - 32)
		fprintf(f, "%016" PRIx64 " %s\n", fnv_text(FNV_START, line), line);
	return !ferror(f) && !fflush(f);
}

void ob_cache_add(const char *path, const char *key, struct ob_choice c)
{
	char *temporary = xasprintf("%s.XXXXXX", path);
	FILE *f = NULL;
	bool done = false;
	int fd;

	make_folders(path);
	fd = mkstemp(temporary);
	if (fd >= 0)
		f = fdopen(fd, "w");
	if (f)
		done = openblas_cache_write_all(f, path, key, c);
	if (f ? fclose(f) : fd >= 0 && close(fd))
		done = false;
	if (!done || rename(temporary, path)) {
		note("cannot keep what was measured in '%s': %s", path, strerror(errno));
		if (fd >= 0)
			unlink(temporary);
	}
	free(temporary);
}
