/* `convoy run`: experiments, from their specs to tables, plots and claims. */
#include "cmd/cmd.h"

#include "cmd/args.h"
#include "cmd/common.h"
#include "cmd/opts.h"
#include "cmd/run/parts.h"
#include "cmd/run/series.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/output.h"
#include "core/file/paths.h"
#include "core/text/word.h"
#include "data/data.h"
#include "plan/plan.h"
#include "plan/tuning.h"
#include "runner/jobs.h"
#include "runner/launch/world.h"
#include "runner/plan_run.h"
#include "runner/results/folder.h"
#include "runner/results/outcome.h"
#include "runner/results/provenance.h"
#include "runner/signals.h"

#include <stdlib.h>

static const struct opt opts[] = {
	OPT_FLAG(struct run_conf, all, "every built-in experiment, or those that have --scale"),
	EXPERIMENT_OPTS(struct run_conf),
	OUT_OPT(struct run_conf),
	OPT_NUMBER(struct run_conf, jobs, "0", "runs at once; 0: all cores if timing-only, else 1",
		   "N", 0, 4096),
	OPT_NUMBER(struct run_conf, threads, "0",
		   "compute threads of a run; 0: the cores left by jobs", "N", 0, 4096),
	SIM_RANKS_OPT(struct run_conf),
	FOLDER_OPTS(struct run_conf),
	MPIRUN_OPT(struct run_conf),
	CHECKPOINT_OPT(struct run_conf, "300"),
	OPT_FLAG(struct run_conf, dry_run,
	  "print the plan and missing data; run and write nothing"),
	OPT_FLAG(struct run_conf, json, "one JSON object an experiment on stdout"),
	OPT_FLAG(struct run_conf, quiet, "no plan and no progress on stderr"),
	OPT_FLAG(struct run_conf, fail_fast, "stop at the first run that fails"),
	{ "resume", OPT_AT(BOOL, struct run_conf, resume), "true",
	  "skip finished runs", NULL, 0, 0, NULL,
	  0 },
	OPT_FLAG(struct run_conf, again, "repeat finished runs, like --no-resume"),
	{ 0 }
};

static const char about[] =
	"Runs experiments, by name or path: prints their tables, checks their claims and draws\n"
	"their plots. Each run's result is one HDF5 file. Finished runs are skipped, and training\n"
	"runs continue from their checkpoints, so the same command resumes an interrupted\n"
	"experiment; the results are bit-identical. A setting with several values, as in\n"
	"'convoy sim', is one more axis of the grid. If the spec tunes settings, the runs that\n"
	"choose them are made first.\n"
	"\n"
	"Exit codes: 0 all runs are done, whatever the claims say; 1 a run or a claim's filter\n"
	"failed, or wrong input; 128 the machine failed, for example a full disk; 129 command\n"
	"line; 130, 143 interrupted by Ctrl-C, SIGTERM.\n"
	"\n"
	"Examples:\n"
	"  convoy run slow-worker                      a paper's table, with our numbers\n"
	"  convoy run convergence --data cifar10:dir=data/cifar10\n"
	"  convoy run slow-worker --slow 0:5,0:20 --workers 8,16 --dry-run\n"
	"  convoy run --all --scale smoke              everything that has that scale\n"
	"  convoy run my.json --set lr=0.05 --jobs 2 --threads 1 --out /tmp/results";

/* Files of a part of the grid would replace those of the whole. NULL after error(). */
static cJSON *write_files(struct outcome *o, const struct plan *p, const struct run_conf *c)
{
	if (!p->left_out)
		return outcome_write(o, p) == 0 && provenance_write(p) == 0 ?
			       draw_plots(p, o, NULL, "svg") : NULL;
	if (!c->quiet)
		note("--only: tables, claims and plots are not written");
	return cJSON_CreateArray();
}

/* What is finished becomes tables, claims and plots, also when some run failed. */
static int run_report(const struct plan *p, const struct run_conf *c, struct run_row *row)
{
	struct outcome o;
	cJSON *plots = NULL;
	int ret = -1;

	if (outcome_read(&o, p) == 0)
		plots = write_files(&o, p, c);
	if (plots) {
		if (c->json)
			run_print_json(p, &o, plots);
		else
			run_print_text(p, &o, plots);
		ret = 0;
		run_row_judge(row, &o);
		if (outcome_claims_have(&o, "error"))
			ret = error("%s: a claim has no verdict: its filter failed", p->spec.name);
	}
	cJSON_Delete(plots);
	outcome_release(&o);
	return ret;
}

static int run_dry(const struct entry *e, const struct run_conf *c)
{
	const struct plan *p = &e->plan;
	int code = EXIT_OK;

	plan_print(p, &e->estimate, &e->tuning, c->json);
	if (p->tuning && plan_look_data(&p->tuning->plan) < 0)
		code = EXIT_BAD;
	return plan_look_data(p) < 0 ? EXIT_BAD : code;
}

static int run_plan(const struct series *b, struct entry *e)
{
	const struct run_conf *c = b->conf;
	struct plan *p = &e->plan;
	int code, ret;

	if (c->dry_run)
		return run_dry(e, c);
	provenance_warn(p);
	code = series_run(b, e);
	if (code != EXIT_OK)
		return code;
	ret = run_report(p, c, &e->row);
	if (ret < 0 && output_full())
		return EXIT_DIE;
	return signal_caught ? signals_exit_code() : plan_failed(p) || ret < 0 ? EXIT_BAD : EXIT_OK;
}

