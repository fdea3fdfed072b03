/* Looks for a data file in its folders and reads it, decompressing .gz and .xz. */
#include "data/read.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/paths.h"
#include "core/text/word.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

static bool data_read_is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* dir/sub/name, with the first suffix that exists; NULL when none does. */
static char *find_packed(const char *dir, const char *sub, const char *name)
{
	static const char *const suffix[] = { "", ".gz", ".xz" };

	for (size_t i = 0; i < sizeof suffix / sizeof *suffix; i++) {
		char *path = xasprintf("%s/%s%s%s%s", dir, sub, *sub ? "/" : "", name, suffix[i]);
		if (data_read_is_file(path))
			return path;
		free(path);
	}
	return NULL;
}

static void report_missing(const char *set, const char *dir, const char *const *subdirs,
			   const char *name)
{
	const char *also = subdirs[0] ? subdirs[0] : "";
	char *path = xasprintf("%s/%s", dir, name);
	const bool is_folder = dir_exists(path);

	if (is_folder)
		error("%s: is a directory, without a file '%s' in it (expected a file of that "
		      "name). Move the folder away, and put the file there", path, name);
	free(path);
	if (is_folder)
		return;
	error("%s/%s: no such file, nor .gz or .xz%s%s%s; set --data %s:dir=PATH or CONVOY_DATA "
	      "to the folder that holds it, or fetch it: convoy data get %s -o DIR", dir, name,
	      *also ? ", nor in " : "", also, *also ? "/" : "", set, set);
}

static const char *folder_of(const char *dir)
{
	const char *folder = dir ? dir : getenv("CONVOY_DATA");

	return folder && *folder ? folder : NULL;
}

char *data_seek(const char *dir, const char *const *subdirs, const char *name)
{
	const char *folder = folder_of(dir);
	char *path = folder ? find_packed(folder, "", name) : NULL;

	for (size_t i = 0; folder && !path && subdirs[i]; i++)
		path = find_packed(folder, subdirs[i], name);
	/* Some archives unpack each file into a folder of its own. */
	return folder && !path ? find_packed(folder, name, name) : path;
}

char *data_find(const char *set, const char *dir, const char *const *subdirs, const char *name)
{
	char *path = data_seek(dir, subdirs, name);

	if (!path && folder_of(dir))
		report_missing(set, folder_of(dir), subdirs, name);
	else if (!path)
		error("data set %s: no folder given for %s; set --data %s:dir=PATH or CONVOY_DATA, "
		      "or fetch it: convoy data get %s -o DIR", set, name, set, set);
	return path;
}

/* Reads to the end of f or until more than `most` bytes are there. */
static void data_read_slurp(FILE *f, size_t most, struct bytes *out)
{
	size_t capacity = 0, got;

	do {
		if (out->n == capacity) {
			capacity = capacity ? 2 * capacity : 1 << 16;
			out->at = xrealloc(out->at, capacity, 1);
		}
		got = fread(out->at + out->n, 1, capacity - out->n, f);
		out->n += got;
	} while (got && out->n <= most);
}

int data_read(const char *path, size_t most, struct bytes *out)
{
	struct bytes raw = { 0 };
	FILE *f = file_open(path);
	int r;

	*out = raw;
	if (!f)
		return error("%s: cannot open: %s", path, file_why());
	data_read_slurp(f, most, &raw);
	if (ferror(f))
		r = error("%s: cannot read: %s", path, strerror(errno));
	else
		r = data_unpack(path, raw.at, raw.n, most, out);
	fclose(f);
	free(raw.at);
	return r;
}

int data_size(const char *path, int64_t *size)
{
	struct stat st;

	if (word_ends(path, ".gz") || word_ends(path, ".xz"))
		return 1;
	if (stat(path, &st))
		return error("%s: cannot open: %s", path, strerror(errno));
	*size = (int64_t)st.st_size;
	return 0;
}

int data_peek(const char *path, uint8_t *at, size_t n)
{
	gzFile f;
	int got, fd;

	if (word_ends(path, ".xz"))
		return 1;
	fd = file_open_fd(path);
	if (fd < 0)
		return error("%s: cannot open: %s", path, file_why());
	f = must_have(gzdopen(fd, "rb"), "an open file");
	got = gzread(f, at, (unsigned)n);
	gzclose(f);
	return got == (int)n ? 0 : error("%s: truncated, or no file of this kind", path);
}
