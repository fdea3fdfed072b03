#include "data/tar.h"

#include "core/error.h"
#include "core/mem.h"
#include "core/paths.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { BLOCK = 512, CHUNK = 256 * BLOCK };

/* Bytes of a file in an archive: more are a mistake, or malice. */
static const int64_t largest = (int64_t)1 << 30;

struct tar {
	const char *archive, *dir, *folder;
	int (*stop)(void *ctx);
	void *ctx;
	gzFile in;
	uint8_t block[CHUNK];
	char name[260];         /* of the entry at hand */
	int64_t size;
	char type;
};

static int read_bytes(struct tar *t, size_t n)
{
	int got = gzread(t->in, t->block, (unsigned)n), code;
	const char *why;

	if (got == (int)n)
		return 0;
	why = gzerror(t->in, &code);
	return error("%s: %s%s%s", t->archive, got < 0 ? "corrupt: " : "truncated",
		     got < 0 ? (code == Z_ERRNO ? strerror(errno) : why) : "",
		     *t->name ? "" : ", or no tar archive");
}

/* Octal digits, ended by a space or a zero; -1 when there are others. */
static int64_t octal(const uint8_t *at, size_t n)
{
	int64_t value = 0;
	size_t i = 0;

	while (i < n && at[i] == ' ')
		i++;
	for (; i < n && at[i] && at[i] != ' '; i++) {
		if (at[i] < '0' || at[i] > '7')
			return -1;
		value = 8 * value + at[i] - '0';
	}
	return value;
}

/* The sum of the header's bytes, its own field taken as spaces. */
static bool sum_agrees(const uint8_t *head)
{
	int64_t sum = 0;

	for (int i = 0; i < BLOCK; i++)
		sum += i >= 148 && i < 156 ? ' ' : head[i];
	return sum == octal(head + 148, 8);
}

static bool all_zero(const uint8_t *at)
{
	for (int i = 0; i < BLOCK; i++)
		if (at[i])
			return false;
	return true;
}

static void read_name(struct tar *t)
{
	const char *head = (const char *)t->block;
	bool ustar = !memcmp(head + 257, "ustar", 5) && head[345];

	snprintf(t->name, sizeof(t->name), "%.*s%s%.100s", ustar ? 155 : 0, head + 345,
		 ustar ? "/" : "", head);
}

/* The next entry: 0, 1 at the end, -1 after error(). */
static int read_head(struct tar *t)
{
	if (read_bytes(t, BLOCK) < 0)
		return -1;
	if (all_zero(t->block))
		return 1;
	if (!sum_agrees(t->block))
		return error("%s: corrupt, or no tar archive: a header's checksum is wrong",
			     t->archive);
	read_name(t);
	t->type = (char)t->block[156];
	t->size = octal(t->block + 124, 12);
	if (t->size < 0 || t->size > largest)
		return error("%s: '%s' has an absurd size", t->archive, t->name);
	return 0;
}

/* No part of the path is empty, "." or "..", and it has nothing but plain characters. */
static bool is_plain_path(const char *path)
{
	for (const char *c = path; ; c++) {
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

/* A regular file below the folder. */
static bool is_wanted(const struct tar *t)
{
	size_t n = strlen(t->folder);

	return (t->type == '0' || t->type == '\0') && !strncmp(t->name, t->folder, n)
	       && t->name[n] == '/' && is_plain_path(t->name);
}

/* The entry's bytes into out, or nowhere when that is NULL. 0, -1 after error(), 1 stopped. */
static int copy(struct tar *t, FILE *out, const char *path)
{
	for (int64_t left = t->size; left > 0; left -= CHUNK) {
		size_t n = left < CHUNK ? (size_t)left : CHUNK;
		size_t padded = (n + BLOCK - 1) / BLOCK * BLOCK;

		if (t->stop && t->stop(t->ctx))
			return 1;
		if (read_bytes(t, padded) < 0)
			return -1;
		if (out && fwrite(t->block, 1, n, out) != n)
			return error("%s: cannot write: %s", path, strerror(errno));
	}
	return 0;
}

static int write_part(struct tar *t, const char *part)
{
	FILE *out = fopen(part, "wb");
	int ret;

	if (!out)
		return error("%s: cannot write: %s", part, strerror(errno));
	ret = copy(t, out, part);
	if (fclose(out) && !ret)
		ret = error("%s: cannot write: %s", part, strerror(errno));
	if (ret)
		unlink(part);
	return ret;
}

static int unpack_file(struct tar *t)
{
	char *path = xasprintf("%s/%s", t->dir, t->name), *part = xasprintf("%s.part", path);
	char *slash = strrchr(path, '/');
	int ret;

	*slash = '\0';
	ret = dir_make(path);
	*slash = '/';
	if (!ret)
		ret = write_part(t, part);
	if (!ret && rename(part, path))
		ret = error("%s: cannot rename to %s: %s", part, path, strerror(errno));
	free(part);
	free(path);
	return ret;
}

static int unpack_all(struct tar *t)
{
	int ret;

	while (!(ret = read_head(t))) {
		ret = is_wanted(t) ? unpack_file(t) : copy(t, NULL, NULL);
		if (ret)
			return ret;
	}
	return ret < 0 ? -1 : 0;
}

int tar_unpack(const char *archive, const char *dir, const char *folder,
	       int (*stop)(void *ctx), void *ctx)
{
	struct tar *t = xcalloc(1, sizeof(*t));
	int ret;

	*t = (struct tar){ .archive = archive, .dir = dir, .folder = folder, .stop = stop,
			   .ctx = ctx, .in = gzopen(archive, "rb") };
	ret = t->in ? unpack_all(t) : error("%s: cannot open: %s", archive, strerror(errno));
	if (t->in)
		gzclose(t->in);
	free(t);
	return ret;
}
