/* `convoy compare`: two results side by side. */
#include "cmd/cmd.h"

#include "cmd/args.h"
#include "cmd/compare/subset.h"
#include "cmd/opts.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/paths.h"
#include "core/text/word.h"
#include "plan/plan.h"
#include "record/layout.h"
#include "record/measure.h"
#include "report/compare/compare.h"
#include "runner/results/folder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct conf {
	char *scale, *out, *values;
	int format;
};

static const struct opt opts[] = {
	OPT_TEXT(struct conf, scale, "of experiments that are named: which scale", "SCALE"),
	OPT_TEXT(struct conf, values,
	  "measures to compare, separated by commas: time_s,time_to:test_accuracy>=0.8", "LIST"),
	OPT_CHOICE(struct conf, format, "text", "how the comparison is written", NULL,
		   table_format_name),
	OUT_OPT(struct conf),
	{ 0 }
};

static const char about[] =
	"Compares two results: result files, folders of them, or experiments by name.\n"
	"Shows the settings that differ, and every measure with difference and ratio. Runs that\n"
	"differ only in the seed are one: mean and deviation, and whether the difference is\n"
	"larger than seeds explain (Welch's interval at 95 %).\n"
	"A:KEY=VALUE selects the runs with that setting, to compare an experiment with itself.\n"
	"\n"
	"Examples:\n"
	"  convoy compare results/sim/0123456789abcdef.h5 results/sim/fedcba9876543210.h5\n"
	"  convoy compare slow-worker slow-worker-real\n"
	"  convoy compare slow-worker:algo=asgd slow-worker:algo=ad-psgd\n"
	"  convoy compare results/zhang2017/convergence/smoke /tmp/convergence/smoke\n"
	"  convoy compare A B --values 'time_s,time_to:test_accuracy>=0.8' --format md";

/* ---- run objects of a file, or of a folder ---- */

/* A run that was interrupted or failed has results of another length than its settings say. */
static void warn_of_part(const char *path, const char *status)
{
	if (strcmp(status, STATUS_DONE) && strcmp(status, STATUS_DIVERGED))
		warning("%s: the run did not finish (%s); its measures are of the part that was "
			"made", path, status);
}

static int compare_add_file(cJSON *runs, const char *path)
{
	cJSON *run = result_read_timed(path);

	if (!run)
		return -1;
	warn_of_part(path, json_word(run, "status"));
	cJSON_AddItemToArray(runs, run);
	return 0;
}

static int add_folder(cJSON *runs, const char *dir)
{
	char **paths = dir_list(dir, ".h5");
	int ret = paths ? 0 : error("cannot read %s: %s", dir, strerror(errno));

	for (size_t i = 0; ret == 0 && paths[i]; i++)
		ret = compare_add_file(runs, paths[i]);
	path_list_free(paths);
	return ret;
}

/* DIR/runs where there is one, else DIR. */
static int add_results(cJSON *runs, const char *dir)
{
	char *inner = xasprintf("%s/runs", dir);
	const int ret = add_folder(runs, dir_exists(inner) ? inner : dir);

	free(inner);
	if (ret == 0 && !runs->child)
		return error("%s: no result file there", dir);
	return ret;
}

static int add_experiment(cJSON *runs, const char *name, const struct conf *c)
{
	struct plan_request request = { .experiment = name, .scale = c->scale,
					.out = results_folder(c->out) };
	struct plan plan;
	int ret = plan_make(&plan, &request);

	for (size_t i = 0; ret == 0 && i < plan.n - plan.nbaselines; i++)
		if (plan.runs[i].state == RUN_FINISHED && plan.runs[i].same_as == i)
			ret = compare_add_file(runs, plan.runs[i].path);
	if (ret == 0 && !runs->child)
		ret = error("%s: no finished run in %s", plan.spec.name, plan.dir);
	plan_release(&plan);
	return ret;
}

/* A file that is no spec, or what can only have meant one: none there is called so. */
static bool compare_is_file(const char *name)
{
	return word_ends(name, ".h5") || (access(name, F_OK) == 0 && !word_ends(name, ".json"));
}

static int add_named(cJSON *runs, const char *name, const struct conf *c)
{
	if (dir_exists(name))
		return add_results(runs, name);
	return compare_is_file(name) ? compare_add_file(runs, name) : add_experiment(runs, name, c);
}

/* NULL after error(). */
static cJSON *runs_of(const char *word, const struct conf *c)
{
	cJSON *runs = cJSON_CreateArray();
	struct subset part;
	int ret = subset_read(&part, word);

	if (ret == 0)
		ret = add_named(runs, part.what, c);
	if (ret == 0)
		ret = subset_keep(&part, runs);
	subset_release(&part);
	if (ret == 0)
		return runs;
	cJSON_Delete(runs);
	return NULL;
}

static void warn_of_diverged(const char *name, const cJSON *runs)
{
	struct group g = group_where(runs, NULL);
	const int diverged = group_diverged(&g);

	if (diverged)
		warning("%s: %d of %zu runs diverged: their losses count as infinite, and no "
			"difference to them is called one beyond seeds", name, diverged, g.n);
	group_release(&g);
}

static int compare(const struct args *a)
{
	const struct conf *c = a->conf;
	char **measures = NULL;
	cJSON *runs[2] = { NULL, NULL }, *comparison;

	if (a->nwords != 2)
		return args_usage(a, "expected two results to compare");
	if (c->values && !(measures = measures_parse("--values", c->values)))
		return EXIT_USAGE;
	runs[0] = runs_of(a->words[0], c);
	if (runs[0])
		runs[1] = runs_of(a->words[1], c);
	if (runs[1]) {
		warn_of_diverged(a->words[0], runs[0]);
		warn_of_diverged(a->words[1], runs[1]);
		comparison = results_compare(&(struct compared){ a->words[0], runs[0] },
					     &(struct compared){ a->words[1], runs[1] },
					     (const char *const *)measures);
		compare_print(comparison, (enum table_format)c->format, stdout);
		cJSON_Delete(comparison);
	}
	cJSON_Delete(runs[0]);
	cJSON_Delete(runs[1]);
	path_list_free(measures);
	return runs[1] ? EXIT_OK : EXIT_BAD;
}

int cmd_compare(int argc, char **argv)
{
	struct conf conf;
	struct args a = { .opts = opts, .conf = &conf, .about = about,
			  .usage = "compare A[:KEY=VALUE,...] B[:KEY=VALUE,...] [--values LIST] "
				   "[--format FORMAT] [OPTIONS]" };

	return args_main(&a, argc, argv, compare);
}
