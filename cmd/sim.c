/* `convoy sim`: one run from flags, or all combinations of their values. */
#include "cmd/cmd.h"

#include "cmd/answer_page.h"
#include "cmd/args.h"
#include "cmd/common.h"
#include "cmd/opts.h"
#include "cmd/plot_path.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/paths.h"
#include "data/data.h"
#include "mpi/real.h"
#include "plan/plan.h"
#include "plan/resolve/setup.h"
#include "record/environ.h"
#include "record/measure.h"
#include "runner/launch/launch.h"
#include "runner/plan_run.h"
#include "runner/results/folder.h"
#include "runner/signals.h"
#include "runner/single_run/simrun.h"
#include "runner/single_run/single.h"
#include "study/advise/answer.h"
#include "study/whatif.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_PLOT_Y "time_per_epoch_s"

struct conf {
	char *out, *trace, *values, *plot, *plot_y, *timeline, *report;
	char *hostfile, *hosts, *mpirun;
	char *file, *experiment, *scale, *lease;        /* of a run of an experiment */
	bool noted;
	int64_t threads, jobs, ranks, keep;
	double checkpoint_every;
	struct print_conf print;
	int format;
	bool resume, retrain, dry_run, json, csv, quiet;
};

static const struct opt opts[] = {
	OUT_OPT(struct conf),
	OPT_NUMBER(struct conf, jobs, "0", "runs at once; 0: all cores if timing-only, else 1", "N",
		   0, 4096),
	ALL_THREADS_OPT(struct conf),
	SIM_RANKS_OPT(struct conf),
	HOSTS_OPTS(struct conf),
	MPIRUN_OPT(struct conf),
	CHECKPOINT_OPT(struct conf, "0"),
	KEEP_OPT(struct conf),
	OPT_FLAG(struct conf, resume, "continue from the last checkpoint, or a shorter run's"),
	RETRAIN_OPT(struct conf),
	FOR_ANOTHER_OPTS(struct conf),
	SINGLE_OPTS(struct conf),
	OPT_FLAG(struct conf, csv, "a line for each run on stdout, separated by commas"),
	OPT_CHOICE(struct conf, format, "text", "how the table of runs is written", NULL,
		   table_format_name),
	OPT_TEXT(struct conf, values,
	  "measures of the table: 'convoy help measures'", "LIST"),
	OPT_TEXT(struct conf, plot, "plot of several runs: .svg, .png, .pdf, .tex, .tikz", "FILE"),
	{ "plot_y", OPT_AT(STRING, struct conf, plot_y), DEFAULT_PLOT_Y,
	  "measure that the plot shows", "MEASURE", 0, 0, NULL, 0 },
	PRINT_OPTS(struct conf),
	OPT_TEXT(struct conf, timeline, "Gantt chart of one run: .svg, .png or .pdf", "FILE"),
	OPT_TEXT(struct conf, report, "a page of HTML, made for A4 paper", "FILE"),
	{ 0 }
};

static const char about[] =
	"Simulates a run in virtual time and prints its measures. The result is one HDF5 file,\n"
	"OUT/sim/HASH.h5; a finished run is read, not repeated, unless --trace or --timeline is\n"
	"given. --dry-run shows each setting and where its value is from.\n"
	"\n"
	"Settings may have several values: a,b,c; FROM..TO (doubles; seeds count by one);\n"
	"FROM..TO:STEP; FROM..TO:xFACTOR. All combinations are run and printed as a table, with\n"
	"the speedup over one worker. Runs that differ only in the seed are one row, unless\n"
	"the seed alone varies.\n"
	"\n"
	"Examples:\n"
	"  convoy sim --algo ad-psgd --timing --samples 50000 --slow 0:10\n"
	"  convoy sim --algo asgd --net lenet --lr 0.002 --workers 4 --epochs 2\n"
	"  convoy sim --algo allreduce,ad-psgd,asgd --workers 4..1024 --slow 0:10 \\\n"
	"             --timing --plot what-if.svg\n"
	"  convoy sim --algo asgd --net quadratic --workers 8 --lr 1e-4..0.01:x10 \\\n"
	"             --seed 1..5";

static struct launch ranks_of(const struct conf *c)
{
	return (struct launch){ .ranks = (int)c->ranks, .hostfile = c->hostfile, .hosts = c->hosts,
				.options = c->mpirun, .quiet = c->quiet };
}

