/* `convoy data info|get|pack`: inspects, fetches and packs data sets; it is about no run. */
#include "cmd/cmd.h"

#include "cmd/args.h"
#include "cmd/common.h"
#include "core/base/cores.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/members.h"
#include "core/file/textfile.h"
#include "data/data.h"
#include "data/fetch/get.h"
#include "data/pack/pack.h"
#include "runner/progress.h"
#include "runner/signals.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- `convoy data info` ---- */

static const char info_about[] =
	"Opens a data set as --data does, with the same options, and says what it holds: size of\n"
	"the images, how many of each split and class, means and deviations, digest, and whether\n"
	"that is the set as published; of a text its windows, vocabulary and, where it is known,\n"
	"entropy.\n"
	"\n"
	"Examples:\n"
	"  convoy data info cifar10\n"
	"  convoy data info mnist:train=1000 --json";

static const char *const split_name[] = { "train", "test" };

/* [classes] samples of each class; NULL where labels cannot be had quickly. */
static int64_t *count_classes(const struct dataset *ds, enum split split)
{
	int64_t *counts;

	if (!ds->type->label || ds->loss != LOSS_CROSS_ENTROPY)
		return NULL;
	counts = xcalloc((size_t)ds->classes, sizeof(*counts));
	for (int64_t i = 0; i < ds->n[split]; i++)
		counts[ds->type->label(ds, split, i)]++;
	return counts;
}

static const char *samples_name(const struct dataset *ds)
{
	return ds->tokens ? "windows" : ds->type->vector ? "vectors" : "images";
}

/* "train      50000 images, 5000 of each class", or "980 to 1135", where labels are quick. */
static void split_print(const struct dataset *ds, enum split split)
{
	int64_t *counts = count_classes(ds, split), least = INT64_MAX, most = 0;

	printf("%-10s %" PRId64 " %s", split_name[split], ds->n[split], samples_name(ds));
	for (int c = 0; counts && c < ds->classes; c++) {
		least = counts[c] < least ? counts[c] : least;
		most = counts[c] > most ? counts[c] : most;
	}
	if (counts && least == most)
		printf(", %" PRId64 " of each class", least);
	else if (counts)
		printf(", %" PRId64 " to %" PRId64 " of each class", least, most);
	putchar('\n');
	free(counts);
}

/* mean and deviation: [channels] */
static void info_print(const struct dataset *ds, const float *mean, const float *dev)
{
	static const char *const standing[] = {
		[SET_OWN] = "nothing published to compare it with",
		[SET_PUBLISHED] = "the published set",
		[SET_PART] = "a part, so not compared with the published set",
		[SET_OTHER] = "not the published set",
	};

	static const char *const losses[] = {
		[LOSS_CROSS_ENTROPY] = "cross-entropy", [LOSS_MSE] = "mean squared error",
		[LOSS_BCE] = "binary cross-entropy",
	};

	printf("%s: %s\n", ds->type->plugin.name, ds->type->plugin.brief);
	if (ds->type->plugin.cite)
		printf("Source: %s\n", ds->type->plugin.cite);
	putchar('\n');
	if (ds->path)
		printf("%-10s %s\n", "from", ds->path);
	if (ds->tokens)
		printf("%-10s of %d tokens\n", "windows", ds->height);
	else
		printf("%-10s %d x %d x %d\n", samples_name(ds), ds->height, ds->width,
		       ds->channels);
	printf("%-10s %d\n", ds->tokens ? "vocabulary" : ds->loss ? "targets" : "classes",
	       ds->classes);
	if (ds->loss)
		printf("%-10s %s\n", "loss", losses[ds->loss]);
	split_print(ds, SPLIT_TRAIN);
	split_print(ds, SPLIT_TEST);
	if (ds->least > 0)
		printf("%-10s %.6f, the least mean loss that a net can have\n", "entropy",
		       ds->least);
	for (int k = 0; k < 2 && ds->type->moments; k++) {
		printf("%-10s", k ? "deviation" : "mean");
		for (int c = 0; c < ds->channels; c++)
			printf(" %.4f", (double)(k ? dev : mean)[c]);
		printf("  of pixel / 255\n");
	}
	printf("%-10s %016" PRIx64 ", %s\n", "digest", ds->digest, standing[ds->standing]);
}

