/* `convoy data partition`: which samples each worker has, as a table of classes and a picture. */
#include "cmd/cmd.h"

#include "cmd/args.h"
#include "cmd/common.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/members.h"
#include "core/samples/partition.h"
#include "core/text/word.h"
#include "data/data.h"
#include "report/plot/plot.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_COUNTS = 1 << 26 }; /* 512 MiB */

struct partition_opts {
	char *partition, *plot;
	int64_t workers, seed;
	bool json;
};

static const struct opt partition_opts[] = {
	{ "partition", OPT_AT(STRING, struct partition_opts, partition), "labels",
	  "as of convoy sim: NAME or NAME:KEY=VALUE,...; 'convoy list partitions'", "PARTITION", 0,
	  0, NULL, 0 },
	OPT_NUMBER(struct partition_opts, workers, "16", "workers that share the samples", "N", 1,
		   1 << 20),
	OPT_NUMBER(struct partition_opts, seed, "1", "seed of the draw", "N", 0, 9e15),
	OPT_TEXT(struct partition_opts, plot, "folder for partition.svg and .png", "DIR"),
	OPT_FLAG(struct partition_opts, json, "prints JSON"),
	{ 0 }
};

static const char partition_about[] =
	"Divides the training samples of a data set among workers, as a run with the same\n"
	"--partition, --workers and --seed does, and prints how many of each class each worker\n"
	"has. A text has no classes: its windows are counted.\n"
	"\n"
	"Examples:\n"
	"  convoy data partition mnist --workers 100 --partition shards:classes=2\n"
	"  convoy data partition cifar10 --workers 10 --partition labels:alpha=0.1 --plot plots";

struct parted {                 /* what was counted */
	const struct dataset *ds;
	const struct partition_opts *c;
	const char *text;       /* the partition, with all its settings */
	struct partition p;
	int classes;            /* 0: samples have none */
	int64_t *counts;        /* [workers][classes] */
};

/* Classes of the worker that it has any of. */
static int has_classes(const struct parted *d, int w)
{
	int n = 0;

	for (int k = 0; k < d->classes; k++)
		n += d->counts[w * d->classes + k] > 0;
	return n;
}

static void partition_print(const struct parted *d)
{
	const int workers = (int)d->c->workers;
	int width = 6;

	for (int i = 0; i < workers * d->classes; i++) {
		const int digits = snprintf(NULL, 0, "%" PRId64, d->counts[i]);

		width = digits > width ? digits : width;
	}
	printf("%s, %s, %d worker%s, seed %" PRId64 "\n\nworker %8s%s", d->ds->type->plugin.name,
	       d->text, workers, word_plural(workers), d->c->seed,
	       d->ds->tokens ? "windows" : "samples", d->classes ? " classes:" : "");
	for (int k = 0; k < d->classes; k++)
		printf(" %*d", width, k);
	putchar('\n');
	for (int w = 0; w < workers; w++) {
		printf("%6d %8" PRId64, w, d->p.part[w].n);
		if (d->classes)
			printf(" %8d", has_classes(d, w));
		for (int k = 0; k < d->classes; k++)
			printf(" %*" PRId64, width, d->counts[w * d->classes + k]);
		putchar('\n');
	}
}

static void partition_json(const struct parted *d)
{
	cJSON *list = cJSON_CreateArray();

	for (int w = 0; w < (int)d->c->workers; w++) {
		cJSON *classes = d->classes ? cJSON_CreateArray() : NULL;

		for (int k = 0; k < d->classes; k++)
			list_add(classes, cJSON_CreateNumber(
				(double)d->counts[w * d->classes + k]));
		list_add(list, OBJECT(j_number("samples", (double)d->p.part[w].n),
				      j_json("classes", classes)));
	}
	json_print_own(OBJECT(j_text("data", d->ds->type->plugin.name),
			      j_text("partition", d->text),
			      j_number("seed", (double)d->c->seed), j_json("workers", list)));
}

/* A line a worker and class: worker, class, area of its disc. */
static void partition_put_data(const void *ctx, FILE *out)
{
	const struct parted *d = ctx;
	int64_t most = 1;

	for (int i = 0; i < (int)d->c->workers * d->classes; i++)
		most = d->counts[i] > most ? d->counts[i] : most;
	fputs("# worker class samples size\n", out);
	for (int w = 0; w < (int)d->c->workers; w++)
		for (int k = 0; k < d->classes; k++) {
			const double n = (double)d->counts[w * d->classes + k];

			if (n > 0)
				fprintf(out, "%d %d %.0f %.4g\n", w, k, n,
					0.45 * sqrt(n / (double)most));
		}
}