static int sim_simulate(const struct setup *su, const struct conf *c, const char *path)
{
	struct run_context context = {
		.experiment = c->experiment ? c->experiment : "",
		.scale = c->scale ? c->scale : "", .path = path, .trace = c->trace,
		.threads = simranks_threads(c->threads), .resume = c->resume,
		.checkpoint_every = c->checkpoint_every,
		.alone = !c->file, .lease = c->lease, .noted = c->noted,
		.retrain = c->retrain,
		.keep = c->file || c->trace ? 0 : c->keep,
	};

	return run_end_code(single_run(su, &context, c->quiet));
}

/* A trace for the timeline alone is a temporary file. *drawn <- whether the timeline is. */
static int simulate_drawn(const struct setup *su, const struct conf *c, const char *path,
			  bool *drawn)
{
	scoped char *temporary = xasprintf("%s.trace", path);
	struct result_lock lock = result_lock(temporary);
	struct conf recording = *c;
	struct trace trace;
	struct texts paths = { 0 };
	int code;

	if (!recording.trace)
		recording.trace = temporary;
	code = sim_simulate(su, &recording, path);
	if (code == EXIT_OK) {
		*drawn = trace_read(&trace, recording.trace) == 0 &&
			 timeline_draw(&trace, c->timeline, &paths) == 0;
		code = signal_caught ? signals_exit_code() : EXIT_OK;
		/* the paths go to standard output, unless JSON does */
		if (!c->json && *drawn)
			paths_print(&paths, "");
		texts_release(&paths);
		trace_release(&trace);
	}
	if (recording.trace == temporary)
		unlink(temporary);
	result_unlock(&lock);
	return code;
}

static char *sim_result_path(const struct setup *su, const struct conf *c)
{
	return c->file ? xstrdup(c->file)
		       : xasprintf("%s/sim/%s.h5", results_folder(c->out), su->hash);
}

static bool result_is_there(const struct setup *su, const struct conf *c, const char *path)
{
	return !c->trace && !c->timeline && result_finished(path, su->hash);
}

static int sim(const struct setup *su, const struct args *a)
{
	const struct conf *c = a->conf;
	scoped char *path = sim_result_path(su, c),
		    *dir = xasprintf("%s/sim", results_folder(c->out));
	struct launch l = ranks_of(c);
	const bool first = real_rank() == 0, others = c->ranks > 1 && real_size() < 2;
	bool finished = first && result_is_there(su, c, path), drawn = true;
	int code = EXIT_OK;

	if (finished && !c->quiet)
		note("finished before: %s", path);
	if (finished)
		plan_warn_of_file(su, path);
	else if (first)
		plan_warn_of_former(su, path);
	real_share(&finished, sizeof(finished));        /* the first rank's to say */
	l.result = path;
	guard_result(path);
	if (!finished && others) {
		code = launch(&l, a->argc, a->argv);
	} else if (!finished) {
		/* in this process, or as one of the ranks, of which the first writes */
		code = real_agree(!first || c->file || folder_prepare(dir) == 0 ? EXIT_OK
										: EXIT_BAD);
		if (code == EXIT_OK)
			code = c->timeline && first ? simulate_drawn(su, c, path, &drawn)
						    : sim_simulate(su, c, path);
	}
	if (code == EXIT_OK && (finished || !others) && first && !c->file)
		code = result_print(su, path, c->json, c->quiet);
	return code == EXIT_OK && !drawn ? EXIT_BAD : code;
}