/* mean and deviation: [channels] */
static cJSON *info_json(const struct dataset *ds, const float *mean, const float *dev)
{
	static const char *const standing[] = { "own", "published", "part", "other" };
	const bool moments = ds->type->moments;
	cJSON *json, *splits[2];
	char digest[17];

	for (int k = 0; k < 2; k++) {
		scoped int64_t *counts = count_classes(ds, (enum split)k);
		cJSON *list = counts ? cJSON_CreateArray() : NULL;

		for (int c = 0; counts && c < ds->classes; c++)
			list_add(list, cJSON_CreateNumber((double)counts[c]));
		splits[k] = OBJECT(j_number(samples_name(ds), (double)ds->n[k]),
				   j_json("classes", list));
	}
	snprintf(digest, sizeof(digest), "%016" PRIx64, ds->digest);
	json = OBJECT(j_text("name", ds->type->plugin.name), j_text("from", ds->path),
		      j_numbers("shape", (const double[]){ ds->height, ds->width, ds->channels },
				3),
		      j_number(ds->loss ? "targets" : "classes", ds->classes),
		      j_json(split_name[0], splits[0]),
		      j_json(split_name[1], splits[1]));
	if (moments)
		ADD(json, j_json("mean", cJSON_CreateFloatArray(mean, ds->channels)),
		    j_json("deviation", cJSON_CreateFloatArray(dev, ds->channels)));
	return ADD(json, j_if(ds->least > 0, j_number("entropy", ds->least)),
		   j_text("digest", digest), j_text("standing", standing[ds->standing]));
}

static int data_info(const struct args *a)
{
	const struct json_conf *c = a->conf;
	struct dataset *ds = dataset_open_text(a->words[0]);
	float *mean;

	if (!ds)
		return EXIT_BAD;
	mean = vec_new(2 * (size_t)ds->channels);
	if (ds->type->moments)
		ds->type->moments(ds, mean, mean + ds->channels);
	if (c->json)
		json_print_own(info_json(ds, mean, mean + ds->channels));
	else
		info_print(ds, mean, mean + ds->channels);
	free(mean);
	dataset_close(ds);
	return EXIT_OK;
}

const struct syntax cmd_data_info = {
	.opts = json_opts, .conf_size = sizeof(struct json_conf), .one = "set",
	.usage = "data info NAME[:key=value,...] [--json]",
	.about = info_about, .run = data_info,
};

/* ---- `convoy data get` ---- */

struct data_get {
	char *out, *url, *sums;
	bool quiet;
};

static const struct opt get_opts[] = {
	OPT_TEXT(struct data_get, out,
		 "folder that is to hold it, also -o; else $CONVOY_DATA", "DIR"),
	OPT_TEXT(struct data_get, url, "address of a mirror, instead of the publishers'", "BASE"),
	{ "sums", OPT_AT(STRING, struct data_get, sums), NULL,
	  "lines of SHA-256, bytes and name, instead of the published ones", "FILE", 0, 0, NULL,
	  OPT_HIDDEN },
	OPT_FLAG(struct data_get, quiet, "no progress on stderr"),
	{ 0 }
};

static const char get_about[] =
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

static int get_tell(void *ctx, const char *name, int64_t done, int64_t bytes)
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

static int get_set(const struct data_get *c, const struct get_set *set, const char *dir)
{
	struct meter meter = { .name = NULL };
	const struct get_conf conf = {
		.dir = dir, .url = c->url, .progress = get_tell, .ctx = &meter
	};
	const char *usual = getenv("CONVOY_DATA");
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
	printf("%s/%s\n", dir, set->folder);
	if (set->data)
		note("set CONVOY_DATA=%s and use it as --data %s", dir, set->data);
	else if (!usual || strcmp(usual, dir) != 0)
		note("use it as --data %s:dir=%s, or set CONVOY_DATA=%s", set->name, dir, dir);
	return EXIT_OK;
}

static int data_get_run(const struct args *a)
{
	const struct data_get *c = a->conf;
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
		code = get_set(c, &set, dir);
	free_all(files, text);
	return code;
}

const struct syntax cmd_data_get = {
	.opts = get_opts, .conf_size = sizeof(struct data_get),
	.usage = "data get SET [-o DIR] [OPTIONS]",
	.about = get_about, .run = data_get_run,
};

