/*
 * run.c - `convoy run`: experiments, from their specs to tables, plots and claims.
 */
#include "cmd/cmd.h"

#include "cmd/args.h"
#include "cmd/children.h"
#include "cmd/common.h"
#include "cmd/opts.h"
#include "cmd/outcome.h"
#include "cmd/signals.h"
#include "core/error.h"
#include "core/mem.h"
#include "core/paths.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct conf {
	char *scale, *out, *only;
	int64_t jobs, threads;
	bool dry_run, json, quiet, fail_fast;
};

#define AT(field) offsetof(struct conf, field)

static const struct opt opts[] = {
	EXPERIMENT_OPTS(struct conf),
	OUT_OPT(struct conf),
	{ "jobs", OPT_INT, AT(jobs), "0",
	  "runs at once; 0: all cores for timing-only runs, 1 for learning runs", "N", 0, 4096,
	  NULL, 0 },
	{ "threads", OPT_INT, AT(threads), "0",
	  "compute threads of a run; 0: the cores left by jobs", "N", 0, 4096, NULL, 0 },
	{ "dry_run", OPT_BOOL, AT(dry_run), "false", "print the plan, run and write nothing",
	  NULL, 0, 0, NULL, 0 },
	{ "json", OPT_BOOL, AT(json), "false", "one JSON object an experiment on stdout", NULL,
	  0, 0, NULL, 0 },
	{ "quiet", OPT_BOOL, AT(quiet), "false", "no plan and no progress on stderr", NULL, 0, 0,
	  NULL, 0 },
	{ "fail_fast", OPT_BOOL, AT(fail_fast), "false", "stop at the first run that fails", NULL,
	  0, 0, NULL, 0 },
	{ NULL, OPT_BOOL, 0, NULL, NULL, NULL, 0, 0, NULL, 0 }
};

static const char about[] =
	"Runs the experiments, by name or path, in virtual time; prints their tables, checks\n"
	"their claims and draws their plots. Each run's result is one HDF5 file; runs that are\n"
	"finished are skipped, so an interrupted experiment resumes by being run again.\n"
	"\n"
	"Examples:\n"
	"  convoy run slow-worker                      a paper's table, beside what it printed\n"
	"  convoy run convergence --scale smoke        the small version\n"
	"  convoy run convergence --data cifar10:dir=data/cifar10\n"
	"  convoy run slow-worker --algo asgd --workers 64 --dry-run\n"
	"  convoy run my.json --set lr=0.05 --jobs 2 --threads 1 --out /tmp/results";

static void divide_cores(const struct plan *p, const struct conf *c, struct nursery *n)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	size_t todo = plan_count(p, RUN_TODO);

	if (cores < 1)
		cores = 1;
	n->jobs = c->jobs ? (int)c->jobs : plan_is_timing(p) ? (int)cores : 1;
	if ((size_t)n->jobs > todo && todo > 0)
		n->jobs = (int)todo;
	n->threads = c->threads ? (int)c->threads : (int)(cores / n->jobs);
	if (!c->threads && plan_is_real(p))
		n->threads = 1;         /* of each rank */
	if (n->threads < 1)
		n->threads = 1;
}

static void announce(const struct plan *p, const struct nursery *n)
{
	size_t todo = plan_count(p, RUN_TODO), done = plan_count(p, RUN_FINISHED);

	if (p->changes.settings)
		note("settings differ from the spec: %s", p->changes.settings);
	note("%s, scale %s: %zu runs, %zu of them finished before", p->spec.name, p->spec.scale,
	     todo + done, done);
	if (todo && plan_is_timing(p))
		note("running %zu, timing only, %d at once, into %s", todo, n->jobs, p->dir);
	else if (todo)
		note("running %zu, %d at once with %d threads, into %s", todo, n->jobs,
		     n->threads, p->dir);
}

static int prepare_folder(const struct plan *p)
{
	char *runs = xasprintf("%s/runs", p->dir);
	int ret = folder_prepare(runs);

	free(runs);
	return ret;
}

static int do_runs(struct plan *p, const struct conf *c, int argc, char **argv)
{
	struct nursery n = { .fail_fast = c->fail_fast, .quiet = c->quiet, .argc = argc,
			     .argv = argv };

	divide_cores(p, c, &n);
	if (prepare_folder(p) < 0)
		return -1;
	if (!c->quiet)
		announce(p, &n);
	if (plan_open_data(p) < 0)
		return -1;
	if (plan_count(p, RUN_TODO))
		children_run(p, &n);
	return 0;
}

