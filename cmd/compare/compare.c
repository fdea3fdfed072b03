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

/* ---- runs of a file, of a folder, or of an experiment ---- */

/* A run that was interrupted or failed has results of another length than its settings say. */
static void warn_of_part(const char *path, const char *status)
{
	if (strcmp(status, STATUS_DONE) && strcmp(status, STATUS_DIVERGED))
		warning("%s: the run did not finish (%s); its measures are of the part that was "
			"made", path, status);
}

static int compare_add_file(struct results *runs, const char *path)
{
	struct result r;

	if (result_load(&r, path, RESULT_TIMED) < 0)
		return -1;
	warn_of_part(path, r.text[RESULT_STATUS]);
	results_add(runs, &r);
	return 0;
}

static int add_folder(struct results *runs, const char *dir)
{
	char **paths = dir_list(dir, ".h5");
	int ret = paths ? 0 : error("cannot read %s: %s", dir, strerror(errno));

	for (size_t i = 0; ret == 0 && paths[i]; i++)
		ret = compare_add_file(runs, paths[i]);
	path_list_free(paths);
	return ret;
}

/* DIR/runs where there is one, else DIR. */
static int add_results(struct results *runs, const char *dir)
{
	char *inner = xasprintf("%s/runs", dir);
	const int ret = add_folder(runs, dir_exists(inner) ? inner : dir);

	free(inner);
	if (ret == 0 && !runs->n)
		return error("%s: no result file there", dir);
	return ret;
}

static int add_experiment(struct results *runs, const char *name, const struct conf *c)
{
	struct plan_request request = { .experiment = name, .scale = c->scale,
					.out = results_folder(c->out) };
	struct plan plan;
	int ret = plan_make(&plan, &request);

	for (size_t i = 0; ret == 0 && i < plan.n - plan.nbaselines; i++)
		if (plan.runs[i].state == RUN_FINISHED && plan.runs[i].same_as == i)
			ret = compare_add_file(runs, plan.runs[i].path);
	if (ret == 0 && !runs->n)
		ret = error("%s: no finished run in %s", plan.spec.name, plan.dir);
	plan_release(&plan);
	return ret;
}

/* A file that is no spec, or what can only have meant one: none there is called so. */
static bool compare_is_file(const char *name)
{
	return word_ends(name, ".h5") || (access(name, F_OK) == 0 && !word_ends(name, ".json"));
}

static int add_named(struct results *runs, const char *name, const struct conf *c)
{
	if (dir_exists(name))
		return add_results(runs, name);
	return compare_is_file(name) ? compare_add_file(runs, name) : add_experiment(runs, name, c);
}

/* Adds the runs that a word of the command line names. 0, or error(). */
static int add_word(struct results *runs, const char *word, const struct conf *c)
{
	struct subset part;
	int ret = subset_read(&part, word);

	if (ret == 0)
		ret = add_named(runs, part.what, c);
	if (ret == 0)
		ret = subset_keep(&part, runs);
	subset_release(&part);
	return ret;
}

static void warn_of_diverged(const char *name, const struct results *runs)
{
	int diverged = 0;

	for (size_t i = 0; i < runs->n; i++)
		diverged += result_diverged(&runs->v[i]);
	if (diverged)
		warning("%s: %d of %zu runs diverged: their losses count as infinite, and no "
			"difference to them is called one beyond seeds", name, diverged, runs->n);
}

static int compare(const struct args *a)
{
	const struct conf *c = a->conf;
	char **measures = NULL;
	struct results runs[2] = { { 0 } };
	struct comparison comparison;
	int code = EXIT_OK;

	if (a->nwords != 2)
		return args_usage(a, "expected two results to compare");
	if (c->values && !(measures = measures_parse("--values", c->values)))
		return EXIT_USAGE;
	if (add_word(&runs[0], a->words[0], c) < 0 || add_word(&runs[1], a->words[1], c) < 0)
		code = EXIT_BAD;
	if (code == EXIT_OK) {
		warn_of_diverged(a->words[0], &runs[0]);
		warn_of_diverged(a->words[1], &runs[1]);
		comparison = results_compare(&(struct compared){ a->words[0], &runs[0] },
					     &(struct compared){ a->words[1], &runs[1] },
					     (const char *const *)measures);
		compare_print(&comparison, (enum table_format)c->format, stdout);
		compare_release(&comparison);
	}
	results_release(&runs[0]);
	results_release(&runs[1]);
	path_list_free(measures);
	return code;
}

int cmd_compare(int argc, char **argv)
{
	struct conf conf;
	struct args a = { .opts = opts, .conf = &conf, .about = about,
			  .usage = "compare A[:KEY=VALUE,...] B[:KEY=VALUE,...] [--values LIST] "
				   "[--format FORMAT] [OPTIONS]" };

	return args_main(&a, argc, argv, compare);
}
