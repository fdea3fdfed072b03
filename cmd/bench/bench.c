/* `convoy bench nets`: how fast gradients are taken. */
#include "cmd/cmd.h"

#include "cmd/args.h"
#include "cmd/bench/bench.h"
#include "cmd/plot_path.h"
#include "core/base/error.h"
#include "runner/progress.h"
#include "runner/results/outcome.h"

#include <string.h>

struct conf {
	char *backend, *precision, *lowering, *partitions, *batch, *threads, *team, *plot;
	double seconds;
	bool layers, peak, json, quiet;
};

#define AT(type, field) OPT_AT(type, struct conf, field)

static const struct opt opts[] = {
	OPT_TEXT(struct conf, backend, "compute backends; without it the first built in",
	  "NAME,..."),
	{ "precision", AT(STRING, precision), "f32,bf16", "of activations and products",
	  "TYPE,...", 0, 0, NULL, 0 },
	{ "batch", AT(STRING, batch), "auto", "samples of a minibatch; auto: as many as usual",
	  "N,...", 0, 0, NULL, 0 },
	{ "threads", AT(STRING, threads), "1", "gradients at once, each on one thread",
	  "N,...", 0, 0, NULL, 0 },
	{ "team", AT(STRING, team), "1", "threads that share one gradient", "N,...", 0, 0,
	  NULL, 0 },
	OPT_TEXT(struct conf, lowering, "openblas: 1, 2, 3, auto or caffe, as in a run's settings",
	  "TYPE,..."),
	OPT_TEXT(struct conf, partitions, "openblas: parts of a batch", "N,..."),
	OPT_NUMBER(struct conf, seconds, "3",
		   "time for each measurement, after warming up; at least two gradients", "SECONDS",
		   0, 3600),
	OPT_FLAG(struct conf, layers, "where the time goes, layer by layer"),
	{ "peak", AT(BOOL, peak), "true",
	  "time a large matrix product too, a second or two for each backend, precision and "
	  "number of threads", NULL, 0, 0, NULL, 0 },
	OPT_TEXT(struct conf, plot,
		 "draw the rates into FILE, which ends in .svg, .png, .pdf or .tex", "FILE"),
	OPT_FLAG(struct conf, json, "a JSON array on stdout, an object a measurement"),
	OPT_FLAG(struct conf, quiet, "no progress on stderr"),
	{ 0 }
};

static const char about[] =
	"Measures the samples per second of forward and backward passes (no step) of nets of the\n"
	"zoo or .json paths, on random images; by default of the nets of the papers. Every\n"
	"measurement has its own process. It prints the rate by the median time of a gradient,\n"
	"floating-point operations a second (2 x 3 x forward multiply-accumulates), their share\n"
	"of what large matrix products reach in the same run on as many threads, and the peak\n"
	"resident memory. Options with several values, separated by commas, measure every\n"
	"combination.\n"
	"\n"
	"Examples:\n"
	"  convoy bench nets\n"
	"  convoy bench nets resnet20 --threads 1,2 --precision bf16\n"
	"  convoy bench nets resnet50 --team 2 --layers --json\n"
	"  convoy bench nets caffenet --backend openblas --partitions 1,2,4,8 \\\n"
	"             --plot rate.svg";

struct ticker {
	struct progress progress;
	const struct bench *b;
	size_t done;
	double began;           /* of the case under way, on the progress' clock */
};

/* A case takes about as long again as it measures, to open and to warm up. */
static void bench_tick(void *arg)
{
	struct ticker *t = arg;
	double now = progress_elapsed(&t->progress), part, gradients = 0;

	part = (now - t->began) / (2 * t->b->seconds + 1);
	for (size_t i = 0; i < t->done; i++)
		gradients += (double)t->b->cases[i].gradients;
	progress_show(&t->progress, t->done,
		      ((double)t->done + (part < 0.9 ? part : 0.9)) / (double)t->b->n, gradients);
}

/* Each backend, precision and number of threads once. */
static void find_peaks(struct bench *b)
{
	for (size_t i = 0; i < b->n; i++) {
		struct rate_case *c = &b->cases[i];
		size_t k = 0;

		while (!rate_same_peak(&b->cases[k], c))
			k++;
		c->gemm = k < i ? b->cases[k].gemm : rate_peak(c);
	}
}

static int bench_run(struct bench *b, const struct conf *conf)
{
	struct ticker t = { .b = b };
	int code = EXIT_OK;

	progress_start(&t.progress, b->n, conf->quiet);
	if (conf->peak)
		find_peaks(b);
	if (!conf->json)
		bench_print_head(b);
	for (; t.done < b->n; t.done++) {
		struct rate_case *c = &b->cases[t.done];

		t.began = progress_elapsed(&t.progress);
		if (rate_measure_apart(c, b->seconds, bench_tick, &t))
			code = EXIT_BAD;
		progress_end(&t.progress);
		if (c->done && !conf->json)
			bench_print_case(c);
		if (c->done && !conf->json && c->times)
			bench_print_layers(c);
	}
	return code;
}

static int bench_report(const struct bench *b, const struct conf *conf)
{
	cJSON *json;

	if (conf->json) {
		json = bench_json(b);
		json_print(json);
		cJSON_Delete(json);
	}
	return conf->plot && bench_plot(b, conf->plot) ? EXIT_BAD : EXIT_OK;
}

static int bench_nets(const struct args *a)
{
	const struct conf *conf = a->conf;
	struct bench_lists lists = {
		.nets = a->words + 1, .nnets = a->nwords - 1, .backend = conf->backend,
		.precision = conf->precision, .lowering = conf->lowering,
		.partitions = conf->partitions, .batch = conf->batch, .threads = conf->threads,
		.team = conf->team,
	};
	struct bench b = { .seconds = conf->seconds, .layers = conf->layers };
	int code = EXIT_BAD, drawn;

	if (!a->nwords || strcmp(a->words[0], "nets"))
		return args_usage(a, "nothing to measure is named (expected 'nets')");
	if ((!conf->plot || !plot_path_check(conf->plot, PLOT_PATH_FIGURE)) &&
	    !bench_grid(&b, &lists)) {
		code = bench_run(&b, conf);
		drawn = bench_report(&b, conf);
		code = code ? code : drawn;
	}
	bench_release(&b);
	return code;
}

int cmd_bench(int argc, char **argv)
{
	struct conf conf;
	struct args a = { .opts = opts, .conf = &conf, .about = about,
			  .usage = "bench nets [NET...] [OPTIONS]" };

	return args_main(&a, argc, argv, bench_nets);
}