static void print_json(const struct plan *p, const struct outcome *o, const cJSON *plots)
{
	cJSON *json = cJSON_CreateObject();

	cJSON_AddStringToObject(json, "experiment", p->spec.name);
	cJSON_AddStringToObject(json, "scale", p->spec.scale);
	cJSON_AddItemToObject(json, "runs", outcome_runs(o, p));
	cJSON_AddItemToObject(json, "baseline",
			      o->baseline ? run_brief(o->baseline) : cJSON_CreateNull());
	cJSON_AddItemToObject(json, "tables", cJSON_Duplicate(o->tables, true));
	cJSON_AddItemToObject(json, "claims", cJSON_Duplicate(o->claims, true));
	cJSON_AddItemToObject(json, "plots", cJSON_Duplicate(plots, true));
	json_print(json);
	cJSON_Delete(json);
}

/* What lies beside a picture: gnuplot's script and data. */
static bool is_script(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot && (strcmp(dot, ".gp") == 0 || strcmp(dot, ".dat") == 0);
}

static void print_text(const struct outcome *o, const cJSON *plots)
{
	const cJSON *path;

	if (cJSON_GetArraySize(o->tables) == 0)
		runs_print(o->runs);
	if (cJSON_GetArraySize(o->tables) == 0 && o->gap)
		puts(o->gap);
	outcome_print_tables(o->tables, TABLE_TEXT);
	if (cJSON_GetArraySize(o->claims) > 0)
		putchar('\n');
	claims_print(o->claims, stdout);
	if (cJSON_GetArraySize(plots) > 0)
		printf("\nPlots, each with its script and data beside it:\n");
	cJSON_ArrayForEach(path, plots)
		if (!is_script(path->valuestring))
			printf("  %s\n", path->valuestring);
}

/* Files of a part of the grid would replace those of the whole. NULL after error(). */
static cJSON *write_files(const struct outcome *o, const struct plan *p, const struct conf *c)
{
	if (!p->left_out)
		return outcome_write(o, p) == 0 ? draw_plots(p, o, NULL) : NULL;
	if (!c->quiet)
		note("--only: tables, claims and plots are not written");
	return cJSON_CreateArray();
}

/* What is finished becomes tables, claims and plots, also when some run failed. */
static int report(const struct plan *p, const struct conf *c)
{
	struct outcome o;
	cJSON *plots = NULL;
	int ret = -1;

	if (outcome_read(&o, p) == 0)
		plots = write_files(&o, p, c);
	if (plots) {
		if (c->json)
			print_json(p, &o, plots);
		else
			print_text(&o, plots);
		ret = 0;
		if (outcome_claims_have(&o, "error"))
			ret = error("%s: a claim has no verdict: its filter failed", p->spec.name);
	}
	cJSON_Delete(plots);
	outcome_release(&o);
	return ret;
}

static int run_plan(struct plan *p, const struct conf *c, int argc, char **argv)
{
	size_t failed;
	int ret;

	if (c->dry_run) {
		plan_print(p, c->json);
		return EXIT_OK;
	}
	if (do_runs(p, c, argc, argv) < 0)
		return EXIT_BAD;
	if (signal_caught) {
		note("%zu of the runs are finished; the same command resumes",
		     plan_count(p, RUN_FINISHED));
		return signals_exit_code();
	}
	ret = report(p, c);
	failed = plan_count(p, RUN_FAILED) + plan_count(p, RUN_CUT) + plan_count(p, RUN_TODO);
	if (failed)
		error("%s: %zu runs have no result", p->spec.name, failed);
	return failed || ret < 0 ? EXIT_BAD : EXIT_OK;
}

static int run_experiment(const char *name, const struct args *a, int argc, char **argv)
{
	const struct conf *c = a->conf;
	struct plan_request request = {
		.experiment = name, .scale = c->scale, .set = a->set, .only = c->only,
		.out = results_folder(c->out),
	};
	struct plan plan;
	int code = EXIT_BAD;

	if (plan_make(&plan, &request) == 0)
		code = run_plan(&plan, c, argc, argv);
	plan_release(&plan);
	return code;
}

int cmd_run(int argc, char **argv)
{
	struct conf conf;
	struct args a = { .opts = opts, .conf = &conf, .settings = true, .about = about,
			  .usage = "run EXPERIMENT... [--scale SCALE] [--set KEY=VALUE]... "
				   "[OPTIONS]" };
	int code, worst = EXIT_OK;

	if (args_parse(&a, argc, argv, &code)) {
		if (a.nwords == 0)
			worst = args_usage(&a, "which experiment? 'convoy list experiments' "
					       "names them");
		else if (conf.only && !args_is_setting(&a, "--only", conf.only))
			worst = EXIT_USAGE;
		for (size_t i = 0; i < a.nwords && worst != EXIT_USAGE && !signal_caught; i++) {
			code = run_experiment(a.words[i], &a, argc, argv);
			if (code > worst)
				worst = code;
		}
		code = worst;
	}
	args_release(&a);
	return code;
}
