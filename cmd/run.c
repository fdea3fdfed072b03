/*
 * run.c - `convoy run`: experiments, from their specs to tables, plots and claims.
 */
#include "cmd/cmd.h"

#include "cmd/args.h"
#include "cmd/common.h"
#include "cmd/opts.h"
#include "cmd/outcome.h"
#include "cmd/plan_run.h"
#include "cmd/signals.h"
#include "core/error.h"
#include "core/mem.h"

#include <stdlib.h>
#include <string.h>

struct conf {
	char *scale, *out, *only;
	int64_t jobs, threads;
	double checkpoint_every;
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
	CHECKPOINT_OPT(struct conf, "300"),
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
	"finished are skipped, so an interrupted experiment resumes by being run again. Learning\n"
	"runs are put aside every --checkpoint-every seconds, and when interrupted, and go on\n"
	"from there, to the same bits.\n"
	"\n"
	"Examples:\n"
	"  convoy run slow-worker                      a paper's table, beside what it printed\n"
	"  convoy run convergence --scale smoke        the small version\n"
	"  convoy run convergence --data cifar10:dir=data/cifar10\n"
	"  convoy run slow-worker --algo asgd --workers 64 --dry-run\n"
	"  convoy run my.json --set lr=0.05 --jobs 2 --threads 1 --out /tmp/results";

static void print_json(const struct plan *p, const struct outcome *o, const cJSON *plots)
{
	cJSON *json = cJSON_CreateObject();

	cJSON_AddStringToObject(json, "experiment", p->spec.name);
	cJSON_AddStringToObject(json, "scale", p->spec.scale);
	cJSON_AddItemToObject(json, "runs", outcome_runs(o, p));
	cJSON_AddItemToObject(json, "baseline",
			      o->baselines->child ? run_brief(o->baselines->child)
						  : cJSON_CreateNull());
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
	struct nursery n = { .jobs = (int)c->jobs, .threads = (int)c->threads,
			     .fail_fast = c->fail_fast, .quiet = c->quiet,
			     .checkpoint_every = c->checkpoint_every,
			     .resume = c->checkpoint_every > 0, .argc = argc, .argv = argv };
	int code, ret;

	if (c->dry_run) {
		plan_print(p, c->json);
		return EXIT_OK;
	}
	code = plan_run(p, &n);
	if (code != EXIT_OK)
		return code;
	ret = report(p, c);
	return plan_failed(p) || ret < 0 ? EXIT_BAD : EXIT_OK;
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