/* Resolves on all ranks, because what one finds wrong ends all, and simulates. */
static int resolve_and_sim(const struct args *a, const struct grid_point *values)
{
	const struct conf *c = a->conf;
	const bool first = real_rank() == 0;
	scoped_by(setup_release) struct setup su;
	char *path;
	bool good;
	int code;

	setup_init(&su);
	/* Settings that another command gives have one value each. */
	good = (values ? settings_apply_point(&su.in, values, "command line")
		       : settings_apply(&su.in, a->set, "command line")) == 0 &&
	       setup_resolve(&su) == 0 &&
	       world_check_own(c->hosts ? "hosts" : c->hostfile ? "hostfile" :
			       c->mpirun ? "mpirun" : NULL) == 0;
	/* checkpoints hold models; a timing-only run is repeated in no time */
	if (good && su.in.timing && (c->checkpoint_every > 0 || c->resume)) {
		error("%s: a timing-only run has no checkpoint. Run it again instead; it takes a "
		      "moment", c->checkpoint_every > 0 ? "checkpoint_every" : "resume");
		good = false;
	}
	code = real_agree(good && single_threads(c->threads) > 0 ? EXIT_OK : EXIT_BAD);
	if (code == EXIT_OK)
		code = real_agree(simranks_check(&su, c->ranks) < 0 ? EXIT_BAD : EXIT_OK);
	if (code == EXIT_OK && !c->file && !c->trace && !c->timeline && first)
		length_warn(&su);
	if (code == EXIT_OK && !c->file && !c->dry_run && !c->quiet && first)
		single_note_assumed(&su);
	if (code == EXIT_OK && !c->dry_run) {
		code = sim(&su, a);
	} else if (code == EXIT_OK && first) {
		path = sim_result_path(&su, c);
		good = result_is_there(&su, c, path);
		free(path);
		single_print_settings(&su, c->json);
		code = good || setup_look_data(&su) == 0 ? EXIT_OK : EXIT_BAD;
	}
	return code;
}

/* ---- several runs ---- */

/* Makes the runs that are not finished, draws and shows all. An exit code. */
static int run_many(struct plan *p, const struct conf *c)
{
	struct pool_conf pool = { .jobs = (int)c->jobs, .threads = (int)c->threads,
				  .sim = ranks_of(c), .quiet = c->quiet,
				  .checkpoint_every = c->checkpoint_every, .resume = c->resume,
				  .retrain = c->retrain };
	struct outcome o;
	struct plot_form form = { 0 };
	struct plot_path at;
	struct texts paths = { 0 };
	bool drawn = false;
	int code = plan_run(p, &pool);

	if (code != EXIT_OK)
		return code;
	if (outcome_read(&o, p) == 0 && outcome_mark(&o, p) == 0) {
		drawn = !c->plot || (plot_path_split(c->plot, PLOT_PATH_FIGURE, &at) == 0 &&
				     plot_form_read(&form, &c->print, at.format) == 0 &&
				     whatif_plot(&o, p, c->plot_y ? c->plot_y : "",
						 &(struct whatif_file){
							 c->plot, at.dir, at.name, at.format,
							 form_is_given(&c->print) ? &form : NULL },
						 &paths) == 0);
		if (!drawn)
			texts_release(&paths);
		if (c->json)
			json_print_own(whatif_json(&o, p, &paths));
		else if (c->csv)
			whatif_print_csv(&o, p);
		else
			outcome_print_tables(&o.tables, (enum table_format)c->format);
		if (c->report) {
			scoped_json cJSON *json = whatif_json(&o, p, &paths);
			scoped_by(answer_release) struct answer answer;

			drawn &= answer_read(&answer, json, c->report) == 0;
			answer.command = environ_command();
			drawn &= answer_report(&answer, c->report, c->json || c->csv) == 0;
		}
		if (!c->quiet)
			note_own(trained_text(&o.runs));
		if (!c->quiet && c->values)
			note_own(whatif_missing(&o, p));
		if (!c->json && !c->csv)
			paths_print(&paths, "\n");
		texts_release(&paths);
	}
	outcome_release(&o);
	if (signal_caught)
		return signals_exit_code();
	return plan_failed(p) || !drawn ? EXIT_BAD : EXIT_OK;
}

static int sim_many(const struct args *a, const struct grid_product *values, double combinations)
{
	const struct conf *c = a->conf;
	const char *drawn = c->trace ? "trace" : "timeline";
	scoped_paths char **columns = c->values ? measures_parse("--values", c->values) : NULL;
	struct plan p;
	int code = EXIT_BAD;

	if ((c->trace || c->timeline) && combinations > 1.0)
		code = args_usage(a, "--%s is of one run; these are %.0f combinations", drawn,
				  combinations);
	else if (c->trace || c->timeline)
		code = args_usage(a, "--%s is of a run without a table: it does not go with --%s",
				  drawn, c->csv ? "csv" : c->values ? "values" :
					 c->report ? "report" : "format");
	else if (c->values && !columns)
		code = EXIT_BAD;
	else if (c->json && c->csv)
		error("--json and --csv are both given (expected one). Leave one out");
	else if (c->json && c->values)
		error("--json and --values are both given (--json has every measure). Leave one "
		      "out");
	else if ((!c->plot || (plot_path_check(c->plot, PLOT_PATH_FIGURE) == 0 &&
			       plot_form_read(&(struct plot_form){ 0 }, &c->print,
					      strrchr(c->plot, '.') + 1) == 0)) &&
		 measure_check_name("--plot-y", c->plot_y ? c->plot_y : "") == 0) {
		if (whatif_plan(&p, values, columns, results_folder(c->out)) == 0 &&
		    plan_check_metrics(&p) == 0 &&
		    plan_check_metric(&p, c->plot_y ? c->plot_y : "") == 0) {
			if (c->dry_run)
				plan_print(&p, NULL, NULL, c->json);
			code = !c->dry_run		? run_many(&p, c)
			       : plan_look_data(&p) < 0 ? EXIT_BAD
							: EXIT_OK;
		}
		plan_release(&p);
	}
	return code;
}

