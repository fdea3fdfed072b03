#include "data/get.h"

#include "core/error.h"
#include "core/mem.h"
#include "core/paths.h"
#include "core/word.h"
#include "data/fetch.h"
#include "data/tar.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const toronto[] = { "https://www.cs.toronto.edu/~kriz", NULL };
static const char *const mnist_urls[] = {
	"https://ossci-datasets.s3.amazonaws.com/mnist", "http://yann.lecun.com/exdb/mnist", NULL
};

static const struct get_file cifar10_files[] = {
	{ "cifar-10-binary.tar.gz", 170052171,
	  "c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd" },
	{ .name = NULL }
};
static const struct get_file cifar100_files[] = {
	{ "cifar-100-binary.tar.gz", 168513733,
	  "58a81ae192c23a4be8b1804d68e518ed807d710a4eb253b1f2a199162a40d8ec" },
	{ .name = NULL }
};
static const struct get_file mnist_files[] = {
	{ "train-images-idx3-ubyte.gz", 9912422,
	  "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609" },
	{ "train-labels-idx1-ubyte.gz", 28881,
	  "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c" },
	{ "t10k-images-idx3-ubyte.gz", 1648877,
	  "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6" },
	{ "t10k-labels-idx1-ubyte.gz", 4542,
	  "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6" },
	{ .name = NULL }
};

static const char *const cifar10_unpacked[] = {
	"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin", "data_batch_4.bin",
	"data_batch_5.bin", "test_batch.bin", NULL
};
static const char *const cifar100_unpacked[] = { "train.bin", "test.bin", NULL };

static const struct get_set cifar10 = {
	"cifar10", toronto, cifar10_files, "cifar-10-batches-bin", cifar10_unpacked
};
static const struct get_set cifar100 = {
	"cifar100", toronto, cifar100_files, "cifar-100-binary", cifar100_unpacked
};
static const struct get_set mnist = { "mnist", mnist_urls, mnist_files, "mnist", NULL };

const struct get_set *const get_table[] = { &cifar10, &cifar100, &mnist, NULL };

const struct get_set *get_find(const char *name)
{
	const char *known[8];
	char *advice;
	size_t n = 0;

	for (; get_table[n]; n++) {
		if (!strcmp(get_table[n]->name, name))
			return get_table[n];
		known[n] = get_table[n]->name;
	}
	known[n] = NULL;
	advice = word_advice(name, known);
	error("no published address of '%s' is known%s", name, advice);
	free(advice);
	return NULL;
}

/* A set on its way. */
struct get {
	const struct get_set *set;
	const struct get_conf *conf;
	const struct get_file *file;
	int64_t before, all;    /* bytes of the files before this one, and of all */
};

static int tell(void *ctx, int64_t done, int64_t bytes)
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
		.progress = tell, .ctx = g,
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

static int stop(void *ctx)
{
	const struct get *g = ctx;

	return tell(ctx, g->file->bytes, g->file->bytes);
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

static int unpack(struct get *g, const char *archive)
{
	int ret = tar_unpack(archive, g->conf->dir, g->set->folder, stop, g);

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
		ret = unpack(g, path);
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