/* Discs whose area is the number of samples, a column a worker and a row a class. */
static void partition_put_script(const void *ctx, const char *name, FILE *out)
{
	const struct parted *d = ctx;
	const int workers = (int)d->c->workers;
	scoped char *title = xasprintf("%s, %s, seed %" PRId64, d->ds->type->plugin.name,
				       d->c->partition, d->c->seed);

	fputs("set title ", out);
	gnuplot_string(title, out);
	fputs(" .\"\\nareas: numbers of samples\"", out);
	fputs(" noenhanced\nset xlabel 'worker'\nset ylabel 'class'\nunset key\n"
	      "set border 3 lc rgb '#404040'\nset tics nomirror out\n", out);
	fprintf(out, "set xrange [-0.6:%g]\nset yrange [-0.6:%g]\n", workers - 0.4,
		d->classes - 0.4);
	if (workers <= 24)
		fputs("set xtics 1\n", out);
	if (d->classes <= 24)
		fputs("set ytics 1\n", out);
	fputs("plot ", out);
	gnuplot_path(name, ".dat", out);
	/* Ellipses in units of both axes: a disc never leaves its cell. */
	fputs(" using 1:2:(2*$4):(2*$4) with ellipses units xy lc rgb '#2166ac' fs solid 0.8 "
	      "noborder\n", out);
}

static int partition_plot(const struct parted *d)
{
	scoped_by(texts_release) struct texts paths = { 0 };
	int ret;

	if (!d->classes) {
		error("--plot: the samples of %s have no classes to draw. Leave it out.",
		      d->ds->type->plugin.name);
		return EXIT_BAD;
	}
	ret = plot_write(&(struct plot_parts){ .name = "partition", .ctx = d,
					       .script = partition_put_script,
					       .data = partition_put_data },
			 d->c->plot, "svg", &paths);
	return ret < 0 ? EXIT_BAD : EXIT_OK;
}

static int partition_tell(struct parted *d, const struct choice *choice)
{
	const int workers = (int)d->c->workers;
	int code = EXIT_OK;

	if (!d->ds->tokens && d->ds->loss == LOSS_CROSS_ENTROPY)
		d->classes = d->ds->classes;
	if ((int64_t)workers * d->classes > MOST_COUNTS) {
		error("--workers %d: a table of %d workers and %d classes is too large (expected "
		      "at most %d numbers)", workers, workers, d->classes, MOST_COUNTS);
		return EXIT_BAD;
	}
	if (partition_open(&d->p, choice, d->ds, workers, (uint64_t)d->c->seed) < 0)
		return EXIT_BAD;
	if (!d->p.part) {
		error("--partition %s: no worker has samples of its own", d->text);
		note("all workers draw from all of them; choose iid, labels, shards, documents or "
		     "files");
		return EXIT_BAD;
	}
	if (d->classes) {
		d->counts = xcalloc((size_t)workers * (size_t)d->classes, sizeof(*d->counts));
		partition_count(&d->p, d->ds, workers, d->counts);
	}
	if (d->c->json)
		partition_json(d);
	else
		partition_print(d);
	if (d->c->plot)
		code = partition_plot(d);
	free(d->counts);
	return code;
}

static int data_partition(const struct args *a)
{
	const struct partition_opts *c = a->conf;
	scoped_by(choice_release) struct choice choice = { 0 };
	struct dataset *ds = NULL;
	struct parted d = { .c = c };
	scoped char *text = NULL;
	int code = EXIT_BAD;

	if (choice_parse(&choice, partition_table, "partition", c->partition) == 0)
		ds = dataset_open_text(a->words[0]);
	if (ds) {
		text = choice_format(&choice);
		d.ds = ds;
		d.text = text;
		code = partition_tell(&d, &choice);
		partition_release(&d.p);
	}
	dataset_close(ds);
	return code;
}

const struct syntax cmd_data_partition = {
	.opts = partition_opts, .conf_size = sizeof(struct partition_opts), .one = "set",
	.usage = "data partition NAME[:key=value,...] [--partition P] [--workers N] [OPTIONS]",
	.about = partition_about, .run = data_partition,
};