/* ---- `convoy data pack` ---- */

enum { AS_PIXELS, AS_JPEG };
enum { FIT_SQUEEZE, FIT_SHORT };

struct data_pack {
	char *out, *synsets, *labels;
	int as, fit;
	int64_t resize, train, test, threads;
	bool quiet;
};

static const char *const as_names[] = { "pixels", "jpeg", NULL };
static const char *const fit_names[] = { "squeeze", "short", NULL };

static const struct opt pack_opts[] = {
	OPT_TEXT(struct data_pack, out, "the file to make, also -o", "FILE"),
	OPT_CHOICE(struct data_pack, as, "pixels",
		   "pixels: decoded and resized once; jpeg: the files as they are", NULL, as_names),
	OPT_NUMBER(struct data_pack, resize, "256", "side of the pixels", "N", 8, 1024),
	OPT_CHOICE(struct data_pack, fit, "short",
		   "short: the shorter side, then the middle; squeeze: to a square, for "
		   "augment=caffe", NULL, fit_names),
	OPT_TEXT(struct data_pack, synsets,
	  "file whose lines begin with the WordNet ids of classes 0, 1, ...; else the folders",
	  "PATH"),
	OPT_TEXT(struct data_pack, labels,
	  "file of \"NAME CLASS\" lines for a val/ without folders; else val.txt", "PATH"),
	OPT_NUMBER(struct data_pack, train, "0", "N training images, spread over all; 0: all", "N",
		   0, 1e9),
	OPT_NUMBER(struct data_pack, test, "0", "N test images, spread over all; 0: all", "N",
		   0, 1e9),
	OPT_NUMBER(struct data_pack, threads, "0", "threads that decode; 0: one a core", "N",
		   0, 256),
	OPT_FLAG(struct data_pack, quiet, "no progress on stderr"),
	{ 0 }
};

static const char pack_about[] =
	"Packs photographs into one HDF5 file for quick reading at random. DIR holds\n"
	"train/WNID/*.JPEG and val/WNID/*.JPEG, the layout of ImageNet. Images that cannot be\n"
	"decoded are named and left out.\n"
	"\n"
	"Examples:\n"
	"  convoy data pack imagenet -o imagenet.h5\n"
	"  convoy data pack imagenet -o imagenet-jpeg.h5 --as jpeg\n"
	"  convoy sim --net resnet18 --data packed:file=imagenet.h5";

static bool pack_tell(void *ctx, int64_t done, int64_t all)
{
	progress_show(ctx, (size_t)done, (double)done / (double)all, (double)done);
	return !signal_caught;
}

static int data_pack(const struct args *a)
{
	const struct data_pack *c = a->conf;
	struct progress progress;
	struct pack_result result;
	const struct pack_conf conf = {
		.dir = a->words[0], .synsets = c->synsets, .labels = c->labels, .out = c->out,
		.jpeg = c->as == AS_JPEG, .squeeze = c->fit == FIT_SQUEEZE && c->as == AS_PIXELS,
		.resize = (int)c->resize, .train = c->train, .test = c->test,
		.threads = c->threads ? (int)c->threads : cores_allowed(),
		.go_on = pack_tell, .ctx = &progress,
	};
	int r;

	if (a->nwords != 1)
		return args_usage(a, a->nwords ? "one folder at a time"
					       : "no folder is named (it holds train/ and val/)");
	if (!c->out)
		return args_usage(a, "no file to write. Give -o FILE.h5");
	progress_start(&progress, 1, c->quiet);
	progress.unit = "images";
	r = pack(&conf, &result);
	progress_end(&progress);
	if (result.given_up)
		return signals_exit_code();
	if (r < 0)
		return EXIT_BAD;
	if (result.skipped)
		warning("images that could not be decoded and were left out: %" PRId64,
			result.skipped);
	printf("%s: %" PRId64 " + %" PRId64 " images, %" PRId64 " left out, %" PRIu64 " bytes\n",
	       c->out, result.n[0], result.n[1], result.skipped, result.bytes);
	return EXIT_OK;
}

const struct syntax cmd_data_pack = {
	.opts = pack_opts, .conf_size = sizeof(struct data_pack),
	.usage = "data pack DIR -o FILE.h5 [--as pixels|jpeg] [OPTIONS]",
	.about = pack_about, .run = data_pack,
};
