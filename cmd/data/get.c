/* The command `convoy data get`: downloads a published data set and checks its SHA-256. */
#include "cmd/data/parts.h"

#include "cmd/args.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/paths.h"
#include "core/file/textfile.h"
#include "data/fetch/get.h"
#include "runner/progress.h"
#include "runner/signals.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct conf {
	char *out, *url, *sums;
	bool quiet;
};

static const struct opt opts[] = {
	OPT_TEXT(struct conf, out, "folder that is to hold it, also -o; else $CONVOY_DATA", "DIR"),
	OPT_TEXT(struct conf, url, "address of a mirror, instead of the publishers'", "BASE"),
	{ "sums", OPT_AT(STRING, struct conf, sums), NULL,
	  "lines of SHA-256, bytes and name, instead of the published ones", "FILE", 0, 0, NULL,
	  OPT_HIDDEN },
	OPT_FLAG(struct conf, quiet, "no progress on stderr"),
	{ 0 }
};

static const char about[] =
	"Fetches a data set from its publishers, checks its SHA-256, and unpacks it to where the\n"
	"loader looks: a folder of its own below DIR. What was interrupted continues where it\n"
	"stopped; existing files are not fetched again. SET is one of these:\n"
	"\n"
	"Images: cifar10 (170 MB), cifar100 (169 MB), mnist (12 MB).\n"
	"Texts: wikitext-2 (4 MB), wikitext-103 (190 MB), enwik8 (36 MB), text8 (31 MB),\n"
	"tinyshakespeare (1 MB).\n"
	"\n"
	"Examples:\n"
	"  convoy data get cifar10 -o data && export CONVOY_DATA=data\n"
	"  convoy data get mnist --url http://mirror.example/mnist";

struct meter {
	struct progress progress;
	const char *name;       /* of the file at hand */
	double first;           /* bytes that were there before */
};

static int data_get_tell(void *ctx, const char *name, int64_t done, int64_t bytes)
{
	struct meter *m = ctx;
	double now = (double)done, all = (double)bytes;

	if (!m->name || m->first > now)
		m->first = now;
	m->name = name;
	if (all > m->first)
		progress_show(&m->progress, 0, (now - m->first) / (all - m->first),
			      1e-6 * (now - m->first));
	return signal_caught;
}

/* Other sums and sizes for a mirror's files. NULL after error(); the caller frees both. */
static struct get_file *read_sums(const char *path, char **text)
{
	struct get_file *files = NULL;
	size_t n = 0;

	*text = textfile_read(path);
	if (!*text)
		return NULL;
	for (char *line = strtok(*text, "\n"); line; line = strtok(NULL, "\n")) {
		char *end;
		long long bytes = strlen(line) > 66 ? strtoll(line + 65, &end, 10) : -1;

		if (line[strspn(line, "0123456789abcdef")] != ' ' || bytes < 1 || *end != ' ') {
			error("%s: line %zu is no SHA-256, bytes and name", path, n + 1);
			free(files);
			return NULL;
		}
		line[64] = '\0';
		files = xrealloc(files, n + 2, sizeof(*files));
		files[n++] = (struct get_file){ end + 1, bytes, line };
	}
	if (files)
		files[n] = (struct get_file){ .name = NULL };
	else
		error("%s: no checksums", path);
	return files;
}

/* Says where it is, and how runs find it there. */
static void data_get_announce(const struct get_set *set, const char *dir)
{
	const char *usual = getenv("CONVOY_DATA");

	printf("%s/%s\n", dir, set->folder);
	if (set->data)
		note("set CONVOY_DATA=%s and use it as --data %s", dir, set->data);
	else if (!usual || strcmp(usual, dir) != 0)
		note("use it as --data %s:dir=%s, or set CONVOY_DATA=%s", set->name, dir, dir);
}

static int data_get_fetch(const struct conf *c, const struct get_set *set, const char *dir)
{
	struct meter meter = { .name = NULL };
	struct get_conf conf = {
		.dir = dir, .url = c->url, .progress = data_get_tell, .ctx = &meter
	};
	int ret;

	progress_start(&meter.progress, 1, c->quiet);
	meter.progress.unit = "MB";
	ret = get_fetch(set, &conf);
	progress_end(&meter.progress);
	if (ret == 1) {
		note("%s: interrupted; the same command continues here", set->name);
		return signals_exit_code();
	}
	if (ret < 0)
		return EXIT_BAD;
	data_get_announce(set, dir);
	return EXIT_OK;
}

static int data_get_run(const struct args *a)
{
	const struct conf *c = a->conf;
	const char *dir = c->out ? c->out : getenv("CONVOY_DATA");
	const struct get_set *known;
	struct get_file *files = NULL;
	struct get_set set;
	char *text = NULL;
	int code = EXIT_BAD;

	if (a->nwords != 1)
		return args_usage(a, a->nwords ? "one set at a time" : "no set is named; "
					       "'convoy data get --help' lists them");
	if (!dir || !*dir)
		return args_usage(a, "no folder to write to. Give -o DIR, or set CONVOY_DATA");
	known = get_find(a->words[0]);
	if (!known)
		return EXIT_BAD;
	set = *known;
	if (c->sums)
		set.files = files = read_sums(c->sums, &text);
	if (set.files)
		code = data_get_fetch(c, &set, dir);
	free(files);
	free(text);
	return code;
}

int cmd_data_get(int argc, char **argv)
{
	struct conf conf;
	struct args a = { .opts = opts, .conf = &conf, .about = about,
			  .usage = "data get SET [-o DIR] [OPTIONS]" };

	return args_main(&a, argc, argv, data_get_run);
}