static int sim_dispatch(const struct args *a)
{
	struct conf *c = a->conf;
	const bool asked = (c->json || c->csv) && c->format != TABLE_TEXT;
	const bool table = c->csv || c->values || c->report ||
			   (c->format != TABLE_TEXT && c->format != TABLE_JSON);
	const int listed = launch_hosts(c->hosts, c->hostfile);
	const struct value_list *engines;
	struct grid_product values;
	struct grid_point one = { 0 };
	double n = 1.0;         /* combinations */
	bool several;
	int code = EXIT_OK;

	if (a->nwords)
		return args_usage(a, "'%s': sim accepts options only; experiments are for "
				     "'convoy run'", a->words[0]);
	if (!c->plot && (form_is_given(&c->print) ||
			 (c->plot_y && strcmp(c->plot_y, DEFAULT_PLOT_Y) != 0)))
		return args_usage(a, "--plot-y, --plot-size, --plot-font and --no-plot-legend are "
				     "of --plot");
	if (asked)
		return args_usage(a, "--format %s does not go with --%s",
				  table_format_name[c->format], c->json ? "json" : "csv");
	if (c->report && answer_report_check(c->report) < 0)
		return EXIT_BAD;
	c->json |= c->format == TABLE_JSON;
	c->csv |= c->format == TABLE_CSV;
	if (listed < 0)
		return EXIT_BAD;
	if (!c->ranks)
		c->ranks = listed;
	if (c->dry_run)
		dataset_plan_only();
	if (c->file)
		return resolve_and_sim(a, NULL);
	if (whatif_values(&values, a->set) < 0) {
		product_release(&values);
		return EXIT_BAD;
	}
	for (size_t i = 0; i < values.n; i++)
		n *= (double)values.v[i].values.n;
	several = n > 1.0;
	engines = product_values(&values, "engine");
	for (size_t i = 0; engines && i < engines->n && code == EXIT_OK; i++)
		if (strcmp(engines->v[i].text, "sim") != 0) {
			error("engine mpi is for 'convoy train'; 'convoy sim' simulates");
			code = EXIT_BAD;
		}
	if (code == EXIT_OK && !several)
		one = product_point(&values, 0);
	if (code != EXIT_OK)
		;
	else if (c->plot && !several)
		code = args_usage(a, "--plot draws several combinations; --timeline draws one run");
	else if ((table || several) && real_size() > 1)
		code = args_usage(a, "the ranks that mpirun starts compute one run, without "
				     "a table; --sim-ranks starts ranks for each of several");
	else if (table || several)
		code = sim_many(a, &values, n);
	else if ((c->trace || c->timeline) && c->resume)
		code = args_usage(a, "a trace is of a whole run: --%s does not go with --resume",
				  c->trace ? "trace" : "timeline");
	else if (!c->timeline || plot_path_check(c->timeline, PLOT_PATH_PICTURE) == 0)
		code = resolve_and_sim(a, &one);
	else
		code = EXIT_BAD;
	point_release(&one);
	product_release(&values);
	return code;
}

const struct syntax cmd_sim = {
	.opts = opts, .conf_size = sizeof(struct conf), .settings = true, .code = true,
	.ranks = RANKS_IF_MANY,
	.common = "algo workers net data epochs lr slow cluster timing",
	.usage = "sim [--SETTING VALUE[,VALUE]...]... [OPTIONS]",
	.about = about, .run = sim_dispatch,
};
