/* `convoy delay fit LOG...`: which delay model describes a log of step times. */
#include "cmd/cmd.h"

#include "cmd/args.h"
#include "study/fit/fit.h"
#include "cmd/plot_path.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/text/utf8.h"
#include "runner/results/outcome.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More values than that are compared in part. */
enum { MOST_VALUES = 50000 };

struct conf {
	int64_t seed, batch, skip;
	char *plot, *file, *cluster, *net, *csv;
	bool intervals, json;
};

static const struct opt opts[] = {
	{ "o", OPT_AT(STRING, struct conf, file), NULL, "the cluster file that is written", "FILE",
	  0, 0, NULL, 0 },
	OPT_TEXT(struct conf, cluster, "a cluster whose other keys the file has, name or path",
		 "CLUSTER"),
	OPT_TEXT(struct conf, net, "the log's net, whose seconds per sample the file then has",
		 "NET"),
	OPT_NUMBER(struct conf, batch, "0", "samples of a step of the log, for --net", "N", 0,
		   1 << 30),
	OPT_NUMBER(struct conf, skip, "0", "steps of each worker to leave out at the beginning",
		   "N", 0, 1e9),
	OPT_TEXT(struct conf, csv, "the log as CSV, for --delay replay:file=FILE", "FILE"),
	OPT_TEXT(struct conf, plot,
		 "Q-Q plot of the models against the log: .svg, .png or .pdf", "FILE"),
	OPT_FLAG(struct conf, intervals,
		 "95 % intervals of the best model's parameters, by fitting 39 runs of it"),
	OPT_NUMBER(struct conf, seed, "1", "first of the seeds of the models' runs", "N", 0, 1e15),
	OPT_FLAG(struct conf, json, "as JSON on stdout"),
	{ 0 }
};

static const char about[] =
	"Fits the delay models to a log of step times, and says which describes it. The log has\n"
	"only the seconds of computing: with communication, all workers of a synchronous run look\n"
	"alike. It is one of these, recognised by what is in the files:\n"
	"- CSV with a line for each step of each worker, and the columns worker, step, seconds;\n"
	"  or rank, iter, step_time_ms and the like, in any order\n"
	"- traces of PyTorch (torch.profiler, .json or .json.gz), one of each rank. The seconds\n"
	"  of a step are its duration, less the time in which a collective ran and the rank\n"
	"  computed nothing\n"
	"\n"
	"99 runs of each fitted model have the workers and steps of the log. A model fits if they\n"
	"include the log: its Kolmogorov-Smirnov distance, its lag-1 autocorrelation within a\n"
	"worker, and the spread between workers. The best model is the simplest that fits. Where\n"
	"slow phases are rare or none fits, replay the log: --delay replay:file=LOG.\n"
	"A worker that is far from the others throughout the log is named; its factor or its slow\n"
	"phases are fixed, and the models are those of the other workers.\n"
	"\n"
	"Examples:\n"
	"  convoy delay fit steps.csv --plot steps.svg\n"
	"  convoy delay fit trace-*.json.gz --csv steps.csv\n"
	"  convoy delay fit steps.csv --skip 5\n"
	"  convoy delay fit steps.csv --cluster here.json --net resnet50 --batch 64 \\\n"
	"             -o mine.json\n"
	"  convoy sim --cluster mine.json --net resnet50 --timing \\\n"
	"             --algo allreduce,ad-psgd";

/* The first steps of each worker; the log owns the times. */
static struct steplog delay_first(const struct steplog *l, size_t steps)
{
	struct steplog part = { l->workers, steps,
				xcalloc(l->workers * steps, sizeof(double)) };

	for (size_t w = 0; w < l->workers; w++)
		memcpy(part.seconds + w * steps, l->seconds + w * l->steps,
		       steps * sizeof(double));
	return part;
}

