/* `convoy advise`: from which value of a parameter on another algorithm is faster. */
#include "study/advise/advise.h"

#include "cmd/args.h"
#include "cmd/cmd.h"
#include "cmd/opts.h"
#include "cmd/plot_path.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "runner/results/folder.h"
#include "runner/results/outcome.h"

#include <stdio.h>
#include <stdlib.h>

struct conf {
	char *out, *vary, *between, *progress, *progress_by, *plot;
	double model_error;
	int64_t points, draws, jobs;
	bool extrapolate, json, csv, quiet;
};

static const struct opt opts[] = {
	OPT_TEXT(struct conf, between, "two algorithms that are compared", "FIRST,SECOND"),
	OPT_TEXT(struct conf, vary,
		 "parameter and range: slow (of worker 0), share (of the time in which a worker is "
		 "slow), bandwidth (GB/s), latency, workers or compute_s", "PARAMETER=LO..HI"),
	OPT_NUMBER(struct conf, points, "9", "values of the parameter in the table", "N", 2, 1000),
	OPT_NUMBER(struct conf, draws, "32",
		   "seeds, and values for each uncertain number; one if nothing varies", "N", 1,
		   10000),
	OPT_TEXT(struct conf, progress,
		 "progress per step of both, which may be uncertain: 1,0.93+-0.02; else 1 for both",
		 "FIRST,SECOND"),
	OPT_TEXT(struct conf, progress_by,
		 "measure the progress by training runs with these settings: 'net=lenet lr=0.01 "
		 "epochs=2'", "SETTINGS"),
	OPT_NUMBER(struct conf, model_error, "0",
		   "deviation of the simulated ratio of both times from the true one, as a share",
		   "SHARE", 0, 1),
	OPT_FLAG(struct conf, extrapolate, "also show points outside the measured tables"),
	OUT_OPT(struct conf),
	OPT_NUMBER(struct conf, jobs, "0", "runs at once; 0: all cores", "N", 0, 4096),
	OPT_TEXT(struct conf, plot,
		 "plot of times and of P(second is faster): .svg, .png or .pdf; what to measure "
		 "next as FILE-sensitivity", "FILE"),
	OPT_FLAG(struct conf, json, "one JSON object on stdout"),
	OPT_FLAG(struct conf, csv, "the table on stdout, separated by commas"),
	QUIET_OPT(struct conf),
	{ 0 }
};

static const char about[] =
	"Finds the break-even of two algorithms over one parameter of a cluster, by bisection\n"
	"over timing-only runs: the value from which the second algorithm is faster, or slower.\n"
	"Prints the time per useful step of both, P(the second is faster), the break-even with\n"
	"its interval, and which uncertain value to measure next.\n"
	"\n"
	"Numbers in settings may be uncertain: 0.32+-0.03 or 0.32+-10%, log-normal with this\n"
	"mean and standard deviation. Each draw takes its own seed and values, so the same\n"
	"command gives the same answer. A step is as many gradients as there are workers.\n"
	"Without --epochs, --seconds or --gradients a run has 400 measured gradients of each\n"
	"worker, fewer if there are many workers, more if workers are slow for a while.\n"
	"\n"
	"Examples:\n"
	"  convoy advise --between allreduce,ad-psgd --vary slow=1..10 --workers 16 \\\n"
	"                --net resnet50 --data imagenet --batch 64 \\\n"
	"                --compute-s 0.05+-0.005 --link nic:bandwidth_GBps=12.5 \\\n"
	"                --plot advise.svg\n"
	"  convoy advise --between allreduce,asgd --vary bandwidth=0.1..100 --workers 8 \\\n"
	"                --net bytes:350e6 --compute-s 0.3 --link nic \\\n"
	"                --progress 1,0.9+-0.05";

static int advise_show(const struct advice *r, const struct advise *a, const struct conf *c)
{
	struct plot_path at;
	cJSON *paths = NULL, *json;
	const cJSON *path;

	if (!c->plot)
		paths = cJSON_CreateArray();
	else if (plot_path_split(c->plot, PLOT_PATH_NUMBERS, &at) == 0)
		paths = advice_plot(r, a, at.dir, at.name, at.format);
	if (!paths)
		return EXIT_BAD;
	if (c->json) {
		json = advice_json(r, a);
		cJSON_AddItemToObject(json, "plots", cJSON_Duplicate(paths, true));
		json_print(json);
		cJSON_Delete(json);
	} else if (c->csv) {
		advice_print_csv(r, a, stdout);
	} else {
		advice_print(r, a);
		cJSON_ArrayForEach(path, paths)
			printf("%s%s\n", path == paths->child ? "\n" : "", path->valuestring);
	}
	cJSON_Delete(paths);
	return EXIT_OK;
}

static int advise_answer(struct advise *a, const struct conf *c)
{
	struct crossing *crossing;
	struct advice r;
	int code = advise_grid(a);

	if (code != EXIT_OK)
		return code;
	crossing = xcalloc(a->ndraws, sizeof(*crossing));
	code = advise_search(a, crossing);
	if (code != EXIT_OK) {
		free(crossing);
		return code;
	}
	advice_build(&r, a, crossing);
	code = advice_probe(&r, a);
	if (code == EXIT_OK)
		code = advise_show(&r, a, c);
	advice_release(&r);
	return code;
}

static int advise(const struct args *args)
{
	const struct conf *c = args->conf;
	struct advise a = {
		.out = results_folder(c->out), .extrapolate = c->extrapolate,
		.conf = { .jobs = (int)c->jobs, .threads = 1, .quiet = c->quiet },
	};
	const struct question question = {
		.between = c->between, .vary = c->vary, .progress = c->progress,
		.model_error = c->model_error, .points = (size_t)c->points, .set = args->set,
	};
	int code = EXIT_BAD;

	if (c->json && c->csv)
		return error("--json and --csv are both given (expected one). Leave one out"),
		       EXIT_BAD;
	if (c->progress && c->progress_by)
		return error("--progress and --progress-by are both given (expected one). Leave "
			     "one out"), EXIT_BAD;
	if (c->plot && plot_path_check(c->plot, PLOT_PATH_NUMBERS) < 0)
		return EXIT_BAD;
	if (advise_open(&a, &question) == 0)
		code = c->progress_by ? advise_measure(&a, c->progress_by) : EXIT_OK;
	if (code == EXIT_OK) {
		advise_draw_all(&a, (size_t)c->draws);
		code = advise_answer(&a, c);
	}
	advise_release(&a);
	return code;
}

int cmd_advise(int argc, char **argv)
{
	struct conf conf;
	struct args a = { .opts = opts, .conf = &conf, .settings = true, .about = about,
			  .none = true, .common = "workers net data batch cluster compute_s link",
			  .usage = "advise --between FIRST,SECOND --vary PARAMETER=LO..HI "
				   "[--SETTING VALUE]... [OPTIONS]" };

	return args_main(&a, argc, argv, advise);
}
