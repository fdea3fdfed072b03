/* `convoy data pack`: photographs of a folder into one file. */
#include "cmd/data/parts.h"

#include "cmd/args.h"
#include "core/base/cores.h"
#include "core/base/error.h"
#include "data/pack/pack.h"
#include "runner/progress.h"
#include "runner/signals.h"

#include <inttypes.h>
#include <stdio.h>

enum { AS_PIXELS, AS_JPEG };
enum { FIT_SQUEEZE, FIT_SHORT };

struct conf {
	char *out, *synsets, *labels;
	int as, fit;
	int64_t resize, train, test, threads;
	bool quiet;
};

static const char *const as_names[] = { "pixels", "jpeg", NULL };
static const char *const fit_names[] = { "squeeze", "short", NULL };

static const struct opt opts[] = {
	OPT_TEXT(struct conf, out, "the file to make, also -o", "FILE"),
	OPT_CHOICE(struct conf, as, "pixels",
		   "pixels: decoded and resized once; jpeg: the files as they are", NULL, as_names),
	OPT_NUMBER(struct conf, resize, "256", "side of the pixels", "N", 8, 1024),
	OPT_CHOICE(struct conf, fit, "short",
		   "short: the shorter side, then the middle; squeeze: to a square, for "
		   "augment=caffe", NULL, fit_names),
	OPT_TEXT(struct conf, synsets,
	  "file whose lines begin with the WordNet ids of classes 0, 1, ...; else the folders",
	  "PATH"),
	OPT_TEXT(struct conf, labels,
	  "file of \"NAME CLASS\" lines for a val/ without folders; else val.txt", "PATH"),
	OPT_NUMBER(struct conf, train, "0", "N training images, spread over all; 0: all", "N", 0,
		   1e9),
	OPT_NUMBER(struct conf, test, "0", "N test images, spread over all; 0: all", "N", 0, 1e9),
	OPT_NUMBER(struct conf, threads, "0", "threads that decode; 0: one a core", "N", 0, 256),
	OPT_FLAG(struct conf, quiet, "no progress on stderr"),
	{ 0 }
};

static const char about[] =
	"Packs photographs into one HDF5 file for quick reading at random. DIR holds\n"
	"train/WNID/*.JPEG and val/WNID/*.JPEG, the layout of ImageNet. Images that cannot be\n"
	"decoded are named and left out.\n"
	"\n"
	"Examples:\n"
	"  convoy data pack imagenet -o imagenet.h5\n"
	"  convoy data pack imagenet -o imagenet-jpeg.h5 --as jpeg\n"
	"  convoy sim --net resnet18 --data packed:file=imagenet.h5";

static bool data_pack_go_on(void *ctx, int64_t done, int64_t all)
{
	progress_show(ctx, (size_t)done, (double)done / (double)all, (double)done);
	return !signal_caught;
}

static int data_pack_run(const struct conf *c, const char *dir)
{
	struct progress progress;
	struct pack_result result;
	struct pack_conf conf = {
		.dir = dir, .synsets = c->synsets, .labels = c->labels, .out = c->out,
		.jpeg = c->as == AS_JPEG, .squeeze = c->fit == FIT_SQUEEZE && c->as == AS_PIXELS,
		.resize = (int)c->resize, .train = c->train, .test = c->test,
		.threads = c->threads ? (int)c->threads : cores_allowed(),
		.go_on = data_pack_go_on, .ctx = &progress,
	};
	int r;

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

static int data_pack(const struct args *a)
{
	const struct conf *c = a->conf;

	if (a->nwords != 1)
		return args_usage(a, a->nwords ? "one folder at a time"
					       : "no folder is named (it holds train/ and val/)");
	return c->out ? data_pack_run(c, a->words[0])
		      : args_usage(a, "no file to write. Give -o FILE.h5");
}

int cmd_data_pack(int argc, char **argv)
{
	struct conf conf;
	struct args a = { .opts = opts, .conf = &conf, .about = about,
			  .usage = "data pack DIR -o FILE.h5 [--as pixels|jpeg] [OPTIONS]" };

	return args_main(&a, argc, argv, data_pack);
}
