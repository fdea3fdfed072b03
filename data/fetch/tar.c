/* Unpacks the wanted files of a tar or zip archive; refuses unsafe paths and huge files. */
#include "data/fetch/tar.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/paths.h"
#include "core/file/temporary.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 1 << 17 };

/* Bytes of a file in an archive: more are a mistake, or malice. */
static const int64_t largest = (int64_t)1 << 30;

struct tar {
	const char *archive, *dir, *folder;
	bool flat;
	int (*stop)(void *ctx);
	void *ctx;
	struct archive *in;
	struct archive_entry *entry;    /* the one at hand */
	uint8_t block[BLOCK];
};

static int tar_broken(const struct tar *t)
{
	const char *why = archive_error_string(t->in);

	return error("%s: cannot unpack: %s", t->archive, why ? why : "corrupt");
}

static const char *name_of(const struct tar *t)
{
	const char *name = archive_entry_pathname(t->entry);

	return name ? name : "";
}

/* The next entry: 0, 1 at the end, -1 after error(). */
static int read_head(struct tar *t)
{
	int r = archive_read_next_header(t->in, &t->entry);

	if (r == ARCHIVE_EOF)
		return 1;
	if (r != ARCHIVE_OK && r != ARCHIVE_WARN)
		return tar_broken(t);
	if (archive_entry_size(t->entry) > largest)
		return error("%s: '%s' has an impossible size", t->archive, name_of(t));
	return 0;
}

/* No part of the path is empty, "." or "..", and it has nothing but plain characters. */
static bool is_plain_path(const char *path)
{
	for (const char *c = path;; c++) {
		size_t n = strcspn(c, "/");

		if (n == 0 || (n == 1 && *c == '.') || (n == 2 && !memcmp(c, "..", 2)))
			return false;
		for (size_t i = 0; i < n; i++)
			if ((unsigned char)c[i] < 0x20 || c[i] == '\\')
				return false;
		c += n;
		if (!*c)
			return true;
	}
}

/* A regular file below the folder, or in none. */
static bool is_wanted(const struct tar *t)
{
	const char *name = name_of(t);
	const size_t n = strlen(t->folder);
	const bool inside = !strncmp(name, t->folder, n) && name[n] == '/';

	return archive_entry_filetype(t->entry) == AE_IFREG &&
	       !archive_entry_hardlink(t->entry) && is_plain_path(name) &&
	       (t->flat ? !strchr(name, '/') : inside);
}

/* The entry's bytes. 0, -1 after error(), 1 stopped. */
static int tar_copy(struct tar *t, FILE *out, const char *path)
{
	int64_t left = archive_entry_size(t->entry);

	while (left > 0) {
		size_t most = left < BLOCK ? (size_t)left : BLOCK;
		la_ssize_t n = archive_read_data(t->in, t->block, most);

		if (n <= 0)
			return tar_broken(t);
		if (fwrite(t->block, 1, (size_t)n, out) != (size_t)n)
			return temporary_failed(path, errno);
		left -= n;
		if (t->stop && t->stop(t->ctx))
			return 1;
	}
	return 0;
}

static int tar_write_temporary(struct tar *t, const char *part, const char *path)
{
	FILE *out = temporary_open(part);
	int ret;

	if (!out)
		return -1;
	ret = ftruncate(fileno(out), 0) ? temporary_failed(part, errno) :
					  tar_copy(t, out, part);
	if (!ret && temporary_finish(out, part, path))
		ret = temporary_failed(path, errno);
	if (ret)
		unlink(part);
	fclose(out);
	return ret;
}

static int unpack_file(struct tar *t)
{
	char *path = xasprintf("%s/%s%s%s", t->dir, t->flat ? t->folder : "",
			       t->flat ? "/" : "", name_of(t));
	char *part = xasprintf("%s.part", path), *slash = strrchr(path, '/');
	int ret;

	*slash = '\0';
	ret = dir_make(path);
	*slash = '/';
	if (!ret)
		ret = tar_write_temporary(t, part, path);
	free(part);
	free(path);
	return ret;
}

static int unpack_all(struct tar *t)
{
	for (;;) {
		int ret = read_head(t);

		if (ret)
			return ret < 0 ? -1 : 0;
		ret = is_wanted(t) ? unpack_file(t) : 0;
		if (ret)
			return ret;
	}
}

int tar_unpack(const char *archive, const char *dir, const char *folder, bool flat,
	       int (*stop)(void *ctx), void *ctx)
{
	struct tar *t = xcalloc(1, sizeof(*t));
	int ret;

	*t = (struct tar){ .archive = archive, .dir = dir, .folder = folder, .flat = flat,
			   .stop = stop, .ctx = ctx, .in = archive_read_new() };
	must_have(t->in, "an archive");
	archive_read_support_filter_gzip(t->in);
	archive_read_support_format_tar(t->in);
	archive_read_support_format_zip(t->in);
	ret = archive_read_open_filename(t->in, archive, BLOCK) ? tar_broken(t) : unpack_all(t);
	archive_read_free(t->in);
	free(t);
	return ret;
}