static int delay_compare(struct fit *f, uint64_t seed)
{
	const size_t most = MOST_VALUES / f->rest.workers;
	struct steplog part;
	int ret = 0;

	f->compared = most < FIT_FEWEST_STEPS ? FIT_FEWEST_STEPS : most;
	f->cut = f->compared < f->rest.steps;
	f->compared = f->cut ? f->compared : f->rest.steps;
	part = delay_first(&f->rest, f->compared);
	f->own = fit_numbers(&part);
	for (size_t i = 0; i < f->n && ret == 0; i++)
		ret = fit_compare(&part, &f->own, &f->model[i], seed, &f->of[i]);
	steplog_release(&part);
	if (ret == 0)
		f->best = fit_best(&f->own, f->of, f->n);
	return ret;
}

static int delay_bound(struct fit *f, const struct conf *c)
{
	return c->intervals ? fit_intervals(&f->rest, &f->model[f->best], (uint64_t)c->seed,
					    &f->parameters) : 0;
}

static cJSON *delay_plot(const struct fit *f, const char *path)
{
	struct plot_path at;

	if (plot_path_split(path, PLOT_PATH_PICTURE, &at) < 0)
		return NULL;
	return fit_plot(f, at.dir, at.name, at.format);
}

static void delay_report(const struct fit *f, bool as_json, cJSON *paths)
{
	const cJSON *path;
	cJSON *json;

	if (as_json) {
		json = fit_json(f);
		if (paths)
			cJSON_AddItemToObject(json, "plots", paths);
		json_print(json);
		cJSON_Delete(json);
		return;
	}
	fit_print(f);
	cJSON_ArrayForEach(path, paths)
		utf8_puts(path->valuestring);
	cJSON_Delete(paths);
}

/* What is written comes first: a report of what could not be written would mislead. */
static int delay_finish(const struct fit *f, const struct conf *c)
{
	const struct fit_file to = { c->file, c->cluster, c->net, c->batch };
	cJSON *paths = NULL;

	if (c->file && fit_write(f, &to) < 0)
		return EXIT_BAD;
	if (c->csv && fit_write_csv(&f->log, c->csv) < 0)
		return EXIT_BAD;
	if (c->plot && !(paths = delay_plot(f, c->plot)))
		return EXIT_BAD;
	delay_report(f, c->json, paths);
	return EXIT_OK;
}

static int delay_check(const struct args *a, const struct conf *c)
{
	if (a->nwords < 1 || strcmp(a->words[0], "fit") != 0)
		return args_usage(a, "expected 'fit' and a log");
	if (a->nwords < 2)
		return args_usage(a, "expected a log");
	if ((c->cluster || c->net) && !c->file)
		return args_usage(a, "--cluster and --net need a file to write. Give -o FILE");
	if (!c->net != !c->batch)
		return args_usage(a, "--net and --batch need each other. Give both");
	return EXIT_OK;
}

static int delay_fit(const struct args *a)
{
	const struct conf *c = a->conf;
	struct fit f = { 0 };
	int code = delay_check(a, c);

	if (code != EXIT_OK)
		return code;
	code = EXIT_BAD;
	if (c->plot && plot_path_check(c->plot, PLOT_PATH_PICTURE) < 0)
		return EXIT_BAD;
	if (fit_read(&f, a->words + 1, a->nwords - 1, (size_t)c->skip) == 0) {
		f.csv = f.traces || c->skip ? c->csv : f.path;
		f.outliers = fit_outliers(&f.log);
		f.rest = outliers_rest(&f.outliers, &f.log);
		f.n = fit_models(&f.rest, f.model);
		if (delay_compare(&f, (uint64_t)c->seed) == 0 && delay_bound(&f, c) == 0)
			code = delay_finish(&f, c);
	}
	for (size_t i = 0; i < f.n; i++)
		comparison_release(&f.of[i]);
	fit_models_release(f.model, f.n);
	fit_parameters_release(&f.parameters);
	free(f.own.quantile);
	free(f.path);
	free(f.outliers.v);
	steplog_release(&f.rest);
	steplog_release(&f.log);
	return code;
}

int cmd_delay(int argc, char **argv)
{
	struct conf conf;
	struct args a = { .opts = opts, .conf = &conf, .about = about,
			  .usage = "delay fit LOG... [-o FILE] [--plot FILE] [OPTIONS]" };

	return args_main(&a, argc, argv, delay_fit);
}
