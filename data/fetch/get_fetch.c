/* Downloads the files of one published set and unpacks its archives. */
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/paths.h"
#include "data/fetch/fetch.h"
#include "data/fetch/get.h"
#include "data/fetch/tar.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A set on its way. */
struct get {
	const struct get_set *set;
	const struct get_conf *conf;
	const struct get_file *file;
	int64_t before, all;    /* bytes of the files before this one, and of all */
};

static int get_fetch_tell(void *ctx, int64_t done, int64_t bytes)
{
	const struct get *g = ctx;

	(void)bytes;
	return g->conf->progress
	       && g->conf->progress(g->conf->ctx, g->file->name, g->before + done, g->all);
}

static int fetch_from(struct get *g, const char *base, const char *path)
{
	size_t n = strlen(base);
	char *url = xasprintf("%s%s%s", base, n && base[n - 1] == '/' ? "" : "/", g->file->name);
	struct fetch f = {
		.url = url, .path = path, .bytes = g->file->bytes, .sha256 = g->file->sha256,
		.progress = get_fetch_tell, .ctx = g,
	};
	int ret = fetch_check(&f, path);

	if (ret < 0)
		ret = fetch_file(&f);
	free(url);
	return ret;
}

/* From the first address that has it. */
static int fetch_one(struct get *g, const char *path)
{
	const char *const one[] = { g->conf->url, NULL };
	const char *const *base = g->conf->url ? one : g->set->urls;
	int ret;

	for (;;) {
		ret = fetch_from(g, *base, path);
		if (ret >= 0 || !*++base)
			return ret;
		note("now from %s", *base);
	}
}

static int get_fetch_stop(void *ctx)
{
	const struct get *g = ctx;

	return get_fetch_tell(ctx, g->file->bytes, g->file->bytes);
}

static bool has_file(const char *dir, const char *folder, const char *name)
{
	char *path = xasprintf("%s/%s/%s", dir, folder, name);
	struct stat st;
	bool there = stat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0;

	free(path);
	return there;
}

/* All files of an archive are there; each was renamed when it was whole. */
static bool is_unpacked(const struct get *g)
{
	for (const char *const *name = g->set->unpacked; name && *name; name++)
		if (!has_file(g->conf->dir, g->set->folder, *name))
			return false;
	return g->set->unpacked;
}

static int get_fetch_unpack(struct get *g, const char *archive)
{
	int ret = tar_unpack(archive, g->conf->dir, g->set->folder, g->set->flat,
			     get_fetch_stop, g);

	if (ret)
		return ret;
	if (!is_unpacked(g))
		return error("%s: not all of the set's files are in it", archive);
	unlink(archive);
	return 0;
}

static int get_one(struct get *g)
{
	char *folder = g->set->unpacked ? xstrdup(g->conf->dir)
					: xasprintf("%s/%s", g->conf->dir, g->set->folder);
	char *path = xasprintf("%s/%s", folder, g->file->name);
	int ret = dir_make(folder);

	if (!ret)
		ret = fetch_one(g, path);
	if (!ret && g->set->unpacked)
		ret = get_fetch_unpack(g, path);
	free(path);
	free(folder);
	return ret;
}

int get_fetch(const struct get_set *set, const struct get_conf *conf)
{
	struct get g = { .set = set, .conf = conf };
	int ret = 0;

	if (is_unpacked(&g))
		return 0;
	for (const struct get_file *f = set->files; f->name; f++)
		g.all += f->bytes;
	for (g.file = set->files; g.file->name && !ret; g.file++) {
		ret = get_one(&g);
		g.before += g.file->bytes;
	}
	return ret;
}