/* All plans are made before the first run: a mistake shows at once. */
static int make_plans(struct series *b)
{
	const struct run_conf *c = b->conf;
	int worst = EXIT_OK;

	for (size_t i = 0; i < b->n; i++) {
		struct entry *e = &b->entries[i];
		struct plan_request request = {
			.experiment = e->name, .scale = c->scale, .set = b->args->set,
			.only = c->only, .out = results_folder(c->out),
			.again = series_again(c),
		};

		e->row.experiment = e->name;
		if (plan_make(&e->plan, &request) < 0) {
			plan_release(&e->plan);
			worst = EXIT_BAD;
			continue;
		}
		e->row.scale = e->plan.spec.scale;
		e->row.experiment = e->plan.spec.name;
		e->made = true;
	}
	return worst;
}

static int estimate_one(const struct series *b, const struct plan *p, struct estimate *e)
{
	struct pool_conf n = series_conf(b);

	if (jobs_choose(p, &n) < 0)
		return -1;
	*e = plan_estimate(p, n.jobs, n.threads);
	return 0;
}

/* Before the first run, and where it will be read. */
static void estimate_plans(struct series *b)
{
	struct estimate all = { 0 };
	char *text;

	for (size_t i = 0; i < b->n; i++) {
		struct entry *e = &b->entries[i];

		if (!e->made || estimate_one(b, &e->plan, &e->estimate) < 0)
			continue;
		if (e->plan.tuning)
			estimate_one(b, &e->plan.tuning->plan, &e->tuning);
		estimate_add(&all, &e->tuning);
		estimate_add(&all, &e->estimate);
	}
	text = estimate_text(&all);
	if (b->n > 1 && !b->conf->quiet)
		note("%zu experiments, %zu run%s to do%s%s", b->n, all.known + all.unknown,
		     word_plural((double)(all.known + all.unknown)),
		     text ? ": " : "", text ? text : "");
	free(text);
}

static int run_entry(const struct series *b, struct entry *e)
{
	const double began = clock_s();
	int code = run_plan(b, e);

	e->row.seconds = clock_s() - began;
	return code;
}

static int run_plans(struct series *b)
{
	const bool fast = b->conf->fail_fast;
	int worst = make_plans(b);
	size_t i = 0;

	if (b->conf->dry_run || !b->conf->quiet)
		estimate_plans(b);
	for (; i < b->n && !signal_caught && !(fast && worst != EXIT_OK); i++) {
		struct entry *e = &b->entries[i];
		int code = e->made ? run_entry(b, e) : EXIT_BAD;

		if (code > worst)
			worst = code;
		if (code == EXIT_DIE)
			return code;
	}
	/* A signal between two experiments, or while tables are made, leaves the rest too. */
	return i < b->n && signal_caught ? signals_exit_code() : worst;
}

static void run_summarise(const struct series *b)
{
	struct run_row *rows = xcalloc(b->n, sizeof(*rows));

	for (size_t i = 0; i < b->n; i++) {
		rows[i] = b->entries[i].row;
		if (b->entries[i].made)
			run_row_count(&rows[i], &b->entries[i].plan);
	}
	if (b->conf->json)
		run_summary_json(rows, b->n);
	else
		run_summary_print(rows, b->n);
	free(rows);
}

static int run_names(struct series *b, const char *const *names)
{
	int code;

	if (b->conf->dry_run)
		dataset_plan_only();
	b->entries = xcalloc(b->n, sizeof(*b->entries));
	for (size_t i = 0; i < b->n; i++)
		b->entries[i].name = names[i];
	code = run_plans(b);
	if ((b->conf->all || b->n > 1) && !b->conf->dry_run)
		run_summarise(b);
	for (size_t i = 0; i < b->n; i++)
		plan_release(&b->entries[i].plan);
	free(b->entries);
	return code;
}

/* Why there is nothing to run at that scale; NULL: at any. */
static int none_has(const char *scale)
{
	char **names = spec_names(NULL);
	const bool some = names[0];

	path_list_free(names);
	if (!some)
		return error("no experiments are installed: set CONVOY_HOME to convoy's share "
			     "folder");
	return error("no experiment has the scale '%s'; 'convoy list experiments' shows what they "
		     "have", scale);
}

static int run_all(struct series *b)
{
	char **names = spec_names(b->conf->scale);
	int code = EXIT_BAD;

	while (names[b->n])
		b->n++;
	if (b->n)
		code = run_names(b, (const char *const *)names);
	else
		none_has(b->conf->scale);
	path_list_free(names);
	return code;
}

static int run(const struct args *a)
{
	struct run_conf *c = a->conf;
	struct series b = { .args = a, .conf = c };
	const int listed = launch_hosts(c->hosts, c->hostfile);

	if (listed < 0)
		return EXIT_BAD;
	if (!c->ranks)
		c->ranks = listed;
	if (b.conf->all && a->nwords)
		return args_usage(a, "--all and names are both given (expected one). Leave one "
				     "out");
	if (!b.conf->all && a->nwords == 0)
		return args_usage(a, "no experiment is named. 'convoy list experiments' names "
				     "them");
	if (b.conf->only && !args_are_settings(a, "--only", b.conf->only))
		return EXIT_USAGE;
	if (b.conf->all)
		return run_all(&b);
	b.n = a->nwords;
	return run_names(&b, a->words);
}

int cmd_run(int argc, char **argv)
{
	struct run_conf conf;
	struct args a = { .opts = opts, .conf = &conf, .settings = true, .about = about,
			  .common = "workers data net epochs seed slow",
			  .usage = "run EXPERIMENT...|--all [--scale SCALE] [--set KEY=VALUE]... "
				   "[OPTIONS]" };

	if (world_check_alone("run") < 0)
		return EXIT_BAD;
	return args_main(&a, argc, argv, run);
}
